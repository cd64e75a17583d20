#include "tracer/x86/insn.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbols/x86/disasm.h"

#define CALL_PUSH_LEN 6	 /* push qword [rip+disp32] */
#define CALL_NEXT     24 /* where a call's slot keeps the return address */
#define CALL_TARGET   16 /* and the target, for a direct one */

/* An instruction taken apart as far as we need it. */
struct parts {
	const uint8_t *b;
	unsigned len;
	bool p66, p67, rep;
	uint8_t rex; /* 0: none */
	char seg;
	unsigned op_off, modrm_off; /* as in struct insn */
	uint8_t op, op2;	    /* op2: second byte of 0f xx */
	uint8_t modrm;
};

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

static void parts_prefixes(struct parts *p)
{
	for (unsigned i = 0; i < p->op_off; i++) {
		uint8_t b = p->b[i];

		p->p66 |= b == 0x66;
		p->p67 |= b == 0x67;
		p->rep |= b == 0xf2 || b == 0xf3;
		if (b == 0x64 || b == 0x65)
			p->seg = b == 0x64 ? 'f' : 'g';
	}
	if (p->op_off && (p->b[p->op_off - 1] & 0xf0) == 0x40)
		p->rex = p->b[p->op_off - 1];
}

static void parts_init(struct parts *p, const uint8_t *b, const struct insn *in)
{
	*p = (struct parts){.b = b, .len = in->len, .op_off = in->opcode};
	parts_prefixes(p);
	p->op = b[in->opcode];
	if (p->op == 0x0f)
		p->op2 = b[in->opcode + 1];
	p->modrm_off = in->modrm;
	p->modrm = in->modrm ? b[in->modrm] : 0;
}

static unsigned modrm_reg(const struct parts *p)
{
	return p->modrm >> 3 & 7;
}

static bool modrm_is_reg(const struct parts *p)
{
	return p->modrm >> 6 == 3;
}

static const char *refuse_reason(const struct parts *p)
{
	switch (p->op) {
	case 0xcc:
		return p->len > 1 ? "it is a breakpoint instruction (int3) with prefixes" : NULL;
	case 0xcd:
	case 0xf1:
		return "it is a software interrupt";
	case 0xca:
	case 0xcb:
	case 0xcf:
		return "it is a far return";
	case 0x8e:
		return modrm_reg(p) == 2 ? "it loads the stack segment" : NULL;
	case 0xff:
		if (modrm_reg(p) == 3 || modrm_reg(p) == 5)
			return "it is a far branch";
		return NULL;
	case 0xc7:
		return p->modrm == 0xf8 ? "it begins a transaction, which a breakpoint aborts"
					: NULL;
	case 0x0f:
		if (p->op2 == 0x34 || p->op2 == 0x35 || p->op2 == 0x07)
			return "it is a system call instruction not used on 64-bit Linux";
		return NULL;
	default:
		return NULL;
	}
}

static int32_t rel32(const uint8_t *b)
{
	int32_t v;

	memcpy(&v, b, sizeof(v));
	return v;
}

static void put32(uint8_t *b, int32_t v)
{
	memcpy(b, &v, sizeof(v));
}

static void put64(uint8_t *b, uint64_t v)
{
	memcpy(b, &v, sizeof(v));
}

/* Direct branches: how, op and target. Returns false when it is none. */
static bool plan_direct(struct insn_plan *pl, const struct parts *p)
{
	static const enum emul_op loops[] = {EMUL_LOOPNE, EMUL_LOOPE, EMUL_LOOP, EMUL_JRCXZ};
	const uint8_t *last = p->b + p->len;

	if (p->op >= 0x70 && p->op <= 0x7f) {
		pl->op = EMUL_JCC;
		pl->cond = p->op & 15;
	} else if (p->op >= 0xe0 && p->op <= 0xe3) {
		pl->op = loops[p->op - 0xe0];
		pl->addr32 = p->p67;
	} else if (p->op == 0xeb || p->op == 0xe9) {
		pl->op = EMUL_JMP;
	} else if (p->op == 0xe8) {
		pl->op = EMUL_CALL;
	} else if (p->op == 0x0f && p->op2 >= 0x80 && p->op2 <= 0x8f) {
		pl->op = EMUL_JCC;
		pl->cond = p->op2 & 15;
	} else {
		return false;
	}
	if (p->op == 0xe8 || p->op == 0xe9 || p->op == 0x0f)
		pl->target = pl->next + (int64_t)rel32(last - 4);
	else
		pl->target = pl->next + (int64_t)(int8_t)last[-1];
	pl->how = pl->op == EMUL_CALL ? INSN_SLOT : INSN_EMULATE;
	return true;
}

static uint8_t with_rex(const struct parts *p, unsigned number, unsigned bit)
{
	return (uint8_t)((number & 7) | (p->rex & bit ? 8 : 0));
}

