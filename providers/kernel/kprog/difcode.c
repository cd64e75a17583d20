#include "providers/kernel/kprog/difcode_priv.h"

#include <string.h>

#include "base/hash.h"
#include "dlang/session_engine.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

static int place_of(unsigned reg)
{
	return FRAME_REGS - 8 * ((int)reg - 1);
}

bool difcode_refuse(const struct difcode *c, const char *why)
{
	c->w->why = why;
	return false;
}

void difcode_load(const struct difcode *c, unsigned to, unsigned reg)
{
	if (reg)
		emit_load64(c->e, to, BPF_REG_10, place_of(reg));
	else
		emit_mov_imm(c->e, to, 0);
}

void difcode_store(struct difcode *c, unsigned reg, unsigned from)
{
	emit_store64(c->e, BPF_REG_10, place_of(reg), from);
	c->regs[reg] = (struct known){.kind = KNOWN_NOTHING};
}

bool difcode_is_text(const struct difcode *c, unsigned reg)
{
	return c->regs[reg].kind > KNOWN_NUMBER;
}

/* ---- which values are the same ---- */

uint64_t difcode_same(uint64_t what, uint64_t a, uint64_t b)
{
	const uint64_t of[] = {what, a, b};

	return a && b ? hash_bytes(of, sizeof(of)) | 1 : 0;
}

void difcode_always(struct difcode *c, unsigned rd, unsigned what, uint64_t which)
{
	c->regs[rd].same = difcode_same(what, which + 1, 1);
}

/* ---- computing ---- */

static const uint8_t alu_ops[DIF_NOPS] = {
	[DIF_OP_OR] = BPF_OR,	[DIF_OP_XOR] = BPF_XOR,	 [DIF_OP_AND] = BPF_AND,
	[DIF_OP_SUB] = BPF_SUB, [DIF_OP_MUL] = BPF_MUL,	 [DIF_OP_SLL] = BPF_LSH,
	[DIF_OP_SRL] = BPF_RSH, [DIF_OP_SRA] = BPF_ARSH,
};

static bool is_shift(unsigned op)
{
	return op == DIF_OP_SLL || op == DIF_OP_SRL || op == DIF_OP_SRA;
}

static bool is_division(unsigned op)
{
	return op == DIF_OP_SDIV || op == DIF_OP_UDIV || op == DIF_OP_SREM || op == DIF_OP_UREM;
}

/* r1 by the constant, of which the program needs no sign: BPF divides unsigned numbers. */
static void divide_signed(struct emitter *e, unsigned op, int64_t by)
{
	const bool is_rem = op == DIF_OP_SREM;
	unsigned skip;

	emit_mov_imm(e, BPF_REG_3, by < 0 && !is_rem);
	skip = emit_jump(e, BPF_JSGE, BPF_REG_1, 0);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	emit_alu_imm(e, BPF_XOR, BPF_REG_3, 1);
	emit_land(e, skip);
	emit_const(e, BPF_REG_2, 0, by < 0 ? -(uint64_t)by : (uint64_t)by);
	emit_alu(e, is_rem ? BPF_MOD : BPF_DIV, BPF_REG_1, BPF_REG_2);
	skip = emit_jump(e, BPF_JEQ, BPF_REG_3, 0);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	emit_land(e, skip);
}

static bool write_division(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const struct known *by = &c->regs[DIF_R2(insn)];

	if (by->kind != KNOWN_NUMBER || by->value == 0)
		return difcode_refuse(c, WHY(DIVISOR));
	difcode_load(c, BPF_REG_1, DIF_R1(insn));
	if (op == DIF_OP_SDIV || op == DIF_OP_SREM) {
		divide_signed(c->e, op, (int64_t)by->value);
	} else {
		difcode_load(c, BPF_REG_2, DIF_R2(insn));
		emit_alu(c->e, op == DIF_OP_UDIV ? BPF_DIV : BPF_MOD, BPF_REG_1, BPF_REG_2);
	}
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	return true;
}

/* Texts and addresses of members are known as such, no numbers. True: that is all there is to it.
 */
static bool follow(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	struct known a, b;
	bool is_move;

	if (op != DIF_OP_MOV && op != DIF_OP_ADD) /* of others the operands may be no registers */
		return false;
	a = c->regs[DIF_R1(insn)];
	b = c->regs[DIF_R2(insn)];
	is_move = op == DIF_OP_MOV && difcode_is_text(c, DIF_R1(insn)) && a.kind != KNOWN_MIXED;
	if (!is_move && (op != DIF_OP_ADD || b.kind != KNOWN_NUMBER ||
			 (a.kind != KNOWN_MEMBER && a.kind != KNOWN_RECORD)))
		return false;
	if (a.kind == KNOWN_TEXT || a.kind == KNOWN_CHOICE) {
		difcode_load(c, BPF_REG_1, DIF_R1(insn));
		difcode_store(c, DIF_RD(insn), BPF_REG_1);
	}
	c->regs[DIF_RD(insn)] = a;
	if (!is_move)
		c->regs[DIF_RD(insn)].value += b.value;
	return true;
}

