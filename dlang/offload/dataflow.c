#include "dlang/offload/dataflow.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dlang/run/vm.h"

#define LEN_MAX	       4096 /* bytes of one piece */
#define KERNEL_LEN_MAX 16384

static const char unclear[] = "the memory it reads is not told by its arguments alone";
static const char too_much[] = "it reads too much memory";

static const struct flowval lost = {.kind = FLOW_LOST}, safe = {.kind = FLOW_SAFE};

static bool is_targets(const struct flowval *v)
{
	return v->kind == FLOW_ADDRESS || v->kind == FLOW_LOST;
}

static struct flowval constant(uint64_t v)
{
	return (struct flowval){.kind = FLOW_CONST, .off = (int64_t)v};
}

void dataflow_begin(struct dataflow *f, uint64_t strsize, bool is_within)
{
	*f = (struct dataflow){.strsize = strsize, .is_within = is_within};
}

/* A clause before may have ended anywhere, or not have run at all. */
void dataflow_clause(struct dataflow *f, struct capture *c)
{
	f->capture = c;
	for (unsigned i = 0; i < f->nvars; i++)
		f->vars[i].value = f->vars[i].later;
}

/* ---- pieces ---- */

/* Its number, or -1: there are too many. A longer one serves as well. */
static int add_piece(struct capture *c, const struct capture_mem *m)
{
	for (unsigned i = 0; i < c->nmem; i++) {
		struct capture_mem *had = &c->mem[i];

		if (had->base == m->base && had->index == m->index && had->off == m->off &&
		    had->is_string == m->is_string) {
			had->len = MAX(had->len, m->len);
			return (int)i;
		}
	}
	if (c->nmem == (c->of_kernel ? CAPTURE_KERNEL_MAX : CAPTURE_MEM_MAX))
		return -1;
	c->mem[c->nmem] = *m;
	return (int)c->nmem++;
}

/* len bytes at a value are read. */
static const char *read_at(struct dataflow *f, const struct flowval *v, uint64_t len,
			   bool is_string, int *piece)
{
	struct capture_mem m = {.off = v->off, .len = (uint32_t)len, .is_string = is_string};

	if (v->kind != FLOW_ADDRESS && v->kind != FLOW_CONST)
		return unclear;
	if (f->capture->of_thread && (v->kind == FLOW_CONST ? v->off >= 0 : v->base == MEM_ARG))
		return unclear;
	if (len > (f->capture->of_kernel ? KERNEL_LEN_MAX : LEN_MAX))
		return too_much;
	if (v->kind == FLOW_ADDRESS) {
		m.base = v->base;
		m.index = v->index;
		if (m.base == MEM_ARG)
			f->capture->nargs = MAX(f->capture->nargs, m.index + 1);
	}
	*piece = add_piece(f->capture, &m);
	return *piece < 0 ? too_much : NULL;
}

/* ---- instructions ---- */

static struct flowval pointed_to(int piece)
{
	return (struct flowval){.kind = FLOW_ADDRESS, .base = MEM_PIECE, .index = (unsigned)piece};
}

/* From the target. */
static const char *load_user(struct dataflow *f, uint32_t insn)
{
	unsigned size = insn_loads[DIF_OP(insn)].size;
	int piece = 0;
	const char *why = read_at(f, &f->regs[DIF_R1(insn)], size, false, &piece);

	f->regs[DIF_RD(insn)] = why ? lost : size == 8 ? pointed_to(piece) : safe;
	return why;
}

/* From D's memory, where a word may be a pointer of the target's: that it is known of copies alone.
 */
static const char *load_own(struct dataflow *f, uint32_t insn)
{
	struct flowval v = f->regs[DIF_R1(insn)], *to = &f->regs[DIF_RD(insn)];
	bool is_word = insn_loads[DIF_OP(insn)].size == 8;
	const char *why;
	int piece = 0;

	if (v.kind == FLOW_ADDRESS) /* an argument that was cast */
		return load_user(f, insn);
	*to = is_word ? lost : safe;
	if (v.kind == FLOW_LOST)
		return unclear;
	if (v.kind != FLOW_COPY || !is_word || v.at + 8 > v.len)
		return NULL;
	v.kind = FLOW_ADDRESS;
	v.off += v.at;
	why = read_at(f, &v, 8, false, &piece);
	*to = why ? lost : pointed_to(piece);
	return why;
}

