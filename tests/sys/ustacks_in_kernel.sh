# Stacks of processes by frame pointers are keys of aggregations that the kernel keeps: the same as of records, also of programs that others have executed since.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

cp "$TARGETS/keyed" "$TMP/fp$$" # a name that nobody else's program has
mine='execname == "fp'$$'"' renamed='execname == "re'$$'"'

# once OPTIONS SCRIPT: of a run of that program, which nobody traces; it calls itself by another name at its end
once() {
	d -qw "$@" -n "proc:::exit /$renamed/ { exit(0); }" -n 'BEGIN { system("'"$TMP/fp$$ 300 re$$"' >/dev/null"); }'
	ends 0 "$*"
}

# both WHAT SCRIPT: kept in the kernel, and the same as of records
both() {
	once -x claim=off -x ustackunwind=off -n "$2"
	plain=$out
	once -x explain -x ustackunwind=off -n "$2"
	like "$1: in the kernel" "$err" "*at line 1: is kept in the kernel*"
	is "$1" "$out" "$plain"
	like "$1: with names" "$out" "*libc.so.6\`*+0x*"
}

both "a system call" "syscall::lseek:entry /$mine/ { @[ustack(), execname, arg1 % 3] = count(); }"
both "with the kernel's" "syscall::write:entry /$mine/ { @[ustack(3), stack(2)] = sum(arg2); }"
case $(uname -r) in
[1-5].* | 6.[0-6].* | 6.[0-6]-*) ;; # there are records of tracepoints, see tracepoints_in_kernel.sh
*) both "a tracepoint" "linux-syscalls:::sys_enter_lseek /$mine/ { @[args[0]->whence, ustack(5)] = count(); }" ;;
esac
both "variables" "syscall::lseek:entry /$mine && arg1 % 2/ { self->n++; @[self->n > 100, ustack()] = count(); }"

# what the shell has done before it executed the program has names of the shell
both "a process that executes another" "syscall::read:entry,syscall::lseek:entry /$mine || $renamed/ { @[probefunc, ustack(2)] = count(); }"

# call frame information takes records
d -q -x explain -n 'syscall::lseek:entry { @[ustack()] = count(); } BEGIN { exit(0); }'
like "it is told" "$err" "*makes records: a user stack as key, which is found by memory of the process; instead: -x ustackunwind=off*"
d -q -x explain -x ustackunwind=off -n 'sched:::on-cpu { @[ustack()] = count(); } BEGIN { exit(0); }'
like "of one that comes" "$err" "*makes records: a user stack as key at an event whose thread is not the one that runs yet*"
d -q -x explain -x ustackunwind=off -n 'sched:::off-cpu { @[ustack(), execname] = count(); } BEGIN { exit(0); }'
like "of one that leaves" "$err" "*sched:::off-cpu at line 1: is kept in the kernel*"
finish
