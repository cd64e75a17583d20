/*
 * cgstore.c: code of what writes: assignments, compound ones, ++ and --.
 */
#include "dlang/codegen/codegen.h"
#include "dlang/run/vm.h"

static bool is_variable(const struct node *n)
{
	return n->kind == NODE_VAR;
}

/* The value in reg to a variable; keys of an array are evaluated here. */
static void store_variable(struct difob *b, struct node *var, int reg)
{
	static const uint8_t ops[2][3] = {
		{
			[SCOPE_GLOBAL] = DIF_OP_STGS,
			[SCOPE_SELF] = DIF_OP_STTS,
			[SCOPE_THIS] = DIF_OP_STLS,
		},
		{
			[SCOPE_GLOBAL] = DIF_OP_STGAA,
			[SCOPE_SELF] = DIF_OP_STTAA,
		},
	};
	const struct ident *id = var->ident;
	bool is_array = id->kind == IDENT_ARRAY;

	if (is_array)
		cg_push_list(b, var->args, id->keys);
	difob_use(b, id, true);
	difob_emit(b, DIF_INDEX(ops[is_array][id->scope], id->id, reg));
}

static void mask(struct difob *b, int reg, uint64_t bits)
{
	int m = difob_reg(b);

	difob_setx(b, bits, m);
	emit3(b, DIF_OP_AND, reg, m, reg);
	difob_free(b, m);
}

static void store_bytes(struct difob *b, const struct node *n, int value, int address)
{
	uint64_t size = type_bytes(b->cc, n->type);
	unsigned op = size == 1	  ? DIF_OP_STB
		      : size == 2 ? DIF_OP_STH
		      : size == 4 ? DIF_OP_STW
				  : DIF_OP_STX;

	emit3(b, op, value, 0, address);
}

/* The unit around a bit-field is read, the field's bits replaced, and written back. */
static void store_bitfield(struct difob *b, const struct node *n, int value, int address)
{
	uint64_t bits = UINT64_MAX >> (64 - n->bits);
	struct node unit = *n;
	unsigned shift;
	int v = difob_reg(b), s;

	member_offset(n, &shift);
	unit.reg = difob_reg(b);
	emit3(b, DIF_OP_MOV, address, 0, unit.reg);
	cg_load(b, &unit);
	mask(b, unit.reg, ~(bits << shift));
	emit3(b, DIF_OP_MOV, value, 0, v);
	mask(b, v, bits);
	s = difob_reg(b);
	difob_setx(b, shift, s);
	emit3(b, DIF_OP_SLL, v, s, v);
	difob_free(b, s);
	emit3(b, DIF_OP_OR, unit.reg, v, unit.reg);
	store_bytes(b, n, unit.reg, address);
	difob_free(b, unit.reg);
	difob_free(b, v);
}

/* Where the next member begins: strings may have become longer since the structure was laid out. */
static uint64_t member_room(const struct node *n)
{
	const struct type *t = type_resolve(n->left->type);
	uint64_t at = n->bit_offset, end;

	if (n->op == OP_PTR)
		t = type_resolve(t->ref);
	end = t->size * 8;
	for (unsigned i = 0; i < t->nmembers; i++)
		if (t->members[i].bit_offset > at)
			end = MIN(end, t->members[i].bit_offset);
	return (end - at) / 8;
}

static uint64_t string_room(struct difob *b, const struct node *n)
{
	uint64_t size = type_bytes(b->cc, n->type);
	const struct type *t;

	if (n->kind != NODE_OP2)
		return size;
	t = type_resolve(n->left->type);
	if (n->op == OP_INDEX)
		return t->kind == TYPE_ARRAY ? MIN(size, t->size / t->nelems) : size;
	return MIN(size, member_room(n));
}

void cg_store_string(struct difob *b, const struct node *n, int value, int address)
{
	uint64_t room = type_is_string(n->type) ? string_room(b, n) : type_bytes(b->cc, n->type);
	int size = difob_reg(b);

	difob_emit(b, DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, address));
	difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, value));
	difob_setx(b, room, size);
	difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, size));
	difob_emit(b, DIF_INDEX(DIF_OP_CALL, SUBR_STORE_STRING, size));
	difob_free(b, size);
}

