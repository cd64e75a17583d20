/*
 * nested.c: packets to itself while its timer interrupts the CPU all the time: nested N. Prints how
 * many packets came.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct itimerspec often = {{0, 50000}, {0, 50000}};
	struct sockaddr_in self = {.sin_family = AF_INET};
	socklen_t len = sizeof(self);
	int n = argc > 1 ? atoi(argv[1]) : 1, came = 0, s, timer;
	cpu_set_t one;
	char byte = 0;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	if (s < 0 || timer < 0 || bind(s, (void *)&self, sizeof(self)) < 0 ||
	    getsockname(s, (void *)&self, &len) < 0 ||
	    timerfd_settime(timer, 0, &often, NULL) < 0) {
		perror("nested");
		return 1;
	}
	for (int i = 0; i < n; i++) {
		sendto(s, &byte, 1, 0, (void *)&self, len);
		came += recv(s, &byte, 1, MSG_DONTWAIT) == 1;
	}
	printf("packets %d\n", came);
	return 0;
}
