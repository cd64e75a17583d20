/*
 * cgspill.c: expressions that need more registers than there are, because they are deep. Where most
 * registers are taken, what they hold is kept in hidden clause-local variables while the next part
 * is evaluated, as a caller keeps it across a call. Anybody who looks through a DIFO knows such
 * variables already.
 */
#include "dlang/codegen/codegen.h"

/* The code of a node takes fewer than the rest besides what its parts are evaluated to. */
#define MOST (DIF_NREGS - 32)

static unsigned count_taken(const struct difob *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(b->regs); i++)
		n += (unsigned)__builtin_popcountll(b->regs[i]);
	return n;
}

/* The n-th of these variables: expressions share them, for each is written before it is read. */
static const struct ident *spill_var(struct difob *b, unsigned n)
{
	struct idents *ids = b->cc->idents;
	const char *name = arena_printf(b->cc->arena, "%%r%u", n);
	const struct ident *id = ident_find(ids, SCOPE_THIS, name);

	if (!id)
		id = ident_add(ids, SCOPE_THIS, name, IDENT_SCALAR, b->cc->types->t_int64);
	if (!id)
		fail_no_ids(b->cc, b->cc->line);
	return id;
}

static void move(struct difob *b, unsigned op, unsigned nth, int reg)
{
	const struct ident *id = spill_var(b, nth);

	difob_use(b, id, op == DIF_OP_STLS);
	difob_emit(b, DIF_INDEX(op, id->id, reg));
}

/* The inputs of translators are read where they are. */
static bool is_bound(const struct difob *b, int reg)
{
	const struct binding *bound = b->bindings;

	while (bound && bound->reg != reg)
		bound = bound->outer;
	return bound != NULL;
}

/* The registers taken, which are free afterwards. */
static unsigned spill(struct difob *b, uint8_t regs[static DIF_NREGS])
{
	unsigned n = 0;

	for (int r = 1; r < DIF_NREGS; r++) {
		if (!difob_is_taken(b, r) || is_bound(b, r))
			continue;
		move(b, DIF_OP_STLS, b->nspilled + n, r);
		difob_free(b, r);
		regs[n++] = (uint8_t)r;
	}
	b->nspilled += n;
	return n;
}

/* They are as they were; the value of the node is in another one. */
static void restore(struct difob *b, struct node *value, const uint8_t *regs, unsigned n)
{
	int reg = value->reg;
	bool is_free = true;

	difob_free(b, reg);
	b->nspilled -= n;
	for (unsigned i = 0; i < n; i++) {
		difob_take(b, regs[i]);
		is_free &= regs[i] != reg;
	}
	if (is_free) {
		difob_take(b, reg);
	} else {
		value->reg = difob_reg(b);
		emit3(b, DIF_OP_MOV, reg, 0, value->reg);
	}
	for (unsigned i = 0; i < n; i++)
		move(b, DIF_OP_LDLS, b->nspilled + i, regs[i]);
}

void cg_node(struct difob *b, struct node *n)
{
	uint8_t regs[DIF_NREGS];
	unsigned nregs;

	if (n->is_kept) {
		cg_kept(b, n);
		return;
	}
	if (count_taken(b) <= MOST) {
		cg_plain(b, n);
		return;
	}
	nregs = spill(b, regs);
	cg_plain(b, n);
	restore(b, n, regs, nregs);
}
