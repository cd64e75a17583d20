/*
 * native_record.c: a record of few words, written where it is asked for: what ring_reserve, put and
 * commit (hook/reserve.h) do where nothing is in the way, in their order. Whatever is in the way is
 * left to the function.
 */
#include "inject/x86/native_code.h"

#include <errno.h>
#include <stddef.h>

#include "hook/hook_proto.h"

enum { HEAD = RAX, END = R10, AT = RBX };

#define LIGHT (HOOK_TIME | HOOK_RESULT | HOOK_ARGS | HOOK_CALLER | HOOK_CPU)

static unsigned words_of(const struct hook_site *s)
{
	return 1 + (s->flags & HOOK_TIME ? 1 : 0) + (s->flags & HOOK_RESULT ? 2 : 0) +
	       (s->flags & HOOK_ARGS ? s->nargs : 0) + (s->flags & HOOK_CALLER ? 1 : 0);
}

bool native_can_record(const struct hook_site *s, bool has_rdpid)
{
	return !(s->flags & ~LIGHT) && (has_rdpid || !(s->flags & HOOK_CPU)) &&
	       s->max_words == words_of(s);
}

struct recording {
	struct native *n;
	const struct native_record *what;
	unsigned off;	   /* of the next word of the record */
	bool is_head_gone; /* HEAD holds something else */
};

static uint32_t size_of(const struct recording *r)
{
	return (uint32_t)r->what->site->max_words * 8;
}

/* op of a register and a word of the block */
static void with_block(const struct recording *r, uint8_t op, unsigned reg, size_t field)
{
	native_rm(r->n, op, reg, BLOCK, (uint32_t)field);
}

#define WITH_BLOCK(r, op, reg, field) with_block(r, op, reg, offsetof(struct hook_block, field))

static unsigned forward_if(struct native *n, enum native_cond cond)
{
	PUT(n, 0x0f, (uint8_t)(0x80 | cond));
	return native_forward(n);
}

static bool saves_rdx(const struct recording *r)
{
	return r->what->site->flags & HOOK_TIME;
}

/* What is saved, from the stack pointer on: the above, AT, END, BLOCK, the flags, rax. */
static unsigned saved(const struct recording *r)
{
	return saves_rdx(r) ? 8 : 0;
}

static void save(const struct recording *r)
{
	struct native *n = r->n;

	if (n->context.keeps_flags_and_redzone)
		PUT(n, 0x9f, 0x0f, 0x90, 0xc0); /* lahf; seto %al */
	else
		PUT(n, 0x0f, 0x92, 0xc0);	    /* setc %al */
	PUT(n, 0x50, 0x41, 0x53, 0x41, 0x52, 0x53); /* push %rax; %r11; %r10; %rbx */
	if (saves_rdx(r))
		PUT(n, 0x52);
	PUT(n, 0x64, 0x4c, 0x8b, 0x1c, 0x25); /* mov %fs:word, %r11 */
	native_put32(n, n->context.word);
}

static void restore(const struct recording *r)
{
	struct native *n = r->n;

	if (saves_rdx(r))
		PUT(n, 0x5a);
	PUT(n, 0x5b, 0x41, 0x5a, 0x41, 0x5b, 0x58); /* pop %rbx; %r10; %r11; %rax */
	if (n->context.keeps_flags_and_redzone)
		PUT(n, 0x04, 0x7f, 0x9e); /* add $127, %al; sahf */
	else
		PUT(n, 0x04, 0xff); /* add $255, %al: the carry again */
}

/* ---- what is in it ---- */

static void put(struct recording *r, unsigned reg)
{
	native_rm(r->n, 0x89, reg, AT, r->off);
	r->off += 8;
}

static void put_half(const struct recording *r, unsigned reg, unsigned off)
{
	PUT(r->n, 0x89, (uint8_t)(0x80 | reg << 3 | AT)); /* mov */
	native_put32(r->n, off);
}

static void put_half_constant(const struct recording *r, uint32_t value, unsigned off)
{
	PUT(r->n, 0xc7, 0x80 | AT); /* movl */
	native_put32(r->n, off);
	native_put32(r->n, value);
}

/* A word above what is saved. */
static void put_word(struct recording *r, unsigned off)
{
	r->is_head_gone = true;
	native_rm(r->n, 0x8b, RAX, RSP, off);
	put(r, RAX);
}

/* The nth word of the program's stack. */
static void put_stack(struct recording *r, unsigned nth)
{
	put_word(r, saved(r) + 5 * 8 + nth * 8 +
			    (r->n->context.keeps_flags_and_redzone ? NATIVE_RED_ZONE : 0));
}

static void put_rdx(struct recording *r)
{
	if (saves_rdx(r))
		put_word(r, 0);
	else
		put(r, RDX);
}