/* What the result is of a global: with a cast, too, whose shifts leave what a variable keeps. */
static struct known sum_of(const struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const struct known a = c->regs[DIF_R1(insn)], b = c->regs[DIF_R2(insn)];
	const bool is_cast = is_shift(op) && b.kind == KNOWN_NUMBER &&
			     (b.value == 32 || b.value == 48 || b.value == 56);

	if (op == DIF_OP_MOV || is_cast || ((op == DIF_OP_ADD || op == DIF_OP_SUB) && !b.plus))
		return (struct known){.plus = a.plus, .old = a.old, .keys = a.keys};
	if (op == DIF_OP_ADD && !a.plus)
		return (struct known){.plus = b.plus, .old = b.old, .keys = b.keys};
	return (struct known){.plus = 0};
}

static bool write_calc(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const uint64_t a = c->regs[DIF_R1(insn)].same;
	const bool is_of_one = op == DIF_OP_NOT || op == DIF_OP_MOV;
	struct known sum = sum_of(c, insn);

	sum.same = op == DIF_OP_MOV
			   ? a
			   : difcode_same(op, a, is_of_one ? 1 : c->regs[DIF_R2(insn)].same);
	difcode_load(c, BPF_REG_1, DIF_R1(insn));
	if (op == DIF_OP_NOT) {
		emit_alu_imm(c->e, BPF_XOR, BPF_REG_1, -1);
	} else if (op != DIF_OP_MOV) {
		difcode_load(c, BPF_REG_2, DIF_R2(insn));
		if (is_shift(op))
			emit_alu_imm(c->e, BPF_AND, BPF_REG_2, 63);
		emit_alu(c->e, alu_ops[op], BPF_REG_1, BPF_REG_2); /* BPF_ADD is 0 */
	}
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	c->regs[DIF_RD(insn)] = sum;
	return true;
}

static void write_number(struct difcode *c, unsigned rd, uint64_t value)
{
	if ((int64_t)value == (int32_t)value) {
		emit_store_imm(c->e, BPF_REG_10, place_of(rd), (int32_t)value);
	} else {
		emit_const(c->e, BPF_REG_1, 0, value);
		emit_store64(c->e, BPF_REG_10, place_of(rd), BPF_REG_1);
	}
	c->regs[rd] = (struct known){.kind = KNOWN_NUMBER, .value = value};
	difcode_always(c, rd, DIF_OP_SETX, value);
}

/* Constants are cut to the type of an argument by shifts. False: it is no constant. */
static bool shift_constant(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const struct known *a, *by;
	unsigned n;

	if (!is_shift(op)) /* of others the operands may be no registers */
		return false;
	a = &c->regs[DIF_R1(insn)];
	by = &c->regs[DIF_R2(insn)];
	if (a->kind != KNOWN_NUMBER || by->kind != KNOWN_NUMBER)
		return false;
	n = (unsigned)by->value & 63;
	write_number(c, DIF_RD(insn),
		     op == DIF_OP_SLL	? a->value << n
		     : op == DIF_OP_SRL ? a->value >> n
					: (uint64_t)((int64_t)a->value >> n));
	return true;
}

/* ---- comparing ---- */

static const uint8_t jumps[DIF_NOPS] = {
	[DIF_OP_BE] = BPF_JEQ,	 [DIF_OP_BNE] = BPF_JNE,  [DIF_OP_BG] = BPF_JSGT,
	[DIF_OP_BGU] = BPF_JGT,	 [DIF_OP_BGE] = BPF_JSGE, [DIF_OP_BGEU] = BPF_JGE,
	[DIF_OP_BL] = BPF_JSLT,	 [DIF_OP_BLU] = BPF_JLT,  [DIF_OP_BLE] = BPF_JSLE,
	[DIF_OP_BLEU] = BPF_JLE,
};

/* Leaves 0 in r1 where the name of the call is this text. */
static void compare_call(const struct difcode *c, const char *text)
{
	int nr = c->w->call_number ? c->w->call_number(text) : 0;

	emit_load32(c->e, BPF_REG_1, BPF_REG_10, FRAME_NR);
	emit_alu_imm(c->e, BPF_XOR, BPF_REG_1, nr);
}

