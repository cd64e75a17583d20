/*
 * codegen.c: checked expressions to DIF. The shape of the code is part of the language: fault
 * messages show offsets into it (docs/spec/d-language.md §19.2), so what stands there is generated
 * exactly.
 */
#include "dlang/codegen/codegen.h"

#include "dlang/parse/hint.h"
#include "dlang/run/vm.h"

/* ---- conversions ---- */

void cg_shift(struct difob *b, int reg, unsigned bits, unsigned back)
{
	int n = difob_reg(b);

	difob_setx(b, bits, n);
	emit3(b, DIF_OP_SLL, reg, n, reg);
	emit3(b, back, reg, n, reg);
	difob_free(b, n);
}

/* NULL is an int to whoever asks for its size, but in code it is the long it is defined as. */
static bool is_null(const struct node *n)
{
	return n->kind == NODE_INT && n->ident;
}

/* What may have more bits than its type: the result of arithmetic. */
static bool is_wide(const struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
		return n->value != (uint64_t)(int32_t)n->value;
	case NODE_OP1:
		return n->op == OP_INEG || n->op == OP_BNEG || n->op == OP_IPOS;
	case NODE_OP2:
		return (n->op >= OP_ADD && n->op <= OP_XOR) || n->op == OP_COMMA;
	case NODE_OP3:
		return true;
	default:
		return false;
	}
}

void cg_cast(struct difob *b, int reg, const struct node *from, const struct type *to)
{
	const struct type *src = is_null(from) ? b->cc->types->t_long : from->type;
	uint64_t ssize, dsize;
	bool ssigned, dsigned;

	if (!type_is_scalar(to) || !type_is_scalar(src))
		return;
	ssize = type_bytes(b->cc, src);
	dsize = type_is_pointer(to) ? 8
				    : type_bytes(b->cc, to); /* with -32 an address is whole, too */
	ssigned = type_is_signed(src);
	dsigned = type_is_signed(to);
	if ((dsize == ssize && (ssigned != dsigned || dsize == 8)) || (dsize > ssize && !ssigned))
		return;
	if (dsize > ssize) {
		if (dsize == 8 && is_wide(from)) /* all that it is */
			return;
		cg_shift(b, reg, 64 - 8 * (unsigned)ssize, DIF_OP_SRA);
		if (!dsigned && dsize < 8)
			cg_shift(b, reg, 64 - 8 * (unsigned)dsize, DIF_OP_SRL);
		return;
	}
	if (dsize < 8)
		cg_shift(b, reg, 64 - 8 * (unsigned)dsize, dsigned ? DIF_OP_SRA : DIF_OP_SRL);
}

void cg_scale(struct difob *b, int reg, const struct type *pointer)
{
	const struct type *t = type_resolve(pointer);
	uint64_t size = type_is_string(t) ? 1 : type_bytes(b->cc, t->ref);
	int n;

	if (size == 1)
		return;
	n = difob_reg(b);
	difob_setx(b, size, n);
	emit3(b, DIF_OP_MUL, reg, n, reg);
	difob_free(b, n);
}

/* ---- the tuple stack ---- */

static void push(struct difob *b, struct node *arg, const struct type *as)
{
	const struct type *t = as && type_is_byref(as) ? as : arg->type;
	int size;

	if (as && as != b->cc->types->t_uintptr) /* an address, as in a cast to a pointer */
		cg_cast(b, arg->reg, arg, as);
	if (!type_is_byref(t)) {
		difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, arg->reg));
		difob_free(b, arg->reg);
		return;
	}
	size = difob_reg(b);
	difob_setx(b, type_bytes(b->cc, t), size);
	difob_emit(b, DIF_FMT(DIF_OP_PUSHTR, type_is_string(t) ? DIF_PUSH_STRING : DIF_PUSH_BYTES,
			      size, arg->reg));
	difob_free(b, size);
	difob_free(b, arg->reg);
}

