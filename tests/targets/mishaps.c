/*
 * mishaps: functions whose instructions fault, at each place that a hook may have moved, and
 *handlers that look where that was: it must be the program's own instruction, with its own
 *registers. Then the program goes on behind it, at it again, elsewhere in the function's caller, or
 *by siglongjmp.
 *
 *	mishaps once         each function in each way: what the handler saw, a line each
 *	mishaps threads N    N rounds of it in eight threads at once
 *	mishaps until        rounds in four threads until standard input ends
 *
 * Prints "FUNCTION CALLS" for each function, and "right" or what went wrong.
 */
#define _GNU_SOURCE /* register names */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096UL

typedef long function(long, long);

/* NAME, the instruction of it that faults, and the one behind that. */
#define FUNCTIONS(X)                                                                               \
	X(first)                                                                                   \
	X(second)                                                                                  \
	X(straddles)                                                                               \
	X(stores)                                                                                  \
	X(compares)                                                                                \
	X(before_ret)                                                                              \
	X(tiny)                                                                                    \
	X(branches)                                                                                \
	X(divides)                                                                                 \
	X(undefined)                                                                               \
	X(undefined_later)                                                                         \
	X(privileged)                                                                              \
	X(aligned)                                                                                 \
	X(calls_memory)                                                                            \
	X(calls_register)                                                                          \
	X(jumps)                                                                                   \
	X(returns)                                                                                 \
	X(returns_by_jump)                                                                         \
	X(copies)

#define DECLARE(name)                                                                              \
	extern char name##_at[], name##_next[];                                                    \
	function name;
FUNCTIONS(DECLARE)