static void put_head(struct recording *r)
{
	const struct hook_site *s = r->what->site;
	uint32_t words = s->max_words; /* and the CPU above */

	put_half_constant(r, r->what->number, 0);
	if (s->flags & HOOK_CPU) {
		r->is_head_gone = true;
		PUT(r->n, 0xf3, 0x0f, 0xc7, 0xf8); /* rdpid %rax; and */
		PUT(r->n, 0x25);		   /* the node's number stands above */
		native_put32(r->n, HOOK_CPU_MASK);
		PUT(r->n, 0xc1, 0xe0, 16, 0x0d); /* shl $16, %eax; or */
		native_put32(r->n, words);
		put_half(r, RAX, 4);
	} else {
		put_half_constant(r, words, 4);
	}
	r->off = 8;
}

static void put_args(struct recording *r, unsigned nargs)
{
	static const uint8_t regs[] = {RDI, RSI, RDX, RCX, R8, R9};

	for (unsigned i = 0; i < nargs; i++)
		if (i >= ARRAY_SIZE(regs))
			put_stack(r, i - 5);
		else if (regs[i] == RDX)
			put_rdx(r);
		else
			put(r, regs[i]);
}

static void put_all(struct recording *r)
{
	const struct hook_site *s = r->what->site;

	put_head(r);
	if (s->flags & HOOK_TIME) {
		r->is_head_gone = true;
		PUT(r->n, 0x0f, 0x31); /* rdtsc */
		put_half(r, RAX, r->off);
		put_half(r, RDX, r->off + 4);
		r->off += 8;
	}
	if (s->flags & HOOK_RESULT) {
		put_word(r, saved(r) + 4 * 8);
		put_rdx(r);
	}
	if (s->flags & HOOK_ARGS)
		put_args(r, s->nargs);
	if (s->flags & HOOK_CALLER)
		put_stack(r, 0);
}

/* ---- its reservation ---- */

/* Busy first, then the head: what is right for an earlier head is right for a later one. */
static void take(const struct recording *r, unsigned slow[3], unsigned *again)
{
	struct native *n = r->n;

	PUT(n, 0x4d, 0x85, 0xdb); /* test %r11, %r11: the thread has no block */
	slow[2] = forward_if(n, NATIVE_EQUAL);
	WITH_BLOCK(r, 0x8b, AT, limit); /* mov */
	WITH_BLOCK(r, 0x8b, END, busy);
	WITH_BLOCK(r, 0x8b, HEAD, head);
	native_rr(n, 0x39, END, HEAD); /* cmp */
	slow[0] = forward_if(n, NATIVE_BELOW);
	native_rm(n, 0x8d, END, HEAD, size_of(r)); /* lea */
	native_rr(n, 0x39, END, AT);
	slow[1] = forward_if(n, NATIVE_BELOW);
	WITH_BLOCK(r, 0x89, END, busy);
	WITH_BLOCK(r, 0x39, HEAD, head);
	*again = forward_if(n, NATIVE_NOT_EQUAL);
	WITH_BLOCK(r, 0x8b, AT, ring_size);
	native_rm(n, 0x8d, AT, AT, UINT32_MAX); /* lea -1 */
	native_rr(n, 0x21, HEAD, AT);		/* and */
	WITH_BLOCK(r, 0x03, AT, ring);		/* add */
}

static void start_in_head(const struct recording *r)
{
	native_rm(r->n, 0x8d, HEAD, END, -size_of(r)); /* lea */
}

static unsigned commit(const struct recording *r)
{
	if (r->is_head_gone)
		start_in_head(r);
	PUT(r->n, 0x4d, 0x0f, 0xb1, 0x80 | (END & 7) << 3 | (BLOCK & 7)); /* cmpxchg */
	native_put32(r->n, (uint32_t)offsetof(struct hook_block, head));
	return forward_if(r->n, NATIVE_NOT_EQUAL);
}

int native_record(struct native *n, const struct native_context *context,
		  const struct native_record *what)
{
	struct recording r = {.n = n, .what = what};
	unsigned *slow = &n->into[0], *again = &n->into[3];

	n->context = *context;
	n->len = n->ncalls = 0;
	n->ninto = 5;
	n->overflows = false;
	save(&r);
	take(&r, slow, &again[0]);
	put_all(&r);
	again[1] = commit(&r);
	restore(&r);
	n->cold = n->len;
	native_here(n, again[0]);
	native_here(n, again[1]);
	start_in_head(&r);
	native_call(n, what->leave);
	native_here(n, slow[0]);
	native_here(n, slow[1]);
	native_here(n, slow[2]);
	restore(&r);
	PUT(n, 0xb8); /* mov $.., %eax */
	native_put32(n, what->number | (context->keeps_flags_and_redzone ? HOOK_SKIPPED : 0));
	native_call(n, what->function);
	PUT(n, 0xe9); /* jmp */
	native_forward(n);
	return n->overflows ? -ENOSPC : (int)n->len;
}