bool cg_is_simple(const struct node *n)
{
	return n->kind == NODE_INT || n->kind == NODE_STR ||
	       (n->kind == NODE_VAR && n->ident->kind == IDENT_SCALAR && !n->ident->is_input);
}

/* All operands first, each in its register. */
void cg_push_list(struct difob *b, struct node *args, const struct type *const *types)
{
	unsigned n = node_count(args), i = 0;

	if (n > DIF_NTREGS || n > (uint64_t)opt(&b->cc->session->options, OPT_TREGS))
		compile_fail_plain(b->cc, "Insufficient tuple registers to generate code");
	for (struct node *a = args; a; a = a->next)
		cg_node(b, a);
	difob_emit(b, DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	for (struct node *a = args; a; a = a->next)
		push(b, a, types ? types[i++] : a->param);
}

/* ---- memory ---- */

void cg_load(struct difob *b, const struct node *n)
{
	static const uint8_t ops[2][4][2] = {
		{{DIF_OP_LDUB, DIF_OP_LDSB},
		 {DIF_OP_LDUH, DIF_OP_LDSH},
		 {DIF_OP_LDUW, DIF_OP_LDSW},
		 {DIF_OP_LDX, DIF_OP_LDX}},
		{{DIF_OP_ULDUB, DIF_OP_ULDSB},
		 {DIF_OP_ULDUH, DIF_OP_ULDSH},
		 {DIF_OP_ULDUW, DIF_OP_ULDSW},
		 {DIF_OP_ULDX, DIF_OP_ULDX}},
	};
	uint64_t size = type_bytes(b->cc, n->type);
	unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	if (type_is_byref(n->type))
		return;
	emit3(b, ops[n->is_userland][log][type_is_signed(n->type)], n->reg, 0, n->reg);
}

unsigned memory_needs(const struct type *pointer)
{
	return NEED_MEM | (type_is_in_kernel(pointer) ? NEED_KERNEL : NEED_TARGET);
}

uint64_t member_offset(const struct node *n, unsigned *shift)
{
	uint64_t unit = 8 * type_resolve(n->type)->size, at = n->bit_offset;

	*shift = 0;
	if (n->is_bitfield) {
		*shift = (unsigned)(at % unit);
		if (*shift + n->bits > unit) /* of a packed structure: its unit is not aligned */
			*shift = (unsigned)(at % 8);
		at -= *shift;
	}
	return at / 8;
}

static void cg_element_address(struct difob *b, struct node *n)
{
	const struct type *t = type_resolve(n->left->type);
	struct node *i = n->right;
	int max;

	cg_node(b, n->left);
	cg_node(b, i);
	if (t->kind == TYPE_ARRAY && t->nelems && i->kind != NODE_INT) {
		difob_emit(b, DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
		difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, i->reg));
		max = difob_reg(b);
		difob_setx(b, t->nelems, max);
		difob_emit(b, DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, max));
		difob_free(b, max);
		difob_emit(b, DIF_INDEX(DIF_OP_CALL, SUBR_CHECK_INDEX, i->reg));
	}
	cg_scale(b, i->reg, t);
	n->reg = n->left->reg;
	emit3(b, DIF_OP_ADD, n->reg, i->reg, n->reg);
	difob_free(b, i->reg);
}

/* How far it lies from the pointer that leads to it: p->a, p->a.b. */
static void note_offset(struct difob *b, const struct node *n)
{
	uint64_t offset = 0;
	unsigned shift;

	for (; n->kind == NODE_OP2 && (n->op == OP_PTR || n->op == OP_DOT); n = n->left) {
		offset += member_offset(n, &shift);
		if (type_is_pointer(n->left->type)) {
			difob_note_offset(b, offset);
			return;
		}
	}
}

static void cg_member_address(struct difob *b, struct node *n)
{
	unsigned shift;
	uint64_t offset = member_offset(n, &shift);

	if (offset)
		note_offset(b, n);
	cg_node(b, n->left);
	n->reg = n->left->reg;
	if (offset)
		cg_add(b, n->reg, offset);
}

