/*
 * fold.c: integer constant expressions. The arithmetic is that of the machine: 64 bits, nothing is
 * cut to the type of the expression but by casts (docs/spec/d-language.md §3.2), so a folded
 * expression and the same one over variables come to the same.
 */
#include "dlang/parse/check.h"

static uint64_t shift_right(uint64_t v, uint64_t n, bool is_signed)
{
	n &= 63;
	v >>= n;
	if (is_signed && n && v >> (63 - n) & 1)
		v |= ~(UINT64_MAX >> n);
	return v;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
	bool neg_a = is_signed && a >> 63, neg_b = is_signed && b >> 63;
	uint64_t ua = neg_a ? -a : a, ub = neg_b ? -b : b;

	if (remainder)
		return neg_a ? -(ua % ub) : ua % ub;
	return neg_a != neg_b ? -(ua / ub) : ua / ub;
}

static bool less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* is_signed: of the type both operands are converted to; of the left operand for shifts. */
static uint64_t compute(enum node_op op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
	case OP_MOD:
		return divide(a, b, is_signed, op == OP_MOD);
	case OP_LSH:
		return a << (b & 63);
	case OP_RSH:
		return shift_right(a, b, is_signed);
	case OP_BAND:
		return a & b;
	case OP_BOR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_LAND:
		return a && b;
	case OP_LOR:
		return a || b;
	case OP_LXOR:
		return !a != !b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return less(a, b, is_signed);
	case OP_LE:
		return !less(b, a, is_signed);
	case OP_GT:
		return less(b, a, is_signed);
	default: /* OP_GE */
		return !less(a, b, is_signed);
	}
}

static bool is_folded(enum node_op op)
{
	return op >= OP_ADD && op <= OP_GE;
}

struct node *fold_op2(struct compiler *cc, struct node *n)
{
	const struct node *l = n->left, *r = n->right;
	const struct type *t;

	if (!is_folded(n->op) || l->kind != NODE_INT || r->kind != NODE_INT)
		return n;
	t = n->op == OP_LSH || n->op == OP_RSH ? l->type : usual_type(cc, l->type, r->type);
	return make_int(cc, n, compute(n->op, l->value, r->value, type_is_signed(t)), n->type);
}

struct node *fold_op1(struct compiler *cc, struct node *n)
{
	const struct node *e = n->left;
	uint64_t v = e->value;

	if (e->kind != NODE_INT)
		return n;
	switch (n->op) {
	case OP_INEG:
		v = -v;
		if (!type_is_signed(n->type))
			v &= UINT64_MAX >> (64 - 8 * type_bytes(cc, n->type));
		break;
	case OP_IPOS:
		break;
	case OP_BNEG:
		v = ~v;
		break;
	case OP_LNEG:
		v = !v;
		break;
	default:
		return n;
	}
	return make_int(cc, n, v, n->type);
}

struct node *fold_cast(struct compiler *cc, struct node *n)
{
	uint64_t size = type_bytes(cc, n->type);
	unsigned drop = size < 8 ? 64 - 8 * (unsigned)size : 0;
	uint64_t v;

	if (n->right->kind != NODE_INT || !type_is_integer(n->type))
		return n;
	v = n->right->value << drop;
	return make_int(cc, n, shift_right(v, drop, type_is_signed(n->type)), n->type);
}
