#include "command/targets.h"

#include <errno.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "providers/world/procfind.h"
#include "tracer/procfs/procfs.h"

/* Of those that one -p means. */
struct taking {
	struct world *w;
	grab_attach *attach;
	enum proc_origin origin;
	struct proc *of;
	unsigned ntaken, nleft;
	struct err why; /* the first was left */
};

/* False: it has been left. */
static bool take(void *arg, pid_t pid)
{
	struct taking *t = arg;
	const struct session *s = t->w->session;
	struct err err;
	int rc;

	if (pid == s->front_pid || pid == s->engine_pid)
		return false;
	rc = t->attach(t->w, pid, t->origin, t->of, &err);
	if (rc == 0)
		t->ntaken++;
	if (rc == 0 || rc == -EEXIST)
		return true;
	if (rc == -ESRCH || !procfs_is_alive(pid)) /* it has ended meanwhile */
		return false;
	if (!t->nleft++)
		t->why = err;
	return false;
}

static void say_left(const struct taking *t, const char *whose, const char *what)
{
	if (t->nleft)
		session_message(t->w->session, MSG_ERR, false,
				"%s: %u of %u %s left out; the first: %s", whose, t->nleft,
				t->nleft + t->ntaken, what, t->why.text);
}

static void take_children(struct world *w, grab_attach *attach, struct proc *of)
{
	struct taking t = {.w = w, .attach = attach, .origin = PROC_FOLLOWED, .of = of};
	char whose[32];

	procfind_descendants(proc_pid(of), take, &t);
	snprintf(whose, sizeof(whose), "pid %d", proc_pid(of));
	say_left(&t, whose, "processes that it has made are");
}

static void near_name(void *near, const char *name)
{
	nearest_add(near, name);
}

static int no_such_process(const struct world *w, const char *name, struct err *err)
{
	struct nearest near;
	struct strbuf hint;

	nearest_init(&near, name);
	procfind_names(near_name, &near);
	strbuf_init(&hint);
	strbuf_addf(&hint, "\n%s: ", w->session->progname);
	if (!nearest_say(&near, &hint))
		strbuf_clear(&hint);
	err_set(err, -EINVAL, "invalid pid: %s%s", name, hint.s);
	strbuf_release(&hint);
	nearest_release(&near);
	return -EINVAL;
}

/* The first is what the others' probes are named after. */
static int take_named(struct world *w, const char *name, grab_attach *attach, struct err *err)
{
	struct taking t = {.w = w, .attach = attach, .origin = PROC_PID};
	unsigned nprocs = w->nprocs, n;
	pid_t *pids;

	n = procfind_name(name, &pids);
	for (unsigned i = 0; i < n; i++) {
		take(&t, pids[i]);
		if (!t.of && t.ntaken)
			t.of = w->procs[nprocs].proc;
	}
	free(pids);
	if (!t.ntaken && t.nleft)
		return err_set(err, t.why.code, "failed to grab %s: %s", name, t.why.text);
	if (!t.ntaken)
		return no_such_process(w, name, err);
	say_left(&t, name, "processes of that name are");
	return 0;
}

int grab_target(struct world *w, const struct cmd_target *target, grab_attach *attach,
		struct err *err)
{
	unsigned first = w->nprocs, last;
	int rc;

	if (target->is_name)
		rc = take_named(w, target->pid_text, attach, err);
	else
		rc = attach(w, target->pid, PROC_PID, NULL, err);
	if (rc == -EEXIST) /* named twice */
		return 0;
	if (rc < 0)
		return target->is_name ? rc
				       : err_wrap(err, "failed to grab pid %s", target->pid_text);
	last = w->nprocs;
	for (unsigned i = first; opt_on(&w->session->options, OPT_FOLLOW) && i < last; i++)
		if (w->procs[i].proc)
			take_children(w, attach, w->procs[i].proc);
	return 0;
}
