#include "dlang/run/vm.h"

#include <errno.h>
#include <stdlib.h>

/*
 * One pass over the text: since branches lead forward only, everything that can reach an
 * instruction has been seen when it is met. What is followed is the depth of the tuple stack, as
 * the range of depths with which an instruction may be reached.
 */
enum format {
	F_R3,
	F_R2,
	F_MOV,
	F_CMP,
	F_TST,
	F_BR,
	F_LD,
	F_ST,
	F_RET,
	F_NOP,
	F_SETX,
	F_SETS,
	F_LDV,
	F_STV,
	F_LDA,
	F_CALL,
	F_PUSH,
	F_FLUSH
};

static const struct {
	const char *name;
	enum format format;
} insns[DIF_NOPS] = {
#define INSN(name, format, class) [DIF_OP_##name] = {#name, F_##format},
#include "dlang/insns.def"
#undef INSN
};

struct depth {
	int8_t min, max; /* max < 0: not reached */
};

struct verifier {
	const struct difo *difo;
	struct depth *depths; /* by instruction */
	struct err *err;
	unsigned pc;
	uint32_t insn;
};

static int reject(const struct verifier *v, const char *why)
{
	return err_set(v->err, -EINVAL, "DIF instruction %u (%08x) is not safe: %s", v->pc, v->insn,
		       why);
}

/* Lets the tuple stack of d arrive at an instruction. */
static void arrive(struct verifier *v, unsigned pc, struct depth d)
{
	struct depth *at = &v->depths[pc];

	if (at->max < 0) {
		*at = d;
		return;
	}
	at->min = MIN(at->min, d.min);
	at->max = MAX(at->max, d.max);
}

static int check_regs(const struct verifier *v, bool r1, bool r2, bool rd_read, bool rd_written)
{
	unsigned nregs = v->difo->nregs;

	if ((r1 && DIF_R1(v->insn) >= nregs) || (r2 && DIF_R2(v->insn) >= nregs) ||
	    ((rd_read || rd_written) && DIF_RD(v->insn) >= nregs))
		return reject(v, "no such register");
	if (rd_written && DIF_RD(v->insn) == 0)
		return reject(v, "%r0 cannot be written");
	return 0;
}

static int check_user_variable(const struct verifier *v, unsigned id, enum dif_scope scope,
			       bool is_array)
{
	for (unsigned i = 0; i < v->difo->nvars; i++) {
		const struct dif_var *var = &v->difo->vars[i];

		if (var->id == id && var->scope == scope)
			return var->is_array == is_array ? 0 : reject(v, "wrong kind of variable");
	}
	return reject(v, "the variable is not in the table");
}

static int check_builtin(const struct verifier *v, unsigned id, bool is_array)
{
	const struct builtin *b = builtin_by_id((uint16_t)id);

	if (!b || b->is_array != is_array)
		return reject(v, "no such built-in variable");
	return b->get ? 0 : reject(v, "the built-in variable is not available");
}

static int check_variable(const struct verifier *v)
{
	unsigned op = DIF_OP(v->insn), id = DIF_GETINDEX(v->insn);

	if (op == DIF_OP_LDGS && id < DIF_VAR_USER)
		return check_builtin(v, id, false);
	return check_user_variable(v, id, insn_scope(v->insn), insn_class[op] & INSN_KEYS);
}

/* How many operands a prototype of subrs.def takes. */
static void count_params(const char *proto, int *min, int *max)
{
	const char *p = strchr(proto, '(') + 1;

	*min = *max = 0;
	if (*p == ')')
		return;
	for (; p; p = strchr(p, ',')) {
		p += strspn(p, ", ");
		*min += *p != '[';
		(*max)++;
	}
}

static int check_call(const struct verifier *v, struct depth d)
{
	unsigned n = DIF_GETINDEX(v->insn);
	int min, max;

	if (n >= nsubrs || !subrs[n].call)
		return reject(v, "no such subroutine");
	count_params(subrs[n].proto, &min, &max);
	if (d.min < min || d.max > max)
		return reject(v, "wrong number of arguments");
	return 0;
}

static int check_push(const struct verifier *v, struct depth *d)
{
	if (DIF_R1(v->insn) > DIF_PUSH_BYTES)
		return reject(v, "no such kind of key");
	if (d->max >= DIF_NTREGS)
		return reject(v, "tuple stack overflow");
	d->min++;
	d->max++;
	return check_regs(v, false, true, true, false);
}

