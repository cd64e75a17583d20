/* fpid_codeguard.c: comparisons that are all there is to ask for, as predicates often are. */
#include "providers/fpid/fpid_codegen.h"

#include <stddef.h>

#include "dlang/run/vm.h"

bool code_is_comparison(const struct difo *d, unsigned i)
{
	const uint32_t *t = &d->text[i];
	unsigned op = DIF_OP(t[0]), rd;

	if (i + CODE_COMPARISON >= d->ninsns || !(insn_class[op] & INSN_BRANCH) || op == DIF_OP_BA)
		return false;
	rd = DIF_RD(t[3]);
	return DIF_GETLABEL(t[0]) == i + 3 && DIF_OP(t[1]) == DIF_OP_MOV && DIF_R1(t[1]) == 0 &&
	       DIF_RD(t[1]) == rd && DIF_OP(t[2]) == DIF_OP_BA && DIF_GETLABEL(t[2]) == i + 4 &&
	       DIF_OP(t[3]) == DIF_OP_SETX && d->ints[DIF_GETINDEX(t[3])] == 1 &&
	       fpid_ways_to(d, i + 1) + fpid_ways_to(d, i + 2) == 0 && fpid_ways_to(d, i + 3) == 1;
}

bool code_ends_in_comparison(const struct difo *d, unsigned *at)
{
	unsigned ret = d->ninsns - 1, end = ret;

	if (end && DIF_OP(d->text[end - 1]) == DIF_OP_NOP)
		end--;
	if (end < CODE_COMPARISON || !code_is_comparison(d, end - CODE_COMPARISON) ||
	    DIF_RD(d->text[end - 1]) != DIF_RD(d->text[ret]))
		return false;
	for (unsigned i = 0; i < end; i++)
		if (DIF_OP(d->text[i]) == DIF_OP_RET)
			return false;
	*at = end - CODE_COMPARISON;
	return fpid_ways_to(d, *at) == 0 && fpid_ways_to(d, end) == 1 &&
	       (end == ret || !fpid_ways_to(d, ret));
}

/* Loads what a guard may compare. */
static bool guard_loads(struct writing *w, uint32_t insn, struct native_guard *g)
{
	unsigned ix = DIF_GETINDEX(insn), arg = ix - BUILTIN_ARG0;
	bool is_return = w->claim->at.is_return, is_self = DIF_OP(insn) == DIF_OP_LDTS;
	int cell;

	if (DIF_OP(insn) == DIF_OP_LDGS && arg < EVENT_REG_ARGS &&
	    code_place_of_arg(arg, is_return) >= 0) {
		g->is_block = false;
		g->off = (unsigned)code_place_of_arg(arg, is_return);
		return true;
	}
	if (w->native->context.take_block ||
	    (!is_self && (DIF_OP(insn) != DIF_OP_LDGS || ix != BUILTIN_TID)))
		return false;
	cell = is_self ? fpid_claims_self_cell(w->claims, (uint16_t)ix)
		       : fpid_claims_tid_cell(w->claims);
	g->is_block = true;
	g->off = code_cell_off(w, cell);
	return true;
}

/* A small constant. */
static bool guard_sets(const struct difo *d, uint32_t insn, struct native_guard *g)
{
	uint64_t value = DIF_OP(insn) == DIF_OP_SETX ? d->ints[DIF_GETINDEX(insn)] : UINT64_MAX / 2;

	g->constant = (int32_t)value;
	return value == (uint64_t)g->constant;
}

/* a < b is b > a. */
static enum native_cond swapped(enum native_cond cond)
{
	static const uint8_t others[] = {
		[NATIVE_BELOW] = NATIVE_ABOVE,
		[NATIVE_ABOVE] = NATIVE_BELOW,
		[NATIVE_BELOW_EQUAL] = NATIVE_ABOVE_EQUAL,
		[NATIVE_ABOVE_EQUAL] = NATIVE_BELOW_EQUAL,
		[NATIVE_LESS] = NATIVE_GREATER,
		[NATIVE_GREATER] = NATIVE_LESS,
		[NATIVE_LESS_EQUAL] = NATIVE_GREATER_EQUAL,
		[NATIVE_GREATER_EQUAL] = NATIVE_LESS_EQUAL,
		[NATIVE_EQUAL] = NATIVE_EQUAL,
		[NATIVE_NOT_EQUAL] = NATIVE_NOT_EQUAL,
	};

	return others[cond];
}

#define GUARD 3 /* instructions: a word, a constant, cmp */

bool code_as_guard(struct writing *w, const struct difo *d, struct native_guard *g)
{
	const uint32_t *t = d->text;
	unsigned at, loads, sets;

	if (d->ninsns == 2 && DIF_OP(t[1]) == DIF_OP_RET && DIF_RD(t[0]) == DIF_RD(t[1])) {
		*g = (struct native_guard){.is_there = true, .cond = NATIVE_NOT_EQUAL};
		return guard_loads(w, t[0], g);
	}
	if (d->ninsns < GUARD || !code_ends_in_comparison(d, &at) || at != GUARD ||
	    DIF_OP(t[2]) != DIF_OP_CMP)
		return false;
	sets = DIF_OP(t[0]) == DIF_OP_SETX ? 0 : 1;
	loads = !sets;
	*g = (struct native_guard){.is_there = true, .cond = fpid_insns[DIF_OP(t[at])].cond};
	if (DIF_R1(t[2]) == DIF_RD(t[sets]) && DIF_R2(t[2]) == DIF_RD(t[loads]))
		g->cond = swapped(g->cond);
	else if (DIF_R1(t[2]) != DIF_RD(t[loads]) || DIF_R2(t[2]) != DIF_RD(t[sets]))
		return false;
	return DIF_RD(t[0]) != DIF_RD(t[1]) && guard_sets(d, t[sets], g) &&
	       guard_loads(w, t[loads], g);
}
