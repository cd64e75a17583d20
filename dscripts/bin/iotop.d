#!/bin/sh
# iotop.d: the processes that use the disks most, by bytes, requests or time.
usage() {
	cat <<-'END'
	usage: iotop.d [-C] [-D|-o|-P] [-j|-Z] [-d device] [-f filename] [-m mount_point] [-t top] [interval [count]]
	    -C  do not clear the screen      -D  by the time of requests, microseconds
	    -o  by the time of the disk      -P  by the share of the interval, %I/O
	    -j  by project, too              -Z  by zone (container), too
	    -d, -f, -m  only requests to this device, for this file, on this mount point
	    -t  only the first so many
	    -h  this text
	interval: seconds, default 5; count: how many times, default until ^C
	END
}

# wrong TEXT: one line, and the end
wrong() {
	echo "iotop.d: $1 (iotop.d -h: what there is)" >&2
	exit 2
}

# number WHAT TEXT
number() {
	case $2 in '' | *[!0-9]*) wrong "$1 is a number, not '$2'" ;; esac
}

clear=1 key=bytes top=0 only_device='' only_file='' only_mount='' group=''
[ "${1-}" != --help ] || set -- -h
while getopts :CDoPjZd:f:m:t:h flag; do
	case $flag in
	C) clear='' ;;
	D) key=delta ;;
	o) key=busy ;;
	P) key=share ;;
	j | Z) group=$flag ;;
	d) only_device=$OPTARG ;;
	f) only_file=$OPTARG ;;
	m) only_mount=$OPTARG ;;
	t) top=$OPTARG && number "the value of -t" "$top" ;;
	h) usage && exit 0 ;;
	:) wrong "-$OPTARG lacks its value" ;;
	*) wrong "there is no option -$OPTARG" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 2 ] || wrong "what is '$3'?"
interval=${1:-5} count=${2:-0}
number "the interval" "$interval"
number "the count" "$count"
[ "$interval" -gt 0 ] || wrong "an interval of 0 seconds"
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
# what stands before the user: nothing, the project, the zone
case $group in
j) who='curpsinfo->pr_projid,' column='%7d ' head='printf("%7s ", "PROJ");' ;;
Z) who='zonename,' column='%-12s ' head='printf("%-12s ", "ZONE");' ;;
*) who='' column='' head='' ;;
esac
[ "$top" = 0 ] && cut='' || cut="trunc(@use, $top);"
[ -z "$clear" ] && wipe='' || wipe='printf("\033[H\033[2J");'

exec "${DTRACE:-dtrace}" -q -x dynvarsize=8m -n "
	BEGIN { last = timestamp; rbytes = wbytes = (uint64_t)0; printf(\"Tracing... Please wait.\\n\"); }
	io:::start { began[args[0]->b_addr] = timestamp; }
	io:::done /began[args[0]->b_addr] && $where/
	{
		@use[$who uid, pid, ppid, execname, args[1]->dev_statname, args[1]->dev_major, args[1]->dev_minor,
		    args[0]->b_flags & B_READ ? \"R\" : \"W\"] = sum($value);
		rbytes += args[0]->b_flags & B_READ ? args[0]->b_bcount : 0;
		wbytes += args[0]->b_flags & B_READ ? 0 : args[0]->b_bcount;
	}
	io:::done { began[args[0]->b_addr] = 0; last = timestamp; }
	tick-${interval}s
	{
		$wipe
		printf(\"%Y,  disk_r: %6d KB,  disk_w: %6d KB\\n\\n\", walltimestamp, rbytes / 1024, wbytes / 1024);
		$head
		printf(\"%5s %7s %7s %-16s %-7s %3s %3s %1s %16s\\n\", \"UID\", \"PID\", \"PPID\", \"CMD\", \"DEVICE\", \"MAJ\", \"MIN\", \"D\", \"$title\");
		$cut
		normalize(@use, $scale);
		printa(\"${column}%5d %7d %7d %-16s %-7s %3d %3d %1s %@16d\\n\", @use);
		printf(\"\\n\");
		trunc(@use);
		rbytes = 0; wbytes = 0;
	}
	tick-${interval}s /$count && ++rounds >= $count/ { exit(0); }"