/* invoke(fn, a, b, sp): calls it; *sp is what its stack pointer is where it comes back to. */
long invoke(function *, long, long, uint64_t *sp);
extern char invoked[];
/* clang-format off */
__asm__("	.text\n"
	".macro begin name\n"
	"	.p2align 4\n"
	"	.globl \\name, \\name\\()_at, \\name\\()_next\n"
	"	.type \\name, @function\n"
	"\\name: .cfi_startproc\n"
	".endm\n"
	".macro end name\n"
	"	.cfi_endproc\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	"	.globl invoke, invoked\n"
	"	.type invoke, @function\n"
	"invoke: push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n"
	"	mov %rsp, (%rcx)\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n call *%rax\n"
	"invoked: add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n"
	"	.size invoke, . - invoke\n"

	"begin first\n"
	"first_at: mov (%rdi), %rax\n"
	"first_next: add $1, %rax\n ret\n end first\n"
	"begin second\n xor %eax, %eax\n"
	"second_at: mov (%rdi), %rax\n"
	"second_next: add $3, %rax\n ret\n end second\n"
	"begin straddles\n xor %eax, %eax\n xor %edx, %edx\n"
	"straddles_at: mov 0x100(%rdi), %rax\n"
	"straddles_next: lea 1(%rax, %rdx), %rax\n ret\n end straddles\n"
	"begin stores\n push %rbx\n mov %rdi, %rbx\n"
	"stores_at: movq $1, (%rbx)\n"
	"stores_next: mov %rsi, %rax\n pop %rbx\n ret\n end stores\n"
	/* flags pass there */
	"begin compares\n stc\n"
	"compares_at: mov (%rdi), %rax\n"
	"compares_next: adc $0, %rsi\n mov %rsi, %rax\n ret\n end compares\n"
	"begin before_ret\n mov %rsi, %rax\n imul $3, %rax, %rax\n imul $5, %rax, %rax\n push %rbx\n"
	"before_ret_at: mov (%rdi), %rbx\n"
	"before_ret_next: pop %rbx\n ret\n end before_ret\n"
	"begin tiny\n"
	"tiny_at: mov (%rdi), %al\n"
	"tiny_next: ret\n end tiny\n"
	/* several returns without room between them */
	"begin branches\n test %rsi, %rsi\n js 1f\n cmp $5, %rsi\n ja 2f\n mov %rsi, %rax\n"
	"branches_at: mov (%rdi), %eax\n"
	"branches_next: ret\n"
	"1:	mov %edi, %eax\n ret\n"
	"2:	mov %esi, %eax\n ret\n end branches\n"
	"begin divides\n mov %esi, %eax\n cltd\n"
	"divides_at: idivl (%rdi)\n"
	"divides_next: ret\n end divides\n"
	"begin undefined\n"
	"undefined_at: ud2\n"
	"undefined_next: lea 7(%rsi), %rax\n ret\n end undefined\n"
	"begin undefined_later\n xor %eax, %eax\n"
	"undefined_later_at: ud2\n"
	"undefined_later_next: lea 7(%rsi), %rax\n ret\n end undefined_later\n"
	"begin privileged\n xor %eax, %eax\n"
	"privileged_at: hlt\n"
	"privileged_next: lea 7(%rsi), %rax\n ret\n end privileged\n"
	"begin aligned\n xor %eax, %eax\n"
	"aligned_at: movaps (%rdi), %xmm7\n"
	"aligned_next: lea 7(%rsi), %rax\n ret\n end aligned\n"
	"begin calls_memory\n sub $8, %rsp\n"
	"calls_memory_at: call *(%rdi)\n"
	"calls_memory_next: add $8, %rsp\n mov %rsi, %rax\n ret\n end calls_memory\n"
	"begin calls_register\n sub $8, %rsp\n"
	"calls_register_at: call *%rdi\n"
	"calls_register_next: add $8, %rsp\n mov %rsi, %rax\n ret\n end calls_register\n"
	"begin jumps\n mov %rsi, %rax\n"
	"jumps_at: jmp *%rdi\n"
	"jumps_next: ret\n end jumps\n"
	"begin returns\n lea 1(%rsi), %rax\n push %rdi\n"
	"returns_at: ret\n"
	"returns_next: end returns\n"
	/* its `ret` has no room, and jumps lead there */
	"begin returns_by_jump\n push %rdi\n mov %rsi, %rax\n test %eax, %eax\n jnz returns_by_jump_at\n"
	"	imul $3, %rax, %rax\n imul $3, %rax, %rax\n"
	"returns_by_jump_at: ret\n"
	"returns_by_jump_next: end returns_by_jump\n"
	"begin copies\n mov $64, %ecx\n"
	"copies_at: rep movsb\n"
	"copies_next: mov %rcx, %rax\n ret\n end copies\n"
	"	.p2align 4\n");
/* clang-format on */

#define NON_CANONICAL 0x8000000000000000L

enum where { NOWHERE, FORBIDDEN, PAST_THE_FILE, ODD, NONSENSE, ZERO, NO_CODE };

static char *forbidden, *past_the_file;
static _Alignas(64) char good[4096];
static function *good_function;

static long good_function_(long a, long b)
{
	return a + b;
}

static const struct mishap {
	const char *name;
	function *fn;
	char *at, *next;
	enum where where;
	int sig;
} mishaps[] = {
#define M(name, where, sig)                                                                        \
	{                                                                                          \
#name, name, name##_at, name##_next, where, sig                                    \
	}
	M(first, NOWHERE, SIGSEGV),
	M(first, NONSENSE, SIGSEGV),
	M(first, FORBIDDEN, SIGSEGV),
	M(first, PAST_THE_FILE, SIGBUS),
	M(second, NOWHERE, SIGSEGV),
	M(second, NONSENSE, SIGSEGV),
	M(straddles, FORBIDDEN, SIGSEGV),
	M(stores, NOWHERE, SIGSEGV),
	M(stores, PAST_THE_FILE, SIGBUS),
	M(compares, NOWHERE, SIGSEGV),
	M(before_ret, NOWHERE, SIGSEGV),
	M(tiny, NOWHERE, SIGSEGV),
	M(branches, NOWHERE, SIGSEGV),
	M(divides, ZERO, SIGFPE),
	M(undefined, NOWHERE, SIGILL),
	M(undefined_later, NOWHERE, SIGILL),
	M(privileged, NOWHERE, SIGSEGV),
	M(aligned, ODD, SIGSEGV),
	M(calls_memory, NOWHERE, SIGSEGV),
	M(calls_register, NONSENSE, SIGSEGV),
	M(jumps, NONSENSE, SIGSEGV),
	M(returns, NONSENSE, SIGSEGV),
	M(returns_by_jump, NONSENSE, SIGSEGV),
	M(copies, NOWHERE, SIGSEGV),
	M(copies, FORBIDDEN, SIGSEGV),
};
#define NMISHAPS (sizeof(mishaps) / sizeof(mishaps[0]))

