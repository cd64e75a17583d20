#!/bin/sh
# iotop.d: the processes that use the disks most, by bytes, requests or time.
usage() {
	cat >&2 <<-'END'
	usage: iotop.d [-C] [-D|-o|-P] [-d device] [-f filename] [-m mount_point] [-t top] [interval [count]]
	    -C  do not clear the screen      -D  by the time of requests, microseconds
	    -o  by the time of the disk      -P  by the share of the interval, %I/O
	    -d, -f, -m  only requests to this device, for this file, on this mount point
	    -t  only the first so many
	interval: seconds, default 5; count: how many times, default until ^C
	END
	exit 1
}

clear=1 key=bytes top=0 only_device='' only_file='' only_mount=''
while getopts CDoPd:f:m:t:h flag; do
	case $flag in
	C) clear='' ;;
	D) key=delta ;;
	o) key=busy ;;
	P) key=share ;;
	d) only_device=$OPTARG ;;
	f) only_file=$OPTARG ;;
	m) only_mount=$OPTARG ;;
	t) top=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 2 ] || usage
interval=${1:-5} count=${2:-0}
case $interval$count$top in *[!0-9]*) usage ;; esac
[ "$interval" -gt 0 ] || usage
[ -t 1 ] || clear=''

quoted() {
	printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

where=1
[ -z "$only_device" ] || where="$where && args[1]->dev_statname == $(quoted "${only_device#/dev/}")"
[ -z "$only_file" ] || where="$where && args[2]->fi_pathname == $(quoted "$only_file")"
[ -z "$only_mount" ] || where="$where && args[2]->fi_mount == $(quoted "$only_mount")"

case $key in
bytes) title=BYTES value='args[0]->b_bcount' scale=1 ;;
delta) title='DELTA(us)' value='timestamp - began[args[0]->b_addr]' scale=1000 ;;
busy) title='DISKTIME(us)' value='timestamp - (last > began[args[0]->b_addr] ? last : began[args[0]->b_addr])' scale=1000 ;;
share) title='%I/O' value='timestamp - (last > began[args[0]->b_addr] ? last : began[args[0]->b_addr])' scale=$((interval * 10000000)) ;;
esac
[ "$top" = 0 ] && cut='' || cut="trunc(@use, $top);"
[ -z "$clear" ] && wipe='' || wipe='printf("\033[H\033[2J");'

exec "${DTRACE:-dtrace}" -q -n "
	BEGIN { last = timestamp; rbytes = wbytes = (uint64_t)0; printf(\"Tracing... Please wait.\\n\"); }
	io:::start { began[args[0]->b_addr] = timestamp; }
	io:::done /began[args[0]->b_addr] && $where/
	{
		@use[uid, pid, ppid, execname, args[1]->dev_statname, args[1]->dev_major, args[1]->dev_minor,
		    args[0]->b_flags & B_READ ? \"R\" : \"W\"] = sum($value);
		rbytes += args[0]->b_flags & B_READ ? args[0]->b_bcount : 0;
		wbytes += args[0]->b_flags & B_READ ? 0 : args[0]->b_bcount;
	}
	io:::done { began[args[0]->b_addr] = 0; last = timestamp; }
	tick-${interval}s
	{
		$wipe
		printf(\"%Y,  disk_r: %6d KB,  disk_w: %6d KB\\n\\n\", walltimestamp, rbytes / 1024, wbytes / 1024);
		printf(\"%5s %7s %7s %-16s %-7s %3s %3s %1s %16s\\n\", \"UID\", \"PID\", \"PPID\", \"CMD\", \"DEVICE\", \"MAJ\", \"MIN\", \"D\", \"$title\");
		$cut
		normalize(@use, $scale);
		printa(\"%5d %7d %7d %-16s %-7s %3d %3d %1s %@16d\\n\", @use);
		printf(\"\\n\");
		trunc(@use);
		rbytes = 0; wbytes = 0;
	}
	tick-${interval}s /$count && ++rounds >= $count/ { exit(0); }"
