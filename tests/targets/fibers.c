/*
 * fibers: stacks of its own that a hand-written switch goes between, in four threads that take them
 * from one another: a fiber goes on in whichever thread is next, in the middle of its
 * calls. `./fibers N [BYTES]` makes 16 fibers, each with a stack of so many bytes (4096), and each
 * comes at the bottom of a recursion to N switches. Prints "FUNCTION CALLS [RETURNS]" for each
 * function whose calls it knows, "right" or "wrong" last. Ends with 0.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#define NFIBERS	 16
#define NTHREADS 4
#define DEPTH	 5

struct fiber {
	void *sp; /* of the fiber while it waits, of the thread that runs it while it runs */
	long number, left, sum, want;
	atomic_int state; /* READY, RUNS, DONE */
};
enum { READY, RUNS, DONE };

static struct fiber fibers[NFIBERS];
static atomic_int ndone;
static long nswitches;

/* Saves what a callee keeps, changes stacks: *at is where the other stack is, and becomes ours. */
void switch_stacks(void **at);
__asm__(".text\n.globl switch_stacks\n.type switch_stacks,@function\nswitch_stacks:\n"
	"	push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	mov (%rdi),%rax\n mov %rsp,(%rdi)\n mov %rax,%rsp\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
	"	ret\n.size switch_stacks,.-switch_stacks\n");

NOINLINE long visit(struct fiber *f, long depth)
{
	long kept = f->number * 31 + depth;

	if (depth > 0)
		return visit(f, depth - 1) + kept;
	switch_stacks(&f->sp);
	return kept;
}

NOINLINE void live(struct fiber *f)
{
	while (f->left-- > 0)
		f->sum += visit(f, DEPTH);
	f->state = DONE;
	ndone++;
	for (;;)
		switch_stacks(&f->sp);
}

/* A new fiber begins here, at the end of the first switch; r12 is the fiber. */
void first_steps(void);
__asm__(".text\nfirst_steps:\n	mov %r12,%rdi\n	call live\n	ud2\n");

static void prepare(struct fiber *f, char *stack, size_t size)
{
	void **sp = (void **)((uintptr_t)(stack + size) & ~(uintptr_t)15);

	*--sp = NULL;
	*--sp = NULL;
	*--sp = (void *)first_steps;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	sp[3] = f; /* r12 */
	f->sp = sp;
}

NOINLINE void resume(struct fiber *f)
{
	switch_stacks(&f->sp);
}

static void *run(void *arg)
{
	unsigned next = (unsigned)(uintptr_t)arg * 7;

	while (ndone < NFIBERS) {
		struct fiber *f = &fibers[next++ % NFIBERS];
		int ready = READY;

		if (!atomic_compare_exchange_strong(&f->state, &ready, RUNS))
			continue;
		resume(f);
		atomic_fetch_add((atomic_long *)&nswitches, 1);
		if (f->state == RUNS)
			f->state = READY;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 4096;
	pthread_t t[NTHREADS];
	int bad = 0;

	for (long i = 0; i < NFIBERS; i++) {
		fibers[i].number = i;
		fibers[i].left = n;
		for (long depth = 0; depth <= DEPTH; depth++)
			fibers[i].want += n * (i * 31 + depth);
		prepare(&fibers[i], malloc(size), size);
	}
	for (long i = 0; i < NTHREADS; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			return 2;
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < NFIBERS; i++)
		bad |= fibers[i].sum != fibers[i].want;
	bad |= nswitches != NFIBERS * (n + 1);
	printf("live %d 0\nresume %ld\nswitch_stacks %ld\nvisit %ld\n", NFIBERS, nswitches,
	       nswitches + NFIBERS * (n + 1), (long)NFIBERS * n * (DEPTH + 1));
	puts(bad ? "wrong" : "right");
	return 0;
}
