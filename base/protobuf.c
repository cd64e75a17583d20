#include "base/protobuf.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED = 1, WIRE_BYTES = 2 };

static void add_tag(struct strbuf *out, unsigned field, enum wire wire)
{
	protobuf_add_varint(out, field << 3 | wire);
}

void protobuf_add_varint(struct strbuf *out, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		strbuf_addc(out, (char)(v | 0x80));
	strbuf_addc(out, (char)v);
}

void protobuf_add_number(struct strbuf *out, unsigned field, uint64_t v)
{
	if (v)
		protobuf_add_present(out, field, v);
}

void protobuf_add_present(struct strbuf *out, unsigned field, uint64_t v)
{
	add_tag(out, field, WIRE_VARINT);
	protobuf_add_varint(out, v);
}

void protobuf_add_bytes(struct strbuf *out, unsigned field, const void *p, size_t n)
{
	add_tag(out, field, WIRE_BYTES);
	protobuf_add_varint(out, n);
	strbuf_add(out, p, n);
}

void protobuf_add_text(struct strbuf *out, unsigned field, const char *text)
{
	protobuf_add_bytes(out, field, text, strlen(text));
}

void protobuf_add_fixed(struct strbuf *out, unsigned field, uint64_t v)
{
	add_tag(out, field, WIRE_FIXED);
	strbuf_add(out, &v, sizeof(v)); /* little endian, as here */
}

void protobuf_add_double(struct strbuf *out, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	protobuf_add_fixed(out, field, bits);
}

void protobuf_add_message(struct strbuf *out, unsigned field, struct strbuf *part)
{
	protobuf_add_bytes(out, field, part->s, part->len);
	strbuf_clear(part);
}

void protobuf_wrap(struct strbuf *out, unsigned field, size_t from)
{
	const size_t n = out->len - from;
	char head[16]; /* a tag of 32 bits and a length of 64 */
	size_t nhead;

	/* the head is written behind it, then brought to the front */
	add_tag(out, field, WIRE_BYTES);
	protobuf_add_varint(out, n);
	nhead = out->len - from - n;
	memcpy(head, out->s + from + n, nhead);
	memmove(out->s + from + nhead, out->s + from, n);
	memcpy(out->s + from, head, nhead);
}
