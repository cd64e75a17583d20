# Functions, system calls, scheduling and tracepoints of one program come in the order of time.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -qn 'pid$target:a.out:leaf:entry, pid$target:libc.so.6:write:entry { printf("%d %s\n", timestamp, probefunc); }
	syscall::write:entry /pid == $target/ { printf("%d sys_write\n", timestamp); }
	syscall::write:return /pid == $target/ { printf("%d sys_return\n", timestamp); }
	sched:::on-cpu, sched:::off-cpu /pid == $target/ { printf("%d %s\n", timestamp, probename); }
	linux-raw_syscalls:::sys_exit /pid == $target/ { printf("%d raw_exit\n", timestamp); }
	profile-997 { printf("%d profile\n", timestamp); } tick-7ms { printf("%d tick\n", timestamp); }' \
	-c "$TARGETS/t 300" -o "$TMP/events"
ends 0 "a mixed script"
is "the order of time" "$(awk 'NF == 2 && $1 + 0 < last { bad++ } NF == 2 { last = $1 + 0 } END { print bad + 0 }' "$TMP/events")" 0
for what in leaf write sys_write sys_return on-cpu raw_exit; do
	grep -q " $what\$" "$TMP/events" || fail "no $what"
done
# of one thread: the function, the call it makes, and its return
is "a request followed" "$(grep -E ' (write|sys_write|sys_return)$' "$TMP/events" | awk '{ print $2 }' | uniq | head -3 | tr '\n' ' ')" "write sys_write sys_return "

# with disks, idle CPUs, and CPUs that are busy
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) finish ;;
esac
for i in 1 2 3; do
	"$TARGETS/burn" 3 >/dev/null &
done
d -qn 'pid$target:libc.so.6:write:entry { printf("%d write\n", timestamp); }
	syscall::write:entry, syscall::fsync:return /pid == $target/ { printf("%d %s\n", timestamp, probefunc); }
	io:::start, io:::done /args[0]->b_bcount/ { printf("%d io_%s\n", timestamp, probename); }
	sched:::on-cpu, sched:::off-cpu, sched:::wakeup { printf("%d %s\n", timestamp, probename); }
	linux-timer:::hrtimer_expire_entry { printf("%d timer\n", timestamp); }
	profile-997 { printf("%d profile\n", timestamp); } tick-7ms { printf("%d tick\n", timestamp); }' \
	-c "dd if=/dev/zero of=$TMP/data bs=64k count=40 conv=fsync" -o "$TMP/events2"
ends 0 "with disks"
wait
is "the order of time with disks" "$(awk 'NF == 2 && $1 + 0 < last { bad++ } NF == 2 { last = $1 + 0 } END { print bad + 0 }' "$TMP/events2")" 0
for what in write fsync io_start io_done on-cpu off-cpu wakeup timer profile; do
	grep -q " $what\$" "$TMP/events2" || fail "no $what"
done
finish
