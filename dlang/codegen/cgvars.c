/*
 * cgvars.c: the values of variables: built-in ones, arguments of probes, those of the program.
 */
#include "dlang/codegen/codegen.h"

#include "dlang/run/vm.h"

static void note_builtin(struct difob *b, const struct ident *id)
{
	if (id->builtin)
		b->difo.needs |= ((const struct builtin *)id->row)->needs;
	b->follows_kernel |= id->builtin && id->id == BUILTIN_CURTHREAD;
}

static int load_builtin(struct difob *b, const struct ident *id, uint64_t index)
{
	int reg = difob_reg(b);

	difob_use(b, id, false);
	difob_setx(b, index, reg);
	emit3(b, DIF_OP_LDGA, id->id, reg, reg);
	return reg;
}

/* The i-th word of an argument in registers. */
static unsigned arg_word(const struct probe_arg *a, unsigned i)
{
	return a->place == ARG_WORDS ? a->words[i] : a->at + i;
}

/* A structure in one or two registers is put together in memory of the clause. */
static void cg_arg_words(struct difob *b, struct node *n)
{
	uint64_t words = ROUND_UP(type_bytes(b->cc, n->type), 8) / 8;
	int at = difob_reg(b), value;

	difob_setx(b, 8 * words, at);
	emit3(b, DIF_OP_ALLOCS, at, 0, at);
	n->reg = difob_reg(b);
	emit3(b, DIF_OP_MOV, at, 0, n->reg);
	for (unsigned i = 0; i < words; i++) {
		value = load_builtin(b, n->ident, arg_word(n->arg, i));
		emit3(b, DIF_OP_STX, value, 0, at);
		difob_setx(b, 8, value);
		emit3(b, DIF_OP_ADD, at, value, at);
		difob_free(b, value);
	}
	difob_free(b, at);
}

/* The same from parts of words, each in its place. */
static void cg_arg_pieces(struct difob *b, struct node *n)
{
	static const uint8_t stores[] = {
		[1] = DIF_OP_STB, [2] = DIF_OP_STH, [4] = DIF_OP_STW, [8] = DIF_OP_STX};
	uint64_t words = ROUND_UP(type_bytes(b->cc, n->type), 8) / 8;
	const struct arg_piece *p = n->arg->pieces;
	int at, value;

	n->reg = difob_reg(b);
	difob_setx(b, 8 * words, n->reg);
	emit3(b, DIF_OP_ALLOCS, n->reg, 0, n->reg);
	at = difob_reg(b);
	for (uint64_t i = 0; i < words; i++) { /* what lies between the parts */
		difob_setx(b, 8 * i, at);
		emit3(b, DIF_OP_ADD, n->reg, at, at);
		emit3(b, DIF_OP_STX, 0, 0, at);
	}
	for (; p < n->arg->pieces + n->arg->npieces; p++) {
		value = load_builtin(b, n->ident, p->word);
		difob_setx(b, p->at, at);
		emit3(b, DIF_OP_ADD, n->reg, at, at);
		emit3(b, stores[p->size], value, 0, at);
		difob_free(b, value);
	}
	difob_free(b, at);
}

/* The kinds of registers that its words are in. */
static unsigned word_needs(unsigned word)
{
	return word >= ARG_WORD_MORE   ? 0
	       : word >= ARG_WORD_UREG ? NEED_REGS
	       : word >= ARG_WORD_XMM  ? NEED_FPREGS
				       : 0;
}

void cg_add(struct difob *b, int reg, uint64_t n)
{
	int add = difob_reg(b);

	difob_setx(b, n, add);
	emit3(b, DIF_OP_ADD, reg, add, reg);
	difob_free(b, add);
}

int cg_from_register(struct difob *b, unsigned ureg, uint64_t offset)
{
	const struct ident *uregs = ident_find(b->cc->idents, SCOPE_GLOBAL, "uregs");
	int reg = load_builtin(b, uregs, ureg);

	cg_add(b, reg, offset);
	b->difo.needs |= NEED_REGS | NEED_MEM | NEED_TARGET;
	return reg;
}

