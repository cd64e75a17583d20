#include "inject/native.h"

#include <errno.h>
#include <stddef.h>

#include "hook/hook_proto.h"

/*
 * rbx: the distance of the block; locals lie at the stack pointer, and behind them the program's
 * rbx and registers, as in struct hook_regs. Registers 1 to 7 are in those that a call may change;
 * rcx and rdi help.
 */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };
static const uint8_t machine[NATIVE_NREGS] = {RCX, RAX, RDX, R8, R9, R10, R11, RSI};

_Static_assert(offsetof(struct hook_regs, r10) == offsetof(struct hook_regs, r11) + 8 &&
		       offsetof(struct hook_regs, rdi) == offsetof(struct hook_regs, r10) + 8 &&
		       offsetof(struct hook_regs, rcx) == offsetof(struct hook_regs, rdi) + 24 &&
		       offsetof(struct hook_regs, r9) == offsetof(struct hook_regs, rcx) + 16 &&
		       offsetof(struct hook_regs, flags) == offsetof(struct hook_regs, r9) + 8,
	       "what native_begin pushes");

#define FRAME (NATIVE_LOCALS * 8)
#define SAVED (FRAME + 8 - offsetof(struct hook_regs, r11)) /* of a place in struct hook_regs */
#define ROOM  (FRAME + 8 + offsetof(struct hook_regs, flags) - offsetof(struct hook_regs, r11))

static const struct {
	uint8_t reg;
	uint8_t off; /* in struct hook_regs */
} kept[] = {{R11, offsetof(struct hook_regs, r11)}, {R10, offsetof(struct hook_regs, r10)},
	    {R9, offsetof(struct hook_regs, r9)},   {R8, offsetof(struct hook_regs, r8)},
	    {RDI, offsetof(struct hook_regs, rdi)}, {RSI, offsetof(struct hook_regs, rsi)},
	    {RDX, offsetof(struct hook_regs, rdx)}, {RCX, offsetof(struct hook_regs, rcx)}};

static void put(struct native *n, const void *bytes, unsigned len)
{
	n->overflows |= n->len + len > NATIVE_MAX;
	if (n->overflows)
		return;
	memcpy(n->code + n->len, bytes, len);
	n->len += len;
}

#define PUT(n, ...) put(n, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put32(struct native *n, uint32_t v)
{
	put(n, &v, sizeof(v));
}

