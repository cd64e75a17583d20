/*
 * Makes the kernel put work off and interrupt CPUs, so often as it says: packets on the loopback
 * device, sleeps, and calls of another CPU, where a thread of it runs.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PACKETS 300
#define SLEEPS	40
#define CALLS	200

static volatile int is_over, runs;

static void packets(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	char c = 0;

	if (s < 0 || bind(s, (void *)&at, len) < 0 || getsockname(s, (void *)&at, &len) < 0)
		exit(2);
	for (int i = 0; i < PACKETS; i++)
		if (sendto(s, &c, 1, 0, (void *)&at, len) != 1 || recv(s, &c, 1, 0) != 1)
			exit(2);
	printf("packets %d\n", PACKETS);
}

static void sleeps(void)
{
	const struct timespec t = {0, 100000};

	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&t, NULL);
	printf("sleeps %d\n", SLEEPS);
}

static void *spin(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	runs = 1;
	while (!is_over)
		;
	return arg;
}

static void calls(void)
{
	pthread_t t;
	cpu_set_t set;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 ||
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) < 0) {
		printf("calls 0\n");
		return;
	}
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (pthread_create(&t, NULL, spin, NULL))
		exit(2);
	while (!runs)
		sched_yield();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	is_over = 1;
	pthread_join(t, NULL);
	printf("calls %d\n", CALLS);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	packets();
	sleeps();
	calls();
	return 0;
}