enum way { BEHIND, AGAIN, ELSEWHERE, JUMP, NWAYS };

/* What goes on in a thread. */
static __thread struct {
	const struct mishap *m;
	enum way way;
	uint64_t sp; /* of the call */
	int nfaults, depth;
	sigjmp_buf out;
	struct seen {
		int sig, code;
		long pc, addr, sp, a, b;
	} seen;
} now;

static long ncalls[NMISHAPS];
static volatile int nwrong;
static int says;

static long address(enum where where)
{
	switch (where) {
	case FORBIDDEN:
		return (long)(forbidden + PAGE / 2);
	case PAST_THE_FILE:
		return (long)past_the_file;
	case ODD:
		return (long)(good + 1);
	case NONSENSE:
		return NON_CANONICAL | 0x1230;
	case ZERO:
		return (long)(good + 1024);
	default:
		return 0;
	}
}

static long mishap(const struct mishap *, enum way);

/* What is not relative to the function is relative to what it was called with. */
static void look(const siginfo_t *si, const ucontext_t *uc)
{
	const greg_t *r = uc->uc_mcontext.gregs;
	long addr = (long)(uintptr_t)si->si_addr;

	now.seen = (struct seen){
		.sig = si->si_signo,
		.code = si->si_code,
		.pc = r[REG_RIP] - (long)now.m->fn,
		.sp = r[REG_RSP] - (long)now.sp,
		.addr = addr == r[REG_RIP] ? -1 : addr - (addr ? address(now.m->where) : 0),
		.a = r[REG_RDI] - address(now.m->where),
		.b = r[REG_RSI],
	};
	if (r[REG_RIP] != (long)now.m->at || si->si_signo != now.m->sig || now.seen.a) {
		dprintf(1, "wrong: %s: signal %d (%d) at %+ld instead of %d at %+ld, rdi %lx\n",
			now.m->name, si->si_signo, si->si_code, now.seen.pc, now.m->sig,
			(long)(now.m->at - (char *)now.m->fn), (long)r[REG_RDI]);
		nwrong++;
	}
}

static void handler(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	(void)sig;
	look(si, uc);
	if (++now.nfaults > 3)
		_exit(3);
	if (now.depth == 0) { /* another one, within */
		typeof(now) saved = now;

		memset(&now, 0, sizeof(now));
		now.depth = 1;
		mishap(&mishaps[(size_t)(saved.m - mishaps + 7) % NMISHAPS], ELSEWHERE);
		now = saved;
	}
	switch (now.way) {
	case BEHIND:
		r[REG_RIP] = (greg_t)now.m->next;
		break;
	case AGAIN:
		r[REG_RDI] = now.m->fn == calls_register || now.m->fn == jumps
				     ? (greg_t)(uintptr_t)good_function
			     : now.m->fn == calls_memory ? (greg_t)(uintptr_t)&good_function
							 : (greg_t)(uintptr_t)good;
		if (now.m->fn == stores)
			r[REG_RBX] = r[REG_RDI];
		if (now.m->fn == copies)
			r[REG_RSI] = (greg_t)(uintptr_t)good + 100;
		if (now.m->fn == returns || now.m->fn == returns_by_jump)
			r[REG_RSP] += 8;
		if (now.m->sig == SIGILL || now.m->fn == privileged)
			r[REG_RIP] = (greg_t)now.m->next; /* that is as bad as before */
		break;
	case ELSEWHERE:
		r[REG_RSP] = (greg_t)now.sp;
		r[REG_RIP] = (greg_t)invoked;
		r[REG_RAX] = 77;
		break;
	default:
		siglongjmp(now.out, 1);
	}
}