/* Leaves 0 in r1 where the name of the process is this text. */
static void compare_name(const struct difcode *c, const char *text)
{
	uint64_t words[2] = {0, 0};

	memcpy(words, text, strlen(text));
	emit_mov_imm(c->e, BPF_REG_1, 0);
	for (int i = 0; i < 2; i++) {
		emit_load64(c->e, BPF_REG_2, BPF_REG_10, FRAME_NAME + i * 8);
		emit_const(c->e, BPF_REG_3, 0, words[i]);
		emit_alu(c->e, BPF_XOR, BPF_REG_2, BPF_REG_3);
		emit_alu(c->e, BPF_OR, BPF_REG_1, BPF_REG_2);
	}
}

/* Leaves 0 in r1 where what is known by its kind is this text. */
static bool compare_text(const struct difcode *c, const struct known *k, const char *text)
{
	if (k->kind == KNOWN_RECORD)
		return difevent_compare(c, k, text);
	if (k->kind == KNOWN_CALL)
		compare_call(c, text);
	else if (k->kind == KNOWN_PROBE)
		emit_mov_imm(c->e, BPF_REG_1, strcmp(k->text, text) != 0);
	else
		compare_name(c, text);
	return true;
}

static bool write_branch(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const struct known *text = &c->regs[c->a];

	if (c->nfixups == MAX_FIXUPS)
		return difcode_refuse(c, WHY(BRANCHES));
	if (op != DIF_OP_BA && !c->is_compared)
		return difcode_refuse(c, WHY(BRANCH));
	if (op != DIF_OP_BA && c->are_texts) {
		if (op != DIF_OP_BE && op != DIF_OP_BNE)
			return difcode_refuse(c, WHY(TEXTS_ORDER));
		text = text->kind == KNOWN_TEXT ? text : &c->regs[c->b];
		if (!compare_text(c, text == &c->regs[c->a] ? &c->regs[c->b] : &c->regs[c->a],
				  text->text))
			return false;
		c->fixups[c->nfixups].at = emit_jump(c->e, jumps[op], BPF_REG_1, 0);
	} else if (op != DIF_OP_BA) {
		difcode_load(c, BPF_REG_1, c->a);
		difcode_load(c, BPF_REG_2, c->b);
		c->fixups[c->nfixups].at = emit_jump_reg(c->e, jumps[op], BPF_REG_1, BPF_REG_2);
	} else {
		c->fixups[c->nfixups].at = emit_jump(c->e, BPF_JA, 0, 0);
	}
	c->fixups[c->nfixups++].label = DIF_GETLABEL(insn);
	return true;
}

static bool write_compare(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);
	const struct known *a = &c->regs[DIF_R1(insn)], *b = &c->regs[DIF_R2(insn)];

	c->is_compared = true;
	c->are_texts = op == DIF_OP_SCMP;
	c->a = DIF_R1(insn);
	c->b = op == DIF_OP_TST ? 0 : DIF_R2(insn);
	if (op != DIF_OP_SCMP)
		return true;
	if (a->kind == KNOWN_TEXT) {
		const struct known *t = a;

		a = b;
		b = t;
	}
	return (b->kind == KNOWN_TEXT &&
		(a->kind == KNOWN_CALL || a->kind == KNOWN_RECORD || a->kind == KNOWN_PROBE ||
		 (a->kind == KNOWN_NAME && strlen(b->text) < 16))) ||
	       difcode_refuse(c, WHY(TEXTS));
}

/* ---- all of it ---- */

/* Of what was pushed the first word is the address, the second one how much of it is wanted. */
static bool write_call(struct difcode *c, uint32_t insn)
{
	const bool is_short = c->ntuple == 2;

	if (!c->copies || DIF_GETINDEX(insn) != SUBR_COPYINSTR)
		return difcode_refuse(c, WHY(CALL));
	if (is_short && c->pushed.kind != KNOWN_NUMBER)
		return difcode_refuse(c, WHY(TEXT_PARTS));
	c->ncopied = (uint64_t)opt(&c->w->session->options, OPT_STRSIZE);
	if (is_short)
		c->ncopied = MAX(MIN(c->ncopied, c->pushed.value), 1);
	emit_load64(c->e, BPF_REG_1, BPF_REG_10, FRAME_TUPLE);
	difcode_store(c, DIF_RD(insn), BPF_REG_1);
	return true;
}

