#include "symbols/cfi/dwarfexpr.h"

#include <dwarf.h>
#include <errno.h>

#include "symbols/cfi/ehbytes.h"

#define STACK_MAX 32
#define STEPS_MAX 1000 /* operations of one expression: they may jump back */

struct eval {
	struct ehbytes b;
	const struct dwexpr *expr;
	size_t next; /* of expr->ops */
	const struct dwexpr_context *context;
	unsigned n;
	int error; /* -EINVAL unless the memory is at fault */
	/* where it is, by what has been said so far */
	struct dwexpr_location at;
	bool is_said;	     /* what follows can only be the size of a piece */
	uint64_t last_piece; /* bytes; 0: none yet */
	struct dwexpr_value stack[STACK_MAX];
};

static void fail(struct eval *e, int error)
{
	if (e->b.ok)
		e->error = error;
	e->b.ok = false;
}

/* ---- operations and their operands ---- */

enum operand {
	NONE,
	U1,
	U2,
	U4,
	U8,
	S1,
	S2,
	S4,
	S8,
	ULEB,
	SLEB,
};

/* Those that have operands; of the rest, none. */
static const uint8_t operands[256][2] = {
	[DW_OP_addr] = {U8},
	[DW_OP_const1u] = {U1},
	[DW_OP_const1s] = {S1},
	[DW_OP_const2u] = {U2},
	[DW_OP_const2s] = {S2},
	[DW_OP_const4u] = {U4},
	[DW_OP_const4s] = {S4},
	[DW_OP_const8u] = {U8},
	[DW_OP_const8s] = {S8},
	[DW_OP_constu] = {ULEB},
	[DW_OP_consts] = {SLEB},
	[DW_OP_pick] = {U1},
	[DW_OP_plus_uconst] = {ULEB},
	[DW_OP_skip] = {S2},
	[DW_OP_bra] = {S2},
	[DW_OP_breg0... DW_OP_breg31] = {SLEB},
	[DW_OP_fbreg] = {SLEB},
	[DW_OP_bregx] = {ULEB, SLEB},
	[DW_OP_piece] = {ULEB},
	[DW_OP_deref_size] = {U1},
	[DW_OP_addrx] = {ULEB},
	[DW_OP_constx] = {ULEB},
	[DW_OP_GNU_addr_index] = {ULEB},
	[DW_OP_GNU_const_index] = {ULEB},
};

static uint64_t read_operand(struct ehbytes *b, uint8_t kind)
{
	switch (kind) {
	case NONE:
		return 0;
	case ULEB:
		return eh_uleb(b);
	case SLEB:
		return (uint64_t)eh_sleb(b);
	default:
		return kind >= S1 ? (uint64_t)eh_sint(b, 1U << (kind - S1))
				  : eh_uint(b, 1U << (kind - U1));
	}
}

/* False: that was all. */
static bool fetch(struct eval *e, struct dwexpr_op *op)
{
	const uint8_t *kinds;

	if (!e->b.ok)
		return false;
	if (e->expr->ops) {
		if (e->next == e->expr->n)
			return false;
		*op = e->expr->ops[e->next++];
		return true;
	}
	if (e->b.p == e->b.end)
		return false;
	op->atom = (uint8_t)eh_uint(&e->b, 1);
	kinds = operands[op->atom];
	op->number = read_operand(&e->b, kinds[0]);
	op->number2 = read_operand(&e->b, kinds[1]);
	return e->b.ok;
}

static void jump(struct eval *e, bool taken, int64_t delta)
{
	if (!taken)
		return;
	if (e->expr->ops || delta < e->expr->bytes - e->b.p || delta > e->b.end - e->b.p)
		fail(e, -EINVAL);
	else
		e->b.p += delta;
}

/* ---- the stack ---- */

static void push_value(struct eval *e, struct dwexpr_value v)
{
	if (e->n == STACK_MAX)
		fail(e, -EINVAL);
	else
		e->stack[e->n++] = v;
}

static void push(struct eval *e, uint64_t v)
{
	push_value(e, (struct dwexpr_value){.base = DWEXPR_CONST, .off = v});
}

static struct dwexpr_value pop_value(struct eval *e)
{
	if (!e->n) {
		fail(e, -EINVAL);
		return (struct dwexpr_value){.base = DWEXPR_CONST};
	}
	return e->stack[--e->n];
}

static bool is_number(const struct dwexpr_value *v)
{
	return v->base == DWEXPR_CONST && !v->is_loaded;
}

