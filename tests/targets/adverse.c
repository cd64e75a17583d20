/*
 * adverse: programs that are hard to hook. `./adverse MODE N` does something difficult N times,
 * checks itself, and prints "FUNCTION CALLS" for each function whose calls it knows ("FUNCTION
 * CALLS RETURNS", where those differ), then "right" or what went wrong. Ends with 0.
 *
 *   jumps      longjmp and siglongjmp, also out of handlers of signals
 *   contexts   makecontext and swapcontext, contexts that move between threads
 *   tails      functions that call each other by jumps
 *   signals    handlers at 10 kHz on a stack of their own, and nested ones
 *   blocked    SIGTRAP blocked, ignored and handled
 *   asm        hand-written functions: short ones, flags, red zone, jumps into the first bytes
 *   values     every kind of argument and result, nested functions
 *   stacks     the smallest stacks there are
 *   libc       malloc, stdio, qsort, regex in eight threads
 *   reload     the library ADVERSE_LIBRARY comes and goes
 *   sealed     under a seccomp filter that allows next to nothing
 */
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#define TAILCALL
#else
#define TAILCALL __attribute__((optimize("optimize-sibling-calls")))
#endif

static int wrong;

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			printf("wrong: line %d: %s\n", __LINE__, #what);                           \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

/* ---- jumps ---- */

static jmp_buf back;
static sigjmp_buf sigback;
static volatile long bottom;

NOINLINE long jumps_out(long depth)
{
	volatile char room[64] = {0};

	if (depth <= bottom)
		longjmp(back, 7);
	return bottom ? room[depth & 63] : jumps_out(depth - 1) + room[depth & 63];
}

static void on_usr1(int sig)
{
	siglongjmp(sigback, sig);
}

static void jumps(long n)
{
	long caught = 0;

	signal(SIGUSR1, on_usr1);
	for (long i = 0; i < n; i++) {
		if (setjmp(back) == 7)
			caught++;
		else
			jumps_out(9);
		if (i % 10 == 0 && sigsetjmp(sigback, 1) == 0)
			raise(SIGUSR1);
	}
	CHECK(caught == n);
	printf("jumps_out %ld 0\n", 10 * n);
}

/* ---- contexts ---- */

static ucontext_t in_main, in_fiber;
static long fiber_steps;

NOINLINE void fiber_step(void)
{
	fiber_steps++;
}

static void fiber_main(void)
{
	for (;;) {
		fiber_step();
		swapcontext(&in_fiber, &in_main);
	}
}

static void *resume_fiber(void *arg)
{
	(void)arg;
	swapcontext(&in_main, &in_fiber);
	return NULL;
}

static void contexts(long n)
{
	static char stack[65536];
	pthread_t t;

	getcontext(&in_fiber);
	in_fiber.uc_stack.ss_sp = stack;
	in_fiber.uc_stack.ss_size = sizeof(stack);
	makecontext(&in_fiber, fiber_main, 0);
	for (long i = 0; i < n; i++)
		swapcontext(&in_main, &in_fiber);
	/* contexts keep no thread control block: the fiber goes on in another thread's */
	for (long i = 0; i < 20; i++)
		if (!pthread_create(&t, NULL, resume_fiber, NULL))
			pthread_join(t, NULL);
	CHECK(fiber_steps == n + 20);
	printf("fiber_step %ld\n", n + 20);
}

/* ---- tails ---- */

NOINLINE long even(long n);

NOINLINE TAILCALL long odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}

NOINLINE TAILCALL long even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}

static void tails(long n)
{
	CHECK(even(2 * n) == 1);
	CHECK(odd(2 * n) == 0);
	printf("even %ld\nodd %ld\n", 2 * n + 1, 2 * n + 1);
}

/* ---- signals ---- */

static volatile long handled, worked;

NOINLINE void in_handler(void)
{
	handled++;
}

static void on_alarm(int sig)
{
	in_handler();
	if (sig == SIGALRM && handled % 16 == 0)
		raise(SIGUSR2);
}

NOINLINE long in_work(long x)
{
	worked++;
	return x * 7 + 1;
}

