/* scancalls.c: the calls that a scan has seen, by where they lead. */
#include "inject/x86/scancalls.h"

#include <stdlib.h>

bool codecall_is_long(const uint8_t *p, const struct insn *in)
{
	switch (in->kind) {
	case INSN_CALL:
		return (in->len == 5 && p[0] == 0xe8) ||
		       (in->len == 6 && p[0] == 0x67 && p[1] == 0xe8);
	case INSN_JMP:
		return in->len == 5 && p[0] == 0xe9;
	case INSN_JCC:
		return in->len == 6 && p[0] == 0x0f;
	default:
		return false;
	}
}

void codescan_keep_call(struct codescan *c, const struct insn *in, taddr_t end, taddr_t behind)
{
	if (in->target < c->lo || in->target >= c->hi)
		return;
	if (c->ncalls == c->calls_room) {
		c->calls_room = MAX(2 * c->calls_room, 1024U);
		c->calls = xrealloc(c->calls, c->calls_room * sizeof(*c->calls));
	}
	c->calls[c->ncalls++] =
		(struct codecall){(uint32_t)(in->target - c->lo), (uint32_t)(end - c->lo),
				  (uint32_t)(behind - c->lo)};
}

#define DIGIT_BITS 11 /* of three */
#define DIGITS	   (1U << DIGIT_BITS)

_Static_assert(2ULL * SCAN_SPAN_MAX <= 1ULL << 3 * DIGIT_BITS,
	       "codescan_sort_calls() sorts by three digits");

/* By one digit; what has the same stays in order. */
static void sort_by(const struct codecall *from, struct codecall *to, unsigned n, unsigned shift)
{
	unsigned starts[DIGITS] = {0}, at = 0;

	for (unsigned i = 0; i < n; i++)
		starts[(from[i].to >> shift) % DIGITS]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		unsigned count = starts[d];

		starts[d] = at;
		at += count;
	}
	for (unsigned i = 0; i < n; i++)
		to[starts[(from[i].to >> shift) % DIGITS]++] = from[i];
}

/* A large file has a million, and it is for each start of tracing: so not by comparing. */
void codescan_sort_calls(struct codescan *c)
{
	struct codecall *other = xcalloc(c->ncalls + 1, sizeof(*other));

	sort_by(c->calls, other, c->ncalls, 0);
	sort_by(other, c->calls, c->ncalls, DIGIT_BITS);
	sort_by(c->calls, other, c->ncalls, 2 * DIGIT_BITS);
	free(c->calls);
	c->calls = other;
	c->calls_room = c->ncalls + 1;
}

static unsigned calls_below(const struct codescan *c, uint64_t to)
{
	unsigned lo = 0, hi = c->ncalls;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (c->calls[mid].to < to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct codecall *codescan_calls(const struct codescan *c, taddr_t to, unsigned *n)
{
	bool is_here = to >= c->lo && to < c->hi;
	unsigned first = is_here ? calls_below(c, to - c->lo) : 0;

	*n = is_here ? calls_below(c, to - c->lo + 1) - first : 0;
	return c->calls + first;
}

bool codescan_is_call(const struct codescan *c, const struct codecall *call)
{
	taddr_t at = c->lo + call->end - sizeof(int32_t);

	for (taddr_t in = at; in < at + sizeof(int32_t); in++)
		if (codescan_is_target(c, in))
			return false;
	if (!call->behind)
		return true;
	while (at-- > c->lo + call->behind)
		if (codescan_is_target(c, at))
			return true;
	return false;
}