/* Only a number will do. */
static uint64_t pop(struct eval *e)
{
	struct dwexpr_value v = pop_value(e);

	if (!is_number(&v))
		fail(e, -EINVAL);
	return v.off;
}

/* A copy of the entry that far below the top. */
static void pick(struct eval *e, uint64_t depth)
{
	if (depth >= e->n)
		fail(e, -EINVAL);
	else
		push_value(e, e->stack[e->n - 1 - depth]);
}

static void rotate(struct eval *e, unsigned n)
{
	struct dwexpr_value top;

	if (e->n < n) {
		fail(e, -EINVAL);
		return;
	}
	top = e->stack[e->n - 1];
	memmove(&e->stack[e->n - n + 1], &e->stack[e->n - n], (n - 1) * sizeof(top));
	e->stack[e->n - n] = top;
}

/* ---- registers and memory ---- */

static void push_register(struct eval *e, uint64_t reg, uint64_t off)
{
	const struct dwexpr_context *c = e->context;

	if (c->regs ? reg >= c->nregs : reg > UINT32_MAX)
		fail(e, -EINVAL);
	else if (c->regs)
		push(e, c->regs[reg] + off);
	else
		push_value(e, (struct dwexpr_value){
				      .base = DWEXPR_REG, .reg = (uint32_t)reg, .off = off});
}

static void push_base(struct eval *e, enum dwexpr_base base, uint64_t off)
{
	push_value(e, (struct dwexpr_value){.base = (uint8_t)base, .off = off});
}

static void load(struct eval *e, uint64_t size)
{
	struct dwexpr_value at = pop_value(e);
	bool is_known = is_number(&at) && e->context->read;
	uint64_t v = 0;

	if (!at.is_loaded && !is_number(&at) && size == 8) {
		at.is_loaded = true;
		push_value(e, at);
	} else if (!is_known || (size != 1 && size != 2 && size != 4 && size != 8)) {
		fail(e, -EINVAL);
	} else if (!e->context->read(e->context->arg, at.off, &v)) {
		fail(e, -EFAULT);
	} else {
		push(e, size == 8 ? v : v & ((1ULL << 8 * size) - 1));
	}
}

/* ---- arithmetic ---- */

static void add(struct eval *e, struct dwexpr_value v, uint64_t n)
{
	*(v.is_loaded ? &v.add : &v.off) += n;
	push_value(e, v);
}

static uint64_t divide(struct eval *e, int64_t x, int64_t y)
{
	if (y == 0)
		fail(e, -EINVAL);
	if (y == 0 || y == -1) /* the most negative number has no quotient */
		return -(uint64_t)x;
	return (uint64_t)(x / y);
}

static uint64_t remainder_of(struct eval *e, uint64_t x, uint64_t y)
{
	if (!y)
		fail(e, -EINVAL);
	return y ? x % y : 0;
}

/* Of two numbers. */
static void binary(struct eval *e, uint8_t atom)
{
	uint64_t y = pop(e), x = pop(e);
	int64_t sx = (int64_t)x, sy = (int64_t)y;

	switch (atom) {
		/* clang-format off */
	case DW_OP_and: push(e, x & y); break;
	case DW_OP_or: push(e, x | y); break;
	case DW_OP_xor: push(e, x ^ y); break;
	case DW_OP_mul: push(e, x * y); break;
	case DW_OP_div: push(e, divide(e, sx, sy)); break;
	case DW_OP_mod: push(e, remainder_of(e, x, y)); break;
	case DW_OP_shl: push(e, y < 64 ? x << y : 0); break;
	case DW_OP_shr: push(e, y < 64 ? x >> y : 0); break;
	case DW_OP_shra: push(e, (uint64_t)(sx >> MIN(y, 63))); break;
	case DW_OP_eq: push(e, sx == sy); break;
	case DW_OP_ge: push(e, sx >= sy); break;
	case DW_OP_gt: push(e, sx > sy); break;
	case DW_OP_le: push(e, sx <= sy); break;
	case DW_OP_lt: push(e, sx < sy); break;
	case DW_OP_ne: push(e, sx != sy); break;
	default: fail(e, -EINVAL);
		/* clang-format on */
	}
}

/* Of which one may be no number. */
static void plus(struct eval *e)
{
	struct dwexpr_value y = pop_value(e), x = pop_value(e);

	if (is_number(&y))
		add(e, x, y.off);
	else if (is_number(&x))
		add(e, y, x.off);
	else
		fail(e, -EINVAL);
}

static void minus(struct eval *e)
{
	uint64_t y = pop(e);

	add(e, pop_value(e), -y);
}

