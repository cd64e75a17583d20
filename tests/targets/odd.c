/*
 * odd: programs that use what a tracer uses, or make its life hard. `./odd WHAT N` prints "touch
 *N", the calls of touch, and "bad N", what went wrong. Ends with 0.
 *
 *	blocked     threads that block every signal: SIGTRAP must still be blocked afterwards
 *	int3        the program's own int3 and SIGTRAP, with a handler
 *	forks       children forked while other threads run
 *	execthread  exec by a thread that is not the first
 *	zombie      the first thread ends, another goes on
 *	churn       threads that live for one call
 *	nomap PROG  runs PROG with mmap at chosen addresses forbidden
 *	segv        a function faults and is resumed by the handler
 *	endbr       a function that begins with endbr64, in four threads (counted as touch)
 *	sigsys      calls that a filter sends back, with a handler that looks where they came from
 *	restart     system calls interrupted and restarted; touch counts the calls of read
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

unsigned long touched;
static unsigned long bad, trapped;
static long rounds;
static char *self;

NOINLINE long touch(long x)
{
	__atomic_fetch_add(&touched, 1, __ATOMIC_RELAXED);
	return x + 1;
}

static void report(void)
{
	printf("touch %lu\nbad %lu\n", touched, bad);
	fflush(stdout);
}

static void *blocked_thread(void *arg)
{
	sigset_t all, now;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (long i = 0; i < rounds; i++)
		touch(i);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	if (!sigismember(&now, SIGTRAP) || !sigismember(&now, SIGUSR1))
		__atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
	return arg;
}

static void run_threads(void *(*fn)(void *), int n)
{
	pthread_t t[64];

	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, fn, NULL))
			bad++;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void do_blocked(void)
{
	run_threads(blocked_thread, 3);
}

static void on_trap(int sig)
{
	(void)sig;
	trapped++;
}

static void do_int3(void)
{
	signal(SIGTRAP, on_trap);
	for (long i = 0; i < rounds; i++) {
		touch(i);
		__asm__ volatile("int3");
		if (i % 10 == 0)
			raise(SIGTRAP);
	}
	bad += trapped != (unsigned long)(rounds + (rounds + 9) / 10);
}

static void *spin_thread(void *arg)
{
	for (long i = 0; i < rounds; i++)
		touch(i);
	return arg;
}

static void do_forks(void)
{
	pthread_t t[3];
	int status;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, spin_thread, NULL);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (int k = 0; k < 100; k++)
				touch(k);
			_exit(5);
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 5)
			bad++;
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *exec_thread(void *arg)
{
	touch(1);
	execl(self, self, "child", "1", NULL);
	return arg;
}

static void do_execthread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exec_thread, NULL);
	for (;;)
		pause();
}

static void *zombie_thread(void *arg)
{
	(void)arg;
	usleep(20000);
	for (long i = 0; i < rounds; i++)
		touch(i);
	report();
	exit(4);
}

static void do_zombie(void)
{
	pthread_t t;

	pthread_create(&t, NULL, zombie_thread, NULL);
	pthread_exit(NULL);
}

static void *short_thread(void *arg)
{
	touch(1);
	return arg;
}

static void do_churn(void)
{
	for (long i = 0; i < rounds; i++)
		run_threads(short_thread, 4);
}

static char *page;

static void on_segv(int sig)
{
	(void)sig;
	trapped++;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

NOINLINE void poke(char *p)
{
	*p = 1;
}

static void do_segv(void)
{
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, on_segv);
	for (long i = 0; i < rounds; i++) {
		mprotect(page, 4096, PROT_READ);
		touch(i);
		poke(page);
	}
	bad += trapped != (unsigned long)rounds;
}

void endbr_touch(void);
__asm__(".text\n.globl endbr_touch\n.type endbr_touch, @function\n"
	"endbr_touch:\n"
	"	endbr64\n"
	"	lock incq touched(%rip)\n"
	"	ret\n"
	".size endbr_touch, .-endbr_touch\n");

static void *endbr_thread(void *arg)
{
	for (long i = 0; i < rounds; i++)
		endbr_touch();
	return arg;
}

static void do_endbr(void)
{
	run_threads(endbr_thread, 4);
}

static int ends[2];

static void on_alarm(int sig)
{
	char c = (char)sig;

	if (write(ends[1], &c, 1) != 1)
		bad++;
}

static void do_restart(void)
{
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval it = {{0, 2000}, {0, 2000}};
	char c;

	if (pipe(ends))
		exit(3);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	for (long i = 0; i < rounds; i++) {
		touched++;
		bad += read(ends[0], &c, 1) != 1 || c != SIGALRM;
	}
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
}

long ask(void);
extern const char behind_call[];
__asm__(".text\n.globl ask\n.type ask, @function\n"
	"ask:\n"
	"	mov $39, %eax\n" /* getpid */
	"	syscall\n"
	"behind_call:\n"
	"	ret\n"
	".size ask, .-ask\n");

static void on_sigsys(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	trapped++;
	bad += si->si_call_addr != behind_call ||
	       uc->uc_mcontext.gregs[REG_RIP] != (greg_t)behind_call;
	uc->uc_mcontext.gregs[REG_RAX] = -1;
}

static void do_sigsys(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(f) / sizeof(f[0]), f};
	struct sigaction sa = {.sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &sa, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		exit(3);
	for (long i = 0; i < rounds; i++) {
		touch(i);
		bad += ask() != -1;
	}
	bad += trapped != (unsigned long)rounds;
}

/* mmap with MAP_FIXED_NOREPLACE fails with EPERM, here and in what is run. */
static void do_nomap(char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_FIXED_NOREPLACE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(f) / sizeof(f[0]), f};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		exit(3);
	execv(argv[0], argv);
	exit(3);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} modes[] = {
		{"blocked", do_blocked}, {"int3", do_int3},	  {"forks", do_forks},
		{"zombie", do_zombie},	 {"churn", do_churn},	  {"execthread", do_execthread},
		{"segv", do_segv},	 {"restart", do_restart}, {"endbr", do_endbr},
		{"sigsys", do_sigsys},	 {"child", report}};

	if (argc < 3)
		return 2;
	self = argv[0];
	rounds = atol(argv[2]);
	if (!strcmp(argv[1], "nomap"))
		do_nomap(argv + 2);
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].fn();
			if (modes[i].fn != report)
				report();
			return 0;
		}
	return 2;
}
