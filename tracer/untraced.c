/*
 * A program of -c where ptrace is forbidden: it waits at the gate, and runs when its owner is
 * ready. What is to be seen of it comes from others.
 */
#include "tracer/execgate.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/tracer_priv.h"

struct untraced {
	struct tracer *tracer;
	struct untraced *next;
	char *name;
	struct gate gate;
};

int tracer_launch_untraced(struct tracer *tr, const struct launch *l, struct untraced **out,
			   struct err *err)
{
	struct untraced *u;
	struct gate g;
	int e = 0, r = gate_fork(tr, l, &g, err);

	if (r)
		return r;
	gate_report(tr, &g, &e);
	u = xcalloc(1, sizeof(*u));
	*u = (struct untraced){
		.tracer = tr, .next = tr->untraced, .name = xstrdup(l->argv[0]), .gate = g};
	tr->untraced = u;
	if (e) {
		untraced_kill(u);
		return gate_failed(l->argv[0], e, err);
	}
	*out = u;
	return 0;
}

pid_t untraced_pid(const struct untraced *u)
{
	return u->gate.pid;
}

int untraced_resume(struct untraced *u, struct err *err)
{
	int e;

	/* it may have been killed meanwhile: its end tells */
	gate_open(&u->gate);
	return gate_report(u->tracer, &u->gate, &e) ? gate_failed(u->name, e, err) : 0;
}

bool untraced_ended(const struct untraced *u, int *status)
{
	return waitpid(u->gate.pid, status, WNOHANG) == u->gate.pid;
}

void untraced_free(struct untraced *u)
{
	struct untraced **at = &u->tracer->untraced;

	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	gate_close(&u->gate);
	free(u->name);
	free(u);
}

void untraced_kill(struct untraced *u)
{
	kill(u->gate.pid, SIGKILL);
	while (waitpid(u->gate.pid, NULL, 0) < 0 && errno == EINTR)
		;
	untraced_free(u);
}

void untraced_close_gates(const struct tracer *tr)
{
	for (const struct untraced *u = tr->untraced; u; u = u->next)
		close(u->gate.open);
}