static long mishap(const struct mishap *m, enum way way)
{
	volatile long got = 99;

	now.m = m;
	now.way = way;
	now.nfaults = 0;
	/* there is nothing behind a return, and nothing to be called or copied */
	if (way == BEHIND && (m->fn == returns || m->fn == returns_by_jump))
		now.way = ELSEWHERE;
	__atomic_fetch_add(&ncalls[m - mishaps], 1, __ATOMIC_RELAXED);
	if (way != JUMP || !sigsetjmp(now.out, 1))
		got = invoke(m->fn, address(m->where), 3, &now.sp);
	if (now.nfaults != 1) {
		dprintf(1, "wrong: %s: %d faults\n", m->name, now.nfaults);
		nwrong++;
	}
	if (says && !now.depth)
		printf("%s %d: signal %d (%d) at %+ld address %lx sp %+ld, rsi %ld: %lx\n", m->name,
		       (int)way, now.seen.sig, now.seen.code, now.seen.pc, now.seen.addr & 0xfff,
		       now.seen.sp, now.seen.b, now.seen.a == 0 ? got & 0xfff : -1);
	return got;
}

static void round_of_all(void)
{
	for (size_t i = 0; i < NMISHAPS; i++)
		for (enum way w = BEHIND; w < NWAYS; w++)
			mishap(&mishaps[i], w);
}

static volatile int ends;

static void *rounds(void *arg)
{
	static __thread char alt[65536];
	const stack_t ss = {.ss_sp = alt, .ss_size = sizeof(alt)};
	long n = (long)arg;

	sigaltstack(&ss, NULL);
	for (long i = 0; n ? i < n : !ends; i++)
		round_of_all();
	return NULL;
}

static void in_threads(unsigned nthreads, long n)
{
	pthread_t t[8];

	for (unsigned i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, rounds, (void *)n))
			exit(2);
	if (!n) {
		while (getchar() != EOF)
			;
		ends = 1;
	}
	for (unsigned i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
}

static void say_calls(void)
{
	for (size_t i = 0; i < NMISHAPS; i++) {
		long n = 0;

		for (size_t k = 0; k < NMISHAPS; k++)
			n += mishaps[k].fn == mishaps[i].fn ? ncalls[k] : 0;
		if (!i || mishaps[i - 1].fn != mishaps[i].fn)
			printf("%s %ld\n", mishaps[i].name, n);
	}
}

static void prepare(void)
{
	struct sigaction sa = {.sa_sigaction = handler,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	FILE *file = tmpfile();

	setvbuf(stdout, NULL, _IOLBF, 0);
	good_function = good_function_;
	forbidden = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	past_the_file =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file ? fileno(file) : -1, 0);
	if (forbidden == MAP_FAILED || past_the_file == MAP_FAILED)
		exit(2);
	memset(good, 3, 1024);
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	sigaction(SIGFPE, &sa, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "once";

	prepare();
	if (strcmp(what, "threads") == 0) {
		in_threads(8, argc > 2 ? atol(argv[2]) : 1);
	} else if (strcmp(what, "until") == 0) {
		printf("ready\n");
		in_threads(4, 0);
	} else {
		says = 1;
		rounds((void *)2);
	}
	say_calls();
	printf(nwrong ? "%d wrong\n" : "right\n", nwrong);
	return nwrong != 0;
}
