# Memory of the kernel: curthread and what it leads to, in every probe; in predicates, keys, copies; tags of the
# kernel by value.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# the tracer's own thread
d -qn 'BEGIN { printf("%d %d %s %d\n", curthread->pid == tid, curthread->tgid == pid, curthread->comm,
	curthread->real_parent->tgid == ppid); }
	tick-10ms { printf("%d %s\n", curthread->tgid == pid, stringof(curthread->comm)); exit(0); }
	END { printf("%d %d\n", curthread->pid == tid, curthread->cred->uid.val == uid); }'
ends 0 "our own"
is "our own" "$out" "1 1 dtrace 1
1 dtrace
1 1"

# an array of char is text to what compares, and bytes to what traces
d -qn 'BEGIN /curthread->comm == "dtrace"/ { trace(curthread->comm); exit(0); }'
like "a dump" "$out" "*0123456789abcdef*64 74 72 61 63 65 00 * dtrace....*"
d -qn 'BEGIN { @[curthread->comm, curthread->tgid == pid] = max(curthread->pid == tid); a[curthread] = curthread->pid;
	printf("%d\n", a[curthread] == tid); exit(0); } END { printa("%s %d %@d\n", @); }'
is "keys" "$out" "1
dtrace 1 1"

# whole: copied and printed
d -qn 'BEGIN { this->t = *curthread; t = *curthread; printf("%d %d %s\n", this->t.pid == tid, t.tgid == pid, t.comm); exit(0); }'
is "copied" "$out" "1 1 dtrace"
d -x printsize=64k -qn 'BEGIN { print(*curthread); exit(0); }'
like "printed" "$out" 'struct task_struct {
    struct thread_info thread_info = {
*    pid_t pid = *    char \[16\] comm = \[ "dtrace" \]*'
d -qn 'BEGIN { tracemem(*curthread, 16); exit(0); }'
ends 1 "no address"
like "no address" "$err" "*tracemem( ) argument #1 is incompatible with prototype:
	prototype: pointer or integer
	 argument: struct task_struct"

# the same type, whatever it is called
d -qn 'BEGIN { t = curthread; t = (kthread_t *)0; t = (struct vmlinux`task_struct *)0; t = (struct task_struct *)curthread;
	printf("%d %d\n", sizeof (kthread_t) == sizeof (struct vmlinux`task_struct), t->pid == tid); exit(0); }'
is "one type" "$out" "1 1"
d -en 'BEGIN { t = curthread; } rawtp:sched::sched_switch { t = args[1]; t = args[2]; }'
ends 0 "arguments have it, too"

# other threads: of samples, of system calls, of breakpoints
d -qn 'profile-497 /pid == $target && curthread/ { printf("%d%d%d", curthread->tgid == pid, curthread->pid == tid,
	curthread->comm == execname); exit(0); }' -c 'sh -c "while :; do :; done"'
is "samples" "$out" "111"
d -qn 'syscall:::entry /curthread->tgid == pid && curthread->pid == tid/ { printf("1"); exit(0); }'
is "system calls" "$out" "1"
d -qn 'pid$target:a.out:main:entry { printf("%d %d %s %d\n", curthread->tgid == pid, curthread->pid == tid, curthread->comm,
	curthread->mm->arg_start > 0); }' -c "$TARGETS/t 0"
like "a breakpoint" "$out" "*1 1 t 1*"
d -qn 'fpid$target:a.out:main:entry { printf("%d %s\n", curthread->tgid == pid, curthread->comm); }' -c "$TARGETS/t 0"
like "a hook" "$out" "*1 t*"
d -qn 'fpid$target:a.out:main:entry { printf("%d\n", curthread != 0); }' -c "$TARGETS/t 0"
like "its address alone" "$out" "*
1*"

# what leads into the kernel only because the program says so is no address of it
d -qn 'BEGIN { t = (uint64_t)curthread; printf("%p", t); exit(0); }'
d -n "BEGIN { copyin(0x${out#0x}, 8); }" -n 'tick-1s { exit(0); }'
like "copyin" "$err" "*invalid address*"

d -qn 'BEGIN { k = (uint64_t)curthread; p = curthread->pid; }
	pid$target:a.out:main:entry { printf("a type of the kernel: %d\n", ((struct task_struct *)k)->pid == p); }
	pid$target:a.out:main:entry { printf("a number: %d\n", *(int *)k); }
	pid$target:a.out:main:entry { printf("a text: %s\n", stringof((char *)k)); }' -c "$TARGETS/t 0"
like "in a process" "$out" "*a type of the kernel: 1*"
case $out in *"a number:"* | *"a text:"*) fail "in a process: $out" ;; esac
is "both are faults" "$(echo "$err" | grep -c 'invalid address (0xffff')" 2

# structures of the program that hold the kernel's, a scalar of an array, text behind text
d -qn 'struct my { struct list_head h; struct task_struct *t; }; struct my m; BEGIN { m.t = curthread; m.h = curthread->tasks; i = 3;
	printf("%d %d %c%c %s %d\n", m.t->pid == tid, m.h.next == curthread->tasks.next, curthread->comm[0], curthread->comm[i],
	strjoin(curthread->comm, curthread->real_parent->comm), offsetof(struct task_struct, comm) > 0); exit(0); }'
like "mixed" "$out" "1 1 da dtrace?* 1"

# of a thread that is gone nothing is read any more, and never what another has in its place
d -qn 'rawtp:sched::sched_process_exit /!t && args[0]->real_parent->tgid == $target/ { t = curthread; p = tid; }
	tick-1ms /t && t->pid != p/ { printf("it is another"); exit(1); }
	ERROR { printf("%d\n", arg4); exit(0); }' -c 'sh -c "while :; do /bin/true; done"'
is "a thread that is gone" "$out" "1"

# tags of the kernel by value
d -qn 'struct s { union sigval u; struct list_head l[2]; }; struct iphdr h; this sigval_t x; self struct list_head l;
	BEGIN { this->x.sival_int = 3; h.ttl = 4; printf("%d %d %d %d\n", this->x.sival_int, h.ttl, sizeof (struct s),
	sizeof (self->l)); exit(0); }'
is "by value" "$out" "3 4 40 16"
d -en 'struct none h; BEGIN { }'
like "no such tag" "$err" "*incomplete struct/union/enum struct none: h"

# where it cannot be read one line says so; what reads nothing goes on
without_bpf
d -qn 'BEGIN { trace(curthread->pid); exit(0); }'
ends 1 "without BPF"
like "without BPF" "$err" "dtrace: could not enable tracing: curthread and what leads into the kernel cannot be read: needs CAP_BPF and CAP_PERFMON*"
d -qn 'BEGIN { printf("%d %d\n", sizeof (*curthread) > 1000, curthread == 0); exit(0); }'
is "types alone" "$out" "1 1"
d -qn 'BEGIN { trace(*(int *)0xffffffff81000000); } BEGIN { trace(stringof(0xffffffff81000000)); } BEGIN { exit(0); }'
is "said once" "$(echo "$err" | grep -c 'memory of the kernel cannot be read: needs CAP_BPF')" 1
finish
