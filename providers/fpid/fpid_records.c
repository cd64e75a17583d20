/*
 * fpid_records.c: hits of fpid probes whose clauses do more than hooks can: the hook writes what
 * the clauses read into the thread's ring, and the event fires here when the rings are read, in the
 * order of time among all sources (struct event_source).
 */
#include <errno.h>
#include <stdlib.h>

#include "dlang/offload/capture.h"
#include "dlang/offload/claim.h"
#include "dlang/run/gaps.h"
#include "dlang/run/vm.h"
#include "inject/ring.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_place.h"
#include "providers/fpid/fpid_points.h"
#include "providers/fpid/fpid.h"

#define BUSY_NS 1000000U /* between two looks at rings that held something; else merge.c looks */

/* ---- what can be recorded ---- */

const char *fpid_clock_unusable(struct pid_world *pw)
{
	if (!pw->fpid->tsc_known)
		pw->fpid->tsc_why = tscline_unusable();
	pw->fpid->tsc_known = true;
	return pw->fpid->tsc_why;
}

/* Call frame information has to tell them. Before there are hooks that is not known. */
static bool finds_callers(const struct pid_site *site)
{
	struct fpid_proc *fp = site->proc->fpid;

	if (!fp->hooks)
		return true;
	if (!fp->knows_stacks)
		hooks_need_stacks(fp->hooks);
	fp->knows_stacks = true;
	return hooks_know_stack(fp->hooks, site->addr + site->mod->bias);
}

const char *fpid_unrecordable(const struct pid_site *site)
{
	const char *why = fpid_clock_unusable(site->proc->pw);
	struct capture c;

	if (!why)
		why = probe_capture(site->probe->probe, &c);
	if (!why && c.regs && site->probe->kind == PID_RETURN &&
	    !fpid_reads_general(site->probe->probe))
		why = "uregs[] that a return changes are read while the thread stands still";
	if (!why && fpid_is_of_pid(site->probe))
		why = fpid_may_differ(site->probe->probe, &c);
	if (!why && c.nframes > 1 && fpid_is_within(site->probe) && !finds_callers(site))
		why = FPID_CALLERS;
	if (!why && (c.nmem || c.vtime) && site->proc->fpid->hooks &&
	    !hooks_may_call(site->proc->fpid->hooks))
		why = c.nmem ? "memory is read by a system call, and the program filters its calls"
			     : "vtimestamp is read by a system call, and the program filters its "
			       "calls";
	return why;
}

static ssize_t read_recorded(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct fpid_records *rec = t->priv;
	size_t best = 0;

	for (unsigned i = 0; i < rec->npieces; i++) {
		const struct recorded *p = &rec->pieces[i];
		size_t there = addr - p->addr < p->n ? MIN(n, p->n - (addr - p->addr)) : 0;

		if (there <= best)
			continue;
		memcpy(buf, (const char *)p->bytes + (addr - p->addr), there);
		best = there;
	}
	return best ? (ssize_t)best : -EFAULT;
}

static ssize_t not_written(struct target *t UNUSED, taddr_t addr UNUSED, const void *buf UNUSED,
			   size_t n UNUSED)
{
	return -EFAULT;
}

/* Rather than lose a hit: of two times whose difference is wanted one would be another hit's. */
static bool waits(const struct pid_world *pw)
{
	const struct options *o = &pw->session->options;
	int64_t full = opt(o, OPT_FPIDFULL);

	return full == FPIDFULL_WAIT || opt_on(o, OPT_PIDHOOKS) ||
	       (full == FPIDFULL_AUTO && pw->fpid->reads_vtime);
}

static struct fpid_records *need_records(struct pid_proc *pp)
{
	struct fpid_records *rec = pp->fpid->records;

