#include "inject/x86/retplan.h"

/* Code that two functions have in common returns from both. */
static bool is_shared(const struct codescan *c, unsigned i)
{
	const struct func *f = &c->o->funcs[i];

	if (i && c->funcs[i - 1].reach > f->addr)
		return true;
	return i + 1 < c->o->nfuncs && c->o->funcs[i + 1].addr < f->addr + f->size;
}

const char *returns_refused(const struct codescan *c, unsigned i)
{
	return is_shared(c, i) ? "it shares code with another function" : NULL;
}

static bool is_target(const struct funcode *f, size_t off)
{
	return codescan_is_target(f->scan, f->func->addr + off);
}

static bool is_reached(const struct funcode *f, size_t from, size_t to)
{
	for (size_t off = from; off < to; off++)
		if (is_target(f, off))
			return true;
	return false;
}

static unsigned site_index(const struct funcode *f, uint32_t off)
{
	unsigned lo = 0, hi = f->ninsns;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (f->offs[mid] < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Behind a jump that may fall through: instructions that nothing jumps to. */
static unsigned run_on(const struct funcode *f, unsigned i, unsigned size)
{
	for (i++; size < JUMP_LEN && i < f->ninsns && f->insns[i].kind == INSN_OTHER; i++) {
		if (is_reached(f, f->offs[i], f->offs[i] + f->insns[i].len))
			break;
		size += f->insns[i].len;
	}
	return size;
}

static bool may_go_before(enum insn_kind kind)
{
	return kind == INSN_OTHER || kind == INSN_JCC;
}

/*
 * Behind a `ret` only padding follows. What stands before it may be run elsewhere, too, unless
 * something jumps there, or may: where a table has not been found.
 */
const char *return_window(const struct funcode *f, const struct retsite *site, struct window *w)
{
	uint32_t off = (uint32_t)site->off;
	unsigned i = site_index(f, off), size, first = i;
	bool is_lost = f->scan->funcs[f->index].is_lost;

	if (i == f->ninsns || f->offs[i] != off)
		return "its code cannot be decoded";
	size = f->insns[i].len;
	if (f->insns[i].kind == INSN_JCC) {
		if (!is_lost)
			size = run_on(f, i, size);
	} else if (size < JUMP_LEN) {
		size += funcode_padding(f, off + size, JUMP_LEN - size);
	}
	while (size < JUMP_LEN && !is_lost && first > 0 &&
	       may_go_before(f->insns[first - 1].kind) &&
	       !is_reached(f, f->offs[first - 1] + 1, f->offs[first] + 1)) {
		first--;
		size += f->insns[first].len;
	}
	if (size > RELOC_WINDOW_MAX)
		return "a return has no room for a jump";
	*w = (struct window){.off = f->offs[first],
			     .size = (uint8_t)size,
			     .nstops = 1,
			     .stops = {{.off = (uint8_t)(off - f->offs[first]), .is_exit = true}}};
	return NULL;
}
