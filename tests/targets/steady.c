/*
 * steady: a function called N times a second for MS milliseconds. `./steady N MS` prints "beat N",
 * the calls, then "ok" when the text of the function is as it was in the file and every call gave
 * the right result, else "patched" or "wrong". Ends with 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline, noclone, noipa)) long beat(long x)
{
	return 3 * x + 1;
}

/* The first bytes of beat() in the file: the program is its own and is not relocated there. */
static int is_patched(void)
{
	const unsigned char *at = (const unsigned char *)&beat;

	for (int i = 0; i < 4; i++)
		if (at[i] == 0xcc)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	long rate = argc > 1 ? atol(argv[1]) : 200, ms = argc > 2 ? atol(argv[2]) : 1000;
	long n = rate * ms / 1000, bad = 0;
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	for (long i = 0; i < n; i++) {
		bad += beat(i) != 3 * i + 1;
		at.tv_nsec += 1000000000 / rate;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
	printf("beat %ld\n%s\n", n, bad ? "wrong" : is_patched() ? "patched" : "ok");
	return 0;
}