	if (rec)
		return rec;
	rec = pp->fpid->records = xcalloc(1, sizeof(*rec));
	rec->pp = pp;
	rec->view = (struct target){.pid = pp->pid,
				    .aspace = proc_target(pp->proc)->aspace,
				    .priv = rec,
				    .read = read_recorded,
				    .write = not_written};
	rec->event = (struct event){.target = &rec->view,
				    .pid = pp->pid,
				    .task = &pp->fpid->task,
				    .is_late = true,
				    .pcs = rec->pcs};
	hooks_record(pp->fpid->hooks, waits(pp->pw));
	return rec;
}

/* ---- points ---- */

static unsigned record_words(const struct hook_site *s, const struct hook_mem *mem)
{
	unsigned n = 1;

	n += s->flags & HOOK_TIME ? 1 : 0;
	n += s->flags & HOOK_RESULT ? 2 : 0;
	n += s->nargs;
	n += s->flags & HOOK_CALLER ? 1 : 0;
	n += HOOK_CARRIED_OF(s->flags);
	n += s->flags & HOOK_REGS ? HOOK_NREGS : 0;
	n += s->flags & HOOK_STACK ? 1U + s->nframes : 0;
	for (unsigned i = 0; i < s->nmem; i++)
		n += 2 + (mem[i].len + 7) / 8;
	n += s->flags & HOOK_VTIME ? 1 : 0;
	return n;
}

static void widen(struct hook_site *s, const struct capture *c, const struct fpid_point *at,
		  bool is_within)
{
	unsigned most = at->is_offset ? EVENT_REG_ARGS : EVENT_ARGS;

	if (c->time)
		s->flags |= HOOK_TIME;
	if (at->is_return)
		s->flags |= c->nargs ? HOOK_RESULT : 0;
	else
		s->nargs = MAX(s->nargs, (uint8_t)MIN(c->nargs, most));
	if (s->nargs)
		s->flags |= HOOK_ARGS;
	if (c->nframes > 2 || (c->nframes == 2 && is_within)) {
		s->flags |= HOOK_STACK | (is_within ? HOOK_WITHIN : 0);
		s->nframes = MAX(s->nframes, (uint16_t)(c->nframes - 1));
	} else if (c->nframes == 2) {
		s->flags |= HOOK_CALLER;
	}
	if (c->regs)
		s->flags |= HOOK_REGS;
	if (c->cpu)
		s->flags |= HOOK_CPU;
}

/* General registers are numbered as those of struct user_regs_struct. */
unsigned fpid_reg_word(uint64_t index)
{
	static const uint8_t words[] = {
#define WORD(reg) [offsetof(struct user_regs_struct, reg) / 8] = offsetof(struct hook_regs, reg) / 8
		WORD(r15),
		WORD(r14),
		WORD(r13),
		WORD(r12),
		WORD(rbp),
		WORD(rbx),
		WORD(r11),
		WORD(r10),
		WORD(rdi),
		WORD(rsi),
		WORD(rdx),
		WORD(rcx),
		WORD(r8),
		WORD(r9),
		WORD(rax),
#undef WORD
		[offsetof(struct user_regs_struct, rsp) / 8] = HOOK_NREGS - 1,
	};

	return words[index];
}

/* arg0 of a return is where it is, arg1 and arg2 are its result. */
static struct hook_mem mem_row(const struct capture_mem *m, unsigned first,
			       const struct fpid_point *at)
{
	struct hook_mem row = {.off = m->off, .len = m->len, .is_string = m->is_string};

	if (m->base == MEM_PIECE) {
		row.base = HOOK_MEM_PIECE;
		row.index = (uint8_t)(m->index + first);
	} else if (m->base == MEM_REG) {
		row.base = HOOK_MEM_REG;
		row.index = (uint8_t)fpid_reg_word(m->index);
	} else if (m->base == MEM_ARG && at->is_offset && m->index >= EVENT_REG_ARGS) {
		row.base = HOOK_MEM_ABSOLUTE; /* of 0 */
	} else if (m->base == MEM_ARG && !at->is_return) {
		row.base = HOOK_MEM_ARG;
		row.index = (uint8_t)m->index;
	} else if (m->base == MEM_ARG && (m->index == 1 || m->index == 2)) {
		row.base = HOOK_MEM_RESULT;
		row.index = (uint8_t)(m->index - 1);
	} else if (m->base == MEM_ARG && m->index == 0) {
		row.off += at->off;
	}
	return row;
}