/* A constant that may be an address: no place within D's own memory. */
static bool is_far(const struct flowval *v)
{
	return v->kind == FLOW_CONST && (v->off > LEN_MAX || v->off < -LEN_MAX);
}

/* Of two numbers. `adds`: one may be the address of an array, the other a place in it. */
static struct flowval mixed(const struct flowval *a, const struct flowval *b, bool adds)
{
	return is_targets(a) || is_targets(b) || (adds && (is_far(a) || is_far(b))) ? lost : safe;
}

/* What is known of it where it is one or the other. */
static struct flowval either(struct flowval a, struct flowval b)
{
	if (a.kind == b.kind && a.base == b.base && a.index == b.index && a.off == b.off &&
	    a.len == b.len && a.at == b.at)
		return a;
	return mixed(&a, &b, true);
}

static struct flowval add(struct flowval a, struct flowval b)
{
	if ((a.kind == FLOW_CONST && b.kind != FLOW_CONST) ||
	    (a.kind != FLOW_COPY && b.kind == FLOW_COPY))
		return add(b, a);
	if (b.kind == FLOW_CONST && a.kind == FLOW_COPY && b.off >= 0 && b.off <= LEN_MAX) {
		a.at += (uint32_t)b.off;
		return a;
	}
	if (b.kind == FLOW_CONST && (a.kind == FLOW_ADDRESS || a.kind == FLOW_CONST)) {
		a.off = (int64_t)((uint64_t)a.off + (uint64_t)b.off);
		return a;
	}
	if (a.kind == FLOW_COPY) { /* somewhere in it, or it faults */
		a.at = a.len;
		return a;
	}
	return mixed(&a, &b, true);
}

static struct flowval compute(unsigned op, struct flowval a, struct flowval b)
{
	uint64_t x = (uint64_t)a.off, y = (uint64_t)b.off, v;

	if (op == DIF_OP_ADD)
		return add(a, b);
	if (op == DIF_OP_SUB && b.kind == FLOW_CONST) {
		b.off = (int64_t)-y;
		return add(a, b);
	}
	if (a.kind != FLOW_CONST || b.kind != FLOW_CONST)
		return mixed(&a, &b, op == DIF_OP_OR || op == DIF_OP_XOR);
	return insn_compute(op, x, y, &v) ? constant(v) : safe;
}

/* A variable that others assign, too: a number, which may be an address, or D's own memory. */
static struct flowval kept(const struct difo *d, uint32_t insn)
{
	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].id == DIF_GETINDEX(insn) && d->vars[i].scope == insn_scope(insn))
			return type_is_byref(d->vars[i].type) ? safe : lost;
	return lost;
}

static struct flowval global(const struct dataflow *f, const struct difo *d, uint32_t insn)
{
	unsigned id = DIF_GETINDEX(insn);

	if (id == BUILTIN_CURTHREAD && f->capture->of_kernel)
		return (struct flowval){.kind = FLOW_ADDRESS, .base = MEM_THREAD};
	if (id >= BUILTIN_ARG0 && id <= BUILTIN_ARG9)
		return (struct flowval){
			.kind = FLOW_ADDRESS, .base = MEM_ARG, .index = id - BUILTIN_ARG0};
	if (id >= DIF_VAR_USER)
		return kept(d, insn);
	return id == BUILTIN_CALLER || id == BUILTIN_UCALLER ? lost : safe;
}

/* R_R15 to R_RDI and R_RSP: the others of uregs[] lead nowhere. */
static bool is_general(uint64_t reg)
{
	return reg <= VM_UREG_RDI || reg == VM_UREG_SP;
}

static struct flowval element(struct capture *c, const struct flowval *index, unsigned id)
{
	if (id == BUILTIN_PROCNUM)
		c->procnums |= index->kind == FLOW_CONST && (uint64_t)index->off < 32
				       ? 1U << index->off
				       : UINT32_MAX;
	if (id == BUILTIN_ARGS && index->kind == FLOW_CONST && index->off >= 0 &&
	    index->off < EVENT_ARGS)
		return (struct flowval){
			.kind = FLOW_ADDRESS, .base = MEM_ARG, .index = (unsigned)index->off};
	if (id == BUILTIN_UREGS && c->has_regs && index->kind == FLOW_CONST &&
	    is_general((uint64_t)index->off))
		return (struct flowval){
			.kind = FLOW_ADDRESS, .base = MEM_REG, .index = (unsigned)index->off};
	return id == BUILTIN_ARGS || id == BUILTIN_UREGS ? lost : safe;
}

