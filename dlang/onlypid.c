#include "dlang/onlypid.h"

#include "dlang/vm.h"

/* What is known of a predicate's registers while it runs for another process. */
struct known {
	bool is_known[DIF_NREGS];
	uint64_t value[DIF_NREGS];
	bool has_zero, is_zero; /* what a branch looks at */
};

static void set(struct known *k, unsigned reg, uint64_t value)
{
	k->is_known[reg] = true;
	k->value[reg] = reg ? value : 0;
}

/*
 * Follows the predicate behind its first comparison, which has failed. True: it is sure to return
 * 0. What depends on anything else is not followed.
 */
static bool is_false_elsewhere(const struct difo *d, unsigned at)
{
	struct known k = {.has_zero = true};

	set(&k, 0, 0);
	while (at < d->ninsns) {
		uint32_t insn = d->text[at++];

		switch (DIF_OP(insn)) {
		case DIF_OP_NOP:
			break;
		case DIF_OP_SETX:
			set(&k, DIF_RD(insn), d->ints[DIF_GETINDEX(insn)]);
			break;
		case DIF_OP_MOV:
			if (!k.is_known[DIF_R1(insn)])
				return false;
			set(&k, DIF_RD(insn), k.value[DIF_R1(insn)]);
			break;
		case DIF_OP_TST:
			k.has_zero = k.is_known[DIF_R1(insn)];
			k.is_zero = k.value[DIF_R1(insn)] == 0;
			break;
		case DIF_OP_BA:
			at = DIF_GETLABEL(insn);
			break;
		case DIF_OP_BE:
		case DIF_OP_BNE:
			if (!k.has_zero)
				return false;
			if (k.is_zero == (DIF_OP(insn) == DIF_OP_BE))
				at = DIF_GETLABEL(insn);
			break;
		case DIF_OP_RET:
			return k.is_known[DIF_RD(insn)] && k.value[DIF_RD(insn)] == 0;
		default:
			return false;
		}
	}
	return false;
}

uint32_t difo_only_pid(const struct difo *d)
{
	const uint32_t *t = d ? d->text : NULL;
	uint64_t pid;

	if (!d || d->ninsns < 4 || DIF_OP(t[0]) != DIF_OP_LDGS ||
	    DIF_GETINDEX(t[0]) != BUILTIN_PID || DIF_OP(t[1]) != DIF_OP_SETX ||
	    DIF_OP(t[2]) != DIF_OP_CMP || DIF_R1(t[2]) != DIF_RD(t[0]) ||
	    DIF_R2(t[2]) != DIF_RD(t[1]) || DIF_RD(t[0]) == DIF_RD(t[1]))
		return 0;
	pid = d->ints[DIF_GETINDEX(t[1])];
	return pid > 0 && pid <= INT32_MAX && is_false_elsewhere(d, 3) ? (uint32_t)pid : 0;
}

uint32_t probe_only_pid(const struct probe *p)
{
	uint32_t pid = 0;

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		uint32_t one = difo_only_pid(e->clause->pred);

		if (!one || (pid && one != pid))
			return 0;
		pid = one;
	}
	return pid;
}