/* Dynamic thread vectors: %fs:8 leads to that of the thread, whose words lead to blocks (ELF
 * Handling For Thread-Local Storage, §3). */
static int cg_per_thread(struct difob *b, const struct node *n)
{
	int reg = cg_from_register(b, VM_UREG_FS, n->tls_word ? 8 : n->value);

	if (!n->tls_word)
		return reg;
	emit3(b, DIF_OP_ULDX, reg, 0, reg);
	cg_add(b, reg, n->tls_word);
	emit3(b, DIF_OP_ULDX, reg, 0, reg);
	cg_add(b, reg, n->value);
	return reg;
}

void cg_address(struct difob *b, struct node *n)
{
	if (n->kind == NODE_SYM && n->is_tls) {
		n->reg = cg_per_thread(b, n);
		return;
	}
	if (n->kind == NODE_SYM) {
		n->reg = difob_reg(b);
		difob_setx(b, n->value, n->reg);
		b->difo.needs |= NEED_MEM | NEED_TARGET;
		return;
	}
	if (type_is_pointer(n->left->type))
		b->difo.needs |= memory_needs(n->left->type);
	if (n->kind == NODE_OP1) { /* *p */
		cg_node(b, n->left);
		n->reg = n->left->reg;
	} else if (n->op == OP_INDEX) {
		cg_element_address(b, n);
	} else {
		cg_member_address(b, n);
	}
}

static void cg_bitfield(struct difob *b, const struct node *n)
{
	bool is_signed = type_is_signed(n->type);
	unsigned shift;
	int r = difob_reg(b);

	member_offset(n, &shift);
	if (is_signed) {
		difob_setx(b, 64 - shift - n->bits, r);
		emit3(b, DIF_OP_SLL, n->reg, r, n->reg);
		difob_setx(b, 64 - n->bits, r);
		emit3(b, DIF_OP_SRA, n->reg, r, n->reg);
	} else {
		difob_setx(b, shift, r);
		emit3(b, DIF_OP_SRL, n->reg, r, n->reg);
		difob_setx(b, UINT64_MAX >> (64 - n->bits), r);
		emit3(b, DIF_OP_AND, n->reg, r, n->reg);
	}
	difob_free(b, r);
}

static void cg_memory(struct difob *b, struct node *n)
{
	cg_address(b, n);
	cg_load(b, n);
	if (n->is_bitfield)
		cg_bitfield(b, n);
}

/* ---- operators ---- */

unsigned cg_opcode(struct difob *b, const struct node *n, enum node_op op)
{
	const struct type *l = n->left->type, *r = n->right->type;
	bool is_signed =
		type_is_integer(l) && type_is_integer(r) && type_is_signed(usual_type(b->cc, l, r));

	switch (op) {
	case OP_ADD:
		return DIF_OP_ADD;
	case OP_SUB:
		return DIF_OP_SUB;
	case OP_MUL:
		return DIF_OP_MUL;
	case OP_DIV:
		return is_signed ? DIF_OP_SDIV : DIF_OP_UDIV;
	case OP_MOD:
		return is_signed ? DIF_OP_SREM : DIF_OP_UREM;
	case OP_LSH:
		return DIF_OP_SLL;
	case OP_RSH:
		return type_is_signed(l) ? DIF_OP_SRA : DIF_OP_SRL;
	case OP_BAND:
		return DIF_OP_AND;
	case OP_BOR:
		return DIF_OP_OR;
	case OP_XOR:
		return DIF_OP_XOR;
	default:
		return 0;
	}
}