/* Its place in vars[]; or nvars: there are too many. */
static unsigned variable(const struct dataflow *f, uint16_t id)
{
	unsigned i = 0;

	while (i < f->nvars && f->vars[i].id != id)
		i++;
	return i;
}

/* What is known of its this-> variables before: what has been assigned in this clause. */
static void add_variables(struct dataflow *f, const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++) {
		uint16_t id = (uint16_t)DIF_GETINDEX(d->text[i]);
		struct flowval v;

		if (!(insn_class[DIF_OP(d->text[i])] & INSN_THIS) || variable(f, id) < f->nvars ||
		    f->nvars == FLOW_VARS)
			continue;
		v = kept(d, d->text[i]);
		if (v.kind == FLOW_LOST && !f->is_within)
			v = constant(0);
		f->vars[f->nvars].id = id;
		f->vars[f->nvars].value = f->vars[f->nvars].later = v;
		f->nvars++;
	}
}

/* Texts that any other subroutine gets are read where they lie; it may follow anything else that it
 * gets, if that is an address. */
static const char *call_other(struct dataflow *f)
{
	const char *why = NULL;
	int piece;

	for (unsigned i = 0; i < f->nstack && !why; i++)
		if (is_targets(&f->stack[i]))
			why = f->pushed[i] == DIF_PUSH_STRING
				      ? read_at(f, &f->stack[i], f->strsize, true, &piece)
				      : unclear;
	return why;
}

static const char *call(struct dataflow *f, uint32_t insn)
{
	unsigned subr = DIF_GETINDEX(insn);
	struct flowval *to = &f->regs[DIF_RD(insn)], addr = f->stack[0];
	bool has_size = f->nstack > 1 && f->stack[1].kind == FLOW_CONST && f->stack[1].off >= 0;
	uint64_t size = has_size ? (uint64_t)f->stack[1].off : 0;
	const char *why;
	int piece;

	switch (subr) {
	case SUBR_COPYIN:
	case SUBR_COPYINTO:
		why = has_size ? read_at(f, &addr, size, false, &piece) : unclear;
		addr.kind = FLOW_COPY;
		addr.len = (uint32_t)size;
		addr.at = 0;
		*to = why || subr == SUBR_COPYINTO ? safe : addr;
		return why;
	case SUBR_COPYINSTR:
		if (f->nstack > 1 && !has_size)
			return unclear;
		size = has_size ? MIN(size, f->strsize) : f->strsize;
		*to = safe;
		return read_at(f, &addr, size, true, &piece);
	case SUBR_STORE_STRING: /* to the first, from the second */
		*to = safe;
		return f->stack[1].kind == FLOW_SAFE || f->stack[1].kind == FLOW_COPY ? NULL
										      : unclear;
	default:
		*to = safe;
		return call_other(f);
	}
}

static const char *compare_text(struct dataflow *f, uint32_t insn)
{
	const unsigned regs[] = {DIF_R1(insn), DIF_R2(insn)};
	const char *why = NULL;
	int piece;

	for (unsigned i = 0; i < 2 && !why; i++) {
		const struct flowval *v = &f->regs[regs[i]];

		if (v->kind != FLOW_SAFE && v->kind != FLOW_COPY)
			why = read_at(f, v, f->strsize, true, &piece);
	}
	return why;
}

static void push(struct dataflow *f, const struct flowval *v, uint32_t insn)
{
	if (f->nstack == DIF_NTREGS)
		return;
	f->pushed[f->nstack] = DIF_OP(insn) == DIF_OP_PUSHTR ? DIF_R1(insn) : DIF_PUSH_INT;
	f->stack[f->nstack++] = *v;
}