/* What another name of the function has asked for is not asked for again. */
static bool is_same_mem(const struct hook_mem *a, const struct hook_mem *b)
{
	return a->off == b->off && a->len == b->len && a->base == b->base && a->index == b->index &&
	       a->is_string == b->is_string;
}

static int add_mem(struct fpid_records *rec, struct point *pt, const struct capture *c,
		   struct err *err)
{
	struct hook_mem *rows = pt->mem;
	unsigned first = pt->site.nmem;
	bool same = first == c->nmem;

	if (!c->nmem)
		return 0;
	for (unsigned i = 0; i < c->nmem && same; i++) {
		struct hook_mem row = mem_row(&c->mem[i], 0, &pt->at);

		same = is_same_mem(&row, &rows[i]);
	}
	if (!same && first + c->nmem > HOOK_MEM_MAX)
		return err_set(err, -ENOSPC, "its names ask for too much memory");
	for (unsigned i = 0; i < c->nmem && !same; i++)
		rows[pt->site.nmem++] = mem_row(&c->mem[i], first, &pt->at);
	pt->site.flags |= HOOK_MEM;
	rec->has_mem = true;
	return hooks_mem(rec->pp->fpid->hooks, rows, pt->site.nmem, &pt->site.mem, err);
}

static void release_point(const struct point *pt)
{
	free(pt->listeners);
	free((void *)(uintptr_t)pt->carried);
}

static int new_point(struct fpid_records *rec, const struct fpid_point *at, uint32_t *number,
		     struct err *err)
{
	struct hooks *h = rec->pp->fpid->hooks;
	struct point pt = {.at = *at};
	int r = hooks_new_cell(h, &pt.site.drops_cell, err);

	if (!r)
		r = hooks_new_site(h, number, err);
	if (r)
		return r;
	if (*number >= rec->room) {
		rec->room = MAX(2 * rec->room, 64);
		rec->points = xrealloc(rec->points, rec->room * sizeof(*rec->points));
	}
	while (rec->npoints <= *number)
		rec->points[rec->npoints++] = (struct point){0};
	release_point(&rec->points[*number]); /* of code that is gone */
	rec->points[*number] = pt;
	return 0;
}

static void listen(struct point *pt, struct pid_site *site)
{
	pt->listeners = xrealloc(pt->listeners, (pt->nlisteners + 1) * sizeof(struct pid_site *));
	pt->listeners[pt->nlisteners++] = site;
}

/* What its records hold. */
static int describe(struct fpid_records *rec, struct point *pt, const struct pid_site *site,
		    const struct capture *c, struct err *err)
{
	int r;

	if (c->vtime && !rec->reads_vtime) {
		rec->reads_vtime = rec->pp->pw->fpid->reads_vtime = true;
		if (waits(rec->pp->pw))
			hooks_wait(rec->pp->fpid->hooks);
	}
	pt->site.pc = site->addr + site->mod->bias + (taddr_t)pt->at.off;
	widen(&pt->site, c, &pt->at, fpid_is_within(site->probe));
	if (c->vtime && !(pt->carried && pt->carried->has_vtime)) {
		pt->site.flags |= HOOK_VTIME;
		rec->pp->fpid->asks_cputime = true;
	}
	r = add_mem(rec, pt, c, err);
	if (r)
		return r;
	pt->site.max_words = (uint16_t)record_words(&pt->site, pt->mem);
	rec->has_stacks |= pt->site.flags & HOOK_STACK;
	return 0;
}

