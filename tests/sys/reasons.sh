# Clauses on the kernel's events that make records: -v says why, and what to write instead; so does a run that has lost some.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# reason CLAUSES EXPECTED: of the first one, with -v
reason() {
	d -v -n "$1" -o /dev/null -c true
	ends 0 "$1"
	is "$1" "$(echo "$err" | sed -n 's/.*makes records: the clause of [^ ]* at line [0-9]*: //p' | head -1)" "$2"
}

reason 'syscall:::entry { self->t = timestamp; } syscall:::return { @[self->t] = count(); printf("x"); }' \
	'what others use shares its variables or its probes; instead: variables of its own, and no other clause on its probes that records'
reason 'syscall::read:entry { a[copyinstr(arg1)] = 1; }' 'a subroutine; instead: what it would return as keys, or a predicate by numbers'
reason 'syscall::read:entry { n = strlen(execname); }' 'a subroutine; instead: what it would return as keys, or a predicate by numbers'
reason 'syscall::read:entry { n = 10 / arg2; }' 'a division by what may be 0; instead: divide by a constant'
reason 'syscall::read:entry { n = *(int *)arg1; }' 'an operation that may fault; instead: arguments, numbers of args[], and variables of numbers'
reason 'syscall::read:entry { n = vtimestamp; }' 'a built-in variable that the program does not know; instead: timestamp, pid, tid, cpu, arg0 and those behind it'
reason 'sched:::off-cpu { n++; @[ustack()] = count(); }' 'a user stack as key, which is found by memory of the process; instead: -x ustackunwind=off, which finds it by frame pointers, or stack()'
reason 'io:::start { self->t = timestamp; }' 'a variable of a thread, which may not be the one that runs; instead: an array by arg0, or by what names the event'
reason 'syscall::read:entry { n++; } syscall::close:return /arg0 < 0 && n/ { exit(0); }' 'exit() at an event of this provider, after which it must do nothing more; instead: exit() in a tick'

# lost: the ring has a fixed size; a machine that is fast enough may take in all of it
d -n 'syscall:::entry { self->t = timestamp; self->v = vtimestamp; } syscall:::return /self->t/ { @[probefunc] = quantize(timestamp - self->t); }' \
	-o /dev/null -c "$TARGETS/getppids 1000000 4"
case $err in
*" drops on CPU "*)
	like "of whom" "$err" "*records were lost; they were made by the clause of syscall:::entry at line 1: a built-in variable that the program does not know; instead: timestamp, *"
	;;
*"records were lost"*) fail "nothing was lost: $err" ;;
esac

# of a provider that runs no clauses in the kernel, too: several descriptions are one clause
d -x kernelbuf=64k -n 'rawtp:::sys_enter,rawtp:::sys_exit { trace(arg1); }' -o /dev/null -c "$TARGETS/getppids 1000000 4"
ends 0 "several descriptions"
case $err in
*" drops on CPU "*)
	like "of which clause" "$err" "*records were lost; they were made by the clause of rawtp:::sys_enter,rawtp:::sys_exit at line 1: it records or acts; instead: aggregate *"
	;;
*"records were lost"*) fail "nothing was lost: $err" ;;
esac
finish
