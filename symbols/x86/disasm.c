#include "symbols/x86/disasm.h"

#define MAX_INSN 15

/*
 * What follows an opcode (Intel SDM vol. 2, appendix A, 64-bit mode):
 *   .  nothing      m  ModRM            x  not an instruction
 *   b  imm8         B  ModRM, imm8      p  prefix
 *   z  imm16/32     Z  ModRM, imm16/32  e  escape to another table (0f, VEX, EVEX, XOP)
 *   w  imm16        v  imm16/32/64      o  address-sized offset
 *   r  rel8         R  rel32            n  enter: imm16, imm8
 *   f  ModRM, imm8 when reg is 0 or 1   F  the same with imm16/32
 *   q  ModRM; extrq, insertq: two imm8  c  ModRM of two registers, whatever it says
 */
/* clang-format off */
static const char one_byte[257] =
	"mmmmbzxxmmmmbzxe" /* 00 */
	"mmmmbzxxmmmmbzxx" /* 10 */
	"mmmmbzpxmmmmbzpx" /* 20 */
	"mmmmbzpxmmmmbzpx" /* 30 */
	"pppppppppppppppp" /* 40: REX */
	"................" /* 50 */
	"xxempppp" "zZbB...." /* 60 */
	"rrrrrrrrrrrrrrrr" /* 70 */
	"BZxBmmmmmmmmmmme" /* 80 */
	"..........x....." /* 90 */
	"oooo....bz......" /* a0 */
	"bbbbbbbbvvvvvvvv" /* b0 */
	"BBw.eeBZn.w..bx." /* c0 */
	"mmmmxxx.mmmmmmmm" /* d0 */
	"rrrrbbbbRRxr...." /* e0 */
	"p.pp..fF......mm" /* f0 */;

static const char two_byte[257] = /* 0f xx */
	"mmmmx.....x.xm.B" /* 00 */
	"mmmmmmmmmmmmmmmm" /* 10 */
	"ccccxxxxmmmmmmmm" /* 20 */
	"......x.exexxxxx" /* 30 */
	"mmmmmmmmmmmmmmmm" /* 40 */
	"mmmmmmmmmmmmmmmm" /* 50 */
	"mmmmmmmmmmmmmmmm" /* 60 */
	"BBBBmmm.qmxxmmmm" /* 70 */
	"RRRRRRRRRRRRRRRR" /* 80 */
	"mmmmmmmmmmmmmmmm" /* 90 */
	"...mBmmm...mBmmm" /* a0; a6, a7: VIA PadLock */
	"mmmmmmmmmmBmmmmm" /* b0 */
	"mmBmBBBm........" /* c0 */
	"mmmmmmmmmmmmmmmm" /* d0 */
	"mmmmmmmmmmmmmmmm" /* e0 */
	"mmmmmmmmmmmmmmmm" /* f0 */;
/* clang-format on */

/* The bytes being looked at. `bad` is set by the first read past the end. */
struct code {
	const uint8_t *p;
	size_t n, at;
	bool bad;
	bool opsize, addrsize, rep, repne, rex_w; /* prefixes seen */
	uint8_t modrm, opcode_at, modrm_at, rip_rel_at;
};

static uint8_t next(struct code *c)
{
	if (c->at >= c->n) {
		c->bad = true;
		return 0;
	}
	return c->p[c->at++];
}

static void skip(struct code *c, unsigned n)
{
	c->at += n;
	if (c->at > c->n)
		c->bad = true;
}

static void modrm(struct code *c)
{
	uint8_t mod, rm, sib;

	c->modrm_at = (uint8_t)c->at;
	c->modrm = next(c);
	mod = c->modrm >> 6;
	rm = c->modrm & 7;
	if (mod == 3)
		return;
	if (rm == 4) {
		sib = next(c);
		if (mod == 0 && (sib & 7) == 5)
			skip(c, 4);
	} else if (mod == 0 && rm == 5) {
		c->rip_rel_at = (uint8_t)c->at;
		skip(c, 4);
	}
	if (mod == 1)
		skip(c, 1);
	else if (mod == 2)
		skip(c, 4);
}

