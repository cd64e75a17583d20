/* From a frame's registers to its caller's, by a row. */
#include "symbols/cfi/cfi.h"

#include <errno.h>

#include "symbols/cfi/dwarfexpr.h"

/* cfa: what the stack holds at first; NULL: nothing. */
static int evaluate(const struct cfi_rule *rule, const uint64_t *cfa, const struct cfi_regs *regs,
		    cfi_read *read, void *arg, uint64_t *v)
{
	const struct dwexpr_value first = {.base = DWEXPR_CONST, .off = cfa ? *cfa : 0};
	const struct dwexpr_context stands_still = {.first = cfa ? &first : NULL,
						    .regs = regs->r,
						    .nregs = CFI_NREGS,
						    .read = read,
						    .arg = arg};
	struct dwexpr_location at;
	int r = dwexpr_eval(&(struct dwexpr){.bytes = rule->expr, .n = rule->len}, &stands_still,
			    &at);

	if (r || !dwexpr_is_offset(&at, DWEXPR_CONST))
		return r ? r : -EINVAL;
	*v = at.value.off;
	return 0;
}

static int apply(const struct cfi_rule *rule, uint64_t cfa, const struct cfi_regs *regs,
		 cfi_read *read, void *arg, uint64_t *v)
{
	taddr_t at = cfa + (uint64_t)rule->off;
	int r;

	switch (rule->how) {
	case CFI_SAVED:
		return read(arg, at, v) ? 0 : -EFAULT;
	case CFI_VALUE:
		*v = at;
		return 0;
	case CFI_REGISTER:
		*v = regs->r[rule->reg];
		return 0;
	case CFI_EXPR:
		r = evaluate(rule, &cfa, regs, read, arg, &at);
		return r ? r : read(arg, at, v) ? 0 : -EFAULT;
	case CFI_VALEXPR:
		return evaluate(rule, &cfa, regs, read, arg, v);
	default:
		return 0; /* CFI_SAME; what is CFI_UNDEFINED keeps a value that nobody needs */
	}
}

int cfi_step(const struct cfi_row *row, struct cfi_regs *regs, cfi_read *read, void *arg)
{
	struct cfi_regs out = *regs;
	uint64_t cfa;
	int r = 0;

	/* Without a rule the return address would be this pc again. */
	if (row->regs[CFI_RA].how == CFI_UNDEFINED || row->regs[CFI_RA].how == CFI_SAME)
		return -ENODATA;
	if (row->cfa.how == CFI_REGISTER)
		cfa = regs->r[row->cfa.reg] + (uint64_t)row->cfa.off;
	else
		r = evaluate(&row->cfa, NULL, regs, read, arg, &cfa);
	if (r)
		return r;
	out.r[CFI_RSP] = cfa;
	/* Compilers are not exact about the others in epilogues, and few are ever needed. */
	for (unsigned i = 0; i < CFI_RA; i++)
		if (apply(&row->regs[i], cfa, regs, read, arg, &out.r[i]))
			out.r[i] = regs->r[i];
	r = apply(&row->regs[CFI_RA], cfa, regs, read, arg, &out.r[CFI_RA]);
	if (!r)
		*regs = out;
	return r;
}