static bool is_full(const struct point *pt)
{
	return pt->site.flags & (HOOK_REGS | HOOK_STACK | HOOK_MEM | HOOK_VTIME);
}

int fpid_record_number(struct pid_site *site, const struct fpid_point *at,
		       const struct ecb_part *part, const struct fpid_carried *carried,
		       struct fpid_record_call *out)
{
	struct fpid_records *rec = need_records(site->proc);
	struct fpid_carried *mine;
	struct capture c;
	struct point *pt;
	int r = new_point(rec, at, &out->number, NULL);

	if (r)
		return r;
	ecb_capture(part->ecb, &c);
	c.time = true;
	pt = &rec->points[out->number];
	pt->ecb = part->ecb;
	pt->from = part->from;
	pt->has_faulted = part->has_faulted;
	pt->has_texts = part->has_texts;
	pt->carried = mine = xcalloc(1, sizeof(*mine));
	*mine = *carried;
	pt->site.flags |= HOOK_CARRIED(fpid_carried_clocks(carried) + carried->n);
	r = describe(rec, pt, site, &c, NULL);
	if (r)
		return r;
	out->is_full = is_full(pt);
	listen(pt, site);
	return 0;
}

void fpid_record_frame(const struct pid_site *site, uint32_t number, unsigned frame)
{
	struct point *pt = &site->proc->fpid->records->points[number];

	pt->site.flags |= HOOK_FRAME(frame);
	hooks_set_site(site->proc->fpid->hooks, number, &pt->site);
}

int fpid_record(struct pid_site *site, struct hook_point *point, const struct fpid_point *at,
		struct err *err)
{
	struct fpid_records *rec = need_records(site->proc);
	enum hook_function fn = HOOK_FN_RECORD;
	struct capture c;
	struct point *pt;
	uint32_t number;
	int r = 0;

	probe_capture(site->probe->probe, &c);
	if (!hooks_calls_at(point, HOOK_FN_RECORD, &number) &&
	    !hooks_calls_at(point, HOOK_FN_RECORD_FULL, &number))
		r = new_point(rec, at, &number, err);
	if (r)
		return r;
	pt = &rec->points[number];
	r = describe(rec, pt, site, &c, err);
	if (r)
		return r;
	if (is_full(pt))
		fn = HOOK_FN_RECORD_FULL;
	r = hooks_call_at(site->proc->fpid->hooks, point, fn, number, err);
	if (r)
		return r;
	hooks_set_site(site->proc->fpid->hooks, number, &pt->site);
	listen(pt, site);
	return 0;
}

static void inherit_point(struct fpid_records *rec, struct point *pt, const struct hash *sites)
{
	struct pid_site **listeners = pt->listeners;
	unsigned n = pt->nlisteners;

	pt->listeners = NULL;
	pt->nlisteners = 0;
	pt->ndropped = pt->nunread = 0;
	for (unsigned i = 0; i < n; i++) {
		struct pid_site *site = hash_get(sites, (uintptr_t)listeners[i]);

		if (site)
			listen(pt, site);
	}
	rec->points[rec->npoints++] = *pt;
}

void fpid_records_inherit(const struct fork_copy *copy)
{
	const struct fpid_records *from = copy->parent->fpid->records;
	struct fpid_records *rec;

	if (!from)
		return;
	rec = need_records(copy->child);
	rec->has_stacks = from->has_stacks;
	rec->has_mem = from->has_mem;
	copy->child->fpid->asks_cputime = copy->parent->fpid->asks_cputime;
	rec->room = from->room;
	rec->points = xcalloc(rec->room, sizeof(*rec->points));
	for (unsigned i = 0; i < from->npoints; i++) {
		struct point pt = from->points[i];

		inherit_point(rec, &pt, &copy->child->fpid->copied->sites);
	}
}

