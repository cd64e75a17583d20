#include "symbols/x86/codescan.h"

#include <stdlib.h>

#include "base/err.h"
#include "symbols/x86/disasm.h"

enum { UNSEEN, SEEN, RETURNS, NO_INSN };

struct scan {
	const uint8_t *code;
	size_t n;
	uint8_t *seen;	/* by offset: what starts there */
	uint32_t *todo; /* offsets that are jumped to; each stands there once */
	size_t ntodo;
};

static void reach(struct scan *s, taddr_t target)
{
	if (target < s->n && !s->seen[target]) {
		s->seen[target] = SEEN;
		s->todo[s->ntodo++] = (uint32_t)target;
	}
}

/* What is run from an offset on, until it goes elsewhere for good. */
static void follow(struct scan *s, uint32_t at)
{
	struct insn insn;

	for (;;) {
		if (!insn_decode(s->code + at, s->n - at, at, &insn) || insn.kind == INSN_TRAP) {
			s->seen[at] = NO_INSN;
			return;
		}
		if (insn_jumps(insn.kind))
			reach(s, insn.target);
		if (insn.kind == INSN_RET)
			s->seen[at] = RETURNS;
		if (insn.kind == INSN_RET || insn.kind == INSN_JMP ||
		    insn.kind == INSN_JMP_INDIRECT)
			return;
		at += insn.len;
		if (at >= s->n || s->seen[at])
			return;
		s->seen[at] = SEEN;
	}
}

/* Where one of the two kinds starts. */
static unsigned scan(const uint8_t *code, size_t n, uint8_t kind, uint8_t or_kind, uint32_t *offs,
		     unsigned max)
{
	struct scan s = {.code = code, .n = n};
	unsigned found = 0;

	if (!n || n > UINT32_MAX)
		return 0;
	s.seen = xcalloc(n, 1);
	s.todo = xcalloc(n, sizeof(*s.todo));
	reach(&s, 0);
	while (s.ntodo)
		follow(&s, s.todo[--s.ntodo]);
	for (size_t i = 0; i < n; i++) {
		if (s.seen[i] != kind && s.seen[i] != or_kind)
			continue;
		if (found < max)
			offs[found] = (uint32_t)i;
		found++;
	}
	free(s.seen);
	free(s.todo);
	return found;
}

unsigned code_returns(const uint8_t *code, size_t n, uint32_t *offs, unsigned max)
{
	return scan(code, n, RETURNS, RETURNS, offs, max);
}

unsigned code_insns(const uint8_t *code, size_t n, uint32_t *offs, unsigned max)
{
	return scan(code, n, SEEN, RETURNS, offs, max);
}