static unsigned imm_size(const struct code *c)
{
	return c->opsize && !c->rex_w ? 2 : 4;
}

/* What follows an opcode of class `cls`; direct branches are done by the caller. */
static void operands(struct code *c, char cls)
{
	switch (cls) {
	case '.':
		break;
	case 'm':
		modrm(c);
		break;
	case 'b':
	case 'c':
		skip(c, 1);
		break;
	case 'B':
		modrm(c);
		skip(c, 1);
		break;
	case 'z':
		skip(c, imm_size(c));
		break;
	case 'Z':
		modrm(c);
		skip(c, imm_size(c));
		break;
	case 'w':
		skip(c, 2);
		break;
	case 'v':
		skip(c, c->rex_w ? 8 : imm_size(c));
		break;
	case 'o':
		skip(c, c->addrsize ? 4 : 8);
		break;
	case 'n':
		skip(c, 3);
		break;
	case 'f':
	case 'F':
		modrm(c);
		if ((c->modrm >> 3 & 7) <= 1)
			skip(c, cls == 'f' ? 1 : imm_size(c));
		break;
	case 'q':
		modrm(c);
		if (c->opsize || c->repne)
			skip(c, 2);
		break;
	default:
		c->bad = true;
	}
}

/* The rest of a VEX or EVEX instruction: map 1 is 0f, 2 is 0f38, 3 is 0f3a, 5 and 6 are FP16. */
static void vex_rest(struct code *c, unsigned map)
{
	uint8_t op = next(c);

	if (map == 1 && op == 0x77)
		return; /* vzeroupper */
	if (map == 3 || (map == 1 && two_byte[op] == 'B'))
		operands(c, 'B');
	else
		operands(c, 'm');
}

static void vex(struct code *c, uint8_t op)
{
	uint8_t payload = next(c);
	unsigned map;

	if (op == 0xc5) {
		vex_rest(c, 1);
		return;
	}
	map = payload & 0x1f;
	if (op == 0x62) { /* EVEX: three payload bytes */
		map = payload & 7;
		skip(c, 2);
		if (payload & 8 || map == 0 || map == 4 || map == 7)
			c->bad = true;
	} else { /* C4: two */
		skip(c, 1);
		if (map == 0 || map > 3)
			c->bad = true;
	}
	vex_rest(c, map);
}

/* 8f: pop when ModRM.reg is 0, else AMD's XOP. */
static void pop_or_xop(struct code *c)
{
	uint8_t payload = next(c);

	if ((payload & 0x1f) < 8) {
		c->at--;
		modrm(c);
		if (c->modrm >> 3 & 7)
			c->bad = true;
		return;
	}
	skip(c, 2);
	modrm(c);
	switch (payload & 0x1f) {
	case 8:
		skip(c, 1);
		break;
	case 9:
		break;
	case 10:
		skip(c, 4);
		break;
	default:
		c->bad = true;
	}
}

static int64_t relative(struct code *c, unsigned size)
{
	int8_t rel8;
	int32_t rel32;

	skip(c, size);
	if (c->bad)
		return 0;
	if (size == 1) {
		memcpy(&rel8, c->p + c->at - 1, 1);
		return rel8;
	}
	memcpy(&rel32, c->p + c->at - 4, 4);
	return rel32;
}

/* Prefixes; returns the opcode. A REX counts only right before the opcode. */
static uint8_t prefixes(struct code *c)
{
	for (;;) {
		uint8_t b = next(c);

		if (c->bad || one_byte[b] != 'p') {
			c->opcode_at = (uint8_t)(c->at - 1);
			return b;
		}
		c->rex_w = (b & 0xf8) == 0x48;
		c->opsize |= b == 0x66;
		c->addrsize |= b == 0x67;
		c->rep |= b == 0xf3;
		c->repne |= b == 0xf2;
	}
}

