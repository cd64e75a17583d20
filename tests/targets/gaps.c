/*
 * gaps: how long is a process stopped? `./gaps NTHREADS SECONDS` has so many threads that sleep and
 * one that looks at the clock all the time; with `each` behind that the threads do it themselves:
 * they read a timer that ticks every 5 ms, and a pause is what a tick comes later. Prints the three
 * longest pauses that were seen, in milliseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static double end_ms, longest[3];

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void add(double gap[3], double d)
{
	for (int i = 0; i < 3; i++)
		if (d > gap[i]) {
			double smaller = gap[i];

			gap[i] = d;
			d = smaller;
		}
}

static void *sleeper(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return arg;
}

static void *ticker(void *arg)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000};
	const struct itimerspec each = {tick, tick};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	double last = now_ms(), gap[3] = {0};
	unsigned long long n;

	if (fd < 0 || timerfd_settime(fd, 0, &each, NULL) < 0)
		exit(2);
	while (last < end_ms && read(fd, &n, sizeof(n)) == sizeof(n)) {
		double now = now_ms();

		add(gap, now - last - TICK_MS);
		last = now;
	}
	pthread_mutex_lock(&lock);
	add(longest, gap[0]);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void look_at_the_clock(void)
{
	for (double last = now_ms(); last < end_ms;) {
		double now = now_ms();

		add(longest, now - last);
		last = now;
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	int each = argc > 3 && !strcmp(argv[3], "each");
	pthread_t *t = calloc((size_t)n + 1, sizeof(*t));

	end_ms = now_ms() + 1e3 * (argc > 2 ? atof(argv[2]) : 1);
	for (long i = 0; i < n; i++)
		if (!t || pthread_create(&t[i], NULL, each ? ticker : sleeper, NULL))
			return 2;
	if (!each)
		look_at_the_clock();
	for (long i = 0; each && i < n; i++)
		pthread_join(t[i], NULL);
	printf("%.2f %.2f %.2f\n", longest[0], longest[1], longest[2]);
	return 0;
}
