/*
 * texts N [THREADS [faults]]: calls take() with texts that lie on the stack, in the heap, in the
 * program and at the end of a page, and look() with structures; with `faults`, now and then with
 * what is not there. Prints how often it called each with what is there.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct thing {
	int small;
	signed char tiny;
	unsigned short middle;
	long large;
	struct thing *next;
	const char *name;
};

static long rounds;
static int faults;
static char *page, *edge; /* what is behind them is not there */
static long calls[64];

__attribute__((noinline, noclone)) int take(const char *text, long n)
{
	__asm__ volatile("" : : "r"(text), "r"(n) : "memory");
	return n != 0;
}

__attribute__((noinline, noclone)) long look(const struct thing *thing, long n)
{
	__asm__ volatile("" : : "r"(thing), "r"(n) : "memory");
	return n + 1;
}

static long bad(long i)
{
	int r = 0;

	r += take(NULL, i);
	r += take(page + 4090, i); /* no end */
	r += take((char *)1, i);
	r += (int)look(NULL, i);
	r += (int)look((struct thing *)(void *)(page + 4088), i);
	return r;
}

static long round_of(long i, char *heap)
{
	static const char *const words[] = {"alpha", "beta", "", "open/close",
					    "a longer text, of more words than the others"};
	char stack[64];
	struct thing last = {.small = (int)(i % 3) - 1, .large = i % 4, .name = words[i % 5]},
		     thing = {.small = -(int)(i % 7),
			      .tiny = (signed char)-(i % 3),
			      .middle = (unsigned short)(i % 9),
			      .large = i % 5,
			      .next = &last,
			      .name = words[(i + 1) % 5]};
	long r = 0;

	snprintf(stack, sizeof(stack), "stack %ld", i % 6);
	snprintf(heap, 64, "heap %ld and more", i % 4);
	r += take(stack, i);
	r += take(heap, i);
	r += take(words[i % 5], i);
	r += take(edge, i);
	r += look(&thing, i);
	if (faults && i % 8 == 0)
		r += bad(i);
	return r;
}

static void *run(void *arg)
{
	long n = 0, *called = arg;
	char *heap = malloc(64);

	for (long i = 0; i < rounds; i++) {
		n += round_of(i, heap);
		++*called;
	}
	free(heap);
	return (void *)n;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int n = argc > 2 ? atoi(argv[2]) : 1;
	long all = 0;

	rounds = argc > 1 ? atol(argv[1]) : 1;
	faults = argc > 3;
	page = mmap((void *)0x200000000000, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (page == MAP_FAILED || n < 1 || n > 64 || mprotect(page + 4096, 4096, PROT_NONE))
		return 1;
	memset(page, 'x', 4096);
	edge = page + 4096 - 1000; /* as long as texts are */
	edge[300] = '\0';
	for (int i = 1; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, &calls[i]))
			return 1;
	run(&calls[0]);
	for (int i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < n; i++)
		all += calls[i];
	printf("take %ld look %ld\n", 4 * all, all);
	return 0;
}
