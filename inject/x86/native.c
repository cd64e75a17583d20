#include "inject/x86/native_code.h"

#include <errno.h>
#include <stddef.h>

#include "base/err.h"
#include "hook/hook_proto.h"

/* Where registers 1 to 7 are: in those that a call may change, the one that is free first. */
static const uint8_t machine[NATIVE_NREGS] = {RCX, RAX, R10, R9, R8, RSI, RDI, RBX};

/* What is saved, in this order, above the locals; above it the flags and rax. */
static const struct {
	uint8_t reg;
	uint8_t off; /* in struct hook_regs */
} kept[] = {{R11, offsetof(struct hook_regs, r11)}, {R10, offsetof(struct hook_regs, r10)},
	    {R9, offsetof(struct hook_regs, r9)},   {R8, offsetof(struct hook_regs, r8)},
	    {RSI, offsetof(struct hook_regs, rsi)}, {RDX, offsetof(struct hook_regs, rdx)},
	    {RDI, offsetof(struct hook_regs, rdi)}, {RCX, offsetof(struct hook_regs, rcx)},
	    {RBX, offsetof(struct hook_regs, rbx)}};
/* What no native clause uses: the first words of struct hook_regs. */
static const uint8_t unused[] = {R15, R14, R13, R12, RBP};
_Static_assert(offsetof(struct hook_regs, rbp) == 4 * 8, "unused");

#define ALWAYS (1U << RCX | 1U << RDX | 1U << BLOCK)

/* ---- bytes ---- */

void native_put(struct native *n, const void *bytes, unsigned len)
{
	n->overflows |= n->len + len > NATIVE_MAX;
	if (n->overflows || !len)
		return;
	memcpy(n->code + n->len, bytes, len);
	n->len += len;
}

void native_put32(struct native *n, uint32_t v)
{
	native_put(n, &v, sizeof(v));
}

static void uses(struct native *n, unsigned reg)
{
	n->needs.saved |= 1U << reg;
}

void native_rr(struct native *n, uint8_t op, unsigned reg, unsigned rm)
{
	PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 4 : 0) | (rm >= R8 ? 1 : 0)), op,
	    (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

void native_rm(struct native *n, uint8_t op, unsigned reg, unsigned base, uint32_t disp)
{
	bool is_small = (int32_t)disp == (int8_t)disp;

	PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 4 : 0) | (base >= R8 ? 1 : 0)), op,
	    (uint8_t)((is_small ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7)));
	if (base == RSP)
		PUT(n, 0x24);
	if (is_small)
		PUT(n, (uint8_t)disp);
	else
		native_put32(n, disp);
}

void native_set(struct native *n, unsigned reg, uint64_t value)
{
	uint8_t rex = reg >= R8 ? 1 : 0;

	if (!value) {
		PUT(n, (uint8_t)(0x40 | rex | rex << 2), 0x31,
		    (uint8_t)(0xc0 | (reg & 7) << 3 | (reg & 7))); /* xor */
	} else if (value == (uint32_t)value) {
		PUT(n, (uint8_t)(0x40 | rex), (uint8_t)(0xb8 | (reg & 7)));
		native_put32(n, (uint32_t)value);
	} else if (value == (uint64_t)(int32_t)value) {
		PUT(n, (uint8_t)(0x48 | rex), 0xc7, (uint8_t)(0xc0 | (reg & 7)));
		native_put32(n, (uint32_t)value);
	} else {
		PUT(n, (uint8_t)(0x48 | rex), (uint8_t)(0xb8 | (reg & 7)));
		native_put(n, &value, sizeof(value));
	}
}

void native_local(struct native *n, uint8_t op, unsigned reg, unsigned local)
{
	n->needs.locals = MAX(n->needs.locals, local + 1);
	native_rm(n, op, reg, RSP, local * 8);
}

void native_call(struct native *n, taddr_t function)
{
	PUT(n, 0xe8);
	native_put32(n, 0);
	if (n->ncalls == ARRAY_SIZE(n->calls)) {
		n->overflows = true;
		return;
	}
	n->calls[n->ncalls++] = (struct native_call){n->len, function};
}

unsigned native_forward(struct native *n)
{
	native_put32(n, 0);
	return n->len;
}

void native_here(struct native *n, unsigned jump)
{
	uint32_t rel = n->len - jump;

	if (!n->overflows)
		memcpy(n->code + jump - sizeof(rel), &rel, sizeof(rel));
}

/* ---- the frame ---- */

static bool is_saved(const struct native *n, unsigned i)
{
	return n->context.frame.saved >> kept[i].reg & 1;
}

