/* Expressions that a source of events may have at hand: one thing, or a text made of a record. */
#include "dlang/offload/terms.h"
#include "dlang/run/subrs.h"
#include "dlang/run/vm.h"

static bool operand_of_term(const struct term *t, struct operand *o)
{
	*o = (struct operand){.id = t->id,
			      .size = t->size,
			      .off = t->off,
			      .value = t->value,
			      .mask = t->mask,
			      .is_signed = t->is_signed,
			      .nbits = t->nbits};
	if (t->shifted)
		return false;
	switch (t->kind) {
	case TERM_CONST:
		o->of = OPERAND_CONST;
		return true;
	case TERM_BUILTIN:
		o->of = OPERAND_BUILTIN;
		return true;
	case TERM_FIELD:
		o->of = OPERAND_FIELD;
		return true;
	default:
		return false;
	}
}

bool operand_of(const struct probe *p, const struct difo *d, struct operand *o)
{
	const struct filter_source source = {.has_records = true};
	const struct walk w = {.source = &source, .probe = p, .difo = d};
	struct state st = {.regs = {[0] = {.kind = TERM_CONST}}};
	struct term t;

	if (d->nregs > MAX_REGS)
		return false;
	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned op = DIF_OP(d->text[i]);

		if (op == DIF_OP_RET) {
			t = term_number(&st.regs[DIF_RD(d->text[i])]);
			return operand_of_term(&t, o);
		}
		if (insn_class[op] & INSN_BRANCH || !term_step(&w, d->text[i], &st))
			return false;
	}
	return false;
}

/* ---- a text that follows from the record ---- */

struct reading {
	struct walk *walk;
	struct derived *out;
	struct state state;
	struct term pushed[2];
	unsigned npushed;
};

static bool add_read(struct derived *d, const struct term *at, unsigned size)
{
	unsigned i = 0;

	if (at->kind != TERM_ADDRESS)
		return false;
	while (i < d->n && (d->v[i].id != at->id || d->v[i].off != at->off || d->v[i].size != size))
		i++;
	if (i == DERIVED_MAX)
		return false;
	d->v[i].id = at->id;
	d->v[i].off = at->off;
	d->v[i].size = size;
	d->n = MAX(d->n, i + 1);
	return true;
}

static bool read_call(struct reading *r, uint32_t insn)
{
	enum { ADDRESS_MAX = 16 };

	if (DIF_GETINDEX(insn) != SUBR_INET_NTOP || r->npushed != 2)
		return false;
	r->state.regs[DIF_RD(insn) % MAX_REGS] = (struct term){.kind = TERM_MADE};
	return add_read(r->out, &r->pushed[1], ADDRESS_MAX);
}

/* Where a record lies says nothing of what is in it. */
static bool is_of_address(const struct term *t)
{
	return t->kind == TERM_BUILTIN || t->kind == TERM_ADDRESS;
}

/* `before`: the registers it begins with. */
static bool is_clear(const struct state *before, const struct state *st, uint32_t insn)
{
	const struct term *rd = &st->regs[DIF_RD(insn) % MAX_REGS];

	switch (DIF_OP(insn)) {
	case DIF_OP_NOP:
	case DIF_OP_SETX:
	case DIF_OP_SETS:
	case DIF_OP_MOV:
	case DIF_OP_LDGA:
		return true;
	case DIF_OP_CMP:
	case DIF_OP_TST:
		return !is_of_address(&st->last.a) && !is_of_address(&st->last.b);
	case DIF_OP_LDGS:
		return rd->kind == TERM_TEXT;
	default:
		if (insn_class[DIF_OP(insn)] & INSN_VALUE)
			return rd->kind == TERM_ADDRESS ||
			       (!is_of_address(&before->regs[DIF_R1(insn) % MAX_REGS]) &&
				!is_of_address(&before->regs[DIF_R2(insn) % MAX_REGS]));
		return rd->kind == TERM_FIELD && rd->size <= 8;
	}
}

static bool read_insn(struct reading *r, uint32_t insn)
{
	struct state *st = &r->state;
	const struct state before = *st;
	const struct insn_load *load = &insn_loads[DIF_OP(insn)];

	switch (DIF_OP(insn)) {
	case DIF_OP_FLUSHTS:
		r->npushed = 0;
		return true;
	case DIF_OP_PUSHTV:
	case DIF_OP_PUSHTR:
		if (r->npushed == ARRAY_SIZE(r->pushed))
			return false;
		r->pushed[r->npushed++] = st->regs[DIF_RD(insn) % MAX_REGS];
		return true;
	case DIF_OP_CALL:
		return read_call(r, insn);
	default:
		if (load->size && !add_read(r->out, &st->regs[DIF_R1(insn) % MAX_REGS], load->size))
			return false;
		return term_step(r->walk, insn, st) && is_clear(&before, st, insn);
	}
}

/* All ways from there. */
static bool read_from(struct reading r, unsigned at)
{
	const struct difo *d = r.walk->difo;

	while (at < d->ninsns && r.walk->nsteps++ < MAX_STEPS) {
		uint32_t insn = d->text[at++];
		unsigned op = DIF_OP(insn);
		enum { TEXTS = 1U << TERM_TEXT | 1U << TERM_MADE };

		if (op == DIF_OP_RET) {
			const struct term *t = &r.state.regs[DIF_RD(insn) % MAX_REGS];

			if (t->kind == TERM_ADDRESS)
				return add_read(r.out, t, 0);
			return TEXTS >> t->kind & 1;
		}
		if (op == DIF_OP_BA)
			at = DIF_GETLABEL(insn);
		else if (insn_class[op] & INSN_BRANCH ? !read_from(r, DIF_GETLABEL(insn))
						      : !read_insn(&r, insn))
			return false;
	}
	return false;
}

bool derived_of(const struct probe *p, const struct difo *d, struct derived *out)
{
	const struct filter_source source = {.has_records = true};
	struct walk w = {.source = &source, .probe = p, .difo = d};
	const struct reading r = {
		.walk = &w, .out = out, .state = {.regs = {[0] = {.kind = TERM_CONST}}}};

	out->n = 0;
	return d && d->nregs <= MAX_REGS && read_from(r, 0) && out->n;
}