static void cg_probe_arg(struct difob *b, struct node *n)
{
	uint64_t size = type_bytes(b->cc, n->type);

	b->difo.needs |= NEED_ARGS;
	if (n->arg->place == ARG_STACK) {
		n->reg = cg_from_register(b, VM_UREG_SP, n->arg->at);
		cg_load(b, n);
		return;
	}
	if (n->arg->place == ARG_FIELD) {
		n->reg = load_builtin(b, n->ident, n->arg->at);
		b->difo.needs |= NEED_MEM | NEED_TARGET;
		cg_add(b, n->reg, n->arg->offset);
		cg_load(b, n);
		return;
	}
	if (n->arg->at >= EVENT_REG_ARGS)
		b->difo.needs |= NEED_STACKARGS;
	for (unsigned i = 0; i < n->arg->nwords; i++)
		b->difo.needs |= word_needs(n->arg->words[i]);
	for (unsigned i = 0; i < n->arg->npieces; i++)
		b->difo.needs |= word_needs(n->arg->pieces[i].word);
	if (n->arg->place == ARG_PIECES) {
		cg_arg_pieces(b, n);
		return;
	}
	if (n->arg->place != ARG_ADDRESS && type_is_byref(n->type)) {
		cg_arg_words(b, n);
		return;
	}
	n->reg = load_builtin(b, n->ident, arg_word(n->arg, 0));
	if (n->arg->place == ARG_ADDRESS)
		b->difo.needs |= n->arg->is_ours ? 0 : NEED_MEM | NEED_TARGET;
	else if (size < 8)
		cg_shift(b, n->reg, 64 - 8 * (unsigned)size,
			 type_is_signed(n->type) ? DIF_OP_SRA : DIF_OP_SRL);
}

/* What is not there is stored, of zeros, under the keys that are still on the tuple stack. */
static void cg_make(struct difob *b, const struct node *n, unsigned load, unsigned store)
{
	unsigned is_there = difob_label(b);

	if (!n->is_made)
		return;
	difob_use(b, n->ident, true);
	emit3(b, DIF_OP_TST, n->reg, 0, 0);
	difob_branch(b, DIF_OP_BNE, is_there);
	difob_setx(b, type_bytes(b->cc, n->type), n->reg);
	emit3(b, DIF_OP_ALLOCS, n->reg, 0, n->reg);
	difob_emit(b, DIF_INDEX(store, n->ident->id, n->reg));
	difob_emit(b, DIF_INDEX(load, n->ident->id, n->reg));
	difob_set_label(b, is_there);
	emit3(b, DIF_OP_NOP, 0, 0, 0);
}

static void cg_array(struct difob *b, struct node *n)
{
	const struct ident *id = n->ident;
	bool is_self = id->scope == SCOPE_SELF;
	unsigned load = is_self ? DIF_OP_LDTAA : DIF_OP_LDGAA;

	if (id->builtin) {
		cg_node(b, n->args);
		n->reg = n->args->reg;
		emit3(b, DIF_OP_LDGA, id->id, n->reg, n->reg);
		return;
	}
	cg_push_list(b, n->args, id->keys);
	n->reg = difob_reg(b);
	difob_emit(b, DIF_INDEX(load, id->id, n->reg));
	cg_make(b, n, load, is_self ? DIF_OP_STTAA : DIF_OP_STGAA);
}

void cg_variable(struct difob *b, struct node *n)
{
	static const uint8_t ops[] = {
		[SCOPE_GLOBAL] = DIF_OP_LDGS,
		[SCOPE_SELF] = DIF_OP_LDTS,
		[SCOPE_THIS] = DIF_OP_LDLS,
	};

	if (n->ident->is_input) {
		cg_input(b, n);
		return;
	}
	difob_use(b, n->ident, false);
	if (n->arg) {
		cg_probe_arg(b, n);
		return;
	}
	note_builtin(b, n->ident);
	if (n->ident->kind == IDENT_ARRAY) {
		cg_array(b, n);
		return;
	}
	n->reg = difob_reg(b);
	difob_emit(b, DIF_INDEX(ops[n->ident->scope], n->ident->id, n->reg));
	if (n->ident->scope == SCOPE_SELF)
		cg_make(b, n, DIF_OP_LDTS, DIF_OP_STTS);
}
