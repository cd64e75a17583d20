# The scripts of dscripts/bin: each runs, ends by itself, and tells of what happens meanwhile.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH

# runs COMMAND...: its output is in $out
runs() {
	out=$("$@" 2>"$TMP/err" </dev/null) || fail "$*: status $?: $(cat "$TMP/err")"
}

# busy: threads that sleep and are woken, and writes to a disk (which may take longer than a script runs), until the
# file is gone
touch "$TMP/go"
(while [ -e "$TMP/go" ]; do "$TARGETS/switches" 20 >/dev/null; done) &
(while [ -e "$TMP/go" ]; do
	dd if=/dev/zero of="$TMP/data" bs=64k count=16 conv=fsync 2>/dev/null
done) &

runs dscripts/bin/sched.d 1
like "sched.d" "$out" "Tracing*switches*value*Distribution*"
runs dscripts/bin/wakeup.d switches 1
like "wakeup.d" "$out" "Tracing wakeups of switches*WAKER*WOKEN*COUNT*switches*"
runs dscripts/bin/whererun.d switches 1
like "whererun.d" "$out" "*PROGRAM*PID*CPU*TIMES*MICROSECONDS*switches*"
(while [ -e "$TMP/go" ]; do "$TARGETS/burn" >/dev/null; done) &
runs dscripts/bin/ustacks_exe.d burn 1 1
like "ustacks_exe.d" "$out" "Sampling burn*burn\`burn*[0-9] samples*"
is "ustacks_exe.d: no more than there was time" "$(echo "$out" | awk -v n="$(getconf _NPROCESSORS_ONLN)" '$2 == "samples" { print ($1 > 0 && $1 <= 2 * 97 * n) }')" 1
runs dscripts/bin/ustacks_exe.d burn 1 1000
is "ustacks_exe.d: all stacks are all samples" "$(echo "$out" | awk 'NF == 1 && $1 ~ /^[0-9]+$/ { n += $1 } $2 == "samples" { print n == $1 }')" 1
runs dscripts/bin/restest.d 1
like "restest.d" "$out" "*CPU*SAMPLES*MEAN/US*value*Distribution*"
is "restest.d: the distributions are of all samples" "$(echo "$out" | awk '/\|/ { n += $NF } NF == 3 && $1 ~ /^[0-9]+$/ && !/\|/ { all += $2 } END { print (all > 0 && n == all) }')" 1
runs dscripts/demo/pf.d -c "$TARGETS/faults $TMP/faults"
like "pf.d" "$out" "*FAULT*FROM*COUNT*gp_flt *faults * 36
*SPACE*BYTES*vfree*valloc*READ FROM*"
is "pf.d: times that cannot be" "$(echo "$out" | awk '$1 ~ /^[0-9]+$/ && $1 > 100000000 && $NF > 0')" ""
case $(df --output=source "$TMP" | tail -1) in
/dev/*)
	runs dscripts/bin/iosnoop -n dd -l 3
	like "iosnoop" "$out" "*UID*PID*D*BLOCK*SIZE*COMM*PATHNAME*W*dd*"
	is "iosnoop: lines" "$(echo "$out" | grep -c ' dd ')" 3
	runs dscripts/bin/iosnoop -A -n dd -l 1
	like "iosnoop -A" "$out" "TIME STIME DELTA DEVICE MAJ MIN INS UID PID D BLOCK SIZE MOUNT FILE COMM
*[0-9] * dd*"
	for flags in -a -Dot -seiN -gv; do
		runs dscripts/bin/iosnoop $flags -l 1
		[ "$(echo "$out" | wc -l)" -ge 2 ] || fail "iosnoop $flags: $out"
	done
	for flags in -C -D -P -o; do
		runs dscripts/bin/iotop.d -C $flags 1 1
		like "iotop.d $flags" "$out" "*disk_r:*disk_w:*UID*PID*PPID*CMD*DEVICE*dd*"
	done
	;;
esac
rm "$TMP/go"
wait
# demo COMMAND: the script $1 on a command
demo() {
	runs "$DTRACE" -s "dscripts/demo/$1.d" -c "$2"
}
demo systemcall "cat /nonexistent /etc/hostname"
like "systemcall.d" "$out" "*CALL*COUNT*NS*openat*FAILED*ERRNO*openat * 2 *"
demo proc "sh -c 'sh -c \"/bin/true; /bin/false; exit 2\"; true'"
like "proc.d" "$out" "*sh *runs   */sh*sh *makes *runs   /bin/true*ends   with 1*ends   with 2*ends   with 0*"
demo profile "$TARGETS/burn 1"
like "profile.d" "$out" "*burn\`*burn\`*"
demo tracepoints "$TARGETS/switches 20"
like "tracepoints.d" "$out" "*microseconds*Distribution*events of the scheduler*linux-sched*"
case $(df --output=source "$TMP" | tail -1) in
/dev/*)
	demo io "dd if=/dev/zero of=$TMP/data bs=64k count=16 conv=fsync"
	like "io.d" "$out" "*dd *write *data *microseconds a request takes*"
	;;
esac
finish
