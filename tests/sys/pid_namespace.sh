# In a PID namespace, as containers have, processes are called by their numbers there.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need strace
unshare -p --fork --mount-proc true 2>/dev/null || skip "no PID namespace can be made here"
cat >"$TMP/inside" <<END
#!/bin/sh
exec unshare -p --fork --mount-proc "$DTRACE" "\$@"
END
chmod +x "$TMP/inside"
DTRACE=$TMP/inside

d -x evaltime=exec -qn 'syscall:::entry /probefunc != "exit_group"/ { @[probefunc] = count(); }' -c 'ls -d /'
ends 0 "syscall"
counts "$TMP/out" >"$TMP/ours"
strace -c -o "$TMP/strace" ls -d / >"$TMP/listed"
awk '$NF != "total" && $4 ~ /^[0-9]+$/ { print $NF, $4 }' "$TMP/strace" | sort >"$TMP/theirs"
is "as many calls as strace sees" "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")"

d -qn 'syscall::getppid:entry /pid == $target/ { @[execname] = count(); }' -c "$TARGETS/calls 7"
is "pid and execname" "$(counts "$TMP/out")" "calls 7"

d -qn 'proc:::exec-success /pid > 0/ { printf("%s %d\n", execname, pid == $target); }' -c 'sh -c "/bin/true; :"'
ends 0 "proc"
is "who executes what" "$out" "true 0"
d -qn 'linux-sched:::sched_process_exec /pid > 0/ { @[execname] = count(); }' -c 'sh -c "/bin/true; :"'
is "tracepoints" "$(counts "$TMP/out")" "true 1"
d -qn 'sched:::on-cpu /pid == $target/ { on = 1; } sched:::off-cpu /pid == $target/ { off = 1; } END { printf("%d %d", on, off); }' \
	-c 'sh -c "/bin/true; :"'
is "sched" "$out" "1 1"

d -n 'rawtp:sched::sched_switch { }' -c true
ends 1 "rawtp"
like "says why" "$err" "*probe description rawtp:sched::sched_switch: processes have other numbers here than in the kernel*"
finish