static int check_flush(const struct verifier *v, struct depth *d)
{
	if (DIF_OP(v->insn) == DIF_OP_FLUSHTS) {
		d->min = d->max = 0;
		return 0;
	}
	if (!d->min)
		return reject(v, "tuple stack underflow");
	d->min--;
	d->max--;
	return 0;
}

static int check_branch(struct verifier *v, struct depth d)
{
	unsigned label = DIF_GETLABEL(v->insn);

	if (label <= v->pc)
		return reject(v, "backward branch");
	if (label >= v->difo->ninsns)
		return reject(v, "branch behind the end");
	arrive(v, label, d);
	return 0;
}

/* Checks one instruction and changes the tuple stack as it does. */
static int check_insn(struct verifier *v, struct depth *d)
{
	unsigned op = DIF_OP(v->insn), index = DIF_GETINDEX(v->insn);
	int rc = 0;

	if (op == DIF_OP_NONE || op >= DIF_NOPS)
		return reject(v, "no such opcode");
	switch (insns[op].format) {
	case F_R3:
		/* copys reads its rd */
		return check_regs(v, true, true, true, op != DIF_OP_COPYS);
	case F_R2:
	case F_MOV:
	case F_LD:
		return check_regs(v, true, false, false, true);
	case F_CMP:
		return check_regs(v, true, true, false, false);
	case F_TST:
		return check_regs(v, true, false, false, false);
	case F_ST:
		return check_regs(v, true, false, true, false);
	case F_RET:
		return check_regs(v, false, false, true, false);
	case F_BR:
		return check_branch(v, *d);
	case F_NOP:
		return 0;
	case F_SETX:
		if (index >= v->difo->nints)
			return reject(v, "no such integer constant");
		return check_regs(v, false, false, false, true);
	case F_SETS:
		if (index >= v->difo->strslen)
			return reject(v, "no such string constant");
		return check_regs(v, false, false, false, true);
	case F_LDV:
	case F_STV:
		rc = check_variable(v);
		return rc ? rc : check_regs(v, false, false, true, insns[op].format == F_LDV);
	case F_LDA:
		rc = op == DIF_OP_LDTA ? reject(v, "there are no thread-local built-in arrays")
				       : check_builtin(v, DIF_R1(v->insn), true);
		return rc ? rc : check_regs(v, false, true, false, true);
	case F_CALL:
		rc = check_call(v, *d);
		return rc ? rc : check_regs(v, false, false, false, true);
	case F_PUSH:
		return check_push(v, d);
	case F_FLUSH:
		return check_flush(v, d);
	}
	return rc;
}

static int check_text(struct verifier *v)
{
	const struct difo *difo = v->difo;

	v->depths[0] = (struct depth){0, 0};
	for (v->pc = 0; v->pc < difo->ninsns; v->pc++) {
		struct depth d = v->depths[v->pc];
		bool reached = d.max >= 0;
		int rc;

		v->insn = difo->text[v->pc];
		if (!reached) /* codegen leaves none, but none is harmful */
			d.min = d.max = 0;
		rc = check_insn(v, &d);
		if (rc)
			return rc;
		if (reached && v->pc + 1 < difo->ninsns && DIF_OP(v->insn) != DIF_OP_RET &&
		    DIF_OP(v->insn) != DIF_OP_BA)
			arrive(v, v->pc + 1, d);
	}
	v->pc = difo->ninsns - 1;
	return DIF_OP(v->insn) == DIF_OP_RET ? 0 : reject(v, "the last instruction is not ret");
}

int verify_difo(const struct difo *difo, struct err *err)
{
	struct verifier v = {.difo = difo, .err = err};
	int rc;

	if (!difo->ninsns || difo->ninsns > DIF_MAX_INSNS)
		return err_set(err, -EINVAL, "DIF program exceeds maximum program size");
	if (!difo->nregs || difo->nregs > DIF_NREGS)
		return err_set(err, -EINVAL, "the DIF program has no %%r0, or too many registers");
	if (difo->strslen && difo->strs[difo->strslen - 1])
		return err_set(err, -EINVAL, "the DIF string table does not end");
	v.depths = xmalloc(difo->ninsns * sizeof(*v.depths));
	memset(v.depths, -1, difo->ninsns * sizeof(*v.depths));
	rc = check_text(&v);
	free(v.depths);
	return rc;
}