static void signals(long n)
{
	static char stack[65536];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerspec it = {.it_interval.tv_nsec = 100000, .it_value.tv_nsec = 100000};
	struct sigevent se = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	timer_t timer;
	long x = 1, y = 1;

	sigaltstack(&ss, NULL);
	sigaction(SIGALRM, &sa, NULL);
	sa.sa_flags |= SA_NODEFER;
	sigaction(SIGUSR2, &sa, NULL);
	timer_create(CLOCK_MONOTONIC, &se, &timer);
	timer_settime(timer, 0, &it, NULL);
	for (long i = 0; i < n || handled < 300; i++) {
		x = in_work(x);
		y = y * 7 + 1;
	}
	timer_delete(timer);
	CHECK(x == y);
	printf("in_handler %ld\nin_work %ld\n", handled, worked);
}

/* ---- blocked ---- */

static volatile int traps;

static void on_trap(int sig)
{
	traps += sig == SIGTRAP;
}

NOINLINE long untrapped(long x)
{
	return x ^ 0x33;
}

static void *work_blocked(void *arg)
{
	sigset_t all;
	long x = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (long i = 0; i < (long)arg; i++)
		x = untrapped(x + i);
	return (void *)x;
}

static void blocked(long n)
{
	pthread_t t[4];

	signal(SIGTRAP, SIG_IGN);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&t[i], NULL, work_blocked, (void *)n) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	signal(SIGTRAP, on_trap);
	raise(SIGTRAP);
	__asm__ volatile("int3");
	CHECK(traps == 2);
	printf("untrapped %ld\n", 4 * n);
}

/* ---- asm ---- */

/* clang-format off */
__asm__(".text\n"
	".macro begin name\n"
	".globl \\name\n .type \\name,@function\n\\name:\n .cfi_startproc\n"
	".endm\n"
	".macro end name\n"
	".cfi_endproc\n .size \\name,.-\\name\n"
	".endm\n"
	"begin only_ret\n ret\n end only_ret\n"
	"begin two_bytes\n nop\n ret\n end two_bytes\n"
	"begin three_bytes\n mov %edi,%eax\n ret\n end three_bytes\n"
	"begin back_to_back\n xor %eax,%eax\n ret\n end back_to_back\n"
	/* a loop whose head is the second instruction */
	"begin loops_back\n xor %eax,%eax\n1: add %edi,%eax\n dec %edi\n jnz 1b\n ret\n end loops_back\n"
	/* is jumped into, three bytes behind its beginning */
	"begin jumped_into\n xor %rax,%rax\n lea 1(%rax,%rdi),%rax\n ret\n end jumped_into\n"
	"begin jumps_into\n mov $100,%eax\n jmp jumped_into+3\n end jumps_into\n"
	/* the carry goes in and out */
	"begin add_carry\n mov %rdi,%rax\n adc %rsi,%rax\n ret\n end add_carry\n"
	"begin with_carry\n stc\n jmp add_carry\n end with_carry\n"
	"begin jrcxz_first\n mov %rdi,%rcx\n1: jrcxz 2f\n dec %rcx\n jmp 1b\n2: mov $5,%eax\n ret\n end jrcxz_first\n"
	/* a leaf that keeps something below its stack pointer, and jumps back to its first instruction */
	"begin red_zone\n mov %rdi,-8(%rsp)\n mov %rsi,-64(%rsp)\n mov -8(%rsp),%rax\n add -64(%rsp),%rax\n ret\n end red_zone\n"
	/* the stack is aligned as nobody expects */
	"begin misaligned\n sub $1,%rsp\n call three_bytes\n add $1,%rsp\n ret\n end misaligned\n"
	/* every register that a call may change holds something before and after */
	"begin keeps_all\n mov $5,%eax\n ret\n end keeps_all\n"
	"begin calls_keeps_all\n"
	" mov $11,%ecx\n mov $12,%edx\n mov $13,%esi\n mov $14,%edi\n mov $15,%r8d\n mov $16,%r9d\n mov $17,%r10d\n mov $18,%r11d\n"
	" movq %rcx,%xmm7\n stc\n call keeps_all\n setc %al\n movzbl %al,%eax\n"
	" imul $100000,%eax,%eax\n add %ecx,%eax\n add %edx,%eax\n add %esi,%eax\n add %edi,%eax\n add %r8d,%eax\n add %r9d,%eax\n"
	" add %r10d,%eax\n add %r11d,%eax\n movq %xmm7,%rcx\n add %ecx,%eax\n ret\n end calls_keeps_all\n");