/* Where it takes numbers. */
static bool reads_text(const struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn);

	if (op == DIF_OP_CMP || is_division(op) || alu_ops[op] || op == DIF_OP_ADD)
		return difcode_is_text(c, DIF_R1(insn)) || difcode_is_text(c, DIF_R2(insn));
	if (op == DIF_OP_TST || op == DIF_OP_NOT || op == DIF_OP_MOV)
		return difcode_is_text(c, DIF_R1(insn));
	if (op == DIF_OP_STTS || op == DIF_OP_STLS || op == DIF_OP_STGS || op == DIF_OP_STGAA ||
	    op == DIF_OP_STTAA || (op == DIF_OP_RET && !c->makes_text))
		return difcode_is_text(c, DIF_RD(insn));
	return false;
}

static bool write_insn(struct difcode *c, uint32_t insn)
{
	const unsigned op = DIF_OP(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);

	if (follow(c, insn))
		return true;
	if (insn_loads[op].size)
		return difevent_load(c, insn);
	if (reads_text(c, insn))
		return difcode_refuse(c, WHY(TEXT));
	if (shift_constant(c, insn))
		return true;
	if (alu_ops[op] || op == DIF_OP_ADD || op == DIF_OP_NOT || op == DIF_OP_MOV)
		return write_calc(c, insn);
	if (is_division(op))
		return write_division(c, insn);
	if (insn_class[op] & INSN_BRANCH)
		return write_branch(c, insn);
	switch (op) {
	case DIF_OP_CMP:
	case DIF_OP_TST:
	case DIF_OP_SCMP:
		return write_compare(c, insn);
	case DIF_OP_SETX:
		write_number(c, rd, c->d->ints[ix]);
		return true;
	case DIF_OP_SETS:
		emit_store_imm(c->e, BPF_REG_10, place_of(rd), (int32_t)ix);
		c->regs[rd] = (struct known){.kind = KNOWN_TEXT, .text = c->d->strs + ix};
		return true;
	case DIF_OP_LDGS:
		return ix < DIF_VAR_USER ? difevent_builtin(c, ix, rd)
					 : difvars_load_global(c, ix, rd);
	case DIF_OP_STGS:
		return difvars_store_global(c, ix, rd);
	case DIF_OP_LDGA:
		return difevent_argument(c, insn);
	case DIF_OP_LDTS:
		return difvars_load_self(c, ix, rd);
	case DIF_OP_STTS:
		return difvars_store_self(c, ix, rd);
	case DIF_OP_LDLS:
		return difvars_load_this(c, ix, rd);
	case DIF_OP_STLS:
		return difvars_store_this(c, ix, rd);
	case DIF_OP_FLUSHTS:
		c->ntuple = 0;
		c->keys = 1;
		return true;
	case DIF_OP_PUSHTV:
		c->pushed = c->regs[rd];
		return difvars_push_number(c, insn);
	case DIF_OP_PUSHTR:
		return difvars_push_text(c, insn);
	case DIF_OP_LDGAA:
		return difvars_load_element(c, ix, rd);
	case DIF_OP_STGAA:
		return difvars_store_element(c, ix, rd);
	case DIF_OP_NOP:
	case DIF_OP_RET:
		return true;
	case DIF_OP_LDTAA:
		return difvars_load_element(c, ix | GROUP_OF_SELF, rd);
	case DIF_OP_STTAA:
		return difvars_store_element(c, ix | GROUP_OF_SELF, rd);
	case DIF_OP_CALL:
		return write_call(c, insn);
	default:
		return difcode_refuse(c, WHY(FAULTS));
	}
}

/* ---- where branches lead ---- */

static bool is_same(const struct known *a, const struct known *b)
{
	return a->kind == b->kind && a->value == b->value && a->text == b->text &&
	       a->arg == b->arg && a->plus == b->plus && a->old == b->old && a->keys == b->keys &&
	       a->same == b->same;
}

/* What is known whether one comes with this or with that. */
static struct known common(const struct known *a, const struct known *b)
{
	const bool are_texts = (a->kind == KNOWN_TEXT || a->kind == KNOWN_CHOICE) &&
			       (b->kind == KNOWN_TEXT || b->kind == KNOWN_CHOICE);

	if (is_same(a, b))
		return *a;
	if (are_texts)
		return (struct known){.kind = KNOWN_CHOICE};
	if (a->kind > KNOWN_NUMBER || b->kind > KNOWN_NUMBER)
		return (struct known){.kind = KNOWN_MIXED};
	return (struct known){.kind = KNOWN_NOTHING};
}

static void keep_common(struct known *to, const struct known *with)
{
	for (unsigned i = 0; i <= FRAME_NREGS; i++)
		to[i] = common(&to[i], &with[i]);
}

