# Stacks of system probes have names: the kernel's, and those of processes that have ended by then.
# needs: root
. tests/lib.sh
. tests/sys.sh
need_perf_system

d -qn 'syscall::write:entry /execname == "t"/ { stack(); ustack(); exit(0); }' -c "$TARGETS/t 1"
ends 0 "both stacks"
grep -q '^[0-9a-f]* [Tt] do_syscall_64$' /proc/kallsyms || skip "the kernel hides its names"
like "the kernel's" "$out" "*vmlinux\`do_syscall_64+0x*"
like "the process's" "$out" "*libc.so.6\`*write*"
case $out in *__traceiter_*) fail "tracing's own frame: $out" ;; esac
addr=$(awk '$3 == "do_syscall_64" { print "0x" $1 }' /proc/kallsyms)
d -qn "BEGIN { printf(\"%a|%a|\", $addr, $addr + 1); sym($addr); mod($addr); exit(0); }"
like "one address" "$out" "vmlinux\`do_syscall_64|vmlinux\`do_syscall_64+0x1|*vmlinux\`do_syscall_64 *vmlinux*"
# of traced processes, children too, stacks go down to their beginning
d -qn 'syscall::write:entry { @[execname, ustack()] = count(); }' -c "sh -c '/bin/echo x; $TARGETS/t 1; :'"
ends 0 "stacks of targets"
like "of a child" "$out" "*echo *libc.so.6\`write+0x*libc.so.6\`__libc_start_*"
like "to the end" "$out" "*t\`_start+0x*"
finish
