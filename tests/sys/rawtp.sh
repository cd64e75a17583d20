# Tracepoints with the kernel's own structures: members, chains of pointers, text, print(), curthread.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

d -lv -n 'rawtp:sched::sched_switch'
ends 0 "types"
like "types" "$out" "*args\[0\]: bool*args\[1\]: struct task_struct \**args\[2\]: struct task_struct \**"

# what the kernel says of itself is what /proc says of it
d -qn 'rawtp:sched::sched_process_exec /args[0]->tgid == pid && args[0]->real_parent->tgid == $target/
	{ printf("%s %s %s %d %d\n", stringof(args[2]->filename), stringof(args[0]->mm->exe_file->f_path.dentry->d_name.name),
	  ((struct task_struct *)curthread)->comm, curthread->pid == tid, args[0]->signal->live.counter); }' \
	-c "sh -c '/bin/true; /bin/echo >/dev/null; :'"
ends 0 "members"
is "members" "$out" "/bin/true true true 1 1
/bin/echo echo echo 1 1"

# as keys, and in predicates
d -qn 'rawtp:sched::sched_process_exit /args[0]->exit_code >> 8 == 7/ { @[args[0]->comm] = count(); }
	END { printa("%s %@d\n", @); }' -c 'sh -c "(exit 7); (exit 7); exit 0"'
is "keys" "$out" "sh 2"

d -x printsize=32k -qn 'rawtp:sched::sched_process_exit /pid == $target/ { print(args[0]->thread_info); print(*args[0]->real_parent); exit(0); }' -c true
like "print() of a member" "$out" "struct thread_info {
    *flags = *"
like "print() of what a pointer leads to" "$out" "*struct task_struct {*pid_t tgid = *"

# counted in the kernel, or not: the same number
d -qn 'rawtp:sched::sched_process_fork { @ = count(); } END { printa("%@d\n", @); }' -c 'sh -c "(:); (:); (:)"'
[ "${out##*
}" -ge 3 ] || fail "counted: $out"

d -qn 'rawtp:sched::sched_switch { @[stack(1)] = count(); } rawtp:sched::sched_switch { n++; } tick-50ms /n/ { exit(0); }'
like "a stack begins with what was going on" "$out" '*`__schedule*'

# what is kept in a variable is read later: it is still that thread, or a fault
d -qn 'rawtp:sched::sched_process_exit /args[0]->real_parent->tgid == $target/ { x = (uint64_t)args[0]; p = args[0]->pid; }
	tick-1ms /x && ((struct task_struct *)x)->pid != p/ { printf("it is another"); exit(1); }
	ERROR { printf("%d", arg4); exit(0); }' -c 'sh -c "while :; do /bin/true; done"'
is "a thread that is gone" "$out" "1"

# a predicate that the kernel looks at itself, and one that it does not
d -qn 'rawtp:raw_syscalls::sys_enter /pid == $target && arg1 != 9/ { @[arg1] = count(); }' -c '/bin/cat /dev/null'
filtered=$out
d -qn 'rawtp:raw_syscalls::sys_enter /arg1 != 9 && pid == $target/ { @[arg1] = count(); }' -c '/bin/cat /dev/null'
is "in the kernel and here" "$filtered" "$out"

d -n 'rawtp:sched::sched_nothing { }'
ends 1 "none"
like "none" "$err" "*rawtp:sched::sched_nothing does not match any probes"

d -qn 'BEGIN { printf("%a %d\n", &vmlinux`vfs_read, sizeof(struct vmlinux`task_struct) == sizeof(struct task_struct)); exit(0); }'
is "names of the kernel" "$out" 'vmlinux`vfs_read 1'
finish
