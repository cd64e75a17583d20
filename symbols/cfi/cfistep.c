/* From a frame's registers to its caller's, by a row; the expressions in rows (DWARF 5 §2.5). */
#include "symbols/cfi/cfi.h"

#include <dwarf.h>
#include <errno.h>

#include "symbols/cfi/ehbytes.h"

#define STACK_MAX 32
#define STEPS_MAX 1000 /* operations of one expression: they may jump back */

struct eval {
	struct ehbytes b;
	const uint8_t *start;
	uint64_t stack[STACK_MAX];
	unsigned n;
	const struct cfi_regs *regs;
	cfi_read *read;
	void *arg;
	int error; /* -EINVAL unless the memory is at fault */
};

static void fail(struct eval *e, int error)
{
	if (e->b.ok)
		e->error = error;
	e->b.ok = false;
}

static void push(struct eval *e, uint64_t v)
{
	if (e->n == STACK_MAX)
		fail(e, -EINVAL);
	else
		e->stack[e->n++] = v;
}

static uint64_t pop(struct eval *e)
{
	if (!e->n) {
		fail(e, -EINVAL);
		return 0;
	}
	return e->stack[--e->n];
}

/* A copy of the entry that far below the top. */
static void pick(struct eval *e, unsigned depth)
{
	if (depth >= e->n)
		fail(e, -EINVAL);
	else
		push(e, e->stack[e->n - 1 - depth]);
}

static void push_register(struct eval *e, uint64_t reg)
{
	uint64_t off = (uint64_t)eh_sleb(&e->b);

	if (reg >= CFI_NREGS)
		fail(e, -EINVAL);
	else
		push(e, e->regs->r[reg] + off);
}

static void deref(struct eval *e, unsigned size)
{
	uint64_t v = 0;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		fail(e, -EINVAL);
	else if (!e->read(e->arg, pop(e), &v))
		fail(e, -EFAULT);
	else
		push(e, size == 8 ? v : v & ((1ULL << 8 * size) - 1));
}

static void jump(struct eval *e, bool taken)
{
	int64_t delta = eh_sint(&e->b, 2);

	if (!taken || !e->b.ok)
		return;
	if (delta < e->start - e->b.p || delta > e->b.end - e->b.p)
		fail(e, -EINVAL);
	else
		e->b.p += delta;
}

static void rotate(struct eval *e, unsigned n)
{
	uint64_t top;

	if (e->n < n) {
		fail(e, -EINVAL);
		return;
	}
	top = e->stack[e->n - 1];
	memmove(&e->stack[e->n - n + 1], &e->stack[e->n - n], (n - 1) * sizeof(top));
	e->stack[e->n - n] = top;
}

static uint64_t divide(struct eval *e, int64_t x, int64_t y)
{
	if (y == 0)
		fail(e, -EINVAL);
	if (y == 0 || y == -1) /* the most negative number has no quotient */
		return -(uint64_t)x;
	return (uint64_t)(x / y);
}

static void binary(struct eval *e, uint8_t op)
{
	uint64_t y = pop(e), x = pop(e);
	int64_t sx = (int64_t)x, sy = (int64_t)y;

	switch (op) {
		/* clang-format off */
	case DW_OP_and: push(e, x & y); break;
	case DW_OP_or: push(e, x | y); break;
	case DW_OP_xor: push(e, x ^ y); break;
	case DW_OP_plus: push(e, x + y); break;
	case DW_OP_minus: push(e, x - y); break;
	case DW_OP_mul: push(e, x * y); break;
	case DW_OP_div: push(e, divide(e, sx, sy)); break;
	case DW_OP_shl: push(e, y < 64 ? x << y : 0); break;
	case DW_OP_shr: push(e, y < 64 ? x >> y : 0); break;
	case DW_OP_shra: push(e, (uint64_t)(sx >> MIN(y, 63))); break;
	case DW_OP_eq: push(e, sx == sy); break;
	case DW_OP_ge: push(e, sx >= sy); break;
	case DW_OP_gt: push(e, sx > sy); break;
	case DW_OP_le: push(e, sx <= sy); break;
	case DW_OP_lt: push(e, sx < sy); break;
	case DW_OP_ne: push(e, sx != sy); break;
		/* clang-format on */
	case DW_OP_mod:
		if (!y)
			fail(e, -EINVAL);
		else
			push(e, x % y);
		break;
	default:
		fail(e, -EINVAL);
	}
}

static void push_constant(struct eval *e, uint8_t op)
{
	unsigned size = 1U << (op - DW_OP_const1u) / 2;

	if ((op - DW_OP_const1u) % 2)
		push(e, (uint64_t)eh_sint(&e->b, size));
	else
		push(e, eh_uint(&e->b, size));
}

