#include "inject/x86/flagsuse.h"

struct opcodes {
	uint8_t first, last;
	enum flagsuse use;
};

/* Intel SDM vol. 1, appendix A; the rest is FLAGS_OTHER. Jumps on the carry alone come first. */
static const struct opcodes one_byte[] = {
	{0x50, 0x5f, FLAGS_KEPT}, /* push, pop */
	{0x63, 0x63, FLAGS_KEPT}, /* movslq */
	{0x72, 0x73, FLAGS_KEPT}, /* jb, jae */
	{0x70, 0x7f, FLAGS_READ}, /* jcc */
	{0x86, 0x8e, FLAGS_KEPT}, /* xchg, mov, lea */
	{0x90, 0x99, FLAGS_KEPT}, /* nop, xchg, cltq, cqto */
	{0x9c, 0x9c, FLAGS_READ}, /* pushf */
	{0x9f, 0x9f, FLAGS_READ}, /* lahf */
	{0xa4, 0xa5, FLAGS_KEPT}, /* movs */
	{0xaa, 0xad, FLAGS_KEPT}, /* stos, lods */
	{0xb0, 0xbf, FLAGS_KEPT}, /* mov */
	{0xc6, 0xc7, FLAGS_KEPT}, /* mov */
	{0xc9, 0xc9, FLAGS_KEPT}, /* leave */
	{0xe0, 0xe1, FLAGS_READ}, /* loopne, loope */
	{0xe2, 0xe3, FLAGS_KEPT}, /* loop, jrcxz */
	{0xf5, 0xf5, FLAGS_KEPT}, /* cmc */
	{0xf8, 0xf9, FLAGS_KEPT}, /* clc, stc */
};

static const struct opcodes two_bytes[] = {
	/* behind 0f */
	{0x10, 0x1f, FLAGS_KEPT}, /* SSE moves, nop, endbr64 */
	{0x28, 0x2d, FLAGS_KEPT}, /* SSE moves and conversions */
	{0x31, 0x31, FLAGS_KEPT}, /* rdtsc */
	{0x42, 0x43, FLAGS_KEPT}, /* cmovb, cmovae */
	{0x40, 0x4f, FLAGS_READ}, /* cmovcc */
	{0x50, 0x7f, FLAGS_KEPT}, /* SSE */
	{0x82, 0x83, FLAGS_KEPT}, /* jb, jae */
	{0x80, 0x8f, FLAGS_READ}, /* jcc */
	{0x92, 0x93, FLAGS_KEPT}, /* setb, setae */
	{0x90, 0x9f, FLAGS_READ}, /* setcc */
	{0xa2, 0xa2, FLAGS_KEPT}, /* cpuid */
	{0xa3, 0xa3, FLAGS_KEPT}, /* bt */
	{0xb6, 0xb7, FLAGS_KEPT}, /* movz */
	{0xbe, 0xbf, FLAGS_KEPT}, /* movs */
	{0xc2, 0xc6, FLAGS_KEPT}, /* SSE */
	{0xc8, 0xff, FLAGS_KEPT}, /* bswap, SSE */
};

static enum flagsuse look_up(const struct opcodes *v, size_t n, uint8_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (opcode >= v[i].first && opcode <= v[i].last)
			return v[i].use;
	return FLAGS_OTHER;
}

static bool is_prefix(uint8_t c)
{
	return c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 || c == 0x2e || c == 0x36 ||
	       c == 0x3e || c == 0x26 || c == 0x64 || c == 0x65 || c == 0xf0;
}

enum flagsuse flagsuse_of(const uint8_t *p, const struct insn *in)
{
	const uint8_t *end = p + in->len;

	while (p < end && is_prefix(*p))
		p++;
	if (p < end && (*p & 0xf0) == 0x40) /* REX */
		p++;
	if (p + 1 < end && *p == 0x0f)
		return look_up(two_bytes, ARRAY_SIZE(two_bytes), p[1]);
	/* not: group 3 of f7, /2 */
	if (p + 1 < end && (*p & 0xfe) == 0xf6 && (p[1] & 0x38) == 0x10)
		return FLAGS_KEPT;
	return p < end ? look_up(one_byte, ARRAY_SIZE(one_byte), *p) : FLAGS_OTHER;
}