/* rex.w op /r of two registers */
static void rr(struct native *n, uint8_t op, unsigned reg, unsigned rm)
{
	PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 4 : 0) | (rm >= R8 ? 1 : 0)), op,
	    (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

/* op reg, disp32(base); base is rbx, rbp or rsp */
static void rm(struct native *n, uint8_t rex, uint8_t op, unsigned reg, unsigned base,
	       unsigned disp)
{
	PUT(n, (uint8_t)(rex | (reg >= R8 ? 4 : 0)), op, (uint8_t)(0x80 | (reg & 7) << 3 | base));
	if (base == RSP)
		PUT(n, 0x24);
	put32(n, disp);
}

/* A register's value in a machine register that helps. */
static void fetch(struct native *n, unsigned to, unsigned a)
{
	if (a)
		rr(n, 0x89, machine[a], to); /* mov */
	else
		PUT(n, 0x31, (uint8_t)(0xc0 | to << 3 | to)); /* xor: below r8 */
}

static void patch(struct native *n, unsigned from)
{
	uint32_t rel = n->len - from;

	if (!n->overflows)
		memcpy(n->code + from - sizeof(rel), &rel, sizeof(rel));
}

static void keep(struct native *n, uint8_t op)
{
	for (unsigned i = 0; i < ARRAY_SIZE(kept); i++)
		if (n->place.saved >> kept[i].reg & 1)
			rm(n, 0x48, op, kept[i].reg, RSP, (unsigned)SAVED + kept[i].off);
	rm(n, 0x48, op, RBX, RSP, FRAME);
}

void native_begin(struct native *n, const struct native_place *place)
{
	n->place = *place;
	n->len = n->nbranches = 0;
	n->used = 1u << RCX | 1u << RDI;
	n->overflows = false;
	if (place->is_careful)
		PUT(n, 0x9f, 0x0f, 0x90, 0xc0); /* lahf; seto %al */
	else
		PUT(n, 0x0f, 0x92, 0xc0); /* setc %al */
	PUT(n, 0x50, 0x48, 0x81, 0xec);	  /* push %rax; sub $ROOM, %rsp */
	put32(n, ROOM);
	keep(n, 0x89);
	PUT(n, 0x64, 0x48, 0x8b, 0x1c, 0x25); /* mov %fs:word, %rbx */
	put32(n, place->word);
	PUT(n, 0x48, 0x85, 0xdb, 0x0f, 0x84); /* test %rbx, %rbx; je */
	put32(n, 0);
	n->none = n->len;
}

int native_end(struct native *n)
{
	patch(n, n->none);
	keep(n, 0x8b);
	PUT(n, 0x48, 0x81, 0xc4); /* add $ROOM, %rsp */
	put32(n, ROOM);
	PUT(n, 0x58); /* pop %rax */
	if (n->place.is_careful)
		PUT(n, 0x04, 0x7f, 0x9e); /* add $127, %al; sahf */
	else
		PUT(n, 0x04, 0xff); /* add $255, %al: the carry again */
	PUT(n, 0xc3);
	return n->overflows ? -ENOSPC : (int)n->len;
}

/* ---- expressions ---- */

void native_expr(struct native *n)
{
	n->nbranches = 0;
}

void native_label(struct native *n, unsigned insn)
{
	for (unsigned i = 0; i < n->nbranches; i++)
		if (n->branches[i].to == insn)
			patch(n, n->branches[i].from);
}

/* d = rcx */
static void give(struct native *n, unsigned d)
{
	n->used |= 1u << machine[d];
	rr(n, 0x89, RCX, machine[d]);
}

static void simple(struct native *n, uint8_t op, unsigned d, unsigned a, unsigned b)
{
	fetch(n, RCX, a);
	fetch(n, RDI, b);
	rr(n, op, RDI, RCX);
	give(n, d);
}

static void shift(struct native *n, uint8_t digit, unsigned d, unsigned a, unsigned b)
{
	fetch(n, RDI, a);
	fetch(n, RCX, b);
	PUT(n, 0x48, 0xd3, (uint8_t)(0xc0 | digit << 3 | RDI));
	rr(n, 0x89, RDI, machine[d]);
	n->used |= 1u << machine[d];
}

static void divide(struct native *n, bool is_signed, unsigned result, unsigned d, unsigned a,
		   unsigned b)
{
	PUT(n, 0x50, 0x52); /* push %rax; push %rdx */
	fetch(n, RDI, b);
	fetch(n, RCX, a);
	rr(n, 0x89, RCX, RAX);
	if (is_signed)
		PUT(n, 0x48, 0x99, 0x48, 0xf7, 0xff); /* cqo; idiv %rdi */
	else
		PUT(n, 0x31, 0xd2, 0x48, 0xf7, 0xf7); /* xor %edx, %edx; div %rdi */
	rr(n, 0x89, result, RCX);
	PUT(n, 0x5a, 0x58); /* pop %rdx; pop %rax */
	give(n, d);
}

void native_op(struct native *n, enum native_op op, unsigned d, unsigned a, unsigned b)
{
	switch (op) {
	case NATIVE_OR:
		simple(n, 0x09, d, a, b);
		break;
	case NATIVE_XOR:
		simple(n, 0x31, d, a, b);
		break;
	case NATIVE_AND:
		simple(n, 0x21, d, a, b);
		break;
	case NATIVE_ADD:
		simple(n, 0x01, d, a, b);
		break;
	case NATIVE_SUB:
		simple(n, 0x29, d, a, b);
		break;
	case NATIVE_MUL:
		fetch(n, RCX, a);
		fetch(n, RDI, b);
		PUT(n, 0x48, 0x0f, 0xaf, 0xcf); /* imul %rdi, %rcx */
		give(n, d);
		break;
	case NATIVE_SLL:
		shift(n, 4, d, a, b);
		break;
	case NATIVE_SRL:
		shift(n, 5, d, a, b);
		break;
	case NATIVE_SRA:
		shift(n, 7, d, a, b);
		break;
	case NATIVE_NOT:
		fetch(n, RCX, a);
		PUT(n, 0x48, 0xf7, 0xd1); /* not %rcx */
		give(n, d);
		break;
	case NATIVE_MOV:
		fetch(n, RCX, a);
		give(n, d);
		break;
	case NATIVE_SDIV:
		divide(n, true, RAX, d, a, b);
		break;
	case NATIVE_UDIV:
		divide(n, false, RAX, d, a, b);
		break;
	case NATIVE_SREM:
		divide(n, true, RDX, d, a, b);
		break;
	case NATIVE_UREM:
		divide(n, false, RDX, d, a, b);
		break;
	}
}

static void movabs(struct native *n, unsigned reg, uint64_t value)
{
	PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 1 : 0)), (uint8_t)(0xb8 | (reg & 7)));
	put(n, &value, sizeof(value));
}

void native_constant(struct native *n, unsigned d, uint64_t value)
{
	movabs(n, machine[d], value);
	n->used |= 1u << machine[d];
}

