/*
 * handover.c: what a source of events may work out itself and what is the same at each firing
 * anyway.
 */
#include "dlang/run/handover.h"

#include "dlang/run/vm.h"

/* Built-ins that do not change from one firing of a probe to the next. */
static bool is_fixed_builtin(unsigned id, enum claim_reach reach)
{
	switch (id) {
	case BUILTIN_EXECNAME:
	case BUILTIN_PPID:
	case BUILTIN_UID:
	case BUILTIN_GID:
		return reach == CLAIM_ONE_PROCESS;
	case BUILTIN_ID:
	case BUILTIN_PROBEPROV:
	case BUILTIN_PROBEMOD:
	case BUILTIN_PROBEFUNC:
	case BUILTIN_PROBENAME:
		return true;
	default:
		return false;
	}
}

static bool is_fixed_insn(uint32_t insn, enum claim_reach reach)
{
	if (DIF_OP(insn) == DIF_OP_LDGS)
		return is_fixed_builtin(DIF_GETINDEX(insn), reach);
	return insn_class[DIF_OP(insn)] & INSN_VALUE;
}

static bool is_fixed(const struct difo *d, enum claim_reach reach)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (!is_fixed_insn(d->text[i], reach))
			return false;
	return true;
}

bool aggkey_is_fixed(const struct action *act, enum claim_reach reach)
{
	return (act->rec.kind == REC_INT || act->rec.kind == REC_STRING) &&
	       is_fixed(act->difo, reach);
}