void fpid_records_drop(struct pid_site *site)
{
	struct fpid_records *rec = site->proc->fpid->records;

	for (unsigned i = 0; rec && i < rec->npoints; i++) {
		struct point *pt = &rec->points[i];

		for (unsigned k = 0; k < pt->nlisteners; k++)
			if (pt->listeners[k] == site)
				pt->listeners[k--] = pt->listeners[--pt->nlisteners];
	}
}

void fpid_records_settle(struct pid_proc *pp)
{
	if (pp->fpid->records && pp->fpid->records->has_stacks)
		hooks_need_stacks(pp->fpid->hooks);
}

/* ---- the source ---- */

static void gather(void *arg)
{
	rings_look(((struct pid_world *)arg)->fpid->rings);
}

static uint64_t peek(void *arg)
{
	return rings_oldest(((struct pid_world *)arg)->fpid->rings);
}

static void fire_next(struct rings *rings)
{
	struct ring_record r;
	struct pid_proc *pp;

	rings_take(rings, &r);
	pp = r.ring->owner;
	if (pp->fpid->records && r.site < pp->fpid->records->npoints)
		fpid_fire_point(pp->fpid->records, &r);
}

/* The target waits for its ring (fpidfull=wait): what it waits for must have room further on. */
static uint64_t fire_some(void *arg, uint64_t limit_ns, unsigned *left)
{
	struct pid_world *pw = arg;
	struct rings *rings = pw->fpid->rings;
	const bool do_wait = waits(pw);
	uint64_t last_ns, next_ns = rings_oldest(rings);
	unsigned n = 0;

	do {
		last_ns = next_ns;
		if (do_wait)
			session_await_room(pw->session);
		fire_next(rings);
		n++;
		next_ns = rings_oldest(rings);
	} while (n < *left && next_ns <= limit_ns && pw->session->state == SESSION_ACTIVE);
	pw->fpid->rings_busy = true;
	fpid_explain_recorded(pw, n);
	*left -= n;
	return last_ns;
}

static void fire(void *arg)
{
	unsigned left = 1;

	fire_some(arg, 0, &left);
}

/* The first one has all that fires from now on forget what clauses of such events have assigned:
 * none of them fires any more. */
static void drop(void *arg, bool is_lost)
{
	struct pid_world *pw = arg;
	struct ring_record r;
	struct pid_proc *pp;

	rings_take(pw->fpid->rings, &r);
	pp = r.ring->owner;
	if (!is_lost || !pp->fpid->records || r.site >= pp->fpid->records->npoints)
		return;
	if (!pw->fpid->nunread++)
		session_gap(pw->session, 0, LOSS_HOOKS);
	pp->fpid->records->points[r.site].nunread++;
}

static const struct event_source source = {
	.gather = gather, .peek = peek, .fire = fire, .fire_some = fire_some, .drop = drop};

void fpid_rings(struct pid_proc *pp, struct hooks_sizes *sizes)
{
	struct pid_world *pw = pp->pw;

	if (!pw->fpid->rings) {
		pw->fpid->rings = rings_new();
		session_add_source(pw->session, &source, pw);
	}
	sizes->rings = pw->fpid->rings;
	sizes->owner = pp;
	sizes->ring_bytes = (uint64_t)opt(&pw->session->options, OPT_FPIDBUF);
}

/* Runtimes map code without the linker's knowledge; programs begin to filter their calls. */
static void look_again(struct pid_proc *pp, uint64_t now)
{
	struct fpid_records *rec = pp->fpid->records;

	if (pp->fpid->hooks && (pp->fpid->asks_cputime || (rec && (rec->has_mem || waits(pp->pw)))))
		hooks_may_call(pp->fpid->hooks);
	if (!rec || !rec->is_cut || now - rec->looked_ns < FPID_LOOK_NS)
		return;
	rec->is_cut = false;
	rec->looked_ns = now;
	hooks_need_stacks(pp->fpid->hooks);
}

