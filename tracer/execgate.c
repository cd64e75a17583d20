#include "tracer/execgate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/tracer_priv.h"
#include "tracer/preloadable.h"
#include "tracer/procfs/procfs.h"

/* Is this the file to execute? 0, or why not. */
static int look_at(const char *path)
{
	struct stat st;

	if (access(path, X_OK) < 0)
		return errno;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? 0 : EACCES;
}

/* Not execvpe(): that gives a file that is no program to the shell. */
int gate_find(const char *file, char *path, size_t size)
{
	const char *dir = getenv("PATH");
	int e = ENOENT;

	if (!*file || strchr(file, '/'))
		return snprintf(path, size, "%s", file) < (int)size ? look_at(path) : ENAMETOOLONG;
	if (!dir)
		dir = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t n = strcspn(dir, ":");
		int seen = ENOENT;

		if (snprintf(path, size, "%.*s%s%s", (int)n, dir, n ? "/" : "", file) < (int)size)
			seen = look_at(path);
		if (!seen)
			return 0;
		/* a folder we may not search is no reason to stop, a file we may not execute is */
		if (seen == EACCES && access(path, F_OK) == 0)
			e = seen;
		if (!dir[n])
			return e;
		dir += n + 1;
	}
}

static void report(const struct gate *g, int e)
{
	if (write(g->report, &e, sizeof(e)) != sizeof(e))
		_exit(126);
}

/*
 * The program gets what the front was given: group, CPUs, dispositions, mask. Behind the gate it
 * does nothing but execute: others may be looking at its system calls already.
 */
static NORETURN void child_main(const struct tracer *tr, const struct launch *l,
				const struct gate *g)
{
	char path[PATH_MAX], go;
	int e;

	if (l->pgrp)
		setpgid(0, l->pgrp);
	if (tr->cpu >= 0)
		sched_setaffinity(0, sizeof(tr->mask), &tr->mask);
	if (procfs_oom_score_adj() != l->oom_score_adj)
		procfs_set_oom_score_adj(l->oom_score_adj);
	e = gate_find(l->argv[0], path, sizeof(path));
	report(g, e);
	for (int sig = 1; l->sigacts && sig < NSIG; sig++)
		sigaction(sig, &l->sigacts[sig], NULL);
	if (l->sigmask)
		sigprocmask(SIG_SETMASK, l->sigmask, NULL);
	if (read(g->open, &go, 1) != 1 || e)
		_exit(127);
	execve(path, l->argv, l->envp);
	report(g, errno);
	_exit(127);
}

int gate_fork(const struct tracer *tr, const struct launch *l, struct gate *out, struct err *err)
{
	int word[2], said[2], e;
	struct gate g;

	if (pipe2(word, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(said, O_CLOEXEC) < 0) {
		e = errno;
		close(word[0]);
		close(word[1]);
		return err_set(err, -e, "cannot make a pipe: %s", strerror(e));
	}
	g.pid = fork();
	if (g.pid == 0) {
		close(word[1]);
		untraced_close_gates(tr);
		g.open = word[0];
		g.report = said[1];
		child_main(tr, l, &g);
	}
	e = errno;
	close(word[0]);
	close(said[1]);
	g.open = word[1];
	g.report = said[0];
	if (g.pid < 0) {
		gate_close(&g);
		return err_no_process(err, e);
	}
	if (l->pgrp)
		setpgid(g.pid, l->pgrp);
	*out = g;
	return 0;
}

int gate_open(const struct gate *g)
{
	return write(g->open, "", 1) == 1 ? 0 : -ECHILD;
}

bool gate_report(const struct tracer *tr, const struct gate *g, int *e)
{
	ssize_t n;

	do
		n = read(g->report, e, sizeof(*e));
	while (n < 0 && errno == EINTR && !(tr->ops->give_up && tr->ops->give_up(tr->arg)));
	return n == sizeof(*e);
}

void gate_close(struct gate *g)
{
	close(g->open);
	close(g->report);
}

/* The interpreter of a script, or of that one, which is not there. */
static bool lacks_interpreter(const char *program, char *path, size_t size)
{
	if (gate_find(program, path, size))
		return false;
	for (unsigned i = 0; i < SCRIPTS_MAX; i++) {
		char head[256] = "";
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			return i > 0 && errno == ENOENT;
		(void)!read(fd, head, sizeof(head) - 1);
		close(fd);
		if (!script_interpreter(head, path, size))
			return false;
	}
	return false;
}

int gate_failed(const char *program, int e, struct err *err)
{
	char path[PATH_MAX];

	if (e == ENOENT && lacks_interpreter(program, path, sizeof(path)))
		return err_set(err, -e, "failed to execute %s: its interpreter %s: %s", program,
			       path, strerror(e));
	return err_set(err, -e, "failed to execute %s: %s", program, strerror(e));
}
