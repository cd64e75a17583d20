/*
 * ends: calls step(i, 2i) N times, and then ends in the way that is named: exit, _exit, return,
 * abort, segv, kill (by SIGKILL, of itself), exec (of itself: "ends return 0"), thread (the leader
 * ends first). `./ends signals N`: N signals of a timer of 10 kHz, whose handler calls handled(n)
 * and every other time never comes back, while step() is called all the time; prints how often each
 * was.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long steps, signals, wanted;
static sigjmp_buf back;

NOINLINE long step(long i, long twice)
{
	steps++;
	return i + twice;
}

NOINLINE long handled(long n)
{
	signals = n;
	return n;
}

static void on_alarm(int sig)
{
	(void)sig;
	handled(signals + 1);
	if (signals < wanted && signals % 2)
		siglongjmp(back, 1);
}

/* A step that a signal has cut off before its first instruction was none: it counts for itself. */
static void under_signals(long n)
{
	struct itimerval it = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};

	wanted = n;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &it, NULL);
	sigsetjmp(back, 1);
	while (signals < wanted)
		step(steps, 0);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("handled %ld\nstep %ld\n", signals, steps);
}

static void *last(void *n)
{
	for (long i = 0; i < (long)n; i++)
		step(i, 2 * i);
	exit(0);
}

static void end(const char *how, char *self)
{
	pthread_t t;

	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile char *)8 = 0;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", self, "return", "0", (char *)NULL);
	if (!strcmp(how, "thread") && !pthread_create(&t, NULL, last, (void *)steps))
		pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "signals")) {
		under_signals(n);
		return 0;
	}
	for (long i = 0; i < n; i++)
		step(i, 2 * i);
	if (argc > 1)
		end(argv[1], argv[0]);
	return 0;
}
