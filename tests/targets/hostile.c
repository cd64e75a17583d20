/*
 * hostile: programs at the edge of what a process may do. `./hostile WHAT N` prints "touch N", the
 * calls of touch, and "bad N", what went wrong. Ends with 0.
 *
 *	strict    only read, write, _exit and sigreturn are left (seccomp)
 *	limit     no address space is left (RLIMIT_AS)
 *	srop      a signal frame is edited so that its return lands on srop_landing
 *	selfmod   the code of patchee is rewritten; touch counts the calls of the new code
 *	calls     system calls by their wrappers: interrupted, restarted, in children
 *	fair      1 000 threads (or THREADS of the environment), ten of them call touch for N ms;
 *		  "least" and "most": the calls of one; "gap": its longest time between two, in ms
 *	mirror    looks at itself N times, a byte of standard input before each: "sum" of its code,
 *		  "cpus" of its mask, "tracer" 1 when it has one
 *
 * strict, limit and selfmod print "ready" and wait for a byte (or the end) of standard input
 * before they begin.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static unsigned long touched, bad;
static long rounds;
static char *self;

NOINLINE long touch(long x)
{
	__atomic_fetch_add(&touched, 1, __ATOMIC_RELAXED);
	return x + 1;
}

/* Not printf: it asks the kernel for more than some of us may. */
static void say(const char *what, unsigned long n)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%s %lu\n", what, n);

	if (write(1, text, (size_t)len) != len)
		bad++;
}

static void report(void)
{
	say("touch", touched);
	say("bad", bad);
}

static void wait_for_word(void)
{
	char c;

	if (read(0, &c, 1) < 0)
		bad++;
}

static void work(void)
{
	for (long i = 0; i < rounds; i++)
		bad += touch(i) != i + 1;
}

/* ---- what is forbidden ---- */

static void do_strict(void)
{
	say("ready", (unsigned long)getpid());
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		exit(3);
	wait_for_word();
	work();
	report();
	wait_for_word();
	syscall(SYS_exit, 0);
}

static void do_limit(void)
{
	const struct rlimit none = {4096, 4096};

	setrlimit(RLIMIT_AS, &none);
	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		bad++;
	say("ready", (unsigned long)getpid());
	wait_for_word();
	work();
	report();
	wait_for_word();
}

/* ---- where control comes from ---- */

unsigned long landed;
uint64_t resume_at;
void srop_landing(void);
__asm__(".text\n.globl srop_landing\n.type srop_landing, @function\n"
	"srop_landing:\n"
	"	lock incq landed(%rip)\n"
	"	jmp *resume_at(%rip)\n"
	".size srop_landing, .-srop_landing\n");

static void on_redirect(int sig, siginfo_t *si, void *ctx)
{
	ucontext_t *uc = ctx;

	(void)sig;
	(void)si;
	resume_at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)&srop_landing;
}

static void do_srop(void)
{
	struct sigaction sa = {.sa_sigaction = on_redirect, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &sa, NULL);
	for (long i = 0; i < rounds; i++)
		raise(SIGUSR1);
	touched = landed;
	bad += landed != (unsigned long)rounds;
}

/* ---- code that changes ---- */

NOINLINE long patchee(long x)
{
	return x + 40;
}

static void do_selfmod(void)
{
	/* mov $7, %eax; ret: over whatever stands there, a breakpoint of somebody's as well */
	static const unsigned char code[] = {0xb8, 7, 0, 0, 0, 0xc3};
	uintptr_t page = (uintptr_t)&patchee & ~4095UL;

	for (long i = 0; i < rounds; i++)
		bad += patchee(i) != i + 40;
	say("ready", (unsigned long)getpid());
	wait_for_word();
	for (long i = 0; i < rounds; i++)
		bad += patchee(i) != i + 40;
	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(3);
	memcpy((void *)(uintptr_t)&patchee, code, sizeof(code));
	for (long i = 0; i < rounds; i++)
		bad += patchee(touch(i)) != 7;
	say("changed", 1);
	wait_for_word();
	bad += memcmp((void *)(uintptr_t)&patchee, code, sizeof(code)) != 0;
	bad += patchee(0) != 7;
}

