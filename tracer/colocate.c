/*
 * Placement (docs/spec/pid-engine.md §4.2). A stop whose thread runs on another, idle CPU costs two
 * wake-ups of that CPU: 5 to 7 times a stop on the engine's own. A thread that hits often is
 * therefore moved to the engine's CPU, and given back its own mask when it cools down. Never at
 * start: programs size their thread pools by the mask. Only while a thread stands still to make our
 * system calls, each of which is two stops, nobody can see where it may run.
 */
#include "tracer/tracer_priv.h"

#define WINDOW_NS  10000000ULL
#define HOT_HITS   60 /* in a window */
#define COOL_NS	   50000000ULL
#define COOL_HITS  50	   /* in COOL_NS: fewer, and the thread is let go */
#define STOP_NS	   9000ULL /* what a hit costs on one CPU */
#define BACKOFF_NS 1000000000ULL

void colocate_init(struct tracer *tr)
{
	tr->colocate =
		sched_getaffinity(0, sizeof(tr->mask), &tr->mask) == 0 && CPU_COUNT(&tr->mask) > 1;
	tr->cpu = -1;
}

void tracer_set_colocate(struct tracer *tr, bool on)
{
	tr->colocate = on;
	if (on)
		return;
	for (struct proc *p = tr->procs; p; p = p->next)
		for (struct thread *t = p->threads; t; t = t->next)
			colocate_undo(t);
}

static bool pin(pid_t tid, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	return sched_setaffinity(tid, sizeof(one), &one) == 0;
}

/* The engine on one CPU while it has company there, else where it may. */
static void settle_engine(struct tracer *tr)
{
	if (tr->ncolocated && tr->cpu < 0) {
		int cpu = sched_getcpu();

		if (cpu >= 0 && pin(0, cpu))
			tr->cpu = cpu;
		tr->cooled_ns = now_mono();
	} else if (!tr->ncolocated && tr->cpu >= 0) {
		sched_setaffinity(0, sizeof(tr->mask), &tr->mask);
		tr->cpu = -1;
	}
}

static void move_here(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;
	struct colocation *c = &t->colo;
	int cpu = tr->cpu >= 0 ? tr->cpu : sched_getcpu();

	if (cpu < 0 || sched_getaffinity(t->tid, sizeof(c->own), &c->own) < 0)
		return;
	if (!CPU_ISSET((size_t)cpu, &c->own) || CPU_COUNT(&c->own) < 2)
		return;
	c->journal = journal_add_mask(tr->journal, t->tid, cpu, &c->own);
	if (c->journal < 0)
		return;
	if (!pin(t->tid, cpu)) {
		journal_del_mask(tr->journal, c->journal);
		return;
	}
	c->cpu = cpu;
	tr->ncolocated++;
	settle_engine(tr);
}

void colocate_hit(struct thread *t, uint64_t now)
{
	struct colocation *c = &t->colo;

	c->hits++;
	if (c->cpu >= 0)
		return;
	if (now - c->window_ns > WINDOW_NS) {
		c->window_ns = now;
		c->hits = 1;
	} else if (c->hits == HOT_HITS && now >= t->proc->tracer->colocate_after_ns) {
		move_here(t);
	}
}

void colocate_forget(struct thread *t)
{
	struct tracer *tr = t->proc->tracer;

	if (t->colo.cpu < 0)
		return;
	t->colo.cpu = -1;
	journal_del_mask(tr->journal, t->colo.journal);
	tr->ncolocated--;
	settle_engine(tr);
}

/* The program's own later choice of a mask stands. */
void colocate_undo(struct thread *t)
{
	struct colocation *c = &t->colo;
	cpu_set_t now;

	if (c->cpu < 0)
		return;
	if (sched_getaffinity(t->tid, sizeof(now), &now) == 0 && CPU_COUNT(&now) == 1 &&
	    CPU_ISSET((size_t)c->cpu, &now))
		sched_setaffinity(t->tid, sizeof(c->own), &c->own);
	colocate_forget(t);
}

void colocate_child(const struct thread *parent, pid_t child)
{
	if (parent->colo.cpu >= 0)
		sched_setaffinity(child, sizeof(parent->colo.own), &parent->colo.own);
}

void colocate_move(struct thread *to, struct thread *from)
{
	struct journal *j = to->proc->tracer->journal;

	colocate_forget(to);
	to->colo = from->colo;
	from->colo.cpu = -1;
	if (to->colo.cpu >= 0)
		j->masks[to->colo.journal].tid = to->tid;
}

bool colocate_begin(struct thread *t)
{
	if (!t->proc->tracer->colocate || t->colo.cpu >= 0)
		return false;
	move_here(t);
	return t->colo.cpu >= 0;
}

void colocate_end(struct tracer *tr, pid_t tid, bool has_begun)
{
	struct thread *t = has_begun ? thread_find(tr, tid) : NULL;

	if (t)
		colocate_undo(t);
}

void colocate_cool(struct tracer *tr)
{
	uint64_t now = now_mono(), hits = 0, elapsed = now - tr->cooled_ns;
	bool is_crowded;

	if (elapsed < COOL_NS)
		return;
	tr->cooled_ns = now;
	for (struct proc *p = tr->procs; p; p = p->next)
		for (struct thread *t = p->threads; t; t = t->next)
			hits += t->colo.cpu >= 0 ? t->colo.hits : 0;
	/* Several threads that mostly compute must not queue for one CPU. */
	is_crowded = tr->ncolocated > 1 && hits * STOP_NS < elapsed / 3;
	if (is_crowded)
		tr->colocate_after_ns = now + BACKOFF_NS;
	for (struct proc *p = tr->procs; p; p = p->next)
		for (struct thread *t = p->threads; t; t = t->next) {
			if (t->colo.cpu < 0)
				continue;
			if (is_crowded || t->colo.hits < COOL_HITS)
				colocate_undo(t);
			t->colo.hits = 0;
		}
}
