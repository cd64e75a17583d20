/*
 * dwarflocation.c: where variables, parameters and members are, of what their attributes say
 * (DWARF 5 §2.6): the operations that libdw finds there, evaluated for any thread.
 */
#include "symbols/cfi/dwarfexpr.h"
#include "symbols/cfi/cfi.h"
#include "symbols/dwarf/dwarf_priv.h"

#define MAX_OPS 32 /* longer ones lead nowhere that can be said in a word */

/* In a unit that keeps its addresses in a table, an operand is a number of the table's. */
static struct dwexpr_op resolved(Dwarf_Attribute *a, const Dwarf_Op *op)
{
	struct dwexpr_op out = {op->atom, op->number, op->number2};
	Dwarf_Attribute at;

	switch (op->atom) {
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (dwarf_getlocation_attr(a, op, &at) == 0 &&
		    dwarf_formaddr(&at, &out.number) == 0)
			out.atom = DW_OP_addr;
		return out;
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		if (dwarf_getlocation_attr(a, op, &at) == 0 &&
		    dwarf_formudata(&at, &out.number) == 0)
			out.atom = DW_OP_constu;
		return out;
	default:
		return out;
	}
}

static bool evaluate(Dwarf_Attribute *a, const Dwarf_Op *ops, size_t n,
		     const struct dwexpr_context *context, struct dwexpr_location *at)
{
	struct dwexpr_op copy[MAX_OPS];

	if (n > MAX_OPS)
		return false;
	for (size_t i = 0; i < n; i++)
		copy[i] = resolved(a, &ops[i]);
	return dwexpr_eval(&(struct dwexpr){.ops = copy, .n = n}, context, at) == 0;
}

static const struct dwexpr_context any_thread;

void dwarf_locate(struct dwent *e, Dwarf_Die *die)
{
	struct dwexpr_location at;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &a) ||
	    dwarf_getlocation(&a, &ops, &n) != 0 || !evaluate(&a, ops, n, &any_thread, &at))
		return;
	e->is_tls = at.kind == DWEXPR_TLS;
	e->has_addr = (e->is_tls || at.kind == DWEXPR_MEMORY) && !at.value.is_loaded &&
		      (at.value.base == DWEXPR_ADDRESS || at.value.base == DWEXPR_CONST);
	e->addr = e->has_addr ? at.value.off : 0;
}

/* An address in a register, or that was put on the stack. */
static bool leads_to_memory(const struct dwexpr_location *at)
{
	const struct dwexpr_value *v = &at->value;

	if (at->kind != DWEXPR_MEMORY || v->add)
		return false;
	if (v->is_loaded)
		return v->base == DWEXPR_REG || v->base == DWEXPR_FRAME;
	/* %rbp and %rsp: a place of the function's own */
	return v->base == DWEXPR_REG && !v->off && v->reg != CFI_RBP && v->reg != CFI_RSP;
}

static void read_place(const struct dwexpr_location *at, struct dwarf_param *p)
{
	if (leads_to_memory(at)) {
		p->place = DWARF_ADDRESS;
		p->nregs = !at->value.is_loaded;
		p->regs[0] = at->value.reg;
	} else if (at->kind == DWEXPR_VALUE && at->value.base == DWEXPR_CONST &&
		   !at->value.is_loaded) {
		p->place = DWARF_CONST;
	} else if (at->kind == DWEXPR_REGISTERS) {
		p->place = DWARF_REGS;
		p->nregs = at->nregs;
		memcpy(p->regs, at->regs, sizeof(p->regs));
	}
}

/*
 * What was not optimised is described from behind the prologue on only; but that something is
 * passed by its address is seen there too.
 */
static void read_later_place(Dwarf_Attribute *a, struct dwarf_param *p)
{
	struct dwexpr_location at;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocations(a, 0, &base, &start, &end, &ops, &n) > 0 &&
	    evaluate(a, ops, n, &any_thread, &at) && leads_to_memory(&at))
		p->place = DWARF_ADDRESS;
}

void dwarf_find_param(Dwarf_Die *die, taddr_t entry, struct dwarf_param *p)
{
	struct dwexpr_location at;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	_Static_assert(ARRAY_SIZE(p->regs) == DWEXPR_REGS, "as many as a location tells");
	if (dwarf_hasattr(die, DW_AT_const_value)) {
		p->place = DWARF_CONST;
	} else if (dwarf_attr(die, DW_AT_location, &a)) {
		if (dwarf_getlocation_addr(&a, entry, &ops, &n, 1) != 1)
			read_later_place(&a, p);
		else if (evaluate(&a, ops, n, &any_thread, &at))
			read_place(&at, p);
	}
}

bool dwarf_member_offset(Dwarf_Attribute *a, uint64_t *bytes)
{
	static const struct dwexpr_value object = {.base = DWEXPR_OBJECT};
	static const struct dwexpr_context of_object = {.first = &object};
	struct dwexpr_location at;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation(a, &ops, &n) != 0 || !evaluate(a, ops, n, &of_object, &at) ||
	    !dwexpr_is_offset(&at, DWEXPR_OBJECT))
		return false;
	*bytes = at.value.off;
	return true;
}
