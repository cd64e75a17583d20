/*
 * lsda.c: landing pads: where unwinding goes on in a function, from its language-specific data area
 * (Itanium C++ ABI, "Exception Handling Tables"; .gcc_except_table).
 */
#include <stdlib.h>

#include "symbols/cfi/ehbytes.h"
#include "symbols/cfi/ehframe.h"
#include "symbols/elf_priv.h"

#define MAX_TABLE (1u << 20) /* bytes of one call-site table */
#define HEADER	  64	     /* bytes, at most, before it */

struct landing {
	const struct objfile *o;
	objfile_pointer_fn *fn;
	void *arg;
};

/* The header; what is left in b is the call-site table. Returns the encoding of its fields. */
static uint8_t read_header(struct ehbytes *b, const uint8_t *data, taddr_t addr, taddr_t *base,
			   uint64_t *len)
{
	uint8_t enc = (uint8_t)eh_uint(b, 1);

	if (enc != PE_OMIT)
		*base = eh_pointer(b, enc, data, addr);
	if ((uint8_t)eh_uint(b, 1) != PE_OMIT)
		eh_uleb(b); /* where its types are */
	enc = (uint8_t)eh_uint(b, 1);
	*len = eh_uleb(b);
	return enc;
}

static void read_table(const struct landing *l, struct ehbytes *b, uint8_t enc, taddr_t base)
{
	while (b->ok && b->p < b->end) {
		uint64_t pad;

		eh_encoded(b, enc & PE_FORMAT);
		eh_encoded(b, enc & PE_FORMAT);
		pad = eh_encoded(b, enc & PE_FORMAT);
		eh_uleb(b);
		if (b->ok && pad)
			l->fn(l->arg, base + pad);
	}
}

static void landing_of(void *arg, const struct eh_fde *fde)
{
	const struct landing *l = arg;
	uint8_t head[HEADER], *table;
	struct ehbytes b = {head, head, true};
	taddr_t base = fde->start, at;
	uint64_t len = 0;
	uint8_t enc;

	if (!fde->lsda)
		return;
	b.end = head + objfile_bytes(l->o, fde->lsda, head, sizeof(head));
	enc = read_header(&b, head, fde->lsda, &base, &len);
	if (!b.ok || len > MAX_TABLE)
		return;
	at = fde->lsda + (taddr_t)(b.p - head);
	table = xmalloc(len + 1);
	b = (struct ehbytes){table, table + objfile_bytes(l->o, at, table, len), true};
	read_table(l, &b, enc, base);
	free(table);
}

void objfile_landing_pads(const struct objfile *o, objfile_pointer_fn *fn, void *arg)
{
	struct landing l = {o, fn, arg};
	struct sections s = {0};
	struct ehframe eh = {0};

	if (elf_sections(o, &s, NULL) == 0 && elf_frames(o, &s, &eh, NULL) == 0 && eh.data)
		ehframe_each(&eh, landing_of, &l);
	free((void *)(uintptr_t)eh.data);
	elf_sections_release(&s);
}