static void two_byte_insn(struct code *c, struct insn *insn, taddr_t pc)
{
	uint8_t op = next(c);
	char cls = two_byte[op];

	if (cls == 'R') {
		int64_t rel = relative(c, 4);

		insn->kind = INSN_JCC;
		insn->target = pc + c->at + (uint64_t)rel;
	} else if (cls == 'e') {
		next(c);
		operands(c, op == 0x38 ? 'm' : 'B');
	} else {
		operands(c, cls);
		if (op == 0x0b || op == 0xb9 || op == 0xff)
			insn->kind = INSN_TRAP;
	}
}

static enum insn_kind one_byte_kind(const struct code *c, uint8_t op)
{
	switch (op) {
	case 0xc2:
	case 0xc3:
		return INSN_RET;
	case 0xcc:
	case 0xcd:
	case 0xf1:
		return INSN_TRAP;
	case 0xff:
		switch (c->modrm >> 3 & 7) {
		case 2:
		case 3:
			return INSN_CALL_INDIRECT;
		case 4:
		case 5:
			return INSN_JMP_INDIRECT;
		default:
			return INSN_OTHER;
		}
	default:
		return INSN_OTHER;
	}
}

static void branch(struct code *c, uint8_t op, struct insn *insn, taddr_t pc)
{
	int64_t rel = relative(c, one_byte[op] == 'r' ? 1 : 4);

	insn->target = pc + c->at + (uint64_t)rel;
	if (op == 0xe8)
		insn->kind = INSN_CALL;
	else if (op == 0xe9 || op == 0xeb)
		insn->kind = INSN_JMP;
	else
		insn->kind = INSN_JCC;
}

/* xbegin is c7 /7 of a register, with a distance where mov has its number. */
static void transaction(const struct code *c, struct insn *insn, taddr_t pc)
{
	int16_t rel16;
	int32_t rel32;
	int64_t rel;

	if (c->bad || c->modrm != 0xf8)
		return;
	memcpy(&rel16, c->p + c->at - sizeof(rel16), sizeof(rel16));
	memcpy(&rel32, c->p + c->at - sizeof(rel32), sizeof(rel32));
	rel = imm_size(c) == sizeof(rel16) ? rel16 : rel32;
	insn->kind = INSN_XBEGIN;
	insn->target = pc + c->at + (uint64_t)rel;
}

unsigned insn_decode(const uint8_t *p, size_t n, taddr_t pc, struct insn *out)
{
	struct code c = {.p = p, .n = MIN(n, MAX_INSN)};
	struct insn insn = {.kind = INSN_OTHER};
	uint8_t op = prefixes(&c);
	char cls = one_byte[op];

	if (cls == 'r' || cls == 'R') {
		branch(&c, op, &insn, pc);
	} else if (op == 0x0f) {
		two_byte_insn(&c, &insn, pc);
	} else if (op == 0x8f) {
		pop_or_xop(&c);
	} else if (cls == 'e') {
		vex(&c, op);
	} else {
		operands(&c, cls);
		if (((op == 0xfe && (c.modrm >> 3 & 7) > 1) ||
		     (op == 0xff && (c.modrm >> 3 & 7) == 7)))
			c.bad = true;
		insn.kind = one_byte_kind(&c, op);
		if (op == 0xc7)
			transaction(&c, &insn, pc);
	}
	if (c.bad)
		return 0;
	insn.len = (uint8_t)c.at;
	insn.opcode = c.opcode_at;
	insn.modrm = c.modrm_at;
	insn.rip_rel = c.rip_rel_at;
	*out = insn;
	return insn.len;
}

bool code_ends_with_call(const uint8_t code[CALL_MAX])
{
	static const uint8_t lens[] = {2, 3, 4, 6, 7}; /* of call *reg and call *mem */
	const uint8_t *end = code + CALL_MAX;

	if (end[-5] == 0xe8)
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(lens); i++)
		if (end[-lens[i]] == 0xff && (end[1 - lens[i]] & 0x38) == 0x10)
			return true;
	return false;
}
