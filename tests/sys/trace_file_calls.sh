# What a recording's system calls tell: address space that is asked for and given back, programs that are or cannot be executed,
# and how processes end; by raw_syscalls, by the tracepoints of single calls, and in a file of -E, where live and file agree.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc

cat >"$TMP/calls.c" <<'END_C'
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/syscall.h>
static void handler(int sig) { (void)sig; }
static void child(const char *name, int code)
{
	if (fork() == 0) {
		prctl(PR_SET_NAME, name);
		if (code == 9) kill(getpid(), SIGKILL);
		if (code == 15) { signal(SIGINT, handler); kill(getpid(), SIGINT); kill(getpid(), SIGTERM); }
		if (code == 4) syscall(SYS_exit, code);
		_exit(code);
	}
	wait(0);
}
int main(int argc, char **argv)
{
	char *p, *end, *none[] = {0};
	prctl(PR_SET_NAME, argv[1]); /* nothing before main() is of this name */
	p = mmap(0, 5 * 4096 - 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = mremap(p, 5 * 4096, 7 * 4096, MREMAP_MAYMOVE);
	madvise(p, 4096, MADV_DONTNEED);
	madvise(p, 4096, MADV_WILLNEED);
	mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, 6 * 4096);
	munmap(p + 1, 4096);
	end = (char *)syscall(SYS_brk, 0);
	syscall(SYS_brk, end + 3 * 4096);
	syscall(SYS_brk, end + 1 * 4096);
	execve("/nowhere/at/all", none, none);
	execve("/", none, none);
	child(argv[2], 3);
	child(argv[2], 9);
	child(argv[2], 15);
	child(argv[2], 4);
	return argc != 3;
}
END_C
gcc -O1 -o "$TMP/calls" "$TMP/calls.c" || fail "no program"
name=ca$$ child=cc$$
script='pf:::valloc /execname == "'$name'"/ { @["asked", (int)(args[2] / 4096), arg3] = count(); }
	pf:::vfree /execname == "'$name'"/ { @["freed", (int)(args[2] / 4096), arg3] = count(); }
	proc:::exec /execname == "'$name'"/ { @[args[0], 0, 0] = count(); }
	proc:::exec-failure /execname == "'$name'"/ { @["errno", args[0], 0] = count(); }
	proc:::exit /execname == "'$name'" || execname == "'$child'"/ { @["ends", (int)args[0], arg1] = count(); }
	END { printa("%s %d %x %@d\n", @); }'
# 22: MAP_PRIVATE | MAP_ANONYMOUS, with PROT_READ or, of the heap, PROT_WRITE, too, above; 8000: PF_DONTNEED. The last page of the program
# is given back by its end, which is no call; so is what munmap() refuses. With signals they tell what has ended a process (2: CLD_KILLED)
expected="<unknown> 0 0 2
asked 2 0 1
asked 3 30022 1
asked 5 10022 1
ends 1 0 1
ends 1 3 1
ends 1 4 1
ends 2 9 1
ends 2 f 1
errno 13 0 1
errno 2 0 1
freed 1 8000 1
freed 2 30022 1
freed 6 0 1"
rows() {
	echo "$out" | grep . | LC_ALL=C sort
}

perf record -q -o "$TMP/raw.data" -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "$TMP/calls" $name $child 2>"$TMP/why" || skip "perf record: $(cat "$TMP/why")"
d -qE "$TMP/raw.data" -n "$script"
is "raw_syscalls" "$(rows)" "$(echo "$expected" | sed '/^ends 2 f/d; s/^ends 2 9 1/ends -1 0 2/' | LC_ALL=C sort)"
like "signals are not there" "$err" "*probe description proc:::exit: args[[]] members [[]0] (reason), arg1 (status) of processes that a signal ends*"
like "what is not known" "$err" "*probe description proc:::exec: args[[]] members [[]0] (path) are not recorded, and empty*"

single=
for call in mmap munmap mremap madvise brk execve; do single=$single,syscalls:sys_enter_$call,syscalls:sys_exit_$call; done
if perf record -q -o "$TMP/one.data" -e "${single#,},syscalls:sys_enter_exit_group,syscalls:sys_enter_exit,signal:signal_generate" -- "$TMP/calls" $name $child 2>"$TMP/why"; then
	d -qE "$TMP/one.data" -n "$script"
	is "a tracepoint for each call" "$(rows)" "$expected"
	ends 0 "a tracepoint for each call"
else
	echo "SKIP: perf record -e syscalls:*: $(cat "$TMP/why")"
fi
perf record -q -o "$TMP/none.data" -e cpu-clock -- "$TMP/calls" $name $child 2>"$TMP/why"
d -qE "$TMP/none.data" -n "$script"
like "nothing is recorded" "$err" "*proc:::exit: args[[]] members [[]0] (reason), arg1 (status) are not recorded*probe pf:vmlinux::valloc and 1 more have no events: event raw_syscalls:sys_enter is not recorded in *"
is "nothing is recorded" "$(rows)" "ends -1 0 5"

d -qgE "$TMP/new.data" -n "$script" -c "$TMP/calls $name $child"
ends 0 "-g"
is "live" "$(rows)" "$expected"
d -qE "$TMP/new.data" -n "$script"
is "logged" "$(rows)" "$expected"
is "each end of a process is told once" "$(perf script -i "$TMP/new.data" --show-task-events 2>/dev/null | grep -cE "^ *($name|$child) .*PERF_RECORD_EXIT")" 5
finish