static struct pending *find_pending(struct difcode *c, unsigned label)
{
	unsigned i = 0;

	while (i < c->npending && c->pending[i].label != label)
		i++;
	return i < c->npending ? &c->pending[i] : NULL;
}

/* A branch leads there. */
static bool add_pending(struct difcode *c, unsigned label)
{
	struct pending *p = find_pending(c, label);

	if (p) {
		keep_common(p->regs, c->regs);
		return true;
	}
	if (c->npending == MAX_PENDING)
		return false;
	p = &c->pending[c->npending++];
	p->label = label;
	memcpy(p->regs, c->regs, sizeof(p->regs));
	return true;
}

static void land_here(struct difcode *c, unsigned at)
{
	struct pending *p = find_pending(c, at);

	if (!p)
		return;
	for (unsigned i = 0; i < c->nfixups; i++)
		if (c->fixups[i].label == at)
			emit_land(c->e, c->fixups[i].at);
	if (c->is_reached)
		keep_common(c->regs, p->regs);
	else
		memcpy(c->regs, p->regs, sizeof(c->regs));
	*p = c->pending[--c->npending];
	c->is_reached = true;
	c->is_compared = false;
	c->ntuple = 0;
	c->keys = 0;
}

/* The result is in a register of DIF; NULL: refused. */
static const struct known *write_all(struct difcode *c)
{
	const struct difo *d = c->d;

	if (!d->ninsns || DIF_OP(d->text[d->ninsns - 1]) != DIF_OP_RET)
		return difcode_refuse(c, WHY(RESULT)), NULL;
	if (d->nregs > FRAME_NREGS + 1)
		return difcode_refuse(c, WHY(DEEP)), NULL;
	c->is_reached = true;
	for (unsigned i = 0; i < d->ninsns && !c->e->is_full; i++) {
		const unsigned op = DIF_OP(d->text[i]);

		land_here(c, i);
		if (op == DIF_OP_RET && i + 1 < d->ninsns)
			return difcode_refuse(c, WHY(RESULTS)), NULL;
		if (!write_insn(c, d->text[i]))
			return NULL;
		if (insn_class[op] & INSN_BRANCH && !add_pending(c, DIF_GETLABEL(d->text[i])))
			return difcode_refuse(c, WHY(BRANCHES)), NULL;
		c->is_reached = op != DIF_OP_BA;
		if (op != DIF_OP_CMP && op != DIF_OP_TST && op != DIF_OP_SCMP &&
		    !(insn_class[op] & INSN_BRANCH))
			c->is_compared = false;
	}
	return &c->regs[DIF_RD(d->text[d->ninsns - 1])];
}

bool difwriter_value(struct difwriter *w, const struct difo *d, int to)
{
	struct difcode c = {.w = w, .e = w->e, .d = d};

	if (!write_all(&c))
		return false;
	difcode_load(&c, BPF_REG_1, DIF_RD(d->text[d->ninsns - 1]));
	emit_store64(w->e, BPF_REG_10, to, BPF_REG_1);
	return true;
}

bool difwriter_bytes(struct difwriter *w, const struct difo *d, int to, unsigned size)
{
	struct difcode c = {.w = w, .e = w->e, .d = d, .makes_text = true};
	const struct known *k = write_all(&c);

	return k && difevent_bytes(&c, k, to, size);
}

bool difwriter_text(struct difwriter *w, const struct difo *d, int to, unsigned *nwords,
		    bool *is_choice)
{
	struct difcode c = {.w = w, .e = w->e, .d = d, .makes_text = true};
	const struct known *k = write_all(&c);

	if (!k)
		return false;
	*is_choice = k->kind == KNOWN_TEXT || k->kind == KNOWN_CHOICE;
	if (k->kind == KNOWN_RECORD)
		return difevent_text(&c, k, to, nwords);
	if (!*is_choice || *nwords < 1)
		return difcode_refuse(&c, WHY(TEXT_KEY));
	*nwords = 1;
	difcode_load(&c, BPF_REG_1, DIF_RD(d->text[d->ninsns - 1]));
	emit_store64(w->e, BPF_REG_10, to, BPF_REG_1);
	return true;
}

bool difwriter_copied(struct difwriter *w, const struct difo *d, int to, unsigned *size)
{
	struct difcode c = {.w = w, .e = w->e, .d = d, .copies = true};

	if (!write_all(&c))
		return false;
	*size = (unsigned)MIN(c.ncopied, UINT32_MAX);
	difcode_load(&c, BPF_REG_1, DIF_RD(d->text[d->ninsns - 1]));
	emit_store64(w->e, BPF_REG_10, to, BPF_REG_1);
	return true;
}