/* clang-format on */

void only_ret(void);
void two_bytes(void);
int three_bytes(int), back_to_back(void), loops_back(int), jrcxz_first(long), misaligned(int);
long jumped_into(long), jumps_into(long), red_zone(long, long), with_carry(long, long);
int calls_keeps_all(void);

static void hand_written(long n)
{
	for (long i = 0; i < n; i++) {
		only_ret();
		two_bytes();
		CHECK(three_bytes((int)i) == (int)i);
		CHECK(back_to_back() == 0);
		CHECK(loops_back(4) == 10);
		CHECK(jumped_into(i) == i + 1);
		CHECK(jumps_into(i) == i + 101);
		CHECK(with_carry(i, 5) == i + 6);
		CHECK(jrcxz_first(i % 5) == 5);
		CHECK(red_zone(i, 9) == i + 9);
		CHECK(misaligned(3) == 3);
		CHECK(calls_keeps_all() == 100000 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 11);
	}
	printf("add_carry %ld\nback_to_back %ld\nkeeps_all %ld\nloops_back %ld\nonly_ret %ld\n", n,
	       n, n, n, n);
	printf("red_zone %ld\nthree_bytes %ld\ntwo_bytes %ld\n", n, 2 * n, n);
}

/* ---- values ---- */

struct pair {
	double a;
	long b;
};
struct big {
	long v[6];
};

NOINLINE double adds(int n, ...)
{
	va_list ap;
	double sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, double);
	va_end(ap);
	return sum;
}

NOINLINE struct pair gives_pair(double a, long b)
{
	return (struct pair){a * 2, b * 2};
}

NOINLINE struct big gives_big(long a)
{
	return (struct big){{a, a + 1, a + 2, a + 3, a + 4, a + 5}};
}

NOINLINE long double gives_long_double(long double x)
{
	return x * 2;
}

NOINLINE double complex gives_complex(double complex x)
{
	return x * x;
}

NOINLINE long takes_many(long a, long b, long c, long d, long e, long f, long g, long h, double x,
			 struct big s)
{
	return a + b + c + d + e + f + g + h + (long)x + s.v[5];
}

static void values(long n)
{
	for (long i = 0; i < n; i++) {
		struct big s = gives_big(i);
		struct pair p = gives_pair((double)i, i);

		CHECK(adds(5, 1.0, 2.0, 3.0, 4.0, (double)i) == 10.0 + (double)i);
		CHECK(p.a == 2.0 * (double)i && p.b == 2 * i);
		CHECK(gives_long_double((long double)i) == 2.0L * (long double)i);
		CHECK(creal(gives_complex(2.0 + 1.0 * I)) == 3.0);
		CHECK(takes_many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, s) == 45 + i + 5);
#ifndef __clang__
		{
			__attribute__((noinline)) long nested(long x)
			{
				return x + i;
			}
			CHECK(nested(1) == i + 1);
		}
#endif
	}
	printf("adds %ld\ngives_big %ld\ngives_complex %ld\ngives_long_double %ld\ngives_pair "
	       "%ld\ntakes_many %ld\n",
	       n, n, n, n, n, n);
}

/* ---- stacks ---- */

NOINLINE long deep_down(long n)
{
	return n ? deep_down(n - 1) + 1 : 0;
}

static void *small_main(void *arg)
{
	return (void *)deep_down((long)arg);
}

static ucontext_t small_fiber;

static void small_fiber_main(void)
{
	CHECK(deep_down(10) == 10);
}

