/*
 * User stacks: the stack is copied once, then walked with a row per pc. Where there is no call
 * frame information, what else tells (unwind_heuristic.c) goes first; libunwind gets the rest.
 */
#include "tracer/unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>

#include "tracer/unwind/ustack.h"
#include "tracer/x86/regs.h"
#include "tracer/unwind/rowcache.h"
#include "tracer/slot.h"

#define LOOK_NS 10000000ULL /* between two looks at the maps for a pc that is in none */

/* What was learned from the tables of a mapping that has gone is forgotten. */
static void mapped(struct unwind *u)
{
	if (cfimap_holds(&u->map))
		return;
	rowcache_clear(u->rows);
	cfimap_release(&u->map);
	libunwind_flush(u->libunwind);
}

static void unwind_free(struct unwind *u)
{
	rowcache_free(u->rows);
	cfimap_release(&u->map);
	libunwind_free(u->libunwind);
	free(u);
}

/* That of a process; made for its first walk. */
static struct unwind *get_unwind(struct proc *p)
{
	static const struct unwinder unwinder = {mapped, unwind_free};
	struct unwind *u = p->unwind;

	if (u)
		return u;
	p->unwinder = &unwinder;
	p->unwind = u = xcalloc(1, sizeof(*u));
	u->proc = p;
	u->rows = rowcache_new();
	cfimap_init(&u->map, p);
	return u;
}

void proc_each_code(struct proc *p, proc_code_fn *fn, void *arg)
{
	get_unwind(p);
	proc_read_maps(p);
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct vma *v = &p->maps.v[i];
		const struct code_range range = {v->start, v->end, v->ino ^ v->offset << 20};
		const struct cfimod *m;

		if (!v->exec)
			continue;
		m = cfimap_at(&p->unwind->map, v->start);
		fn(arg, &range, m && m->has_cfi ? &m->cfi : NULL);
	}
}

/* ---- walking ---- */

static bool read_stack(void *arg, taddr_t addr, uint64_t *v)
{
	return stackcopy_word(arg, addr, v);
}