/* The operand in memory, by ModRM and SIB (Intel SDM vol. 2, 2.1.5). Without a base: relative to
 * the pc, which plan_rip_relative deals with, or absolute. */
static void plan_operand(struct insn_plan *pl, const struct parts *p)
{
	const uint8_t *at = p->b + p->modrm_off + 1;
	unsigned mod = p->modrm >> 6, base = p->modrm & 7;

	if (base == 4) {
		uint8_t sib = *at++, index = with_rex(p, sib >> 3, REX_X);

		base = sib & 7;
		pl->scale = (int8_t)(sib >> 6);
		pl->index = (int8_t)(index == 4 ? -1 : index);
	}
	if (mod == 0 && base == 5) {
		pl->disp = rel32(at);
		return;
	}
	pl->base = (int8_t)with_rex(p, base, REX_B);
	if (mod == 1)
		pl->disp = (int32_t)(int8_t)*at;
	else if (mod == 2)
		pl->disp = rel32(at);
}

static int plan_call_mem(struct insn_plan *pl, const struct parts *p, struct err *err)
{
	pl->op = EMUL_CALL_MEM;
	plan_operand(pl, p);
	pl->seg = (uint8_t)p->seg;
	if (p->p67)
		return err_set(err, -EINVAL, "it calls through a 32-bit address");
	if (pl->base == 4 || pl->len + CALL_PUSH_LEN > CALL_NEXT)
		pl->how = INSN_EMULATE;
	return 0;
}

static int plan_indirect_call(struct insn_plan *pl, const struct parts *p, struct err *err)
{
	if (!modrm_is_reg(p))
		return plan_call_mem(pl, p, err);
	pl->op = EMUL_CALL_REG;
	pl->reg = with_rex(p, p->modrm, REX_B);
	if (pl->reg == 4)
		return err_set(err, -EINVAL, "it calls through the stack pointer");
	return 0;
}

/* Ops that make a plan possible without a slot. */
static void plan_simple(struct insn_plan *pl, const struct parts *p)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (p->len == sizeof(endbr64) && !memcmp(p->b, endbr64, sizeof(endbr64))) {
		pl->how = INSN_INPLACE;
		pl->op = EMUL_NOP;
	} else if ((p->op == 0x90 && !p->rep && !(p->rex & REX_B)) ||
		   (p->op == 0x0f && p->op2 == 0x1f)) {
		pl->how = INSN_EMULATE;
		pl->op = EMUL_NOP;
	} else if (p->op == 0xcc) {
		pl->how = INSN_EMULATE;
		pl->op = EMUL_INT3;
	} else if (p->op == 0xc3 || p->op == 0xc2) {
		pl->op = EMUL_RET;
		if (p->op == 0xc2)
			memcpy(&pl->imm, p->b + p->len - 2, 2);
	} else if (p->op >= 0x50 && p->op <= 0x57 && !p->p66) {
		pl->op = EMUL_PUSH;
		pl->reg = with_rex(p, p->op, REX_B);
	} else if ((p->op == 0x89 || p->op == 0x8b) && (p->rex & REX_W) && modrm_is_reg(p)) {
		uint8_t r = with_rex(p, modrm_reg(p), REX_R);
		uint8_t m = with_rex(p, p->modrm, REX_B);

		pl->op = EMUL_MOV;
		pl->reg = p->op == 0x89 ? m : r;
		pl->reg2 = p->op == 0x89 ? r : m;
	}
}

static int plan_rip_relative(struct insn_plan *pl, const struct parts *p, const struct insn *in,
			     struct err *err)
{
	if (!in->rip_rel)
		return 0;
	if (p->p67)
		return err_set(err, -EINVAL, "it uses a 32-bit pc-relative address");
	pl->disp_off = in->rip_rel;
	pl->target = pl->next + (uint64_t)(int64_t)rel32(pl->bytes + in->rip_rel);
	return 0;
}

static bool is_string_insn(uint8_t op)
{
	return (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) ||
	       (op >= 0x6c && op <= 0x6f);
}

static bool is_near_branch(const struct parts *p)
{
	return (p->op >= 0x70 && p->op <= 0x7f) || (p->op >= 0xe0 && p->op <= 0xe3) ||
	       p->op == 0xe8 || p->op == 0xe9 || p->op == 0xeb || p->op == 0xc3 || p->op == 0xc2 ||
	       (p->op == 0x0f && p->op2 >= 0x80 && p->op2 <= 0x8f) ||
	       (p->op == 0xff && (modrm_reg(p) == 2 || modrm_reg(p) == 4));
}

static int plan_fill(struct insn_plan *pl, const struct parts *p, const struct insn *in,
		     struct err *err)
{
	const char *why = refuse_reason(p);
	int r;