static void cg_arithmetic(struct difob *b, struct node *n)
{
	struct node *l = n->left, *r = n->right;
	bool count_left = !type_is_integer(l->type), count_right = !type_is_integer(r->type);

	cg_node(b, l);
	cg_node(b, r);
	if (count_left && !count_right)
		cg_scale(b, r->reg, l->type);
	else if (count_right && !count_left)
		cg_scale(b, l->reg, r->type);
	emit3(b, cg_opcode(b, n, n->op), l->reg, r->reg, l->reg);
	difob_free(b, r->reg);
	n->reg = l->reg;
	if (count_left && count_right) {
		int size = difob_reg(b);

		difob_setx(b, type_bytes(b->cc, type_resolve(l->type)->ref), size);
		emit3(b, DIF_OP_UDIV, n->reg, size, n->reg);
		difob_free(b, size);
	}
}

/* Leaves 0 or 1 in reg: 1 if the branch is taken. */
static void cg_truth(struct difob *b, unsigned branch, int reg)
{
	unsigned is_true = difob_label(b), end = difob_label(b);

	difob_branch(b, branch, is_true);
	emit3(b, DIF_OP_MOV, 0, 0, reg);
	difob_branch(b, DIF_OP_BA, end);
	difob_set_label(b, is_true);
	difob_setx(b, 1, reg);
	difob_set_label(b, end);
	difob_emit(b, DIF_FMT(DIF_OP_NOP, 0, 0, 0));
}

static void cg_comparison(struct difob *b, struct node *n)
{
	static const struct {
		uint8_t sgn, uns;
	} branches[] = {
		[OP_EQ] = {DIF_OP_BE, DIF_OP_BE},  [OP_NE] = {DIF_OP_BNE, DIF_OP_BNE},
		[OP_LT] = {DIF_OP_BL, DIF_OP_BLU}, [OP_LE] = {DIF_OP_BLE, DIF_OP_BLEU},
		[OP_GT] = {DIF_OP_BG, DIF_OP_BGU}, [OP_GE] = {DIF_OP_BGE, DIF_OP_BGEU},
	};
	const struct type *l = n->left->type, *r = n->right->type;
	bool is_string = type_is_string(l) || type_is_string(r);
	bool is_signed =
		type_is_integer(l) && type_is_integer(r) && type_is_signed(usual_type(b->cc, l, r));

	cg_node(b, n->left);
	cg_node(b, n->right);
	n->reg = n->left->reg;
	emit3(b, is_string ? DIF_OP_SCMP : DIF_OP_CMP, n->reg, n->right->reg, 0);
	difob_free(b, n->right->reg);
	cg_truth(b, is_signed ? branches[n->op].sgn : branches[n->op].uns, n->reg);
}

static void cg_test(struct difob *b, int reg)
{
	emit3(b, DIF_OP_TST, reg, 0, 0);
}

/* The end of && and ||: 1 in reg, or 0 for what branched to is_false. */
static void cg_one_or_zero(struct difob *b, unsigned is_false, int reg)
{
	unsigned end = difob_label(b);

	difob_setx(b, 1, reg);
	difob_branch(b, DIF_OP_BA, end);
	difob_set_label(b, is_false);
	emit3(b, DIF_OP_MOV, 0, 0, reg);
	difob_set_label(b, end);
	difob_emit(b, DIF_FMT(DIF_OP_NOP, 0, 0, 0));
}

static void cg_logical_and(struct difob *b, struct node *n)
{
	unsigned is_false = difob_label(b);

	cg_node(b, n->left);
	cg_test(b, n->left->reg);
	difob_free(b, n->left->reg);
	difob_branch(b, DIF_OP_BE, is_false);
	cg_node(b, n->right);
	cg_test(b, n->right->reg);
	n->reg = n->right->reg;
	difob_branch(b, DIF_OP_BE, is_false);
	cg_one_or_zero(b, is_false, n->reg);
}