uint64_t fpid_poll(struct world *w)
{
	struct pid_world *pw = pid_world_of(w);
	uint64_t next_ns = UINT64_MAX;

	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next) {
		fpid_end_broken(pp);
		next_ns = MIN(next_ns, fpid_poll_preloaded(pp));
		next_ns = MIN(next_ns, fpid_lead_calls(pp));
	}
	if (!pw->fpid->rings)
		return next_ns;
	for (struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		look_again(pp, session_now(w->session));
	if (pw->fpid->rings_busy)
		next_ns = MIN(next_ns, session_now(w->session) + BUSY_NS);
	pw->fpid->rings_busy = false;
	return next_ns;
}

/* ---- what was lost, and the end ---- */

void fpid_records_flush(struct pid_proc *pp)
{
	struct fpid_records *rec = pp->fpid->records;

	if (rec)
		session_flush_sources(pp->pw->session);
	for (unsigned i = 0; rec && i < rec->npoints; i++) {
		struct point *pt = &rec->points[i];
		uint64_t n = hooks_cell(pp->fpid->hooks, pt->site.drops_cell);
		uint64_t nnew = n - pt->ndropped + pt->nunread;

		atomic_fetch_add_explicit(&pp->pw->session->buffer_drops[0], nnew,
					  memory_order_relaxed);
		for (unsigned k = 0; k < pt->nlisteners; k++)
			session_lose_hits(pt->listeners[k]->probe->probe, pt->ecb, nnew);
		pt->ndropped = n;
		pt->nunread = 0;
	}
}

void fpid_records_report_unread(struct pid_world *pw)
{
	if (pw->fpid->nunread)
		session_message(pw->session, MSG_ERR, true,
				"fpid: %llu hits stood in rings when the run was to end, more than "
				"could be taken in: they are dropped",
				(unsigned long long)pw->fpid->nunread);
	pw->fpid->nunread = 0;
}

void fpid_report_cut(const struct pid_proc *pp, uint64_t n)
{
	if (n)
		session_message(pp->pw->session, MSG_ERR, false,
				"pid %d: %llu stacks of fpid probes are cut off: their frames "
				"could not be found",
				pp->pid, (unsigned long long)n);
}

/* only: NULL: the first of its clauses that makes them. Returns its line. */
static int why_records(const struct probe *p, const struct ecb *only, char why[FPID_PLACE_TEXT])
{
	int line = 0;

	*why = '\0';
	for (const struct ecb *e = only ? only : p->ecbs; e && !*why; e = only ? NULL : e->next) {
		fpid_place_tell(e, why, FPID_PLACE_TEXT);
		line = e->clause->line;
	}
	return line;
}

static void report_drops(const struct fpid_records *rec)
{
	for (unsigned i = 0; i < rec->npoints; i++) {
		const struct point *pt = &rec->points[i];
		const struct probe *p;
		char why[FPID_PLACE_TEXT];
		int line;

		if (!pt->ndropped || !pt->nlisteners)
			continue;
		p = pt->listeners[0]->probe->probe;
		line = why_records(p, pt->ecb, why);
		session_message(
			p->session, MSG_ERR, true,
			"%s:%s:%s:%s: %llu hits found the ring of their thread full "
			"(-x fpidbuf, -x fpidfull=wait); the clause at line %d makes records "
			"because %s",
			p->prov, p->mod, p->func, p->name, (unsigned long long)pt->ndropped, line,
			why);
	}
}

void fpid_records_forget(struct pid_proc *pp)
{
	struct fpid_records *rec = pp->fpid->records;

	if (!rec)
		return;
	report_drops(rec);
	fpid_report_cut(pp, rec->ncut);
	for (unsigned i = 0; i < rec->npoints; i++)
		release_point(&rec->points[i]);
	free(rec->points);
	free(rec);
	pp->fpid->records = NULL;
}