static void push(struct native *n, unsigned reg)
{
	if (reg >= R8)
		PUT(n, 0x41);
	PUT(n, (uint8_t)(0x50 | (reg & 7)));
}

static void pop(struct native *n, unsigned reg)
{
	if (reg >= R8)
		PUT(n, 0x41);
	PUT(n, (uint8_t)(0x58 | (reg & 7)));
}

static void move_stack(struct native *n, uint32_t by)
{
	if (by)
		native_rm(n, 0x8d, RSP, RSP, by); /* lea */
}

/* Of the word at that index of kept[]; ARRAY_SIZE: behind the last one. */
static unsigned saved_at(const struct native *n, unsigned index)
{
	unsigned at = n->context.frame.locals * 8;

	for (unsigned i = 0; i < index; i++)
		at += is_saved(n, i) ? 8 : 0;
	return at;
}

/* rcx, which the function changes, is saved, and holds nothing yet. */
static void take_block(struct native *n)
{
	PUT(n, 0x4d, 0x8b, 0x1b);	      /* mov (%r11), %r11 */
	PUT(n, 0x4d, 0x85, 0xdb, 0x75, 0x08); /* test %r11, %r11; jne behind it */
	native_call(n, n->context.take_block);
	PUT(n, 0x49, 0x89, 0xcb); /* mov %rcx, %r11 */
	PUT(n, 0x49, 0x83, 0xbb); /* cmpq $0, tcb(%r11) */
	native_put32(n, (uint32_t)offsetof(struct hook_block, tcb));
	PUT(n, 0);
}

static void restore_flags(struct native *n)
{
	if (n->context.keeps_flags_and_redzone)
		PUT(n, 0x04, 0x7f, 0x9e); /* add $127, %al; sahf */
	else
		PUT(n, 0x04, 0xff); /* add $255, %al: the carry again */
}

/* cmpq $constant, off(base); or of a register */
static void compare_constant(struct native *n, const struct native_guard *g, unsigned i)
{
	uint32_t constant = (uint32_t)g->constant;

	if (g->is_block) { /* rax: the block; without one it does not matter what comes out */
		PUT(n, 0x48, 0x85, 0xc0, 0x74, 11); /* test %rax, %rax; je behind it */
		PUT(n, 0x48, 0x81, 0xb8);
		native_put32(n, g->off);
	} else if (i < ARRAY_SIZE(kept)) {
		PUT(n, (uint8_t)(0x48 | (kept[i].reg >= R8 ? 1 : 0)), 0x81,
		    (uint8_t)(0xf8 | (kept[i].reg & 7)));
	} else {
		PUT(n, 0x48, 0x81, 0x3c, 0x24); /* rax, which the trampoline has pushed */
	}
	native_put32(n, constant);
}

static unsigned kept_at(unsigned off)
{
	unsigned i = 0;

	while (i < ARRAY_SIZE(kept) && kept[i].off != off)
		i++;
	return i;
}

/* Before anything is saved but the flags: where it does not hold, that is all there is to do. */
static void guard(struct native *n, const struct native_guard *g)
{
	if (g->is_block) {
		push(n, RAX);
		PUT(n, 0x64, 0x48, 0x8b, 0x04, 0x25); /* mov %fs:word, %rax */
		native_put32(n, n->context.word);
	}
	compare_constant(n, g, kept_at(g->off));
	if (g->is_block)
		pop(n, RAX);
	PUT(n, 0x0f, (uint8_t)(0x80 | g->cond));
	n->into[n->ninto++] = native_forward(n);
	restore_flags(n);
	n->cold = n->len;
	native_here(n, n->into[0]);
}

void native_begin(struct native *n, const struct native_context *context)
{
	n->context = *context;
	n->len = n->nbranches = n->ncalls = n->ninto = n->cold = 0;
	n->needs = (struct native_frame){.saved = ALWAYS};
	n->overflows = false;
	if (context->keeps_flags_and_redzone)
		PUT(n, 0x9f, 0x0f, 0x90, 0xc0); /* lahf; seto %al */
	else
		PUT(n, 0x0f, 0x92, 0xc0); /* setc %al */
	if (context->guard.is_there)
		guard(n, &context->guard);
	push(n, RAX);
	for (unsigned i = ARRAY_SIZE(kept); i-- > 0;)
		if (is_saved(n, i))
			push(n, kept[i].reg);
	move_stack(n, -(context->frame.locals * 8));
	PUT(n, 0x64, 0x4c, 0x8b, 0x1c, 0x25); /* mov %fs:word, %r11 */
	native_put32(n, context->word);
	if (context->take_block)
		take_block(n);
	else
		PUT(n, 0x4d, 0x85, 0xdb); /* test %r11, %r11 */
	PUT(n, 0x0f, 0x84);		  /* je */
	n->none = native_forward(n);
}

