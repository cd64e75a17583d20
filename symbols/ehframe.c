#include "symbols/ehframe.h"

#include <errno.h>

/* Pointer encodings: LSB Core, "DWARF Exception Header Encoding" */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff
};

#define EXTENDED_LENGTH 0xffffffffu /* a 64-bit length follows */
#define CIE_LOOK	128u /* what we read of a CIE lies in its first bytes: bounds the work */

/* Reads forward within [p, end); ok turns false at the first read past the end. */
struct cursor {
	const uint8_t *p, *end;
	bool ok;
};

static const uint8_t *take(struct cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (!c->ok || (size_t)(c->end - p) < n) {
		c->ok = false;
		return NULL;
	}
	c->p = p + n;
	return p;
}

static uint64_t take_uint(struct cursor *c, unsigned n)
{
	const uint8_t *p = take(c, n);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, n);
	return v;
}

static int64_t take_sint(struct cursor *c, unsigned n)
{
	unsigned shift = 64 - 8 * n;

	return (int64_t)(take_uint(c, n) << shift) >> shift;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)take_uint(c, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (c->ok && byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ULL << shift;
	return v;
}

/* A value in the given format, its base not applied. */
static uint64_t take_encoded(struct cursor *c, uint8_t enc)
{
	switch (enc & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return take_uint(c, 8);
	case PE_ULEB128:
		return take_leb(c, false);
	case PE_SLEB128:
		return take_leb(c, true);
	case PE_UDATA2:
		return take_uint(c, 2);
	case PE_SDATA2:
		return (uint64_t)take_sint(c, 2);
	case PE_UDATA4:
		return take_uint(c, 4);
	case PE_SDATA4:
		return (uint64_t)take_sint(c, 4);
	default:
		c->ok = false;
		return 0;
	}
}

/* A pointer that is absolute or relative to its own place; other bases do not occur on x86-64. */
static taddr_t take_pointer(struct cursor *c, uint8_t enc, const uint8_t *data, taddr_t addr)
{
	taddr_t here = addr + (taddr_t)(c->p - data);
	taddr_t v = take_encoded(c, enc);

	if ((enc & PE_BASE) == PE_PCREL)
		return v + here;
	if (enc & (PE_BASE | PE_INDIRECT))
		c->ok = false;
	return v;
}

/* How the FDEs of a CIE write their start; PE_OMIT when the CIE is not understood. */
static uint8_t cie_encoding(struct cursor c)
{
	uint8_t version, enc = PE_ABSPTR;
	const char *aug;

	version = (uint8_t)take_uint(&c, 1);
	aug = (const char *)c.p;
	while (c.ok && take_uint(&c, 1))
		;
	if (!c.ok || (version != 1 && version != 3))
		return PE_OMIT;
	if (aug[0] !=
	    'z') /* without it nothing can be told of the augmentation but that it is empty */
		return aug[0] ? PE_OMIT : PE_ABSPTR;
	take_leb(&c, false); /* code alignment */
	take_leb(&c, true);  /* data alignment */
	if (version == 1)
		take_uint(&c, 1);
	else
		take_leb(&c, false); /* return address register */
	take_leb(&c, false);	     /* length of the augmentation */
	for (aug++; *aug && c.ok; aug++) {
		if (*aug == 'R') {
			enc = (uint8_t)take_uint(&c, 1);
		} else if (*aug == 'L') {
			take_uint(&c, 1);
		} else if (*aug == 'P') {
			uint8_t how = (uint8_t)take_uint(&c, 1);

			take_encoded(&c, how);
		} else if (*aug != 'S' && *aug != 'B') {
			break; /* unknown: what follows cannot be placed, what came before holds */
		}
	}
	return c.ok ? enc : PE_OMIT;
}

/* The encoding of the CIE that starts at p, or PE_OMIT. */
static uint8_t cie_at(const struct ehframe *eh, const uint8_t *p)
{
	struct cursor c = {p, eh->data + eh->size, true};
	uint64_t len = take_uint(&c, 4);

	if (!c.ok || len < 4 || len == EXTENDED_LENGTH || len > (size_t)(c.end - c.p))
		return PE_OMIT;
	c.end = c.p + MIN(len, CIE_LOOK);
	if (take_uint(&c, 4) != 0)
		return PE_OMIT;
	return cie_encoding(c);
}

unsigned ehframe_each(const struct ehframe *eh, ehframe_fn *fn, void *arg)
{
	struct cursor all = {eh->data, eh->data + eh->size, true};
	const uint8_t *cie = NULL;
	uint8_t enc = PE_OMIT;
	unsigned n = 0;

	while (all.p < all.end) {
		uint64_t len = take_uint(&all, 4);
		const uint8_t *id_at, *body;
		struct cursor c;
		taddr_t start;
		uint64_t id, size;

		if (all.ok && len == 0) {
			if (eh->is_section)
				continue;
			break;
		}
		if (all.ok && len == EXTENDED_LENGTH) {
			len = take_uint(&all, 8);
			take(&all, len); /* no one emits it */
			continue;
		}
		body = take(&all, len);
		if (!body)
			break;
		c = (struct cursor){body, body + len, true};
		id_at = c.p;
		id = take_uint(&c, 4);
		if (!c.ok || id == 0 || id > (size_t)(id_at - eh->data))
			continue;
		if (id_at - id != cie) {
			cie = id_at - id;
			enc = cie_at(eh, cie);
		}
		if (enc == PE_OMIT)
			continue;
		start = take_pointer(&c, enc, eh->data, eh->addr);
		size = take_encoded(&c, enc & PE_FORMAT);
		if (!c.ok || !start || !size || start + size < start)
			continue;
		fn(arg, start, size);
		n++;
	}
	return n;
}

int ehframe_hdr_find(const uint8_t *hdr, size_t size, taddr_t hdr_addr, taddr_t *addr)
{
	struct cursor c = {hdr, hdr + size, true};
	uint8_t version = (uint8_t)take_uint(&c, 1);
	uint8_t enc = (uint8_t)take_uint(&c, 1);
	taddr_t at;

	take(&c, 2); /* encodings of the search table, which we do not need */
	if (!c.ok || version != 1 || enc == PE_OMIT)
		return -EINVAL;
	at = take_pointer(&c, enc, hdr, hdr_addr);
	if (!c.ok)
		return -EINVAL;
	*addr = at;
	return 0;
}
