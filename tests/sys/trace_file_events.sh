# Signals, single system calls, faults, interrupts and deferred work of a recording: the numbers of the program and of perf script.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc awk

cat >"$TMP/load.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static void handler(int sig) { (void)sig; }
static sigjmp_buf back;
static void jump(int sig) { (void)sig; siglongjmp(back, 1); }
int main(void)
{
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < 7; i++) kill(getpid(), SIGUSR1);
	for (int i = 0; i < 3; i++) kill(getpid(), SIGUSR2);
	sigset_t usr1;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, 0);
	for (int i = 0; i < 2; i++) { kill(getpid(), SIGUSR1); sigtimedwait(&usr1, 0, &(struct timespec){1, 0}); }
	sigtimedwait(&usr1, 0, &(struct timespec){0, 0}); /* there is none */
	char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, 1 << 20, MADV_NOHUGEPAGE);
	memset(p, 1, 1 << 20);
	for (int i = 0; i < 5; i++) usleep(2000);
	mprotect(p, 4096, PROT_READ);
	signal(SIGSEGV, jump);
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1)) p[i * 16] = 1;
	signal(SIGSEGV, handler);
	raise(SIGSEGV); /* is no access */
	fprintf(stderr, "at %p\n", (void *)p);
	return 0;
}
END
gcc -O1 -o "$TMP/load" "$TMP/load.c" || fail "no program"
record() { # record FILE OPTIONS...
	file=$1
	shift
	perf record -q -o "$file" "$@" -- "$TMP/load" >/dev/null 2>&1 || skip "perf record $* does not work here"
}
script_count() { # script_count FILE EVENT [WORDS]: how many, whose line has these words
	perf script -i "$1" -F comm,event,trace 2>/dev/null | grep -c "$2: *.*$3"
}

# ---- signals ----
record "$TMP/signals.data" -e signal:signal_generate,signal:signal_deliver
d -qE "$TMP/signals.data" -n 'proc:::signal-send, proc:::signal-discard /execname == "load" && (arg2 == SIGUSR1 || arg2 == SIGUSR2)/ {
		@[probename, (int)arg2 - SIGUSR1, args[1]->pr_fname] = count(); }
	proc:::signal-handle /execname == "load" && args[0] == SIGUSR1 && args[2]/ { @[probename, 0, "load"] = count(); }'
ends 0 "signals"
is "signals" "$(echo "$out" | awk 'NF { print $1, $2, $3, $4 }' | sort)" "signal-discard 2 load 3
signal-handle 0 load 7
signal-send 0 load 9"
d -E "$TMP/signals.data" -n 'pf:::trans_flt, dpc:::timer, syscall::kill:entry, vminfo:::min_fault'
like "what is not told" "$err" "*pf:vmlinux::trans_flt has no events: no event that perf can record tells of it*"
like "what is to be recorded for dpc" "$err" "*dpc:vmlinux::timer has no events: *(perf record -e timer:timer_expire_entry,timer:timer_expire_exit,*"
like "what is to be recorded for syscall" "$err" "*(perf record -e raw_syscalls:sys_enter)*"
like "what is to be recorded for faults" "$err" "*(perf record -e minor-faults -d)*"
d -E "$TMP/signals.data" -n 'syscall:::entry'
like "the same reason is told once" "$err" "*syscall:vmlinux:read:entry and * more have no events: *"

# ---- single system calls ----
record "$TMP/calls.data" -e syscalls:sys_enter_kill,syscalls:sys_exit_kill,syscalls:sys_enter_madvise,syscalls:sys_exit_rt_sigtimedwait
d -qE "$TMP/calls.data" -n 'syscall::kill:entry /execname == "load" && arg0 == pid/ { @[probename, arg1] = count(); }
	syscall::kill:return /execname == "load"/ { @[probename, (int)arg0] = count(); } syscall::madvise:entry /execname == "load"/ { @[probefunc, arg1] = count(); }
	proc:::signal-clear /execname == "load"/ { @[probename, args[0]] = count(); }'