static void cg_logical_or(struct difob *b, struct node *n)
{
	unsigned is_true = difob_label(b), is_false = difob_label(b);

	cg_node(b, n->left);
	cg_test(b, n->left->reg);
	difob_free(b, n->left->reg);
	difob_branch(b, DIF_OP_BNE, is_true);
	cg_node(b, n->right);
	cg_test(b, n->right->reg);
	n->reg = n->right->reg;
	difob_branch(b, DIF_OP_BE, is_false);
	difob_set_label(b, is_true);
	cg_one_or_zero(b, is_false, n->reg);
}

static void cg_logical_xor(struct difob *b, struct node *n)
{
	unsigned left = difob_label(b), right = difob_label(b);

	cg_node(b, n->left);
	n->reg = n->left->reg;
	cg_test(b, n->reg);
	difob_branch(b, DIF_OP_BE, left);
	difob_setx(b, 1, n->reg);
	difob_set_label(b, left);
	difob_emit(b, DIF_FMT(DIF_OP_NOP, 0, 0, 0));
	cg_node(b, n->right);
	cg_test(b, n->right->reg);
	difob_branch(b, DIF_OP_BE, right);
	difob_setx(b, 1, n->right->reg);
	difob_set_label(b, right);
	emit3(b, DIF_OP_XOR, n->reg, n->right->reg, n->reg);
	difob_free(b, n->right->reg);
}

/* The register of the second value is known only after the mov of the first was written. */
static void cg_choice(struct difob *b, struct node *n)
{
	unsigned is_false = difob_label(b), end = difob_label(b), mov;
	int left;

	cg_node(b, n->expr);
	cg_test(b, n->expr->reg);
	difob_free(b, n->expr->reg);
	difob_branch(b, DIF_OP_BE, is_false);
	cg_node(b, n->left);
	left = n->left->reg;
	mov = b->difo.ninsns;
	emit3(b, DIF_OP_MOV, left, 0, left);
	difob_free(b, left);
	difob_branch(b, DIF_OP_BA, end);
	difob_set_label(b, is_false);
	difob_emit(b, DIF_FMT(DIF_OP_NOP, 0, 0, 0));
	cg_node(b, n->right);
	n->reg = n->right->reg;
	b->text[mov] = DIF_FMT(DIF_OP_MOV, left, 0, n->reg);
	difob_set_label(b, end);
	difob_emit(b, DIF_FMT(DIF_OP_NOP, 0, 0, 0));
}

/* A string made of an address is read where the address leads. */
static void note_text(struct difob *b, const struct node *n, const struct node *from)
{
	if (type_is_string(n->type) && !type_is_byref(from->type))
		b->difo.needs |= NEED_MEM | (type_is_in_kernel(from->type) ? 0 : NEED_TARGET);
}

static void cg_binary(struct difob *b, struct node *n)
{
	switch (n->op) {
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		cg_comparison(b, n);
		break;
	case OP_LAND:
		cg_logical_and(b, n);
		break;
	case OP_LOR:
		cg_logical_or(b, n);
		break;
	case OP_LXOR:
		cg_logical_xor(b, n);
		break;
	case OP_COMMA:
		cg_node(b, n->left);
		difob_free(b, n->left->reg);
		cg_node(b, n->right);
		n->reg = n->right->reg;
		break;
	case OP_CAST:
		cg_node(b, n->right);
		n->reg = n->right->reg;
		note_text(b, n, n->right);
		cg_cast(b, n->reg, n->right, n->type);
		break;
	case OP_PTR:
	case OP_DOT:
	case OP_INDEX:
		cg_memory(b, n);
		break;
	case OP_ASGN:
		cg_assign(b, n);
		break;
	default:
		if (n->op >= OP_ADD_EQ && n->op <= OP_XOR_EQ)
			cg_assign_op(b, n);
		else
			cg_arithmetic(b, n);
		break;
	}
}