/* What is not saved is where it was. */
void native_load_saved(struct native *n, unsigned d, unsigned off)
{
	n->used |= 1u << machine[d];
	for (unsigned i = 0; i < ARRAY_SIZE(kept); i++)
		if (kept[i].off == off && !(n->place.saved >> kept[i].reg & 1)) {
			rr(n, 0x89, kept[i].reg, machine[d]);
			return;
		}
	rm(n, 0x48, 0x8b, machine[d], RSP, (unsigned)SAVED + off);
}

void native_load_block(struct native *n, unsigned d, unsigned off)
{
	n->used |= 1u << machine[d];
	rm(n, 0x48, 0x8b, machine[d], RBX, (unsigned)n->place.blocks + off);
}

void native_load_local(struct native *n, unsigned d, unsigned local)
{
	n->used |= 1u << machine[d];
	rm(n, 0x48, 0x8b, machine[d], RSP, local * 8);
}

/* In rcx. */
static void fit(struct native *n, unsigned a, struct native_type type)
{
	uint8_t bits = (uint8_t)(64 - 8 * type.size);

	fetch(n, RCX, a);
	if (!bits)
		return;
	PUT(n, 0x48, 0xc1, 0xe1, bits);					   /* shl */
	PUT(n, 0x48, 0xc1, (uint8_t)(type.is_signed ? 0xf9 : 0xe9), bits); /* sar or shr */
}

void native_store_block(struct native *n, unsigned off, unsigned a, struct native_type type)
{
	fit(n, a, type);
	rm(n, 0x48, 0x89, RCX, RBX, (unsigned)n->place.blocks + off);
}

void native_store_local(struct native *n, unsigned local, unsigned a, struct native_type type)
{
	fit(n, a, type);
	rm(n, 0x48, 0x89, RCX, RSP, local * 8);
}

static void branch_to(struct native *n, unsigned to)
{
	put32(n, 0);
	if (n->nbranches == ARRAY_SIZE(n->branches)) {
		n->overflows = true;
		return;
	}
	n->branches[n->nbranches++] = (struct native_branch){n->len, to};
}

void native_branch(struct native *n, enum native_cond cond, unsigned a, unsigned b, unsigned to)
{
	if (cond == NATIVE_ALWAYS) {
		PUT(n, 0xe9);
	} else {
		fetch(n, RCX, a);
		fetch(n, RDI, b);
		rr(n, 0x39, RDI, RCX); /* cmp %rdi, %rcx */
		PUT(n, 0x0f, (uint8_t)(0x80 | cond));
	}
	branch_to(n, to);
}

#define END UINT32_MAX

void native_return(struct native *n, unsigned a, bool is_last)
{
	fetch(n, RCX, a);
	if (is_last)
		return;
	PUT(n, 0xe9);
	branch_to(n, END);
}

void native_keep(struct native *n, unsigned local)
{
	native_label(n, END);
	rm(n, 0x48, 0x89, RCX, RSP, local * 8);
}

unsigned native_if(struct native *n)
{
	native_label(n, END);
	PUT(n, 0x48, 0x85, 0xc9, 0x0f, 0x84); /* test %rcx, %rcx; je */
	put32(n, 0);
	return n->len;
}

void native_here(struct native *n, unsigned jump)
{
	patch(n, jump);
}

/* ---- values ---- */

static void call(struct native *n, taddr_t function)
{
	uint64_t rel = function - (n->place.at + n->len + 5);

	n->used = NATIVE_ALL;
	n->overflows |= (int64_t)rel != (int32_t)rel;
	PUT(n, 0xe8);
	put32(n, (uint32_t)rel);
}

void native_call_now(struct native *n, taddr_t function, unsigned local)
{
	call(n, function);
	rm(n, 0x48, 0x89, RAX, RSP, local * 8);
}

void native_call_aggregate(struct native *n, taddr_t function, taddr_t agg, unsigned keys,
			   unsigned value)
{
	rm(n, 0x48, 0x8d, RDI, RBX, (unsigned)n->place.blocks); /* lea */
	movabs(n, RSI, agg);
	rm(n, 0x48, 0x8d, RDX, RSP, keys * 8); /* lea */
	rm(n, 0x48, 0x8b, RCX, RSP, value * 8);
	call(n, function);
}

void native_add_words(struct native *n, taddr_t words, unsigned scale, int value)
{
	PUT(n, 0x48, 0x69, 0xfb); /* imul $scale, %rbx, %rdi */
	put32(n, scale);
	movabs(n, RCX, words);
	rr(n, 0x01, RCX, RDI); /* add */
	if (value >= 0) {
		rm(n, 0x48, 0x8b, RCX, RSP, (unsigned)value * 8);
		PUT(n, 0x48, 0x01, 0x4f, 0x08); /* add %rcx, 8(%rdi) */
	}
	PUT(n, 0x48, 0xff, 0x07); /* incq (%rdi) */
}
