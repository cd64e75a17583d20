# Stacks of system probes have names: the kernel's, and those of processes that have ended by then.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
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

# those of the scheduler, of processes and disks, too
if "$DTRACE" --doctor | grep -q '^BPF  *works'; then
	d -qn 'sched:::off-cpu /pid == $target/ { @[stack(), ustack()] = count(); } sched:::on-cpu /pid == $target/ { @on[stack()] = count(); }' -c 'sleep 0.1'
	ends 0 "off-cpu"
	like "where it sleeps" "$out" '*`do_nanosleep+0x*`do_syscall_64+0x*libc.so.6`clock_nanosleep+0x*'
	case $out in *bpf_*) fail "tracing's own frames: $out" ;; esac
	d -qn 'sched:::on-cpu /pid == $target/ { @on[stack()] = count(); }' -c 'sleep 0.1'
	like "where it goes on" "$out" '*nanosleep+0x*'
	d -qn 'proc:::signal-send /pid == $target && args[2] == SIGUSR1/ { @[stack(), ustack()] = count(); }' \
		-c "sh -c 'trap : USR1; kill -USR1 \$\$'"
	like "who sends a signal" "$out" '*`do_syscall_64+0x*libc.so.6`kill+0x*'
	d -qn 'io:::start { @[stack()] = count(); } tick-10ms { exit(0); }' -c 'sync'
	ends 0 "stacks of requests"
	d -qn 'sched:::on-cpu /pid == $target/ { self->v = vtimestamp; } sched:::off-cpu /self->v && vtimestamp - self->v > 1000000/ { x = 1; }
		END { trace(x); }' -c "$TARGETS/burn 0.1"
	like "time on a CPU" "$out" "*1*"
fi
finish
