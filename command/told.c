/*
 * told.c: what the tracer tells of the processes: each is kept in the world, and the providers hear
 * of it.
 */
#include <string.h>
#include <sys/wait.h>

#include "command/engine_priv.h"
#include "dlang/run/vars.h"
#include "providers/pid/pid.h"
#include "providers/system/system.h"

static void report_end(struct session *s, pid_t pid, int status)
{
	const char *name;

	if (WIFSIGNALED(status)) {
		name = sigabbrev_np(WTERMSIG(status));
		if (name)
			session_message(s, MSG_ERR, true, "pid %d terminated by SIG%s", pid, name);
		else
			session_message(s, MSG_ERR, true, "pid %d terminated by signal %d", pid,
					WTERMSIG(status));
	} else if (WEXITSTATUS(status) != 0) {
		session_message(s, MSG_ERR, true, "pid %d exited with status %d", pid,
				WEXITSTATUS(status));
	}
}

struct world_proc *engine_keep_proc(struct world *w, struct proc *p, enum proc_origin origin,
				    bool is_awaited)
{
	unsigned i = 0;

	/* followed ones are many, and come and go */
	while (i < w->nprocs && (w->procs[i].proc || w->procs[i].origin != PROC_FOLLOWED))
		i++;
	if (i == w->procs_room) {
		w->procs_room = 2 * w->procs_room + 8;
		w->procs = xrealloc(w->procs, w->procs_room * sizeof(*w->procs));
	}
	w->nprocs = MAX(w->nprocs, i + 1);
	w->procs[i] = (struct world_proc){.proc = p, .origin = origin, .is_awaited = is_awaited};
	w->nlive += is_awaited;
	return &w->procs[i];
}

static void on_end(struct engine *e, struct world_proc *wp, pid_t pid, int status)
{
	proc_ended(&e->world, pid, status);
	wp->proc = NULL;
	wp->untraced = NULL;
	e->world.nlive -= wp->is_awaited;
	if (e->s->state != SESSION_DONE && wp->origin != PROC_FOLLOWED)
		report_end(e->s, pid, status);
}

/* Nobody tells of the end of a program that is not traced. */
void engine_reap_untraced(struct engine *e)
{
	struct world *w = &e->world;
	int status;

	for (unsigned i = 0; w->has_untraced && i < w->nprocs; i++) {
		struct untraced *u = w->procs[i].untraced;

		if (u && untraced_ended(u, &status)) {
			on_end(e, &w->procs[i], untraced_pid(u), status);
			untraced_free(u);
		}
	}
}

static void on_exited(void *arg, struct proc *p, int status)
{
	struct engine *e = arg;
	struct world *w = &e->world;

	if (e->s->engine->target == proc_target(p))
		e->s->engine->target = NULL;
	pid_proc_ops.exited(w, p);
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc == p)
			on_end(e, &w->procs[i], proc_pid(p), status);
}

static void on_execed(void *arg, struct proc *p)
{
	pid_proc_ops.execed(&((struct engine *)arg)->world, p);
}

static void on_ready(void *arg, struct proc *p)
{
	pid_proc_ops.ready(&((struct engine *)arg)->world, p);
}

static void on_mapped(void *arg, struct proc *p)
{
	pid_proc_ops.mapped(&((struct engine *)arg)->world, p);
}

static const struct world_proc *find_proc(const struct world *w, const struct proc *p)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc == p)
			return &w->procs[i];
	return NULL;
}

/* A program of -c that is still on its way to us is not known: its children are let go. */
static bool on_follows(void *arg, struct proc *parent)
{
	const struct engine *e = arg;

	return !e->is_leaving &&
	       (opt_on(&e->s->options, OPT_FOLLOW) || system_follows(&e->world)) &&
	       find_proc(&e->world, parent);
}

static void on_followed(void *arg, struct proc *parent, struct proc *child)
{
	struct world *w = &((struct engine *)arg)->world;

	engine_keep_proc(w, child, PROC_FOLLOWED,
			 opt_on(&w->session->options, OPT_FOLLOW) &&
				 find_proc(w, parent)->is_awaited);
	pid_proc_ops.followed(w, parent, child);
}

bool engine_gives_up(void *arg)
{
	const struct engine *e = arg;

	return e->s->stop_request || engine_front_is_gone(e);
}

static void on_began(void *arg, pid_t tid)
{
	tidreuse_begin(&((struct engine *)arg)->s->engine->vars->tidreuse, tid);
}

static void on_born(void *arg, struct proc *p, struct thread *t, taddr_t tcb)
{
	pid_proc_ops.born(&((struct engine *)arg)->world, p, t, tcb);
}

static void on_left(void *arg, struct proc *p, struct thread *t)
{
	pid_proc_ops.left(&((struct engine *)arg)->world, p, t);
}

static void on_forked(void *arg, struct proc *p, taddr_t tcb, int mem_fd)
{
	pid_proc_ops.forked(&((struct engine *)arg)->world, p, tcb, mem_fd);
}

static void on_leaving(void *arg, struct proc *p)
{
	pid_proc_ops.leaving(&((struct engine *)arg)->world, p);
}

static bool has_code(void *arg, struct proc *p, taddr_t pc)
{
	return pid_proc_ops.has_code(&((struct engine *)arg)->world, p, pc);
}

static void on_faulted(void *arg, struct code_fault *f)
{
	pid_proc_ops.faulted(&((struct engine *)arg)->world, f);
}

static void on_gave_up(void *arg, struct proc *p, taddr_t pc)
{
	session_message(
		((struct engine *)arg)->s, MSG_ERR, false,
		"pid %d executes 32-bit code (at 0x%lx first): probes that it comes to there are "
		"taken out, as they are made for 64-bit code",
		proc_target(p)->pid, pc);
}

static void on_late(void *arg, struct proc *p, taddr_t addr)
{
	session_message(
		((struct engine *)arg)->s, MSG_ERR, false,
		"pid %d: its memory at 0x%lx does not come (a userfaultfd, FUSE or a network file "
		"system that does not answer): reading it fails, as if it were no address",
		proc_target(p)->pid, addr);
}

static void on_called(void *arg, const struct call_stop *c)
{
	sys_stops_called(&((struct engine *)arg)->world, c);
}

const struct tracer_ops engine_tracer_ops = {
	.exited = on_exited,
	.execed = on_execed,
	.ready = on_ready,
	.mapped = on_mapped,
	.follows = on_follows,
	.followed = on_followed,
	.give_up = engine_gives_up,
	.began = on_began,
	.born = on_born,
	.left = on_left,
	.forked = on_forked,
	.called = on_called,
	.leaving = on_leaving,
	.has_code = has_code,
	.faulted = on_faulted,
	.gave_up = on_gave_up,
	.late = on_late,
};