/* Keys of an array that are texts are read where they lie. */
static const char *read_keys(struct dataflow *f)
{
	const char *why = NULL;
	int piece;

	for (unsigned i = 0; i < f->nstack && !why; i++) {
		const struct flowval *v = &f->stack[i];

		if (f->pushed[i] != DIF_PUSH_INT && v->kind != FLOW_SAFE && v->kind != FLOW_COPY)
			why = f->pushed[i] == DIF_PUSH_STRING
				      ? read_at(f, v, f->strsize, true, &piece)
				      : unclear;
	}
	return why;
}

static const char *step(struct dataflow *f, const struct difo *d, uint32_t insn)
{
	struct flowval *to = &f->regs[DIF_RD(insn) % DIF_NREGS];
	unsigned op = DIF_OP(insn), var;

	if (insn_loads[op].size)
		return insn_loads[op].is_user ? load_user(f, insn) : load_own(f, insn);
	switch (op) {
	case DIF_OP_SETX:
		*to = constant(d->ints[DIF_GETINDEX(insn)]);
		return NULL;
	case DIF_OP_SETS:
	case DIF_OP_ALLOCS:
		*to = safe;
		return NULL;
	case DIF_OP_MOV:
		*to = f->regs[DIF_R1(insn)];
		return NULL;
	case DIF_OP_LDGS:
		*to = global(f, d, insn);
		return NULL;
	case DIF_OP_LDGA:
		*to = element(f->capture, &f->regs[DIF_R2(insn)], DIF_R1(insn));
		return NULL;
	case DIF_OP_LDLS:
		var = variable(f, DIF_GETINDEX(insn));
		*to = var < f->nvars ? f->vars[var].value : lost;
		return NULL;
	case DIF_OP_STLS:
		var = variable(f, DIF_GETINDEX(insn));
		if (var < f->nvars) {
			f->vars[var].value = *to;
			f->vars[var].later = either(f->vars[var].later, *to);
		}
		return NULL;
	case DIF_OP_PUSHTV:
	case DIF_OP_PUSHTR:
		push(f, to, insn);
		return NULL;
	case DIF_OP_POPTS:
		f->nstack -= f->nstack ? 1 : 0;
		return NULL;
	case DIF_OP_FLUSHTS:
		f->nstack = 0;
		return NULL;
	case DIF_OP_CALL:
		return call(f, insn);
	case DIF_OP_SCMP:
		return compare_text(f, insn);
	case DIF_OP_LDTS:
	case DIF_OP_LDTA:
		*to = kept(d, insn);
		return NULL;
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
		*to = kept(d, insn);
		return read_keys(f);
	case DIF_OP_STGAA:
	case DIF_OP_STTAA:
		return read_keys(f);
	case DIF_OP_OR ... DIF_OP_NOT:
	case DIF_OP_SRA:
		*to = compute(op, f->regs[DIF_R1(insn)],
			      op == DIF_OP_NOT ? constant(0) : f->regs[DIF_R2(insn)]);
		return NULL;
	case DIF_OP_COPYS:
		return f->regs[DIF_R1(insn)].kind == FLOW_SAFE ||
				       f->regs[DIF_R1(insn)].kind == FLOW_COPY
			       ? NULL
			       : unclear;
	default: /* comparisons, branches, stores of values */
		return NULL;
	}
}

/* Texts are copied when they are stored, from the target too. */
static const char *check_store(const struct dataflow *f, const struct difo *d, uint32_t insn)
{
	bool stores = insn_class[DIF_OP(insn)] & INSN_STORE;
	const struct flowval *v = stores ? &f->regs[DIF_RD(insn)] : NULL;

	if (!v || v->kind == FLOW_SAFE || v->kind == FLOW_COPY || v->kind == FLOW_CONST)
		return NULL;
	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].id == DIF_GETINDEX(insn) && type_is_byref(d->vars[i].type))
			return unclear;
	return NULL;
}

static bool is_branch(uint32_t insn)
{
	return insn_class[DIF_OP(insn)] & INSN_BRANCH;
}

/* ---- branches ---- */

static void merge(struct dataflow *f, const struct dataflow *other, unsigned nregs)
{
	for (unsigned i = 0; i < nregs; i++)
		f->regs[i] = either(f->regs[i], other->regs[i]);
	for (unsigned i = 0; i < f->nvars; i++) {
		f->vars[i].value = either(f->vars[i].value, other->vars[i].value);
		f->vars[i].later = either(f->vars[i].later, other->vars[i].later);
	}
	f->nstack = MIN(f->nstack, other->nstack);
	for (unsigned i = 0; i < f->nstack; i++)
		f->stack[i] = either(f->stack[i], other->stack[i]);
}

