# Scripts of dscripts/bin about disks: every option of iosnoop and iotop.d, and diskuse.d.
# needs: root
# timeout: 180
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
disk_work
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH
mount=$(df --output=target "$TMP" | tail -1)
numbers=$(stat -c '%Hd:%Ld' "$TMP") # of a file system that is on several devices, none
[ -e "/sys/dev/block/$numbers" ] || skip "the scratch folder is on no disk"
device=$(basename "$(realpath "/sys/dev/block/$numbers")") major=${numbers%:*}

# runs COMMAND...: its output is in $out
runs() {
	out=$("$@" 2>"$TMP/err" </dev/null) || fail "$*: status $?: $(cat "$TMP/err")"
}

# refuses PATTERN COMMAND...: one line on standard error, status 2
refuses() {
	pattern=$1
	shift
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$*: status" $? 2
	is "$*: lines" "$(wc -l <"$TMP/err") $(wc -l <"$TMP/out")" "1 0"
	like "$*" "$(cat "$TMP/err")" "$pattern"
}

# ours FIELD: of the lines of our file
ours() {
	echo "$out" | awk -v name="$name" -v field="$1" 'index($0, name) { print $field; exit }'
}

for script in iosnoop iotop.d; do
	refuses "$script: *-Q*" dscripts/bin/$script -Q
	refuses "$script: *-d*value*" dscripts/bin/$script -d
	for help in -h --help; do
		runs dscripts/bin/$script $help
		like "$script $help" "$out" "usage: $script *"
	done
done
refuses "iosnoop: -p takes a number*x*" dscripts/bin/iosnoop -p x
refuses "iosnoop: *what is 'more'*" dscripts/bin/iosnoop more
refuses "iotop.d: *interval*0*" dscripts/bin/iotop.d 0
refuses "iotop.d: *count*'x'*" dscripts/bin/iotop.d 1 x

touch "$TMP/go"
(while [ -e "$TMP/go" ]; do $work 2>/dev/null; done) &
cat >"$TMP/columns" <<END
-D DELTA(us) 1 [0-9]*
-e DEVICE 1 $device
-i INS 1 [0-9]*
-N MAJ 1 $major
-o DTIME(us) 1 [0-9]*
-s STIME(us) 1 [0-9]*
-t TIME(us) 1 [0-9]*
-v STRTIME 1 [0-9]*
-a STRTIME 5 $device
END
while read -r flag title field want; do
	runs dscripts/bin/iosnoop "$flag" -f "$file" -n dd -l 1
	like "iosnoop $flag: title" "$(echo "$out" | head -1)" "*$title*UID*PID*D*BLOCK*SIZE*COMM*PATHNAME*"
	like "iosnoop $flag" "$(ours "$field")" "$want"
done <"$TMP/columns"
runs dscripts/bin/iosnoop -g -f "$file" -l 1
like "iosnoop -g" "$out" "*PATHNAME ARGS*$file dd if=/dev/zero of=$file*"
runs dscripts/bin/iosnoop -A -f "$file" -l 2
is "iosnoop -A: fields" "$(echo "$out" | awk 'NF { print NF }' | sort -u)" 15
runs dscripts/bin/iosnoop -d "/dev/$device" -m "$mount" -f "$file" -l 3
is "iosnoop -d -m -f" "$(echo "$out" | grep -c "$name")" 3
is "iosnoop -f: of others" "$(echo "$out" | awk -v name="$name" 'NR > 1 && NF && !index($0, name)')" ""
# a process of this number, and no other
$work 2>/dev/null & # to have one that is surely gone
wait $!
out=$(timeout -s INT 3 dscripts/bin/iosnoop -p $! -l 1 2>"$TMP/err" </dev/null)
like "iosnoop -p" "$out" "*UID*PID*PATHNAME*"
is "iosnoop -p of a process that is gone" "$(echo "$out" | grep -c ' dd ')" 0

for flags in "" -D -o -P; do
	# shellcheck disable=SC2086
	runs dscripts/bin/iotop.d -C $flags -d "$device" -m "$mount" -f "$file" 1 1
	like "iotop.d $flags" "$out" "*disk_r:*disk_w:*UID*PID*PPID*CMD*DEVICE*dd *$device*"
	is "iotop.d $flags: others" "$(echo "$out" | awk '/UID/ { on = 1; next } on && NF && $4 != "dd"')" ""
done
runs dscripts/bin/iotop.d -j -t 1 1 1
like "iotop.d -j" "$out" "*PROJ*UID*"
is "iotop.d -t: lines" "$(echo "$out" | awk '/UID/ { on = 1; next } on && NF' | wc -l)" 1
runs dscripts/bin/iotop.d -Z 1 2
is "iotop.d: count" "$(echo "$out" | grep -c 'disk_r:')" 2
like "iotop.d -Z" "$out" "*ZONE*UID*global * dd *"
is "iotop.d: no screen is cleared" "$(echo "$out" | grep -c "$(printf '\033')")" 0
rm "$TMP/go"
wait

runs dscripts/bin/diskuse.d -c "$work" dd
is "diskuse.d" "$(echo "$out" | awk -v file="$file" '$NF == file { print $1, $2, $4 }')" "dd write 4194304"
like "diskuse.d: times" "$out" "*$device*write*"
finish
