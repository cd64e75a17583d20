/* Registers of threads that are on a CPU: the sampler of profile-N. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regs.h"
#include "slot.h"

typedef void sample_fn(struct thread *, const struct regs *, void *);

static bool is_running(const struct thread *t)
{
	char path[64], buf[512], *paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	paren = strrchr(buf, ')'); /* the name may hold anything */
	return paren && paren[1] == ' ' && paren[2] == 'R';
}

static void give(struct thread *t, sample_fn *fn, void *arg)
{
	struct regs r;
	const struct site *s;
	unsigned off;
	bool undo;

	if (!regs_all(t))
		return;
	r = t->regs;
	s = slot_at(t->proc, r.r.rip, &off);
	if (s)
		r.r.rip = insn_slot_origin(&s->plan, off, &undo);
	fn(t, &r, arg);
}

/*
 * Whatever stop comes first serves: a hit or a signal is then handled in its turn, and the
 * interrupt's own stop arrives later. Handled by dispatch, like any other.
 */
static void sample(struct thread *t, sample_fn *fn, void *arg)
{
	struct tracer *tr = t->proc->tracer;
	int status;

	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return;
	t->interrupts++;
	while (waitpid(t->tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return;
	if (stop_decode(status).kind == STOP_INTERRUPT || stop_decode(status).kind == STOP_SIGNAL) {
		thread_enter_stop(t, status);
		give(t, fn, arg);
		t->state = THREAD_RUNNING;
	}
	tracer_postpone(tr, t->tid, status);
}

void proc_sample(struct proc *p, sample_fn *fn, void *arg)
{
	for (struct thread *t = p->threads, *next; t; t = next) {
		next = t->next;
		if (t->state == THREAD_RUNNING && is_running(t))
			sample(t, fn, arg);
	}
}