/* What is known where branches lead, by instruction: of those that have been met. */
struct ways {
	struct dataflow **to; /* NULL: there are no branches */
	unsigned nregs;
	size_t size;
	bool is_over; /* nothing comes here from the instruction before */
};

static unsigned registers_of(const struct difo *d)
{
	unsigned n = 1;

	for (unsigned i = 0; i < d->ninsns; i++)
		if (!is_branch(d->text[i]))
			n = MAX(n, MAX(DIF_RD(d->text[i]),
				       MAX(DIF_R1(d->text[i]), DIF_R2(d->text[i]))) +
					   1);
	return n;
}

static void ways_init(struct ways *w, const struct difo *d)
{
	*w = (struct ways){0};
	for (unsigned i = 0; i < d->ninsns && !w->to; i++)
		if (is_branch(d->text[i]))
			w->to = xcalloc(d->ninsns, sizeof(struct dataflow *));
	w->nregs = w->to ? registers_of(d) : 0;
	w->size = offsetof(struct dataflow, regs) + w->nregs * sizeof(struct flowval);
}

static void ways_release(struct ways *w, const struct difo *d)
{
	for (unsigned i = 0; w->to && i < d->ninsns; i++)
		free(w->to[i]);
	free(w->to);
}

static void ways_leave(struct ways *w, const struct dataflow *f, uint32_t insn)
{
	struct dataflow **to = &w->to[DIF_GETLABEL(insn)];

	if (*to)
		merge(*to, f, w->nregs);
	else
		*to = memcpy(xmalloc(w->size), f, w->size);
	w->is_over = DIF_OP(insn) == DIF_OP_BA;
}

static void ways_arrive(struct ways *w, struct dataflow *f, unsigned at)
{
	if (!w->to || !w->to[at])
		return;
	if (w->is_over)
		memcpy(f, w->to[at], w->size);
	else
		merge(f, w->to[at], w->nregs);
	w->is_over = false;
}

/* What is left out of memory of the kernel is no reason. */
static const char *look_at(struct dataflow *f, const struct difo *d, uint32_t insn)
{
	bool reads = d->needs & NEED_MEM && !f->capture->of_kernel;
	const char *why = reads ? check_store(f, d, insn) : NULL;

	if (!why)
		why = step(f, d, insn);
	return reads ? why : NULL;
}

static const char *walk(struct dataflow *f, const struct difo *d, struct ways *w)
{
	const char *why = NULL;

	for (unsigned i = 0; i < d->ninsns && !why; i++) {
		ways_arrive(w, f, i);
		if (is_branch(d->text[i]))
			ways_leave(w, f, d->text[i]);
		else if (DIF_OP(d->text[i]) == DIF_OP_RET)
			f->result = f->regs[DIF_RD(d->text[i])];
		else
			why = look_at(f, d, d->text[i]);
	}
	return why;
}

const char *dataflow_difo(struct dataflow *f, const struct difo *d)
{
	const char *why;
	struct ways w;

	f->nstack = 0;
	f->result = safe;
	if (!d)
		return NULL;
	for (unsigned i = 0; i < DIF_NREGS; i++)
		f->regs[i] = i ? lost : constant(0);
	add_variables(f, d);
	ways_init(&w, d);
	why = walk(f, d, &w);
	ways_release(&w, d);
	return why;
}

const char *dataflow_action(struct dataflow *f, const struct action *act)
{
	const char *why = dataflow_difo(f, act->difo);
	int piece;

	if (why || !act->difo || (!act->difo->is_userland && !is_targets(&f->result)))
		return why ? why : dataflow_difo(f, act->incr);
	switch (act->rec.kind) {
	case REC_STRING:
		return read_at(f, &f->result, act->rec.size - 1, true, &piece);
	case REC_POINTEE:
		return read_at(f, &f->result, act->rec.size - 8, false, &piece);
	case REC_BYTES:
		return read_at(f, &f->result, act->rec.size, false, &piece);
	default:
		return act->kind == ACT_TRACEMEM
			       ? read_at(f, &f->result, act->rec.size, false, &piece)
			       : NULL;
	}
}
