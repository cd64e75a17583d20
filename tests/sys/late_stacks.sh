# User stacks of system probes go through functions that have no frame pointers, and end where nothing tells how to go on:
# what is in rbp there is no frame, and what it points to no code that was called.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need gcc

cat >"$TMP/waits.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
volatile int n;
__attribute__((noipa)) int waits(int ep) { struct epoll_event e; int r = epoll_wait(ep, &e, 1, 2); n++; return r; }
__attribute__((noipa)) int inner(int ep) { char pad[300]; pad[n % 300] = 1; int r = waits(ep); n += pad[1]; return r; }
__attribute__((noipa)) int outer(int ep) { int r = inner(ep); n++; return r; }
static void *thread(void *ep) { for (int i = 0; i < 40; i++) outer(*(int *)ep); return 0; }
/* A system call with a frame pointer that leads to made-up frames. */
int fake(int ep, void **frames);
__asm__(".globl fake\n.type fake, @function\nfake:\npush %rbp\nmov %rsi, %rbp\nsub $16, %rsp\nmov %rsp, %rsi\nmov $1, %edx\n"
	"mov $2, %r10d\nmov $232, %eax\nsyscall\nadd $16, %rsp\npop %rbp\nret\n.size fake, . - fake\n");
int main(int argc, char **argv)
{
	int ep = epoll_create1(0), rounds = argc > 1 ? atoi(argv[1]) : 40;
	void *wild[6] = {&wild[2], (void *)0x373a2a31, &wild[4], (void *)0x373a2a31, 0, 0};
	void *uncalled[6] = {&uncalled[2], (char *)outer + 1, &uncalled[4], (char *)main + 1, 0, 0};
	pthread_t t;

	printf("%d\n", getpid());
	fflush(stdout);
	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; i < rounds; i++)
		outer(ep);
	for (int i = 0; i < 20; i++) {
		fake(ep, wild);
		fake(ep, uncalled);
	}
	raise(SIGUSR1);
	pthread_create(&t, 0, thread, &ep);
	pthread_join(t, 0);
	return 0;
}
END
gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fasynchronous-unwind-tables -o "$TMP/waits" "$TMP/waits.c" -lpthread || fail "no program"
names() { # the functions of the stacks in $out, a line each
	echo "$out" | sed 's/^ *//; s/+0x.*//' | grep -v '^[0-9]*$' | tr '\n' ' '
}
chain='*libc.so.6`epoll_wait waits`waits waits`inner waits`outer waits`main libc.so.6`__libc_start_call_main *waits`_start*'
thread='*libc.so.6`epoll_wait waits`waits waits`inner waits`outer waits`thread libc.so.6`start_thread *'

for probe in sched:::off-cpu sched:::sleep rawtp:::sched_switch linux-sched:::sched_switch syscall::epoll_wait:entry; do
	d -qn "$probe"' /pid == $target/ { @[ustack(), stack()] = count(); }' -c "$TMP/waits 20"
	ends 0 "$probe"
	like "$probe" "$(names)" "$chain"
	like "$probe, a thread" "$(names)" "$thread"
	case $out in *0x373a2a*) fail "$probe: made-up frames: $out" ;; esac
	# by frame pointers, no further than they can lead
	d -qn "$probe"' /pid == $target/ { @[ustack()] = count(); @k = stackdepth ? count() : count(); } END { printa(@); }' -x ustackunwind=off -c "$TMP/waits 20"
	case $out in *0x373a2a* | *outer+0x1[!0-9a-f]* | *main+0x1[!0-9a-f]*) fail "$probe by frame pointers: $out" ;; esac
done
d -qn 'proc:::signal-discard /pid == $target && args[2] == SIGUSR1/ { ustack(); }' -c "$TMP/waits 1"
like "a signal" "$(names)" '* waits`main libc.so.6`__libc_start_call_main*'

# registers are those of that moment, too
d -qn 'sched:::off-cpu /pid == $target/ { @[ufunc(uregs[R_RIP])] = count(); }' -c "$TMP/waits 20"
like "registers" "$out" '*libc.so.6`epoll_wait *'

# a process that nobody traces
"$TMP/waits" 100000 >"$TMP/pid" &
waits=$!
while [ ! -s "$TMP/pid" ]; do sleep 0.02; done
d -qn 'sched:::off-cpu /pid == $1/ { @[ustack()] = count(); n++; } tick-10ms /n > 20/ { exit(0); } tick-20s { exit(1); }' $waits
kill $waits
ends 0 "a process that nobody traces"
like "a process that nobody traces" "$(names)" "$chain"
finish
