# Stacks of samples by call frame information (-x ustackunwind): those that a stopped process has.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

# the same call, seen at a stop and by a record
d -qn 'syscall::getppid:entry { @[ustack()] = count(); }' -c "$TARGETS/calls 5"
ends 0 "by stops"
stopped=$(grep -v getppid "$TMP/out")
like "by stops" "$stopped" "*calls\`main+0x*"
d -qn 'linux-syscalls:::sys_enter_getppid /pid == $target/ { @[ustack()] = count(); }' -x ustackunwind -c "$TARGETS/calls 5"
ends 0 "a tracepoint"
is "a tracepoint" "$(grep -v getppid "$TMP/out")" "$stopped"
d -qn 'syscall::getppid:entry { @k[stack()] = count(); @[ustack()] = count(); } END { printa(@); }' -x ustackunwind -c "$TARGETS/calls 5"
ends 0 "with the kernel's stack"
is "with the kernel's stack" "$(grep -v getppid "$TMP/out" | sed '/vmlinux/,$d')" "$(echo "$stopped" | sed '/vmlinux/,$d')"

# a process that nobody stops
"$TARGETS/burn" 60 >/dev/null 2>&1 &
burns=$!
d -qn 'profile-499 /pid == $1 && arg1/ { @[ustack()] = count(); } profile-499 /pid == $1/ { n++; } tick-10ms /n > 20/ { exit(0); } tick-20s { exit(1); }' \
	-x ustackunwind "$burns"
kill "$burns"
ends 0 "samples"
like "samples" "$out" "*burn\`main+0x*__libc_start_main*burn\`_start+0x*"
finish
