/* native_element.c: elements of arrays of the thread, in native clauses: by calls of the hook
 * object (hook/element.h, tuple.h). */
#include "inject/x86/native_code.h"

#include "hook/tuple.h"

/* The entries in entry.S say what they want where. */
static void call(struct native *n, const struct native_element *e)
{
	native_set(n, RCX, e->array);
	native_call(n, e->function);
	n->in_rcx = 0;
}

void native_load_element(struct native *n, const struct native_element *e, unsigned d)
{
	native_local(n, 0x8b, RDX, e->key);
	call(n, e);
	native_give(n, d);
}

void native_store_element(struct native *n, const struct native_element *e, unsigned a,
			  struct native_type type)
{
	native_store_local(n, e->key + 1, a, type);
	native_local(n, 0x8d, RDX, e->key); /* lea */
	call(n, e);
}

/* ---- by tuples ---- */

static void put_tuple(struct native *n, const struct native_tuple *t)
{
	unsigned over = native_go(n), at = n->len;
	struct hook_tuple what = t->what;

	for (unsigned i = 0; i < what.nkeys; i++)
		what.nsteps[i] = t->texts[i] ? (uint8_t)t->texts[i]->n : 0;
	native_put(n, &what, sizeof(what));
	for (unsigned i = 0; i < what.nkeys; i++)
		if (t->texts[i])
			native_put_steps(n, t->texts[i]);
	for (unsigned i = 0; i < what.nkeys; i++)
		if (t->texts[i])
			native_put_known(n, t->texts[i]);
	native_put_over(n, over, at);
}

/* tuple_entry of entry.S says what it wants where. Numbers are always there. */
static unsigned call_tuple(struct native *n, const struct native_tuple *t)
{
	n->needs.locals = MAX(n->needs.locals, t->keys + MAX(t->what.nkeys + 1, t->nwords));
	native_local(n, 0x8d, RDX, t->keys); /* lea */
	put_tuple(n, t);
	native_call(n, t->function);
	n->in_rcx = 0;
	if (!t->what.rooms)
		return 0;
	PUT(n, 0x85, 0xd2, 0x0f, 0x84); /* test %edx, %edx; je */
	return native_forward(n);
}

unsigned native_load_tuple(struct native *n, const struct native_tuple *t, unsigned d)
{
	unsigned without = call_tuple(n, t);

	native_give(n, d);
	return without;
}

unsigned native_store_tuple(struct native *n, const struct native_tuple *t, unsigned a,
			    struct native_type type)
{
	unsigned value = t->keys + t->what.nkeys;

	native_store_local(n, value, a, type);
	if (t->what.op == HOOK_TUPLE_ADD) {
		native_local(n, 0x8b, RCX, t->loaded); /* mov */
		native_local(n, 0x29, RCX, value);     /* sub %rcx, value */
		n->in_rcx = 0;
	}
	return call_tuple(n, t);
}