	if (why)
		return err_set(err, -EINVAL, "%s", why);
	/* Intel and AMD disagree on what a 16-bit near branch is. */
	if (is_near_branch(p) && p->p66 && !(p->rex & REX_W))
		return err_set(err, -EINVAL, "it is a branch with a 16-bit operand size");
	if (plan_direct(pl, p))
		return 0;
	r = plan_rip_relative(pl, p, in, err);
	if (r)
		return r;
	if (p->op == 0xff && modrm_reg(p) == 2)
		return plan_indirect_call(pl, p, err);
	plan_simple(pl, p);
	pl->restarts = (p->rep && is_string_insn(p->op)) || (p->op == 0x0f && p->op2 == 0x05);
	return 0;
}

int insn_plan(const uint8_t *bytes, size_t n, taddr_t pc, struct insn_plan *out, struct err *err)
{
	struct insn_plan pl = {.how = INSN_SLOT, .pc = pc, .base = -1, .index = -1};
	struct parts p;
	struct insn in;
	int r;

	if (!insn_decode(bytes, n, pc, &in))
		return err_set(err, -EINVAL, "the instruction cannot be decoded");
	pl.len = in.len;
	pl.next = pc + pl.len;
	memcpy(pl.bytes, bytes, pl.len);
	parts_init(&p, pl.bytes, &in);
	r = plan_fill(&pl, &p, &in, err);
	if (!r)
		*out = pl;
	return r;
}

/* ---- slots ---- */

static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

/* The instruction itself at `at`, its rip-relative operand re-based. */
static int copy_insn(const struct insn_plan *pl, taddr_t at, uint8_t *code)
{
	memcpy(code, pl->bytes, pl->len);
	if (pl->disp_off) {
		int64_t disp = (int64_t)(pl->target - (at + pl->len));

		if (!fits32(disp))
			return -ERANGE;
		put32(code + pl->disp_off, (int32_t)disp);
	}
	return 0;
}

static unsigned put_jump(uint8_t *code, taddr_t at, taddr_t to)
{
	int64_t rel = (int64_t)(to - (at + 5));

	if (fits32(rel)) {
		code[0] = 0xe9;
		put32(code + 1, (int32_t)rel);
		return 5;
	}
	code[0] = 0xff; /* jmp *[rip+0] */
	code[1] = 0x25;
	put32(code + 2, 0);
	put64(code + 6, to);
	return 14;
}

/* push [slot+CALL_NEXT], then a jump of the same addressing mode as the call */
static int slot_call(const struct insn_plan *pl, taddr_t slot, uint8_t *code)
{
	uint8_t *jump = code + CALL_PUSH_LEN;
	unsigned op = 0;
	int r = 0;

	code[0] = 0xff;
	code[1] = 0x35;
	put32(code + 2, CALL_NEXT - CALL_PUSH_LEN);
	put64(code + CALL_NEXT, pl->next);
	if (pl->op == EMUL_CALL) {
		jump[0] = 0xff;
		jump[1] = 0x25;
		put32(jump + 2, CALL_TARGET - CALL_PUSH_LEN - 6);
		put64(code + CALL_TARGET, pl->target);
		return 0;
	}
	r = copy_insn(pl, slot + CALL_PUSH_LEN, jump);
	while (pl->bytes[op] != 0xff)
		op++;
	jump[op + 1] = (uint8_t)((jump[op + 1] & 0xc7) | 4 << 3); /* ff /2 → ff /4 */
	return r;
}

static bool is_slot_call(const struct insn_plan *pl)
{
	return pl->op == EMUL_CALL || pl->op == EMUL_CALL_REG || pl->op == EMUL_CALL_MEM;
}

int insn_slot(const struct insn_plan *pl, taddr_t slot, uint8_t code[SLOT_SIZE])
{
	int r;

	memset(code, 0xcc, SLOT_SIZE);
	if (is_slot_call(pl))
		return slot_call(pl, slot, code);
	r = copy_insn(pl, slot, code);
	if (!r)
		put_jump(code + pl->len, slot + pl->len, pl->next);
	return r;
}

taddr_t insn_slot_origin(const struct insn_plan *pl, unsigned off, bool *undo)
{
	*undo = false;
	if (!off)
		return pl->pc;
	if (!is_slot_call(pl))
		return pl->next;
	if (pl->op == EMUL_CALL)
		return pl->target;
	*undo = true;
	return pl->pc;
}

bool insn_first_call(const uint8_t *bytes, size_t n, taddr_t pc, struct first_call *call)
{
	struct insn in;

	for (size_t at = 0; insn_decode(bytes + at, n - at, pc + at, &in); at += in.len)
		switch (in.kind) {
		case INSN_CALL:
		case INSN_JMP:
		case INSN_CALL_INDIRECT:
		case INSN_JMP_INDIRECT:
			call->pc = pc + at;
			call->target = in.target;
			return true;
		case INSN_RET:
		case INSN_JCC:
			return false;
		default:
			break;
		}
	return false;
}
