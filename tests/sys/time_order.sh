# Functions, system calls, scheduling and tracepoints of one program come in the order of time.
# needs: root
. tests/lib.sh
. tests/sys.sh
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
finish