/* ---- system calls ---- */

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void interrupted_calls(int flags)
{
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = flags};
	struct timespec ts = {.tv_sec = 5}, left = {0, 0};
	/* again and again: the first may come before the call */
	const struct itimerspec soon = {{.tv_nsec = 20000000}, {.tv_nsec = 3000000}}, off = {0};
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	int ends[2], before = alarms;
	timer_t timer;
	char c;

	sigaction(SIGALRM, &sa, NULL);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || pipe(ends))
		exit(3);
	timer_settime(timer, 0, &soon, NULL);
	/* nanosleep is never restarted after a handler */
	bad += nanosleep(&ts, &left) != -1 || errno != EINTR || left.tv_sec > ts.tv_sec ||
	       !(left.tv_sec || left.tv_nsec);
	bad += alarms == before;
	if (!flags)
		bad += read(ends[0], &c, 1) != -1 || errno != EINTR;
	timer_settime(timer, 0, &off, NULL);
	bad += write(ends[1], "x", 1) != 1 || read(ends[0], &c, 1) != 1 || c != 'x';
	timer_delete(timer);
	close(ends[0]);
	close(ends[1]);
}

static void ended_with(pid_t pid, int want)
{
	int status;

	bad += pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	       WEXITSTATUS(status) != want;
}

static void *thread_main(void *arg)
{
	touch(1);
	return arg;
}

extern char **environ;

static void children(void)
{
	char *argv[] = {self, "child", "1", NULL};
	pthread_t t;
	pid_t pid;

	bad += pthread_create(&t, NULL, thread_main, NULL) || pthread_join(t, NULL);
	pid = fork();
	if (pid == 0) {
		touch(1);
		_exit(7);
	}
	ended_with(pid, 7);
	pid = vfork();
	if (pid == 0)
		_exit(8);
	ended_with(pid, 8);
	pid = fork();
	if (pid == 0) {
		execve(self, argv, environ);
		_exit(9);
	}
	ended_with(pid, 6);
	bad += posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0;
	ended_with(pid, 6);
}

static void do_calls(void)
{
	for (long i = 0; i < rounds; i++) {
		touch(i);
		interrupted_calls(i % 2 ? SA_RESTART : 0);
		children();
	}
}

/* ---- what can be seen from within ---- */

extern char __executable_start, etext;

static unsigned long has_tracer(void)
{
	char line[128];
	int pid = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "TracerPid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid != 0;
}

static void do_mirror(void)
{
	for (long i = 0; i < rounds; i++) {
		unsigned long sum = 0;
		cpu_set_t mask;

		say("round", (unsigned long)i);
		wait_for_word();
		touch(i);
		for (const char *p = &__executable_start; p < &etext; p++)
			sum = sum * 31 + (unsigned char)*p;
		sched_getaffinity(0, sizeof(mask), &mask);
		say("sum", sum);
		say("cpus", (unsigned long)CPU_COUNT(&mask));
		say("tracer", has_tracer());
	}
	say("round", (unsigned long)rounds);
}

/* ---- many threads ---- */

#define MAX_THREADS 1000
#define HOT	    10

static atomic_int go, stop;

struct hot {
	unsigned long calls;
	unsigned long gap_ms; /* the longest time between two calls */
};
static struct hot own[HOT];

static unsigned long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long)ts.tv_sec * 1000 + (unsigned long)ts.tv_nsec / 1000000;
}

static void *hot_thread(void *arg)
{
	struct hot *h = arg;
	unsigned long last, now;

	while (!go)
		usleep(1000);
	for (last = now_ms(); !stop; last = now) {
		touch((long)++h->calls);
		now = now_ms();
		h->gap_ms = now - last > h->gap_ms ? now - last : h->gap_ms;
	}
	return arg;
}

static void *idle_thread(void *arg)
{
	while (!stop)
		usleep(20000);
	return arg;
}

static void do_fair(void)
{
	static pthread_t t[MAX_THREADS];
	unsigned long least = ~0UL, most = 0, gap = 0;
	const char *asked = getenv("THREADS");
	int nthreads = asked ? atoi(asked) : MAX_THREADS;
	pthread_attr_t small;

	if (nthreads < HOT || nthreads > MAX_THREADS)
		exit(2);

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], &small, i < HOT ? hot_thread : idle_thread,
				   i < HOT ? &own[i] : NULL))
			exit(3);
	go = 1;
	usleep((useconds_t)rounds * 1000);
	stop = 1;
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < HOT; i++) {
		least = own[i].calls < least ? own[i].calls : least;
		most = own[i].calls > most ? own[i].calls : most;
		gap = own[i].gap_ms > gap ? own[i].gap_ms : gap;
	}
	say("least", least);
	say("most", most);
	say("gap", gap);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} modes[] = {{"strict", do_strict}, {"limit", do_limit},     {"srop", do_srop},
		     {"calls", do_calls},   {"selfmod", do_selfmod}, {"fair", do_fair},
		     {"mirror", do_mirror}};

	if (argc < 3)
		return 2;
	self = argv[0];
	rounds = atol(argv[2]);
	if (!strcmp(argv[1], "child"))
		return 6;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].fn();
			if (modes[i].fn != do_limit) /* it has reported */
				report();
			return 0;
		}
	return 2;
}
