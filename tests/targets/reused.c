/*
 * reused: two children, one after the other, with the same process id (clone3 with set_tid, which
 * needs CAP_CHECKPOINT_RESTORE). Each calls first() or second(). Prints "same" and ends with 0, or
 * ends with 77 where that is not allowed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void first(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void second(void)
{
	__asm__ volatile("");
}

static pid_t fork_as(pid_t tid)
{
	struct clone_args args = {.exit_signal = SIGCHLD,
				  .set_tid = tid ? (unsigned long)&tid : 0,
				  .set_tid_size = tid ? 1 : 0};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static pid_t run(pid_t as, void (*fn)(void))
{
	pid_t pid = fork_as(as);

	if (pid == 0) {
		fn();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid;
}

int main(void)
{
	pid_t a = run(0, first), b = a > 0 ? run(a, second) : -1;

	if (b < 0)
		return errno == EPERM || errno == ENOSYS ? 77 : 1;
	puts(a == b ? "same" : "different");
	return a != b;
}