int native_end(struct native *n)
{
	native_here(n, n->none);
	move_stack(n, n->context.frame.locals * 8);
	for (unsigned i = 0; i < ARRAY_SIZE(kept); i++)
		if (is_saved(n, i))
			pop(n, kept[i].reg);
	pop(n, RAX);
	restore_flags(n);
	if (n->cold) {
		PUT(n, 0xe9); /* jmp */
		native_forward(n);
	}
	return n->overflows ? -ENOSPC : (int)n->len;
}

struct native *native_dup(const struct native *n)
{
	size_t size = offsetof(struct native, code) + n->len;

	return memcpy(xcalloc(1, size), n, size);
}

static int set_distance(uint8_t *end, taddr_t from, taddr_t to)
{
	int64_t rel = (int64_t)(to - from);
	int32_t rel32 = (int32_t)rel;

	memcpy(end - sizeof(rel32), &rel32, sizeof(rel32));
	return rel == rel32 ? 0 : -ERANGE;
}

/* [start, end) of the code, and the calls there. */
static int copy_part(const struct native *n, unsigned start, unsigned end, taddr_t at, uint8_t *to)
{
	int r = 0;

	memcpy(to, n->code + start, end - start);
	for (unsigned i = 0; i < n->ncalls && !r; i++) {
		const struct native_call *c = &n->calls[i];

		if (c->end > start && c->end <= end)
			r = set_distance(to + c->end - start, at + c->end - start, c->function);
	}
	return r ? r : (int)(end - start);
}

int native_copy(const struct native *n, taddr_t at, uint8_t *to)
{
	return copy_part(n, 0, n->cold ? n->cold : n->len, at, to);
}

int native_copy_cold(const struct native *n, taddr_t at, uint8_t *from, taddr_t cold, uint8_t *to)
{
	int len = copy_part(n, n->cold, n->len, cold, to), r = 0;

	for (unsigned i = 0; i < n->ninto && len > 0 && !r; i++) {
		int32_t rel;

		memcpy(&rel, n->code + n->into[i] - sizeof(rel), sizeof(rel));
		r = set_distance(from + n->into[i], at + n->into[i],
				 cold + n->into[i] + (taddr_t)rel - n->cold);
	}
	if (!r && len > 0)
		r = set_distance(to + len, cold + (taddr_t)len, at + n->cold);
	return r ? r : len;
}

/* ---- expressions ---- */

void native_expr(struct native *n)
{
	n->nbranches = n->pending = n->in_rcx = 0;
}

/* The machine register that is changed: d's. */
static unsigned changes(struct native *n, unsigned d)
{
	n->pending &= ~(1U << d);
	if (machine[d] != RAX)
		uses(n, machine[d]);
	return machine[d];
}

static bool is_pending(const struct native *n, unsigned a)
{
	return n->pending >> a & 1;
}

/* The machine register of a, which holds its value. Flags are lost. */
static unsigned value(struct native *n, unsigned a)
{
	if (is_pending(n, a))
		native_set(n, changes(n, a), (uint64_t)n->constants[a]);
	return machine[a];
}

/* Where ways part or meet, registers hold what they should on all of them. Flags stay. */
static void settle(struct native *n)
{
	for (unsigned a = 1; a < NATIVE_NREGS; a++)
		if (is_pending(n, a)) {
			unsigned reg = changes(n, a);

			PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 1 : 0)), 0xc7,
			    (uint8_t)(0xc0 | (reg & 7))); /* mov */
			native_put32(n, (uint32_t)n->constants[a]);
		}
}

void native_label(struct native *n, unsigned insn)
{
	for (unsigned i = 0; i < n->nbranches; i++)
		if (n->branches[i].to == insn) {
			settle(n);
			native_here(n, n->branches[i].from);
		}
}

static void move(struct native *n, unsigned from, unsigned to)
{
	if (from != to)
		native_rr(n, 0x89, from, to);
}

void native_fetch(struct native *n, unsigned to, unsigned a)
{
	if (!a || is_pending(n, a))
		native_set(n, to, a ? (uint64_t)n->constants[a] : 0);
	else
		move(n, machine[a], to);
}

void native_give(struct native *n, unsigned d)
{
	move(n, RCX, changes(n, d));
}

