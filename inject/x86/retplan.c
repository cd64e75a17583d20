#include "inject/x86/retplan.h"

#define RET 0xc3

static const char no_room[] = "a return has no room for a jump";

const char *returns_refused(const struct codescan *c, unsigned i)
{
	/* code that two functions have in common returns from both */
	return codescan_shares_code(c, i) ? "it shares code with another function" : NULL;
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

/* Behind a jump that may fall through: instructions that nothing jumps to. */
static unsigned run_on(const struct funcode *f, unsigned i, unsigned size)
{
	for (i++; size < JUMP_LEN && i < f->ninsns && f->insns[i].kind == INSN_OTHER; i++) {
		if (!funcode_may_move(f, i) ||
		    is_reached(f, f->offs[i], f->offs[i] + f->insns[i].len))
			break;
		size += f->insns[i].len;
	}
	return size;
}

/* One from instruction `first` on, with the return at `off`. */
static const char *set_window(const struct funcode *f, unsigned first, unsigned size, uint32_t off,
			      struct window *w)
{
	if (size > RELOC_WINDOW_MAX)
		return no_room;
	*w = (struct window){.off = f->offs[first],
			     .size = (uint8_t)size,
			     .nstops = 1,
			     .stops = {{.off = (uint8_t)(off - f->offs[first]), .is_exit = true}}};
	return NULL;
}

/* In front of instruction i, which nothing jumps to either. */
static unsigned run_back(const struct funcode *f, unsigned i, unsigned *size)
{
	while (*size < JUMP_LEN && i > 0 && funcode_may_move(f, i - 1) &&
	       !is_reached(f, f->offs[i - 1] + 1, f->offs[i] + 1))
		*size += f->insns[--i].len;
	return i;
}

/*
 * Behind a `ret` only padding follows. What stands before it may be run elsewhere, too, unless
 * something jumps there, or may: where a table has not been found.
 */
const char *return_window(const struct funcode *f, const struct retsite *site, struct window *w)
{
	uint32_t off = (uint32_t)site->off;
	unsigned i = funcode_index(f, off), size, first = i;
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
	if (!is_lost)
		first = run_back(f, first, &size);
	return set_window(f, first, size, off, w);
}

bool return_may_be_inner(const struct funcode *f, uint32_t off)
{
	return off > 0 && f->bytes[off] == RET && !f->scan->funcs[f->index].is_lost &&
	       codescan_is_inner(f->scan, f->func->addr + off);
}

/* Does control come to instruction i from the one in front of it? Not by padding; and from a trap,
 * if a handler goes on behind it. */
static bool is_fallen_into(const struct funcode *f, unsigned i)
{
	while (i > 0 && padding_len(f->bytes + f->offs[i - 1], f->insns[i - 1].len) &&
	       !is_reached(f, f->offs[i - 1], f->offs[i]))
		i--;
	return i == 0 || !insn_ends_code(f->insns[i - 1].kind) || f->insns[i - 1].kind == INSN_TRAP;
}

const char *return_fall_window(const struct funcode *f, uint32_t off, struct window *w)
{
	unsigned i = funcode_index(f, off), size = f->insns[i].len, first = i - 1;

	*w = (struct window){0};
	if (!is_fallen_into(f, i))
		return NULL;
	if (!funcode_may_move(f, first) || is_reached(f, f->offs[first] + 1, off))
		return no_room;
	size += f->insns[first].len;
	first = run_back(f, first, &size);
	return set_window(f, first, size, off, w);
}

bool return_next_jump(const struct funcode *f, uint32_t off, unsigned *i)
{
	for (; *i < f->ninsns; ++*i)
		if ((f->insns[*i].kind == INSN_JMP || f->insns[*i].kind == INSN_JCC) &&
		    f->insns[*i].target == f->func->addr + off)
			return true;
	return false;
}

const char *return_jump_window(const struct funcode *f, uint32_t off, unsigned i, struct window *w)
{
	const struct retsite there = {.off = f->offs[i], .is_jump = true};
	const char *why = return_window(f, &there, w);
	struct insn_plan pl;
	struct err err;

	if (why)
		return why;
	if (insn_plan(f->bytes + f->offs[i], f->insns[i].len, f->func->addr + f->offs[i], &pl,
		      &err) ||
	    (pl.op != EMUL_JMP && pl.op != EMUL_JCC))
		return no_room; /* loop, jrcxz */
	w->stops[0].leads_to_ret = true;
	w->stops[0].ret = (int32_t)((int64_t)off - w->off);
	return NULL;
}