static void cg_unary(struct difob *b, struct node *n)
{
	if (n->op >= OP_PREINC && n->op <= OP_POSTDEC) {
		cg_step(b, n);
		return;
	}
	if (n->op == OP_DEREF) {
		cg_memory(b, n);
		return;
	}
	if (n->op == OP_ADDROF) {
		cg_address(b, n->left);
		n->reg = n->left->reg;
		return;
	}
	cg_node(b, n->left);
	n->reg = n->left->reg;
	if (n->op == OP_INEG)
		emit3(b, DIF_OP_SUB, 0, n->reg, n->reg);
	else if (n->op == OP_BNEG)
		emit3(b, DIF_OP_NOT, n->reg, 0, n->reg);
	else if (n->op == OP_LNEG) {
		cg_test(b, n->reg);
		cg_truth(b, DIF_OP_BE, n->reg);
	} else if (n->op == OP_STRINGOF) {
		note_text(b, n, n->left);
	}
}

/* ---- calls ---- */

static void cg_call(struct difob *b, struct node *n)
{
	const struct subr *s = n->ident->row;

	if (n->ident->kind == IDENT_AGGFUNC)
		b->cc->hint = hint_call(b->cc, n->ident);
	if (n->ident->kind != IDENT_FUNC)
		compile_fail(b->cc, D_CG_EXPR, n->left->line,
			     "%s %s( ) may not be called from a D expression (D program context "
			     "required)",
			     ident_kind_name(n->ident), n->ident->name);
	cg_push_list(b, n->args, NULL);
	n->reg = difob_reg(b);
	difob_emit(b, DIF_INDEX(DIF_OP_CALL, s - subrs, n->reg));
	b->difo.needs |= s->needs;
	b->difo.is_destructive |= s->is_destructive;
	for (const struct node *a = n->args; a; a = a->next)
		if (type_is_pointer(a->type))
			b->difo.needs |= NEED_MEM | (type_is_in_kernel(a->type) ? 0 : NEED_TARGET);
}

void cg_plain(struct difob *b, struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
		n->reg = difob_reg(b);
		difob_setx(b, n->value, n->reg);
		if (is_null(n))
			cg_shift(b, n->reg, 32, DIF_OP_SRA);
		break;
	case NODE_STR:
		n->reg = difob_reg(b);
		difob_sets(b, n->string, n->length, n->reg);
		break;
	case NODE_VAR:
		cg_variable(b, n);
		break;
	case NODE_SYM: /* a function is its address, as in C */
		cg_address(b, n);
		if (!type_is_function(n->type))
			cg_load(b, n);
		break;
	case NODE_INLINE:
		cg_node(b, n->left);
		n->reg = n->left->reg;
		cg_cast(b, n->reg, n->left, n->type);
		break;
	case NODE_XMEMBER:
		cg_xmember(b, n);
		break;
	case NODE_FUNC:
		cg_call(b, n);
		break;
	case NODE_OP1:
		cg_unary(b, n);
		break;
	case NODE_OP2:
		cg_binary(b, n);
		break;
	case NODE_OP3:
		cg_choice(b, n);
		break;
	case NODE_XLATE:
		if (!node_is_dynamic(n)) {
			cg_whole(b, n);
			break;
		} /* fallthrough */
	default:
		/* The checker refuses it wherever a value is needed. */
		compile_fail(b->cc, D_UNKNOWN, n->line,
			     "expression cannot evaluate to result of dynamic type");
	}
}

static bool may_fault(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++)
		if (insn_class[DIF_OP(d->text[i])] & INSN_FAULT)
			return true;
	return type_is_byref(d->type);
}

struct difo *codegen_expr(struct compiler *cc, struct node *n)
{
	struct difob b;

	ast_show(cc->session, AST_CHECKED, n);
	difob_init(&b, cc);
	cg_node(&b, n);
	difob_emit(&b, DIF_FMT(DIF_OP_RET, 0, 0, n->reg));
	difob_free(&b, n->reg);
	b.difo.type = n->type;
	b.difo.is_userland = n->is_userland && type_is_byref(n->type);
	b.difo.text = b.text;
	b.difo.can_fault = may_fault(&b.difo);
	return difob_finish(&b);
}