static void absolute(struct eval *e)
{
	uint64_t v = pop(e);

	push(e, (int64_t)v < 0 ? -v : v);
}

/* ---- places that are no memory ---- */

static void say(struct eval *e, int kind)
{
	if (kind != DWEXPR_REGISTERS && e->at.nregs)
		fail(e, -EINVAL);
	e->at.kind = kind;
	e->is_said = true;
}

static void say_register(struct eval *e, unsigned reg)
{
	if (e->n || e->at.nregs == DWEXPR_REGS || (e->at.nregs && e->last_piece != 8)) {
		fail(e, -EINVAL);
		return;
	}
	e->at.regs[e->at.nregs++] = reg;
	e->last_piece = 0;
	say(e, DWEXPR_REGISTERS);
}

static void say_piece(struct eval *e, uint64_t bytes)
{
	if (!e->is_said || e->at.kind != DWEXPR_REGISTERS || !bytes || bytes > 8)
		fail(e, -EINVAL);
	e->last_piece = bytes;
	e->is_said = false;
}

/* ---- all of it ---- */

static void operate(struct eval *e, const struct dwexpr_op *op)
{
	uint64_t number = op->number;
	uint8_t atom = op->atom;

	switch (atom) {
		/* clang-format off */
	case DW_OP_nop: break;
	case DW_OP_addr: push_base(e, e->context->regs ? DWEXPR_CONST : DWEXPR_ADDRESS, number); break;
	case DW_OP_const1u ... DW_OP_consts: push(e, number); break;
	case DW_OP_lit0 ... DW_OP_lit31: push(e, atom - DW_OP_lit0); break;
	case DW_OP_breg0 ... DW_OP_breg31: push_register(e, atom - DW_OP_breg0, number); break;
	case DW_OP_bregx: push_register(e, number, op->number2); break;
	case DW_OP_fbreg: push_base(e, DWEXPR_FRAME, number); break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index: push_base(e, DWEXPR_UNKNOWN, 0); break;
	case DW_OP_deref: load(e, 8); break;
	case DW_OP_deref_size: load(e, number); break;
	case DW_OP_dup: pick(e, 0); break;
	case DW_OP_over: pick(e, 1); break;
	case DW_OP_pick: pick(e, number); break;
	case DW_OP_drop: pop_value(e); break;
	case DW_OP_swap: rotate(e, 2); break;
	case DW_OP_rot: rotate(e, 3); break;
	case DW_OP_neg: push(e, -pop(e)); break;
	case DW_OP_not: push(e, ~pop(e)); break;
	case DW_OP_abs: absolute(e); break;
	case DW_OP_plus: plus(e); break;
	case DW_OP_minus: minus(e); break;
	case DW_OP_plus_uconst: add(e, pop_value(e), number); break;
	case DW_OP_bra: jump(e, pop(e) != 0, (int64_t)number); break;
	case DW_OP_skip: jump(e, true, (int64_t)number); break;
	case DW_OP_reg0 ... DW_OP_reg31: say_register(e, atom - DW_OP_reg0); break;
	case DW_OP_piece: say_piece(e, number); break;
	case DW_OP_stack_value: say(e, DWEXPR_VALUE); break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address: say(e, DWEXPR_TLS); break;
	default: binary(e, atom);
		/* clang-format on */
	}
}

static int finish(struct eval *e, struct dwexpr_location *at)
{
	if (e->at.kind != DWEXPR_REGISTERS)
		e->at.value = pop_value(e);
	else if (e->n || (e->is_said && e->at.nregs > 1)) /* what is the rest? */
		fail(e, -EINVAL);
	if (e->b.ok)
		*at = e->at;
	return e->b.ok ? 0 : e->error;
}

int dwexpr_eval(const struct dwexpr *expr, const struct dwexpr_context *context,
		struct dwexpr_location *at)
{
	struct dwexpr_op op;
	struct eval e;

	e.b = (struct ehbytes){expr->bytes, expr->bytes ? expr->bytes + expr->n : NULL, true};
	e.expr = expr;
	e.next = 0;
	e.context = context;
	e.n = 0;
	e.error = -EINVAL;
	e.at = (struct dwexpr_location){.kind = DWEXPR_MEMORY};
	e.is_said = false;
	e.last_piece = 0;
	if (context->first)
		push_value(&e, *context->first);
	for (unsigned steps = 0; fetch(&e, &op); steps++) {
		if (steps == STEPS_MAX || (e.is_said && op.atom != DW_OP_piece))
			return -EINVAL;
		operate(&e, &op);
	}
	return finish(&e, at);
}
