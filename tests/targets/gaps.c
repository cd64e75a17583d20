/*
 * gaps: how long is a process stopped? `./gaps NTHREADS SECONDS` has so many threads that sleep and
 * one that looks at the clock all the time; prints the three longest pauses it saw, in
 * milliseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return arg;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	double end, last, gap[3] = {0};
	pthread_t t;

	for (long i = 0; i < n; i++)
		if (pthread_create(&t, NULL, sleeper, NULL))
			return 2;
	last = now_ms();
	end = last + 1e3 * (argc > 2 ? atof(argv[2]) : 1);
	while (last < end) {
		double now = now_ms(), d = now - last;

		for (int i = 0; i < 3; i++)
			if (d > gap[i]) {
				double smaller = gap[i];

				gap[i] = d;
				d = smaller;
			}
		last = now;
	}
	printf("%.2f %.2f %.2f\n", gap[0], gap[1], gap[2]);
	return 0;
}
