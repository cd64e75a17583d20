/* Is ptrace allowed here at all? Tried on a child of our own, which nothing but a rule forbids. */
#include "tracer/tracer.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

static int seize_and_stop(pid_t pid, struct err *err)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0) {
		if (errno == EPERM)
			tracer_explain_eperm(pid, err);
		else
			err_set(err, -errno, "%s", strerror(errno));
		return err->code;
	}
	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 || waitpid(pid, &status, __WALL) != pid ||
	    !WIFSTOPPED(status))
		return err_set(err, -EIO, "a traced process does not stop");
	return 0;
}

int tracer_self_test(struct err *err)
{
	pid_t pid = fork();
	int r;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (pid < 0)
		return err_no_process(err, errno);
	r = seize_and_stop(pid, err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return r;
}