/* op of a machine register and a constant: the group of 0x81, whose digits are in the op itself */
static void immediate(struct native *n, uint8_t op, unsigned reg, int32_t constant)
{
	bool is_small = constant == (int8_t)constant;

	PUT(n, (uint8_t)(0x48 | (reg >= R8 ? 1 : 0)), is_small ? 0x83 : 0x81,
	    (uint8_t)(0xc0 | (op & 0x38) | (reg & 7)));
	if (is_small)
		PUT(n, (uint8_t)constant);
	else
		native_put32(n, (uint32_t)constant);
}

static void simple(struct native *n, uint8_t op, unsigned d, unsigned a, unsigned b)
{
	if (a && is_pending(n, b)) {
		unsigned from = value(n, a);

		move(n, from, changes(n, d));
		immediate(n, op, machine[d], n->constants[b]);
		return;
	}
	if (a && b && d != b) {
		unsigned from = value(n, a), with = value(n, b);

		move(n, from, changes(n, d));
		native_rr(n, op, with, machine[d]);
		return;
	}
	native_fetch(n, RCX, a);
	native_fetch(n, RDX, b);
	native_rr(n, op, RDX, RCX);
	native_give(n, d);
}

static void multiply(struct native *n, unsigned d, unsigned a, unsigned b)
{
	native_fetch(n, RCX, a);
	if (is_pending(n, b)) {
		PUT(n, 0x48, 0x69, 0xc9); /* imul $.., %rcx, %rcx */
		native_put32(n, (uint32_t)n->constants[b]);
	} else {
		native_fetch(n, RDX, b);
		PUT(n, 0x48, 0x0f, 0xaf, 0xca); /* imul %rdx, %rcx */
	}
	native_give(n, d);
}

static void shift(struct native *n, uint8_t digit, unsigned d, unsigned a, unsigned b)
{
	if (a && is_pending(n, b)) {
		unsigned from = value(n, a), to;

		move(n, from, to = changes(n, d));
		PUT(n, (uint8_t)(0x48 | (to >= R8 ? 1 : 0)), 0xc1,
		    (uint8_t)(0xc0 | digit << 3 | (to & 7)), (uint8_t)(n->constants[b] & 63));
		return;
	}
	native_fetch(n, RDX, a);
	native_fetch(n, RCX, b);
	PUT(n, 0x48, 0xd3, (uint8_t)(0xc0 | digit << 3 | RDX));
	move(n, RDX, changes(n, d));
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
		multiply(n, d, a, b);
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
		native_fetch(n, RCX, a);
		PUT(n, 0x48, 0xf7, 0xd1); /* not %rcx */
		native_give(n, d);
		break;
	case NATIVE_MOV:
		if (a != d)
			native_fetch(n, changes(n, d), a);
		break;
	}
}

/* A small one waits until it is known who wants it: most can be part of an instruction. */
void native_constant(struct native *n, unsigned d, uint64_t constant)
{
	if (constant != (uint64_t)(int32_t)constant) {
		native_set(n, changes(n, d), constant);
		return;
	}
	n->pending |= 1U << d;
	n->constants[d] = (int32_t)constant;
}

/* What is not saved is where it was; rax was pushed first. */
void native_load_saved(struct native *n, unsigned d, unsigned off)
{
	unsigned i = kept_at(off), to = changes(n, d);

	if (off / 8 < ARRAY_SIZE(unused))
		move(n, unused[off / 8], to);
	else if (i < ARRAY_SIZE(kept) && !is_saved(n, i))
		move(n, kept[i].reg, to);
	else
		native_rm(n, 0x8b, to, RSP, saved_at(n, i) + (i < ARRAY_SIZE(kept) ? 0 : 8));
}

/* From ours to the program's stack pointer. */
static unsigned stack_off(const struct native *n)
{
	return saved_at(n, ARRAY_SIZE(kept)) + 16 +
	       (n->context.keeps_flags_and_redzone ? NATIVE_RED_ZONE : 0);
}

void native_load_stack(struct native *n, unsigned d, unsigned nth)
{
	native_rm(n, 0x8b, changes(n, d), RSP, stack_off(n) + nth * 8);
}

void native_load_stack_pointer(struct native *n, unsigned d)
{
	native_rm(n, 0x8d, changes(n, d), RSP, stack_off(n)); /* lea */
}

void native_load_block(struct native *n, unsigned d, unsigned off)
{
	native_rm(n, 0x8b, changes(n, d), BLOCK, off);
}

void native_load_local(struct native *n, unsigned d, unsigned local)
{
	native_local(n, 0x8b, changes(n, d), local);
}