static void operate(struct eval *e, uint8_t op)
{
	switch (op) {
		/* clang-format off */
	case DW_OP_nop: break;
	case DW_OP_addr: push(e, eh_uint(&e->b, 8)); break;
	case DW_OP_constu: push(e, eh_uleb(&e->b)); break;
	case DW_OP_consts: push(e, (uint64_t)eh_sleb(&e->b)); break;
	case DW_OP_deref: deref(e, 8); break;
	case DW_OP_deref_size: deref(e, (unsigned)eh_uint(&e->b, 1)); break;
	case DW_OP_dup: pick(e, 0); break;
	case DW_OP_over: pick(e, 1); break;
	case DW_OP_pick: pick(e, (unsigned)eh_uint(&e->b, 1)); break;
	case DW_OP_drop: pop(e); break;
	case DW_OP_swap: rotate(e, 2); break;
	case DW_OP_rot: rotate(e, 3); break;
	case DW_OP_neg: push(e, -pop(e)); break;
	case DW_OP_not: push(e, ~pop(e)); break;
	case DW_OP_plus_uconst: push(e, pop(e) + eh_uleb(&e->b)); break;
	case DW_OP_bregx: push_register(e, eh_uleb(&e->b)); break;
	case DW_OP_bra: jump(e, pop(e) != 0); break;
	case DW_OP_skip: jump(e, true); break;
		/* clang-format on */
	case DW_OP_abs: {
		uint64_t v = pop(e);

		push(e, (int64_t)v < 0 ? -v : v);
		break;
	}
	default:
		if (op >= DW_OP_const1u && op <= DW_OP_const8s)
			push_constant(e, op);
		else if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			push(e, op - DW_OP_lit0);
		else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
			push_register(e, op - DW_OP_breg0);
		else
			binary(e, op);
	}
}

/* cfa: what the stack holds at first; NULL: nothing. */
static int evaluate(const struct cfi_rule *rule, const uint64_t *cfa, const struct cfi_regs *regs,
		    cfi_read *read, void *arg, uint64_t *v)
{
	struct eval e = {.b = {rule->expr, rule->expr + rule->len, true},
			 .start = rule->expr,
			 .regs = regs,
			 .read = read,
			 .arg = arg,
			 .error = -EINVAL};

	if (cfa)
		push(&e, *cfa);
	for (unsigned steps = 0; e.b.ok && e.b.p < e.b.end; steps++) {
		if (steps == STEPS_MAX)
			return -EINVAL;
		operate(&e, (uint8_t)eh_uint(&e.b, 1));
	}
	*v = pop(&e);
	return e.b.ok ? 0 : e.error;
}

static int apply(const struct cfi_rule *rule, uint64_t cfa, const struct cfi_regs *regs,
		 cfi_read *read, void *arg, uint64_t *v)
{
	taddr_t at = cfa + (uint64_t)rule->off;
	int r;

	switch (rule->how) {
	case CFI_SAVED:
		return read(arg, at, v) ? 0 : -EFAULT;
	case CFI_VALUE:
		*v = at;
		return 0;
	case CFI_REGISTER:
		*v = regs->r[rule->reg];
		return 0;
	case CFI_EXPR:
		r = evaluate(rule, &cfa, regs, read, arg, &at);
		return r ? r : read(arg, at, v) ? 0 : -EFAULT;
	case CFI_VALEXPR:
		return evaluate(rule, &cfa, regs, read, arg, v);
	default:
		return 0; /* CFI_SAME; what is CFI_UNDEFINED keeps a value that nobody needs */
	}
}

int cfi_step(const struct cfi_row *row, struct cfi_regs *regs, cfi_read *read, void *arg)
{
	struct cfi_regs out = *regs;
	uint64_t cfa;
	int r = 0;

	/* Without a rule the return address would be this pc again. */
	if (row->regs[CFI_RA].how == CFI_UNDEFINED || row->regs[CFI_RA].how == CFI_SAME)
		return -ENODATA;
	if (row->cfa.how == CFI_REGISTER)
		cfa = regs->r[row->cfa.reg] + (uint64_t)row->cfa.off;
	else
		r = evaluate(&row->cfa, NULL, regs, read, arg, &cfa);
	if (r)
		return r;
	out.r[CFI_RSP] = cfa;
	/* Compilers are not exact about the others in epilogues, and few are ever needed. */
	for (unsigned i = 0; i < CFI_RA; i++)
		if (apply(&row->regs[i], cfa, regs, read, arg, &out.r[i]))
			out.r[i] = regs->r[i];
	r = apply(&row->regs[CFI_RA], cfa, regs, read, arg, &out.r[CFI_RA]);
	if (!r)
		*regs = out;
	return r;
}
