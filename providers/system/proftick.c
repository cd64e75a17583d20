#include "providers/system/proftick.h"

#include "dlang/session_engine.h"
#include "providers/system/profsample.h"

#define NS_PER_MS 1000000ULL
/* Behind by more than this (stopped, suspended), the missed ticks are not made up for. */
#define MAX_BEHIND_NS (1000 * NS_PER_MS)
/* How late an interrupt may be before the timer stops waiting for its sample. */
#define MAX_LATE_NS (5 * NS_PER_MS)

struct tick {
	struct probe *probe;
	uint64_t interval_ns;
	uint64_t next_ns; /* when it is to fire */
	int cpu;	  /* whose samples they are */
	uint64_t late_ns; /* a sample that comes so much later is not waited for; 0: none come */
};

/* What only the thread knows that was interrupted. Memory is read of dtrace itself or of the
 * targets, so with it the context is dtrace's, too. */
#define OF_CONTEXT                                                                                 \
	(NEED_ARGS | NEED_REGS | NEED_USTACK | NEED_TASK | NEED_KSTACK | NEED_USYM | NEED_THREAD)
#define OF_DTRACE (NEED_MEM | NEED_KERNEL | NEED_ACT | NEED_FILES | NEED_TEXTS)

uint64_t proftick_next(const struct session *s, uint64_t deadline_ns, uint64_t interval_ns)
{
	uint64_t next = deadline_ns + interval_ns, now = session_now(s);

	return now > next && now - next > MAX_BEHIND_NS ? now + interval_ns : next;
}

/* The thread that runs is dtrace's own, in this function. */
static void fire(const struct tick *t, uint64_t time_ns)
{
	struct probe *p = t->probe;
	struct session *s = p->session;
	const struct event ev = {
		.probe = p,
		.pid = s->front_pid,
		.tid = s->front_pid,
		.cpu = t->late_ns ? t->cpu : session_cpu(s),
		.time_ns = time_ns,
		.args = {0, (uint64_t)(uintptr_t)fire},
	};

	event_fire(s, &ev);
}

/* What was interrupted. One that comes where the timer did not wait any longer sets the clock. */
static void on_sample(void *arg, const struct event *sample)
{
	struct tick *t = arg;
	struct event ev = *sample;
	bool is_due = ev.time_ns + t->interval_ns / 2 >= t->next_ns;

	t->next_ns = ev.time_ns + t->interval_ns;
	if (!is_due)
		return;
	if (profsample_is_ours(t->probe, ev.pid)) {
		ev.pid = ev.tid = t->probe->session->front_pid;
		ev.target = NULL;
		ev.task = NULL;
	}
	event_fire(t->probe->session, &ev);
}

static uint64_t on_timer(struct session *s, void *arg, uint64_t deadline_ns UNUSED)
{
	struct tick *t = arg;

	if (t->late_ns)
		session_fire_until(s, session_now(s));
	if (t->next_ns + t->late_ns <= session_now(s)) {
		uint64_t due_ns = t->next_ns;

		t->next_ns = proftick_next(s, due_ns, t->interval_ns);
		/* what a file has is read up to when it was due */
		fire(t, s->is_logged && !t->late_ns ? due_ns : session_now(s));
	}
	return t->next_ns + t->late_ns;
}

void proftick_enable(struct probe *p, uint64_t interval_ns)
{
	struct tick *t = ARENA_NEW(p->session->arena, struct tick);
	struct err err;

	t->probe = p;
	t->interval_ns = interval_ns;
	t->cpu = session_cpu(p->session);
	p->arg = t;
	if (p->needs & OF_CONTEXT && !(p->needs & OF_DTRACE) &&
	    profsample_add_cpu(p, interval_ns, t->cpu, on_sample, t, &err) == 0)
		t->late_ns = MIN(interval_ns / 2, MAX_LATE_NS);
}

void proftick_start(struct probe *p)
{
	const struct session *s = p->session;
	struct tick *t = p->arg;

	/* the time of a file begins with BEGIN */
	t->next_ns = (s->is_logged ? s->engine->begin_ns : session_now(s)) + t->interval_ns;
	session_add_timer(p->session, t->next_ns + t->late_ns, on_timer, t);
}
