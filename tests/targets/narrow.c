/*
 * narrow: functions whose returns have no room for a jump: a `ret` of one byte that others jump to,
 * with the next function right behind it. `./narrow N [T]` calls each of them N times in each of T
 * threads (1), while a timer interrupts them by a handler that calls them as well, compares what
 * they return with what it should be, and prints "FUNCTION CALLS" for each, then "right".
 * `./narrow` alone says "ready" and goes on in four threads until a line comes from stdin.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* clang-format off */
#define FUNCTION(name, body)                                                                       \
	".globl " name "\n.type " name ", @function\n" name ":\n" body "\n.size " name ", .-" name "\n"
__asm__(".text\n .p2align 6\n .fill 512, 1, 0x90\n"
	/* a jump over one instruction to the ret behind it */
	FUNCTION("n_over", "mov %rdi, %rax\n cmp $100, %rdi\n jge 1f\n inc %rax\n 1: ret")
	/* three jumps to one ret, which is fallen into, too */
	FUNCTION("n_three", "mov %rdi, %rax\n test $1, %dil\n jne 1f\n inc %rax\n test $2, %dil\n"
			    "je 1f\n add $5, %rax\n cmp $77, %rax\n jb 1f\n sub $3, %rax\n 1: ret")
	/* jumps without a condition, by two and by five bytes; loops back to the ret */
	FUNCTION("n_jump", "mov %edi, %eax\n and $7, %eax\n je 2f\n cmp $3, %eax\n jb 3f\n"
			   "imul %rdi, %rax\n jmp 1f\n 1: ret\n 2: mov $9, %eax\n jmp 1b\n"
			   "3: neg %rax\n .byte 0xe9\n .long 1b - . - 4\n")
	/* nothing falls into the second ret: padding stands in front of it */
	FUNCTION("n_padding", "lea 1(%rdi), %rax\n test $1, %dil\n jne 1f\n neg %rax\n ret\n"
			      "nopw 0(%rax,%rax,1)\n 1: ret")
	/* two bytes: a short jump, whose long one lies among other instructions */
	FUNCTION("n_pop", "push %rbx\n mov %rdi, %rbx\n mov %rbx, %rax\n imul $3, %rax, %rax\n"
			  "test $4, %dil\n je 1f\n add $17, %rax\n 1: pop %rbx\n ret")
	/* a repeated instruction is not moved */
	FUNCTION("n_repeat", "lea -24(%rsp), %rdi\n xor %eax, %eax\n mov $2, %ecx\n rep stosq\n"
			     "ret")
	/* two returns side by side, and a loop that leads to the first */
	FUNCTION("n_loop", "mov %rdi, %rax\n and $15, %eax\n je 2f\n mov %eax, %ecx\n 3: sub $1, %ecx\n"
			   "js 1f\n add %rcx, %rax\n jmp 3b\n 1: ret\n 2: ret")
	/* the jump to the ret is one of the first instructions */
	FUNCTION("n_first", "test %rdi, %rdi\n mov %rdi, %rax\n js 1f\n not %rax\n 1: ret")
	/* a call, and the ret behind it, to which another jump leads: this one stays as it is */
	FUNCTION("n_call", "test $1, %dil\n je 1f\n call n_over\n 1: ret")
	/* leaves by a conditional jump besides */
	FUNCTION("n_tail", "mov %rdi, %rax\n test $1, %dil\n je 1f\n test $2, %dil\n je n_over\n"
			   "1: ret")
	".p2align 6\n");
/* clang-format on */

long n_over(long), n_three(long), n_jump(long), n_padding(long), n_pop(long), n_repeat(long),
	n_loop(long), n_first(long), n_call(long), n_tail(long);

#define OVER(x) ((x) < 100 ? (x) + 1 : (x))

static long over(long x)
{
	return OVER(x);
}

static long three(long x)
{
	long r = x;

	if (x & 1)
		return r;
	r++;
	if (!(x & 2))
		return r;
	r += 5;
	return (unsigned long)r < 77 ? r : r - 3;
}

static long jump(long x)
{
	long r = x & 7;

	return r == 0 ? 9 : r < 3 ? -r : r * x;
}

static long padding(long x)
{
	return x & 1 ? x + 1 : -(x + 1);
}

static long pop(long x)
{
	return 3 * x + (x & 4 ? 17 : 0);
}

static long repeat(long x)
{
	(void)x;
	return 0;
}

static long loop(long x)
{
	long r = x & 15, n = r;

	while (--n >= 0)
		r += n;
	return r;
}

static long first(long x)
{
	return x < 0 ? x : ~x;
}

static const struct {
	const char *name;
	long (*fn)(long), (*is)(long);
} fns[] = {
	{"n_over", n_over, over}, {"n_three", n_three, three},
	{"n_jump", n_jump, jump}, {"n_padding", n_padding, padding},
	{"n_pop", n_pop, pop},	  {"n_repeat", n_repeat, repeat},
	{"n_loop", n_loop, loop}, {"n_first", n_first, first},
};
#define NFNS (sizeof(fns) / sizeof(fns[0]))

static long calls[NFNS], odd_calls, tails;
static long nrounds;
static volatile int wrong, is_over;

static void call_all(long x)
{
	for (unsigned i = 0; i < NFNS; i++) {
		__atomic_fetch_add(&calls[i], 1, __ATOMIC_RELAXED);
		if (fns[i].fn(x) != fns[i].is(x))
			wrong = (int)i + 1;
	}
	/* what they return with is none of theirs where they do not call */
	__atomic_fetch_add(&odd_calls, x & 1, __ATOMIC_RELAXED);
	if (x & 1 && n_call(x) != OVER(x))
		wrong = 100;
	__atomic_fetch_add(&tails, (x & 3) == 1, __ATOMIC_RELAXED);
	if (n_tail(x) != ((x & 3) == 1 ? OVER(x) : x))
		wrong = 101;
}

static void on_alarm(int sig)
{
	static __thread long x;

	(void)sig;
	call_all(x++ - 50);
}

static void *run(void *arg)
{
	unsigned long x = (unsigned long)arg;

	for (long i = 0; nrounds ? i < nrounds : !is_over; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		call_all((long)(x >> 50) - 200);
	}
	return NULL;
}

static void begin_alarms(void)
{
	const struct itimerval often = {{0, 200}, {0, 200}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
	long nthreads = argc > 2 ? atol(argv[2]) : argc > 1 ? 1 : 4;
	const struct itimerval never = {0};
	pthread_t t[64];
	char byte;

	nrounds = argc > 1 ? atol(argv[1]) : 0;
	nthreads = nthreads < 64 ? nthreads : 64;
	begin_alarms();
	for (long i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, run, (void *)(i + 1));
	if (!nrounds) {
		printf("ready\n");
		fflush(stdout);
		while (read(0, &byte, 1) < 0)
			;
		is_over = 1;
	}
	for (long i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	for (unsigned i = 0; i < NFNS; i++)
		printf("%s %ld\n", fns[i].name, calls[i] + (i ? 0 : odd_calls + tails));
	printf("n_call %ld\nn_tail %ld\n", odd_calls, calls[0]);
	if (wrong)
		printf("wrong: %d\n", wrong);
	else
		printf("right\n");
	return wrong != 0;
}
