/*
 * queued: sends itself signals with a value, one after the other, each taken by a handler that
 * checks it, so that whoever stops this thread mostly finds it at a signal. Prints "ready PID"; at
 * the end of its standard input "sent N got N wrong N". Ends with 0.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile int got, wrong, expected;

static void handler(int sig, siginfo_t *si, void *ctx)
{
	(void)sig;
	(void)ctx;
	got++;
	wrong += si->si_code != SI_QUEUE || si->si_pid != getpid() ||
		 si->si_value.sival_int != expected;
}

NOINLINE long count_me(long x)
{
	return x * 5 + 3;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int sent = 0;

	sigaction(SIGUSR1, &sa, NULL);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (sent % 64 || poll(&in, 1, 0) == 0) {
		expected = sent++;
		sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = expected});
		count_me(sent);
	}
	printf("sent %d got %d wrong %d\n", sent, got, wrong);
	return 0;
}