static void stacks(long n)
{
	static char small[2048], handler[8192];
	stack_t ss = {.ss_sp = handler, .ss_size = sizeof(handler)};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
	pthread_attr_t attr;
	pthread_t t;
	void *got;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (long i = 0; i < n; i++) {
		CHECK(pthread_create(&t, &attr, small_main, (void *)20) == 0);
		pthread_join(t, &got);
		CHECK((long)got == 20);
		getcontext(&small_fiber);
		small_fiber.uc_stack.ss_sp = small;
		small_fiber.uc_stack.ss_size = sizeof(small);
		small_fiber.uc_link = &in_main;
		makecontext(&small_fiber, small_fiber_main, 0);
		swapcontext(&in_main, &small_fiber);
	}
	sigaltstack(&ss, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	raise(SIGUSR2);
	CHECK(handled == 1);
	printf("deep_down %ld\nin_handler 1\n", n * (21 + 11));
}

/* ---- libc ---- */

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *torture(void *arg)
{
	uint64_t sum = 14695981039346656037ULL;
	char *kept[64] = {0};
	unsigned seed = 7;
	regex_t re;

	regcomp(&re, "^([a-z]+)=([0-9]+)$", REG_EXTENDED);
	for (long i = 0; i < (long)arg; i++) {
		char text[128], *copy;
		int v[50];
		regmatch_t m[3];
		FILE *f;

		for (int k = 0; k < 50; k++)
			v[k] = rand_r(&seed) % 1000;
		qsort(v, 50, sizeof(int), by_value);
		snprintf(text, sizeof(text), "key=%d%d", v[0], v[49]);
		CHECK(regexec(&re, text, 3, m, 0) == 0);
		f = tmpfile();
		if (f) {
			fprintf(f, "%s %f\n", text, 1.0 / (1 + v[3]));
			rewind(f);
			CHECK(fgets(text, sizeof(text), f) != NULL);
			fclose(f);
		}
		copy = strdup(text);
		free(kept[i % 64]);
		kept[i % 64] = realloc(copy, 200 + (size_t)v[7]);
		for (const char *c = kept[i % 64]; *c; c++)
			sum = (sum ^ (unsigned char)*c) * 1099511628211ULL;
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	regfree(&re);
	return (void *)sum;
}

static void libc(long n)
{
	pthread_t t[8];
	void *first = torture((void *)n), *got;

	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&t[i], NULL, torture, (void *)n) == 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &got);
		CHECK(got == first);
	}
	printf("torture 9\n");
}

/* ---- sealed ---- */

NOINLINE long in_the_cage(long x)
{
	return x + 2;
}

static void sealed(long n)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};
	long x = 0;

	fflush(stdout);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
	for (long i = 0; i < n; i++)
		x = in_the_cage(x);
	CHECK(x == 2 * n);
	printf("in_the_cage %ld\n", n);
}

/* ---- reload ---- */

static void reload(long n)
{
	const char *file = getenv("ADVERSE_LIBRARY");

	for (long i = 0; i < n; i++) {
		void *lib = dlopen(file, RTLD_NOW);
		long (*f)(long) = NULL;

		if (lib)
			*(void **)&f = dlsym(lib, "in_library");
		CHECK(lib && f);
		for (long k = 0; f && k < 10; k++)
			CHECK(f(k) == k + 4711);
		if (lib)
			dlclose(lib);
		/* the next one comes to lie elsewhere */
		CHECK(mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		      MAP_FAILED);
	}
	printf("begin_library %ld\nend_library %ld\nin_library %ld\n", n, n, 10 * n);
}

static const struct {
	const char *name;
	void (*run)(long n);
} modes[] = {
	{"jumps", jumps},     {"contexts", contexts}, {"tails", tails},	  {"signals", signals},
	{"blocked", blocked}, {"asm", hand_written},  {"values", values}, {"stacks", stacks},
	{"libc", libc},	      {"sealed", sealed},     {"reload", reload},
};

int main(int argc, char **argv)
{
	static char buffer[65536];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc > 1 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run(argc > 2 ? atol(argv[2]) : 1000);
			puts(wrong ? "something is wrong" : "right");
			fflush(stdout);
			_exit(0);
		}
	return 2;
}
