/* What happens when a thread has come to a breakpoint: who is told, and how it gets across. */
#include "tracer/tracer_priv.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/procfs/procfs.h"
#include "tracer/x86/emul.h"
#include "tracer/x86/regs.h"

const struct regs *hit_regs(struct hit *h)
{
	h->proc->tracer->want_regs = true;
	if (!regs_all(&h->thread->regs))
		memset(&h->thread->regs.now, 0,
		       sizeof(h->thread->regs.now)); /* dead: it will be reported */
	return &h->thread->regs.now;
}

bool hit_regs_after(struct hit *h, struct regs *out)
{
	const struct site *s = hash_get(&h->proc->sites, h->pc);
	taddr_t fault;

	*out = *hit_regs(h);
	return s && s->plan.op != EMUL_NONE &&
	       emul_insn(&s->plan, &out->r, &h->proc->target, &fault) == 0;
}

const struct fpregs *hit_fpregs(struct hit *h)
{
	struct tracer *tr = h->proc->tracer;

	if (!tr->have_fpregs && ptrace(PTRACE_GETFPREGS, h->tid, 0, &tr->fpregs.r) < 0)
		memset(&tr->fpregs, 0, sizeof(tr->fpregs));
	tr->have_fpregs = true;
	return &tr->fpregs;
}

int hit_true_cpu(const struct hit *h)
{
	return procfs_cpu(h->tid);
}

void hit_stop(struct hit *h)
{
	h->thread->want_stop = true;
}

void hit_raise(struct hit *h, int sig)
{
	if (!h->thread->raise_sig) /* DTrace: one per firing */
		h->thread->raise_sig = sig;
}

void hit_hold(struct hit *h)
{
	h->thread->hold = true;
	h->proc->tracer->is_held = true;
}

static void fire(struct thread *t, struct site *s, uint64_t now)
{
	struct tracer *tr = t->proc->tracer;
	struct hit h = {.proc = t->proc, .thread = t, .tid = t->tid, .pc = s->pc, .time_ns = now};

	h.cpu = t->colo.cpu >= 0 ? t->colo.cpu : 0;
	tr->in_hit++;
	tr->stats.hits++;
	tr->want_regs = false; /* hit_regs sets it: the next hit will want them at once */
	tr->have_fpregs = false;
	for (struct bkpt *b = s->first; b; b = b->next) {
		if (b->dead)
			continue;
		if (b->when == BKPT_TAKEN &&
		    (!regs_all(&t->regs) || !emul_taken(&s->plan, &t->regs.now.r)))
			continue;
		b->fn(&h, b->arg);
	}
	tr->in_hit--;
}

/* The emulated instruction would have faulted: the program gets the signal at its own address. */
static int cross_fault(struct thread *t, const struct site *s, taddr_t fault)
{
	siginfo_t si = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};

	si.si_addr = (void *)(uintptr_t)fault;
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	regs_set_rip(&t->regs, s->pc);
	refire_remember(t, SIGSEGV);
	return SIGSEGV;
}

static int cross_emulated(struct thread *t, const struct site *s)
{
	struct user_regs_struct *r = regs_all(&t->regs);
	taddr_t fault;

	if (!r)
		return 0;
	if (emul_insn(&s->plan, r, &t->proc->target, &fault) < 0)
		return cross_fault(t, s, fault);
	if (s->plan.op == EMUL_JCC)
		regs_set_rip(&t->regs, r->rip);
	else
		regs_touch(&t->regs);
	return 0;
}

/* rip is behind the int3 already; only our view of it says pc. */
static void cross_behind_int3(struct thread *t, const struct site *s)
{
	if (t->regs.dirty == REGS_RIP) {
		t->regs.now.r.rip = s->pc + 1;
		t->regs.dirty = REGS_NONE;
	} else {
		regs_set_rip(&t->regs, s->pc + 1);
	}
}

/* The program's own int3 stands there, and the thread has stopped for the trap that it makes. */
static int cross_int3(struct thread *t, const struct site *s)
{
	cross_behind_int3(t, s);
	sigtrap_learn(t);
	return SIGTRAP;
}

static int cross(struct thread *t, const struct site *s)
{
	const struct insn_plan *pl = &s->plan;

	if (pl->op == EMUL_INT3)
		return cross_int3(t, s);
	if (pl->how == INSN_SLOT)
		regs_set_rip(&t->regs, s->slot);
	else if (pl->how == INSN_INPLACE || (pl->op == EMUL_NOP && pl->len == 1))
		cross_behind_int3(t, s);
	else if (pl->op == EMUL_NOP)
		regs_set_rip(&t->regs, pl->next);
	else if (pl->op == EMUL_JMP)
		regs_set_rip(&t->regs, pl->target);
	else
		return cross_emulated(t, s);
	return 0;
}

/* Asked for at a thread's first hits, then now and then, and always while it blocks all. */
static void repair_mask(struct thread *t)
{
	if (t->blocks_all || t->nhits++ < 16 || t->nhits % 16 == 0)
		t->blocks_all = mask_repair(t, SIGTRAP);
}

/* Sent by tgkill, not with PTRACE_CONT: they come back as stops, where rip is moved out of the
 * slot. */
void hit_send_signals(struct thread *t)
{
	if (t->raise_sig)
		syscall(SYS_tgkill, t->tgid, t->tid, t->raise_sig);
	if (t->want_stop)
		kill(t->tgid, SIGSTOP);
	t->raise_sig = 0;
	t->want_stop = false;
}

/*
 * A program in 64-bit mode may jump to a segment of 32-bit code, below 4 GiB; what such bytes mean
 * is not what was planned.
 */
static bool is_32bit_code(struct thread *t, const struct site *s)
{
	const struct user_regs_struct *r = s->pc >> 32 ? NULL : regs_all(&t->regs);

	return r && r->cs != USER_CS;
}

static void give_up(struct proc *p, struct site *s)
{
	bkpt_take_out(p, s);
	if (!p->gave_up && p->tracer->ops->gave_up)
		p->tracer->ops->gave_up(p->tracer->arg, p, s->pc);
	p->gave_up = true;
}

/* Reported after it was taken out: the thread runs the program's own byte, or has run it. */
static int cross_taken_out(struct thread *t, const struct site *s)
{
	bool is_own = s->plan.op == EMUL_INT3 && !trap_is_phantom(t->proc->mem_fd, s->pc + 1);

	return is_own ? cross_int3(t, s) : 0;
}

int bkpt_hit(struct thread *t, struct site *s, uint64_t now)
{
	bool steps = false;
	int sig = 0;

	regs_set_rip(&t->regs, s->pc);
	if (s->state != SITE_ARMED)
		return cross_taken_out(t, s);
	if (is_32bit_code(t, s)) {
		give_up(t->proc, s);
		return 0;
	}
	t->in_hit = true;
	if (!refire_is(t, s->pc))
		fire(t, s, now);
	t->in_hit = false;
	if (!t->redo && s->state != SITE_ARMED) {
		sig = cross_taken_out(t, s);
	} else if (!t->redo && !codechange_check(t->proc, s)) {
		bkpt_take_out(t->proc, s); /* it runs what is there, from now on without us */
	} else if (!t->redo) {
		steps = step_begins(t, &s->plan);
		sig = cross(t, s);
	}
	t->redo = false;
	if (sig != SIGTRAP) /* that one is forced without us, too */
		repair_mask(t);
	if (!sig) {
		sigtrap_repair(t);
		if (steps)
			sig = step_ends(t);
	}
	hit_send_signals(t);
	return sig;
}
