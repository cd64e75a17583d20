/*
 * places N [THREADS [MS]]: N calls of io_cancel(), a function of this program that makes the system
 * call of that name with its three arguments and returns what that returns: what a clause sees at
 * the one it sees at the other. The first argument is one of numbers[], the second an address at
 * which there is a text, a number or nothing, the third small or one of numbers[]. They come in an
 * order of its own that is always the same. The system call does nothing with any of them. It stays
 * for MS milliseconds, then ends.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AT 0x200000000000

static const long numbers[] = {
	0,     1,     2,       3,	7,	  9,	    10,	      63,	64,
	65,    100,   127,     128,	255,	  256,	    1000,     32767,	32768,
	65535, 65536, INT_MAX, INT_MIN, UINT_MAX, 1L << 40, LONG_MAX, LONG_MIN, -1,
	-2,    -5,    -64,     -100,	-128,	  -129,	    -32768,   -32769,	-(1L << 40),
};
static const char *const texts[] = {
	"alpha",
	"beta",
	"",
	"a",
	"open/close",
	"/usr/lib//x/../y",
	"\x80\xff\t\n high",
	"12345",
	"-0x7f",
	"{\"a\":[1,2],\"b\":\"c\"}",
	"sixteen bytes..",
	"a text longer than most others, of several words, that goes on and on",
};
static long where[64]; /* where the texts are, and what is no text */
static unsigned nwhere;
static long rounds;

__attribute__((noinline, noclone)) long io_cancel(long a, long b, long c)
{
	long r = SYS_io_cancel;

	__asm__ volatile("syscall" : "+a"(r) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	__asm__ volatile("nopw 0(%rax, %rax)"); /* room for a jump */
	return r;
}

static void put(long address)
{
	where[nwhere++] = address;
}

/* Three pages, what is behind the last one is not there. */
static int prepare(void)
{
	char *page = mmap((void *)AT, 4 * 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	char *at = page;

	if (page != (char *)AT || mprotect(page + 3 * 4096, 4096, PROT_NONE))
		return -1;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put((long)at);
		at = stpcpy(at, texts[i]) + 1 + i % 3;
	}
	memset(page + 1024, 'y', 600); /* longer than a string of D */
	put((long)page + 1024);
	memcpy(page + 4090, "across two pages", 17);
	put((long)page + 4090);
	for (unsigned i = 0; i < 64; i++)
		((long *)(page + 8192))[i] = numbers[i % (sizeof(numbers) / sizeof(numbers[0]))];
	put((long)page + 8192 + 8);
	put((long)page + 8192 + 163);
	memset(page + 3 * 4096 - 400, 'z', 400); /* no end */
	put((long)page + 3 * 4096 - 300);
	put((long)page + 3 * 4096 - 10);
	put((long)page + 3 * 4096 - 3);
	put((long)page + 3 * 4096);
	put(0);
	put(1);
	put(-4096);
	put(1L << 62);
	return 0;
}

static void *run(void *arg)
{
	uint64_t x = 88172645463325252 + (uint64_t)(uintptr_t)arg;
	unsigned n = sizeof(numbers) / sizeof(numbers[0]);

	for (long i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		io_cancel(numbers[(x >> 8) % n], where[(x >> 24) % nwhere],
			  x & 3 ? (long)((x >> 40) % 5) : numbers[(x >> 40) % n]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	long n = argc > 2 ? atol(argv[2]) : 1;

	rounds = argc > 1 ? atol(argv[1]) : 1;
	if (n < 1 || n > 64 || prepare())
		return 1;
	for (long i = 1; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	run(NULL);
	for (long i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	if (argc > 3)
		usleep((useconds_t)atol(argv[3]) * 1000);
	return 0;
}
