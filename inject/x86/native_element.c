/* native_element.c: elements of arrays of the thread, in native clauses: by calls of the hook
 * object (hook/element.h). */
#include "inject/x86/native_code.h"

#include "hook/element.h"

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