bool step_plain(struct unwind *u, const struct row *row, struct cfi_regs *r)
{
	taddr_t cfa = r->r[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_off;

	r->r[CFI_RSP] = cfa;
	for (unsigned i = 1; i < row->nsaved; i++)
		stackcopy_word(&u->stack, cfa + (uint64_t)(int64_t)row->off[i], &r->r[row->reg[i]]);
	return stackcopy_word(&u->stack, cfa + (uint64_t)(int64_t)row->off[0], &r->r[CFI_RA]);
}

static bool step(struct unwind *u, const struct row *row, struct cfi_regs *r)
{
	switch (row->how) {
	case ROW_PLAIN:
		return step_plain(u, row, r);
	case ROW_FULL:
		return !cfi_step(row->full, r, read_stack, &u->stack);
	default:
		return false; /* ROW_END */
	}
}

/* Code may have been mapped without the linker's knowledge. What is in no mapping is new, unless
 * the last look was for nothing. False when we looked only now. */
static bool look_again(struct unwind *u, taddr_t addr)
{
	const bool is_new = !vmmap_at(&u->proc->maps, addr) && !u->looked_in_vain;

	if (!is_new && u->now_ns - u->looked_ns < LOOK_NS)
		return false;
	u->looked_ns = u->now_ns;
	proc_read_maps(u->proc);
	u->looked_in_vain = !vmmap_at(&u->proc->maps, addr);
	return true;
}

bool is_code(struct unwind *u, taddr_t addr)
{
	const struct vma *v = vmmap_at(&u->proc->maps, addr);

	if (!v && look_again(u, addr))
		v = vmmap_at(&u->proc->maps, addr);
	return v && v->exec;
}

/* Where a thread that stands in a slot would be without us; false: it does not. */
static bool leave_slot(const struct proc *p, struct cfi_regs *r)
{
	unsigned off;
	const struct site *s = slot_at(p, r->r[CFI_RA], &off);
	bool undo = false;

	if (!s)
		return false;
	r->r[CFI_RA] = insn_slot_origin(&s->plan, off, &undo);
	if (undo)
		r->r[CFI_RSP] += 8;
	return true;
}

static const struct row *find_row(struct unwind *u, taddr_t pc)
{
	const struct row *row = rowcache_get(u->rows, &u->map, pc);

	if (!row && look_again(u, pc))
		row = rowcache_get(u->rows, &u->map, pc);
	return row;
}

/* Code that was made at run time may have been replaced by other code since its row was made. */
static bool holds(struct unwind *u, const struct row *row, const struct cfi_regs *r)
{
	struct cfi_regs next = *r;

	return !row->may_change || (step_plain(u, row, &next) && is_code(u, next.r[CFI_RA]));
}

unsigned unwind_rows(struct unwind *u, struct cfi_regs *r, bool exact, taddr_t *pcs, unsigned n,
		     unsigned max)
{
	while (n < max) {
		taddr_t pc = exact ? r->r[CFI_RA] : r->r[CFI_RA] - 1;
		const struct row *row = find_row(u, pc);

		if (row && row->how < ROW_NONE && holds(u, row, r)) {
			if (!step(u, row, r))
				break;
			exact = row->is_signal;
		} else if (!step_heuristic(u, row, r, &exact)) {
			return r->r[CFI_RBP] ? unwind_libunwind(u, r, exact, pcs, n, max)
					     : n; /* so the outermost frame is marked */
		}
		if (!r->r[CFI_RA])
			break;
		if (exact)
			leave_slot(u->proc, r);
		/* what is mapped may be other code than it was */
		if (u->stack.is_given && !is_code(u, r->r[CFI_RA] - !exact))
			break;
		pcs[n++] = r->r[CFI_RA];
	}
	return n;
}

/* ---- a hit ---- */

/* By DWARF number. A sampled thread may be in a slot; of a hit pc is where it stands. */
static struct cfi_regs start_regs(const struct proc *p, const struct regs *regs, taddr_t pc)
{
	const struct user_regs_struct *r = &regs->r;
	struct cfi_regs out = {{r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
				r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
				r->rip}};

	if (!leave_slot(p, &out))
		out.r[CFI_RA] = pc;
	return out;
}

static struct unwind *unwind_at(struct proc *p, pid_t tid, uint64_t now_ns)
{
	if (!p->unwind)
		vmmap_read(&p->maps, tid);
	get_unwind(p)->now_ns = now_ns;
	return p->unwind;
}

unsigned unwind_hit(struct hit *h, bool at_entry, unwind_fn *walk, taddr_t *pcs, unsigned max)
{
	struct proc *p = h->proc;
	struct cfi_regs r = start_regs(p, hit_regs(h), h->pc);
	struct unwind *u = unwind_at(p, h->tid, h->time_ns);
	bool exact = true;
	unsigned n = 0;
	uint64_t ra;

	if (!max)
		return 0;
	stackcopy_begin(&u->stack, p, r.r[CFI_RSP]);
	pcs[n++] = r.r[CFI_RA];
	/*
	 * No frame is built yet: the caller is on top of the stack, whatever the tables say. At the
	 * start of a program the number of its arguments is there.
	 */
	if (at_entry && n < max && stackcopy_word(&u->stack, r.r[CFI_RSP], &ra) && is_code(u, ra)) {
		pcs[n++] = r.r[CFI_RA] = ra;
		r.r[CFI_RSP] += 8;
		exact = false;
	}
	n = walk(u, &r, exact, pcs, n, max);
	stackcopy_end(&u->stack, r.r[CFI_RSP]);
	return n;
}

unsigned hit_ustack(struct hit *h, bool at_entry, taddr_t *pcs, unsigned max)
{
	return unwind_hit(h, at_entry, unwind_rows, pcs, max);
}

unsigned proc_late_ustack(struct proc *p, const struct regs *regs, const void *stack, size_t len,
			  taddr_t *pcs, unsigned max)
{
	struct cfi_regs r = start_regs(p, regs, regs->r.rip);
	struct unwind *u = unwind_at(p, proc_live_tid(p), now_mono());

	if (!max)
		return 0;
	stackcopy_given(&u->stack, p, regs->r.rsp, stack, len);
	pcs[0] = r.r[CFI_RA];
	return unwind_rows(u, &r, true, pcs, 1, max);
}