/* The register that holds it: rcx, unless it need not be changed. */
static unsigned fit(struct native *n, unsigned a, struct native_type type)
{
	uint8_t bits = (uint8_t)(64 - 8 * type.size);

	if (a && !bits)
		return value(n, a);
	native_fetch(n, RCX, a);
	if (bits) {
		PUT(n, 0x48, 0xc1, 0xe1, bits); /* shl; sar or shr */
		PUT(n, 0x48, 0xc1, (uint8_t)(type.is_signed ? 0xf9 : 0xe9), bits);
	}
	return RCX;
}

void native_store_block(struct native *n, unsigned off, unsigned a, struct native_type type)
{
	native_rm(n, 0x89, fit(n, a, type), BLOCK, off);
}

void native_store_local(struct native *n, unsigned local, unsigned a, struct native_type type)
{
	native_local(n, 0x89, fit(n, a, type), local);
}

unsigned native_frame_words(const struct native *n)
{
	return (saved_at(n, ARRAY_SIZE(kept)) +
		(n->context.keeps_flags_and_redzone ? NATIVE_RED_ZONE : 0)) /
		       8 +
	       2; /* the flags and rax */
}

void native_call_record(struct native *n, const struct native_record_call *call)
{
	native_local(n, 0x89, BLOCK, call->keep);
	for (unsigned i = 0; i < ARRAY_SIZE(kept); i++)
		if (is_saved(n, i))
			native_rm(n, 0x8b, kept[i].reg, RSP, saved_at(n, i));
	native_rm(n, 0x8b, RAX, RSP, saved_at(n, ARRAY_SIZE(kept)) + 8);
	push(n, RAX);
	PUT(n, 0xb8); /* mov $.., %eax */
	native_put32(n, call->number);
	native_call(n, call->function);
	pop(n, RAX);
	native_local(n, 0x8b, BLOCK, call->keep);
	n->in_rcx = 0;
}

static void branch_to(struct native *n, unsigned to)
{
	unsigned from = native_forward(n);

	if (n->nbranches == ARRAY_SIZE(n->branches)) {
		n->overflows = true;
		return;
	}
	n->branches[n->nbranches++] = (struct native_branch){from, to};
}

/* Flags: of a compared with b. Compared with 0 they are those of `test`. */
static void compare(struct native *n, unsigned a, unsigned b)
{
	if (a && is_pending(n, b) && n->constants[b]) {
		immediate(n, 0x39, value(n, a), n->constants[b]);
	} else if (a && b && !is_pending(n, b)) {
		unsigned first = value(n, a);

		native_rr(n, 0x39, machine[b], first);
	} else if (a) {
		unsigned first = value(n, a);

		native_rr(n, 0x85, first, first);
	} else {
		native_fetch(n, RCX, a);
		native_fetch(n, RDX, b);
		native_rr(n, 0x39, RDX, RCX);
	}
}

void native_branch(struct native *n, const struct native_jump *jump)
{
	if (jump->cond != NATIVE_ALWAYS)
		compare(n, jump->a, jump->b);
	n->pending &= jump->live;
	settle(n);
	if (jump->cond == NATIVE_ALWAYS)
		PUT(n, 0xe9);
	else
		PUT(n, 0x0f, (uint8_t)(0x80 | jump->cond));
	branch_to(n, jump->to);
}

void native_compare(struct native *n, enum native_cond cond, unsigned d, unsigned a, unsigned b)
{
	compare(n, a, b);
	PUT(n, 0x0f, (uint8_t)(0x90 | cond), 0xc1, 0x0f, 0xb6, 0xc9); /* set cl; movzx %cl, %ecx */
	native_give(n, d);
}

#define END UINT32_MAX

void native_return(struct native *n, unsigned a, bool is_last)
{
	native_fetch(n, RCX, a);
	if (is_last)
		return;
	PUT(n, 0xe9);
	branch_to(n, END);
}

void native_keep(struct native *n, unsigned local)
{
	native_label(n, END);
	native_local(n, 0x89, RCX, local);
	n->in_rcx = local + 1;
}

unsigned native_if_compared(struct native *n, enum native_cond cond, unsigned a, unsigned b)
{
	compare(n, a, b);
	PUT(n, 0x0f, (uint8_t)(0x80 | (cond ^ 1)));
	return native_forward(n);
}

unsigned native_if(struct native *n)
{
	native_label(n, END);
	PUT(n, 0x48, 0x85, 0xc9, 0x0f, 0x84); /* test %rcx, %rcx; je */
	return native_forward(n);
}
