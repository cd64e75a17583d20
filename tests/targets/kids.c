/*
 * kids: children of every kind, each calling probed functions. `./kids ROUNDS` prints the calls
 * made in its own memory ("touch N": forked children count in their copy, vfork children in ours)
 * and the number of children that did not end as they should ("bad 0"). Ends with 0. With a second
 * argument there is none that runs in our memory while we do.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

extern char **environ;
static volatile unsigned long touched, bad;
static char stack[65536];

NOINLINE int touch(int x)
{
	touched++;
	return x + 1;
}

static void reap(pid_t pid, int want)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != want)
		bad++;
}

static void do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			touch(i);
		_exit(7);
	}
	reap(pid, 7);
}

static void do_fork_exec(char *self)
{
	pid_t pid = fork();

	if (pid == 0) {
		touch(1);
		execl(self, self, "child", NULL);
		_exit(1);
	}
	reap(pid, 9);
}

static void do_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		touch(1);
		_exit(8);
	}
	reap(pid, 8);
}

static void do_vfork_exec(char *self)
{
	pid_t pid = vfork();

	if (pid == 0) {
		touch(1);
		execl(self, self, "child", NULL);
		_exit(1);
	}
	reap(pid, 9);
}

static void do_spawn(char *self)
{
	char *argv[] = {self, "child", NULL};
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
		bad++;
	else
		reap(pid, 9);
}

static int vm_child(void *arg)
{
	touch(*(int *)arg);
	return 6;
}

/* A process of its own in our memory, and nobody waits for it as for a vfork. */
static void do_clone_vm(void)
{
	int x = 3;

	reap(clone(vm_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, &x), 6);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc > 1 && !strcmp(argv[1], "child"))
		return touch(8);
	if (n < 0)
		return 2;
	self[n] = '\0';
	for (long i = 0; i < rounds; i++) {
		touch(0);
		do_fork();
		do_fork_exec(self);
		do_vfork();
		do_vfork_exec(self);
		do_spawn(self);
		if (argc < 3)
			do_clone_vm();
	}
	printf("touch %lu\nbad %lu\n", touched, bad);
	return 0;
}
