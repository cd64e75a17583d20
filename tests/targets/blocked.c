/*
 * blocked: threads in system calls that return EINTR when they are disturbed. `./blocked` starts
 * one for each, prints "ready PID" when all are in their call, and "CALL RESULT ERRNO" for each
 * that comes back before the end of the input, then "left N": how many did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int at_work, over, left;
static int never[2], sock[2], sem;

static long do_epoll(void)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, never[0], &ev);
	at_work++;
	return epoll_wait(fd, &ev, 1, -1);
}

static long do_sigwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	at_work++;
	return sigwaitinfo(&set, NULL);
}

static long do_semop(void)
{
	struct sembuf op = {.sem_op = -1};

	at_work++;
	return semop(sem, &op, 1);
}

static long do_recv(void)
{
	struct timeval tv = {.tv_sec = 1000}; /* with a timeout it is not restarted by the kernel */
	char c;

	setsockopt(sock[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	at_work++;
	return recv(sock[0], &c, 1, 0);
}

static long do_poll(void)
{
	struct pollfd p = {.fd = never[0], .events = POLLIN};

	at_work++;
	return poll(&p, 1, 1000000);
}

static long do_sleep(void)
{
	struct timespec ts = {.tv_sec = 1000};

	at_work++;
	return nanosleep(&ts, NULL);
}

static long do_read(void)
{
	char c;

	at_work++;
	return read(never[0], &c, 1);
}

static const struct call {
	const char *name;
	long (*fn)(void);
} calls[] = {{"epoll_wait", do_epoll}, {"sigwaitinfo", do_sigwait}, {"semop", do_semop},
	     {"recv", do_recv},	       {"poll", do_poll},	    {"nanosleep", do_sleep},
	     {"read", do_read}};

#define NCALLS (int)(sizeof(calls) / sizeof(calls[0]))

static void *thread_main(void *arg)
{
	const struct call *c = arg;
	long r = c->fn();

	left++;
	if (!over)
		printf("%s %ld %s\n", c->name, r, r < 0 ? strerrorname_np(errno) : "");
	return NULL;
}

int main(void)
{
	sigset_t set;
	pthread_t t;
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sem = semget(IPC_PRIVATE, 1, 0600);
	if (pipe(never) || socketpair(AF_UNIX, SOCK_STREAM, 0, sock) || sem < 0)
		return 2;
	for (int i = 0; i < NCALLS; i++)
		if (pthread_create(&t, NULL, thread_main, (void *)&calls[i]))
			return 2;
	while (at_work < NCALLS)
		usleep(1000);
	usleep(50000);
	printf("ready %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin))
		;
	over = 1;
	printf("left %d\n", (int)left);
	semctl(sem, 0, IPC_RMID);
	return 0;
}
