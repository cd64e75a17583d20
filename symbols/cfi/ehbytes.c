#include "symbols/cfi/ehbytes.h"

const uint8_t *eh_take(struct ehbytes *b, size_t n)
{
	const uint8_t *p = b->p;

	if (!b->ok || (size_t)(b->end - p) < n) {
		b->ok = false;
		return NULL;
	}
	b->p = p + n;
	return p;
}

uint64_t eh_uint(struct ehbytes *b, unsigned n)
{
	const uint8_t *p = eh_take(b, n);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, n);
	return v;
}

int64_t eh_sint(struct ehbytes *b, unsigned n)
{
	unsigned shift = 64 - 8 * n;

	return (int64_t)(eh_uint(b, n) << shift) >> shift;
}

static uint64_t take_leb(struct ehbytes *b, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)eh_uint(b, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (b->ok && byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ULL << shift;
	return v;
}

uint64_t eh_uleb(struct ehbytes *b)
{
	return take_leb(b, false);
}

int64_t eh_sleb(struct ehbytes *b)
{
	return (int64_t)take_leb(b, true);
}

uint64_t eh_encoded(struct ehbytes *b, uint8_t enc)
{
	switch (enc & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return eh_uint(b, 8);
	case PE_ULEB128:
		return eh_uleb(b);
	case PE_SLEB128:
		return (uint64_t)eh_sleb(b);
	case PE_UDATA2:
		return eh_uint(b, 2);
	case PE_SDATA2:
		return (uint64_t)eh_sint(b, 2);
	case PE_UDATA4:
		return eh_uint(b, 4);
	case PE_SDATA4:
		return (uint64_t)eh_sint(b, 4);
	default:
		b->ok = false;
		return 0;
	}
}

taddr_t eh_pointer(struct ehbytes *b, uint8_t enc, const uint8_t *data, taddr_t addr)
{
	taddr_t here = addr + (taddr_t)(b->p - data);
	taddr_t v = eh_encoded(b, enc);

	if ((enc & PE_BASE) == PE_PCREL)
		return v + here;
	if (enc & (PE_BASE | PE_INDIRECT))
		b->ok = false;
	return v;
}