is "single calls" "$(echo "$out" | awk 'NF { print $1, $2, $3 }' | sort)" "entry 10 9
entry 12 3
madvise 1048576 1
return 0 12
signal-clear 10 2"

# ---- faults ----
record "$TMP/faults.data" -d -c 1 -e minor-faults,major-faults
d -qE "$TMP/faults.data" -n 'vminfo:::min_fault { @ = count(); }'
is "faults" "$(echo $out)" "$(script_count "$TMP/faults.data" minor-faults)"
[ "$out" -ge 256 ] || fail "faults of a megabyte: $out"

# ---- accesses that are not allowed ----
at=$(perf record -q -o "$TMP/violations.data" -e signal:signal_generate,exceptions:page_fault_user -- "$TMP/load" 2>&1 | sed -n 's/^at //p')
d -qE "$TMP/violations.data" -n "pf:::av_flt { @[arg0 - $at, ufunc(arg1)] = count(); }"
ends 0 "violations"
is "violations" "$(echo "$out" | awk 'NF { sub("`.*", "", $2); print $1, $2, $3 }' | sort -n)" "0 load 1
16 load 1
32 load 1"
d -qE "$TMP/signals.data" -n 'pf:::av_flt { @[arg0, arg1] = count(); }'
is "violations without addresses" "$(echo $out)" "0 0 3"
like "violations without addresses" "$err" "*probe description pf:::av_flt: args[[]] members [[]0] (address), [[]1] (instruction; exceptions:page_fault_user) are not recorded*"

# ---- interrupts, and what they put off: each that has begun and ended on its CPU, or in its thread ----
record "$TMP/irq.data" -a -m 512 -e irq:softirq_entry,irq:softirq_exit,irq_vectors:local_timer_entry,irq_vectors:local_timer_exit,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end
perf script -i "$TMP/irq.data" -F tid,cpu,event,trace --ns 2>/dev/null | awk '
	function end(kind, where) { if (began[kind, where] > 0) { n[kind]++; began[kind, where]-- } }
	{ tid = $1; cpu = $2; event = $3; sub(":$", "", event) }
	event ~ /softirq_entry/ { began["softirq", cpu $4]++ }
	event ~ /softirq_exit/ { end("softirq", cpu $4) }
	event ~ /local_timer_entry/ { began["isr", cpu]++ }
	event ~ /local_timer_exit/ { end("isr", cpu) }
	event ~ /hrtimer_expire_entry/ { began["timer", cpu $4]++ }
	event ~ /hrtimer_expire_exit/ { end("timer", cpu $4) }
	event ~ /execute_start/ { began["work", tid]++ }
	event ~ /execute_end/ { end("work", tid) }
	END { print "isr", n["isr"] + 0; print "softirq", n["softirq"] + 0; print "timer", n["timer"] + 0; print "work", n["work"] + 0 }' >"$TMP/pairs"
d -qE "$TMP/irq.data" -n 'BEGIN { s = n = t = i = 0; } isr:::isr /args[3] >= 236/ { i++; } dpc:::dpc, dpc:::thread /args[2] >= 0/ { s++; } dpc:::thread /args[2] < 0/ { n++; } dpc:::timer { t++; }
	isr:::isr, dpc:::dpc, dpc:::timer, dpc:::thread /args[0] > timestamp || timestamp - args[0] > 1000000000/ { printf("began %d at %d\n", args[0], timestamp); }
	END { printf("isr %d\nsoftirq %d\ntimer %d\nwork %d", i, s, t, n); }'
ends 0 "interrupts"
is "interrupts" "$out" "$(cat "$TMP/pairs")"
if command -v strace >/dev/null; then # the kernel's names are looked up once for each kind, not for each event
	strace -f -o "$TMP/opens" -e trace=openat "$DTRACE" -qE "$TMP/irq.data" -n 'dpc:::dpc { @[arg1] = count(); }' >/dev/null 2>&1
	n=$(grep -c /proc/kallsyms "$TMP/opens")
	[ "$n" -le 40 ] || fail "kallsyms is opened $n times"
fi
finish
