/* fpid_replay.c: from a record to an event, or to one clause of it. */
#include "dlang/offload/claim.h"
#include "dlang/run/gaps.h"
#include "providers/fpid/fpid_points.h"

struct reading {
	const uint64_t *at, *end;
	bool is_short; /* the record has less than its site asks for: the target wrote it */
};

static uint64_t next(struct reading *rd)
{
	if (rd->at < rd->end)
		return *rd->at++;
	rd->is_short = true;
	return 0;
}

static void read_args(struct reading *rd, const struct point *pt, struct event *ev)
{
	if (pt->at.is_return)
		ev->args[0] = (uint64_t)pt->at.off;
	if (pt->site.flags & HOOK_RESULT) {
		ev->args[1] = next(rd);
		ev->args[2] = next(rd);
	}
	for (unsigned i = 0; i < pt->site.nargs; i++)
		ev->args[i] = next(rd);
}

/* The flags that a program computes with; the others are as they are in user mode. */
static uint64_t eflags(uint64_t saved)
{
	return 0x202 | (saved >> 8 & 0xd5) | (saved & 1) << 11;
}

static void read_regs(struct reading *rd, const struct ring_record *r, const struct point *pt,
		      struct regs *out)
{
	struct user_regs_struct *u = &out->r;
	struct hook_regs from;
	uint64_t *words = (uint64_t *)&from;

	for (unsigned i = 0; i < sizeof(from) / sizeof(*words); i++)
		words[i] = next(rd);
	*u = (struct user_regs_struct){
		.r15 = from.r15,
		.r14 = from.r14,
		.r13 = from.r13,
		.r12 = from.r12,
		.rbp = from.rbp,
		.rbx = from.rbx,
		.r11 = from.r11,
		.r10 = from.r10,
		.r9 = from.r9,
		.r8 = from.r8,
		.rdi = from.rdi,
		.rsi = from.rsi,
		.rdx = from.rdx,
		.rcx = from.rcx,
		.rax = from.rax,
		.eflags = eflags(from.flags),
		.rip = pt->site.pc,
		.rsp = next(rd),
		.orig_rax = UINT64_MAX,
		.cs = 0x33,
		.ss = 0x2b,
		.fs_base = r->ring->tcb,
	};
}

/* Frames that the target claims to have, and the record holds. */
static unsigned read_stack(struct reading *rd, struct fpid_records *rec, taddr_t *pcs, unsigned max)
{
	uint64_t word = next(rd);
	unsigned n = (uint32_t)word;

	if (n > max || n > (size_t)(rd->end - rd->at)) {
		rd->is_short = true;
		return 0;
	}
	if (word & HOOK_STACK_CUT) {
		rec->ncut++;
		rec->is_cut = true;
	}
	for (unsigned i = 0; i < n; i++)
		pcs[i] = next(rd);
	return n;
}

static void read_mem(struct reading *rd, struct fpid_records *rec, const struct point *pt)
{
	for (unsigned i = 0; i < pt->site.nmem; i++) {
		struct recorded p;
		size_t words;

		p.addr = next(rd);
		p.n = next(rd);
		p.bytes = rd->at;
		words = (p.n + 7) / 8;
		if (rd->is_short || p.n > pt->mem[i].len || words > (size_t)(rd->end - rd->at)) {
			rd->is_short = true;
			return;
		}
		rd->at += words;
		rec->pieces[rec->npieces++] = p;
	}
}

/* The clause sees the times that its predicate has seen. */
static void read_carried(struct reading *rd, const struct point *pt, struct event *ev,
			 struct carried_var *vars)
{
	const struct fpid_carried *c = pt->carried;

	if (!c)
		return;
	if (c->has_time)
		ev->time_ns = next(rd);
	if (c->has_vtime)
		ev->vtime_ns = next(rd);
	for (unsigned i = 0; i < c->n; i++)
		vars[i] = (struct carried_var){c->vars[i].scope, c->vars[i].id, next(rd)};
}

static void begin_event(const struct ring_record *r, struct event *ev)
{
	ev->tid = r->ring->tid;
	ev->cpu = r->cpu;
	ev->time_ns = r->time_ns;
	ev->vtime_ns = 0;
	ev->regs = NULL;
	ev->npcs = 1;
	memset(ev->args, 0, sizeof(ev->args));
}

void fpid_fire_point(struct fpid_records *rec, const struct ring_record *r)
{
	const struct point *pt = &rec->points[r->site];
	struct reading rd = {r->words, r->words + r->nwords, false};
	struct event *ev = &rec->event;
	struct carried_var vars[FPID_CARRIED_MAX];
	taddr_t *pcs = rec->pcs;
	const struct ecb_part part = {pt->ecb, pt->from, pt->has_faulted, pt->has_texts};
	struct regs regs;

	begin_event(r, ev);
	if (r->is_after_loss)
		session_gap(rec->pp->pw->session, ev->tid, LOSS_HOOKS);
	pcs[0] = pt->site.pc;
	if (pt->site.flags & HOOK_TIME)
		next(&rd);
	read_args(&rd, pt, ev);
	if (pt->site.flags & HOOK_CALLER) {
		pcs[1] = next(&rd);
		ev->npcs = 2;
	}
	read_carried(&rd, pt, ev, vars);
	if (pt->site.flags & HOOK_REGS) {
		read_regs(&rd, r, pt, &regs);
		ev->regs = &regs;
	}
	if (pt->site.flags & HOOK_STACK)
		ev->npcs = 1 + read_stack(&rd, rec, pcs + 1, VM_MAX_PCS - 1);
	if (ev->npcs > 1 && pcs[1] < FPID_LOWEST_CODE)
		ev->npcs = 1;
	rec->npieces = 0;
	if (pt->site.flags & HOOK_MEM)
		read_mem(&rd, rec, pt);
	if (pt->site.flags & HOOK_VTIME)
		ev->vtime_ns = next(&rd);
	if (rd.is_short)
		return;
	for (unsigned i = 0; i < pt->nlisteners; i++) {
		ev->probe = pt->listeners[i]->probe->probe;
		if (pt->ecb)
			event_fire_one(ev->probe->session, ev, &part, vars, pt->carried->n);
		else
			event_fire(ev->probe->session, ev);
	}
}
