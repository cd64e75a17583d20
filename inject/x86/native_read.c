/* native_read.c: memory of the program, in native clauses: by a call of the hook object, which
 * knows what may be read (agg_proto.h, struct hook_read). */
#include "inject/x86/native_code.h"

#include <stddef.h>

unsigned native_go(struct native *n)
{
	PUT(n, 0xe9); /* jmp */
	return native_forward(n);
}

void native_put_over(struct native *n, unsigned over, unsigned at)
{
	native_here(n, over);
	PUT(n, 0x48, 0x8d, 0x0d); /* lea ..(%rip), %rcx */
	native_put32(n, at - (n->len + 4));
}

void native_put_steps(struct native *n, const struct native_texts *t)
{
	native_put(n, t->steps, t->n * (unsigned)sizeof(t->steps[0]));
}

void native_put_known(struct native *n, const struct native_texts *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->steps[i].op == HOOK_TEXT_KNOWN)
			native_put(n, t->known[i], t->steps[i].size);
}

/* rcx = the address of what is wanted, which stands in front of it */
static void put_wanted(struct native *n, const struct native_read *r)
{
	unsigned over = native_go(n), at = n->len;
	struct hook_read what = r->what;

	what.nsteps = r->texts ? (uint16_t)r->texts->n : 0;
	native_put(n, &what, sizeof(what));
	if (r->texts) {
		native_put_steps(n, r->texts);
		native_put_known(n, r->texts);
	}
	native_put_over(n, over, at);
}

static void extend_sign(struct native *n, unsigned size)
{
	if (size == 1)
		PUT(n, 0x48, 0x0f, 0xbe, 0xc9); /* movsbq %cl, %rcx */
	else if (size == 2)
		PUT(n, 0x48, 0x0f, 0xbf, 0xc9); /* movswq %cx, %rcx */
	else if (size == 4)
		PUT(n, 0x48, 0x63, 0xc9); /* movslq %ecx, %rcx */
}

/* read_entry of entry.S says what it wants where. */
unsigned native_read(struct native *n, const struct native_read *r, unsigned d, unsigned a)
{
	unsigned without;

	if (r->texts) {
		n->needs.locals = MAX(n->needs.locals, r->words + r->nwords);
		native_local(n, 0x8d, RDX, r->words); /* lea */
	} else {
		native_fetch(n, RDX, a);
	}
	put_wanted(n, r);
	native_call(n, r->function);
	PUT(n, 0x85, 0xd2, 0x0f, 0x84); /* test %edx, %edx; je */
	without = native_forward(n);
	if (r->is_signed)
		extend_sign(n, (unsigned)r->what.size);
	native_give(n, d);
	n->in_rcx = 0;
	return without;
}