void cg_store_memory(struct difob *b, const struct node *n, int value, int address)
{
	int size;

	if (n->is_bitfield) {
		store_bitfield(b, n, value, address);
	} else if (type_is_string(n->type)) {
		cg_store_string(b, n, value, address);
	} else if (type_is_byref(n->type)) {
		size = difob_reg(b);
		difob_setx(b, type_bytes(b->cc, n->type), size);
		emit3(b, DIF_OP_COPYS, value, size, address);
		difob_free(b, size);
	} else {
		store_bytes(b, n, value, address);
	}
}

/* A part of a variable is going to be stored: the whole is there then. */
static void make_whole(struct node *part)
{
	struct node *n = part;

	while (n->kind == NODE_OP2 &&
	       (n->op == OP_DOT ||
		(n->op == OP_INDEX && type_resolve(n->left->type)->kind == TYPE_ARRAY)))
		n = n->left;
	if (n != part && n->kind == NODE_VAR)
		n->is_made = true;
}

void cg_assign(struct difob *b, struct node *n)
{
	make_whole(n->left);
	cg_node(b, n->right);
	n->reg = n->right->reg;
	if (is_variable(n->left)) {
		cg_cast(b, n->reg, n->right, n->left->type);
		store_variable(b, n->left, n->reg);
		return;
	}
	cg_address(b, n->left);
	cg_cast(b, n->reg, n->right, n->left->type);
	cg_store_memory(b, n->left, n->reg, n->left->reg);
	difob_free(b, n->left->reg);
}

static void store_result(struct difob *b, struct node *target, int reg)
{
	if (is_variable(target)) {
		store_variable(b, target, reg);
		return;
	}
	cg_address(b, target);
	cg_store_memory(b, target, reg, target->reg);
	difob_free(b, target->reg);
}

/* Operators and their assignments stand in the same order. */
static enum node_op plain_op(enum node_op op)
{
	static const uint8_t ops[] = {
		[OP_ADD_EQ] = OP_ADD, [OP_SUB_EQ] = OP_SUB,  [OP_MUL_EQ] = OP_MUL,
		[OP_DIV_EQ] = OP_DIV, [OP_MOD_EQ] = OP_MOD,  [OP_LSH_EQ] = OP_LSH,
		[OP_RSH_EQ] = OP_RSH, [OP_AND_EQ] = OP_BAND, [OP_OR_EQ] = OP_BOR,
		[OP_XOR_EQ] = OP_XOR,
	};

	return (enum node_op)ops[op];
}

void cg_assign_op(struct difob *b, struct node *n)
{
	struct node *l = n->left, *r = n->right, value;

	make_whole(l);
	cg_keep(b, l);
	cg_node(b, l);
	cg_node(b, r);
	n->reg = l->reg;
	if (type_is_pointer(l->type))
		cg_scale(b, r->reg, l->type);
	emit3(b, cg_opcode(b, n, plain_op(n->op)), n->reg, r->reg, n->reg);
	difob_free(b, r->reg);
	value = *n;
	cg_cast(b, n->reg, &value, l->type);
	store_result(b, l, n->reg);
	cg_keep_no_more(b, l);
}

static uint64_t step_of(struct difob *b, const struct node *n)
{
	return type_is_pointer(n->type) ? type_bytes(b->cc, type_resolve(n->type)->ref) : 1;
}

void cg_step(struct difob *b, struct node *n)
{
	bool is_post = n->op == OP_POSTINC || n->op == OP_POSTDEC;
	unsigned op = n->op == OP_PREINC || n->op == OP_POSTINC ? DIF_OP_ADD : DIF_OP_SUB;
	int r;

	make_whole(n->left);
	cg_keep(b, n->left);
	cg_node(b, n->left);
	n->reg = n->left->reg;
	r = difob_reg(b);
	difob_setx(b, step_of(b, n), r);
	emit3(b, op, n->reg, r, is_post ? r : n->reg);
	if (is_post) {
		store_result(b, n->left, r);
	} else {
		store_result(b, n->left, n->reg);
	}
	difob_free(b, r);
	cg_keep_no_more(b, n->left);
}
