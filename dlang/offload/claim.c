#include "dlang/offload/claim.h"

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
	switch (DIF_OP(insn)) {
	case DIF_OP_OR:
	case DIF_OP_XOR:
	case DIF_OP_AND:
	case DIF_OP_SLL:
	case DIF_OP_SRL:
	case DIF_OP_SRA:
	case DIF_OP_SUB:
	case DIF_OP_ADD:
	case DIF_OP_MUL:
	case DIF_OP_NOT:
	case DIF_OP_MOV:
	case DIF_OP_SETX:
	case DIF_OP_SETS:
	case DIF_OP_NOP:
	case DIF_OP_RET:
		return true;
	case DIF_OP_LDGS:
		return is_fixed_builtin(DIF_GETINDEX(insn), reach);
	default:
		return false;
	}
}

static bool is_fixed(const struct difo *d, enum claim_reach reach)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (!is_fixed_insn(d->text[i], reach))
			return false;
	return true;
}

bool claim_key_is_fixed(const struct action *act, enum claim_reach reach)
{
	return (act->rec.kind == REC_INT || act->rec.kind == REC_STRING) &&
	       is_fixed(act->difo, reach);
}

static bool action_only_counts(const struct stmt *st, const struct action *act,
			       enum claim_reach reach)
{
	switch (act->kind) {
	case ACT_AGGKEY:
		return claim_key_is_fixed(act, reach);
	case ACT_AGG:
		return st->aggs[0]->func == &aggfunc_count && !act->difo && !act->incr;
	default:
		return false;
	}
}

static bool clause_only_counts(const struct clause *c, enum claim_reach reach)
{
	if (c->has_record || c->split)
		return false;
	for (unsigned i = 0; i < c->nstmts; i++)
		for (unsigned j = 0; j < c->stmts[i].nacts; j++)
			if (!action_only_counts(&c->stmts[i], &c->stmts[i].acts[j], reach))
				return false;
	return true;
}

bool probe_actions_are_countable(const struct probe *p, enum claim_reach reach)
{
	/* a number does not say on which CPU it was counted */
	if (!opt_on(&p->session->options, OPT_CLAIM) || opt_on(&p->session->options, OPT_CPU))
		return false;
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (!clause_only_counts(e->clause, reach))
			return false;
	return true;
}

bool probe_is_countable(const struct probe *p, enum claim_reach reach)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (e->clause->pred)
			return false;
	return probe_actions_are_countable(p, reach);
}
