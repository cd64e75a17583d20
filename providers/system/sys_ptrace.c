/*
 * sys_ptrace.c: system calls of the traced processes by their stops (tracer.h): without privileges,
 * and where perf events are forbidden. Descendants are followed, as every other way does.
 */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/providers.h"
#include "providers/system/sysprobe.h"
#include "tracer/unwind/ustack.h"
#include "providers/system/system.h"
#include "providers/system/signalproc.h"

/* Breakpoints stay in the process they were asked for, and a followed child would get its own. */
bool system_can_follow(struct session *s)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->enabled && (p->provider == &prov_pid || p->provider == &prov_fpid ||
				   p->provider == &prov_usdt))
			return false;
	}
	return true;
}

static bool stops_follow(const struct world *w)
{
	return w->syscalls && w->syscalls->follows;
}

bool system_follows(const struct world *w)
{
	for (const struct call_watcher *c = w->call_watchers; c; c = c->next)
		if (c->follows)
			return true;
	return stops_follow(w) || proc_follows(w);
}

void sys_stops_watch(struct session *s, struct call_watcher *c)
{
	struct world *w = world_of(s);

	c->follows = system_can_follow(s);
	c->next = w->call_watchers;
	w->call_watchers = c;
	tracer_watch_calls(w->tracer);
}

void sys_stops_start(struct sys_world *sw)
{
	if (!sw->needs_stops)
		return;
	sw->follows = system_can_follow(sw->session);
	tracer_watch_calls(world_of(sw->session)->tracer);
}

int sys_stops_event(const struct call_stop *c, struct hit *at, struct event *ev)
{
	*at = (struct hit){.proc = c->proc,
			   .thread = c->thread,
			   .tid = c->tid,
			   .pc = c->pc,
			   .time_ns = c->time_ns};
	*ev = (struct event){.target = proc_target(c->proc),
			     .pid = c->pid,
			     .tid = c->tid,
			     .cpu = sched_getcpu(),
			     .time_ns = c->time_ns,
			     .source = at};
	return c->is_32 ? syscall_of_32(c->nr) : (int)c->nr;
}

void sys_stops_called(struct world *w, const struct call_stop *c)
{
	enum sys_side side = c->is_entry ? SYS_ENTRY : SYS_RETURN;
	struct hit at;
	struct event ev;
	int nr = sys_stops_event(c, &at, &ev);

	for (const struct call_watcher *cw = w->call_watchers; cw; cw = cw->next)
		cw->called(cw->arg, c);
	if (!w->syscalls || nr < 0 || nr >= SYSCALL_MAX_NR || !w->syscalls->by_stops[side][nr])
		return;
	if (w->syscalls->probes[side][nr]->needs & NEED_REGS)
		ev.regs = hit_regs(&at);
	sys_fire(w->syscalls, side, (unsigned)nr, &ev, c->args, c->ret);
}

/* A thread that stands at a stop takes it when it goes on: the call itself is made first. */
static int send(const struct event *ev, int sig)
{
	if (ev->is_late)
		return world_signal_process(ev->probe->session, ev, sig);
	return ev->pid > 0 ? (int)syscall(SYS_tgkill, ev->pid, ev->tid, sig) : -1;
}

int sys_stops_stop(const struct event *ev)
{
	return send(ev, SIGSTOP);
}

int sys_stops_raise(const struct event *ev, int sig)
{
	if (sys_bpf_has_raised(world_of(ev->probe->session)->syscalls))
		return 0;
	return send(ev, sig);
}

unsigned sys_stops_ustack(const struct event *ev, taddr_t *pcs, unsigned max)
{
	struct hit *at = ev->source;
	unsigned n;

	if (!at)
		return 0;
	n = hit_ustack(at, false, pcs, max);
	world_learn_addresses(world_of(ev->probe->session), at->proc, pcs, n);
	return n;
}
