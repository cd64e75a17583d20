#include "tracer/x86/emul.h"

#include <assert.h>
#include <errno.h>

enum { FLAG_CF = 1, FLAG_PF = 4, FLAG_ZF = 0x40, FLAG_SF = 0x80, FLAG_OF = 0x800 };

static unsigned long long *reg_at(struct user_regs_struct *r, unsigned n)
{
	switch (n) {
	case 0:
		return &r->rax;
	case 1:
		return &r->rcx;
	case 2:
		return &r->rdx;
	case 3:
		return &r->rbx;
	case 4:
		return &r->rsp;
	case 5:
		return &r->rbp;
	case 6:
		return &r->rsi;
	case 7:
		return &r->rdi;
	case 8:
		return &r->r8;
	case 9:
		return &r->r9;
	case 10:
		return &r->r10;
	case 11:
		return &r->r11;
	case 12:
		return &r->r12;
	case 13:
		return &r->r13;
	case 14:
		return &r->r14;
	default:
		assert(n == 15);
		return &r->r15;
	}
}

/* Condition codes in the order of the opcode: o b e be s p l le, odd numbers negate. */
static bool condition(unsigned cond, uint64_t flags)
{
	bool cf = flags & FLAG_CF, zf = flags & FLAG_ZF, sf = flags & FLAG_SF;
	bool of = flags & FLAG_OF, yes;

	switch (cond >> 1) {
	case 0:
		yes = of;
		break;
	case 1:
		yes = cf;
		break;
	case 2:
		yes = zf;
		break;
	case 3:
		yes = cf || zf;
		break;
	case 4:
		yes = sf;
		break;
	case 5:
		yes = flags & FLAG_PF;
		break;
	case 6:
		yes = sf != of;
		break;
	default:
		yes = zf || sf != of;
		break;
	}
	return yes != (cond & 1);
}

/* The counter after the decrement; jrcxz does not decrement. */
static uint64_t loop_count(const struct insn_plan *pl, const struct user_regs_struct *r)
{
	uint64_t n = r->rcx - (pl->op != EMUL_JRCXZ);

	return pl->addr32 ? (uint32_t)n : n;
}

bool emul_taken(const struct insn_plan *pl, const struct user_regs_struct *r)
{
	switch (pl->op) {
	case EMUL_JMP:
		return true;
	case EMUL_JCC:
		return condition(pl->cond, r->eflags);
	case EMUL_JRCXZ:
		return loop_count(pl, r) == 0;
	case EMUL_LOOP:
		return loop_count(pl, r) != 0;
	case EMUL_LOOPE:
		return loop_count(pl, r) != 0 && (r->eflags & FLAG_ZF);
	case EMUL_LOOPNE:
		return loop_count(pl, r) != 0 && !(r->eflags & FLAG_ZF);
	default:
		assert(!"not a direct branch");
		return false;
	}
}

static int mem_get(struct target *t, taddr_t a, uint64_t *v, taddr_t *fault)
{
	if (target_read(t, a, v, 8) == 8)
		return 0;
	*fault = a;
	return -EFAULT;
}

static int push(struct user_regs_struct *r, struct target *t, uint64_t v, taddr_t *fault)
{
	taddr_t sp = r->rsp - 8;

	if (target_write(t, sp, &v, 8) != 8) {
		*fault = sp;
		return -EFAULT;
	}
	r->rsp = sp;
	return 0;
}

static taddr_t operand_address(const struct insn_plan *pl, struct user_regs_struct *r)
{
	taddr_t a = (uint64_t)(int64_t)pl->disp;

	if (pl->disp_off)
		a = pl->target;
	if (pl->base >= 0)
		a += *reg_at(r, (unsigned)pl->base);
	if (pl->index >= 0)
		a += (uint64_t)*reg_at(r, (unsigned)pl->index) << pl->scale;
	if (pl->seg)
		a += pl->seg == 'f' ? r->fs_base : r->gs_base;
	return a;
}

/* Where a call goes. */
static int call_target(const struct insn_plan *pl, struct user_regs_struct *r, struct target *t,
		       uint64_t *to, taddr_t *fault)
{
	if (pl->op == EMUL_CALL_MEM)
		return mem_get(t, operand_address(pl, r), to, fault);
	*to = pl->op == EMUL_CALL ? pl->target : *reg_at(r, pl->reg);
	return 0;
}

int emul_insn(const struct insn_plan *pl, struct user_regs_struct *r, struct target *t,
	      taddr_t *fault)
{
	uint64_t to = pl->next;
	int rc = 0;

	switch (pl->op) {
	case EMUL_NOP:
	case EMUL_INT3:
		break;
	case EMUL_MOV:
		*reg_at(r, pl->reg) = *reg_at(r, pl->reg2);
		break;
	case EMUL_PUSH:
		rc = push(r, t, *reg_at(r, pl->reg), fault);
		break;
	case EMUL_RET:
		rc = mem_get(t, r->rsp, &to, fault);
		if (!rc)
			r->rsp += 8ULL + pl->imm;
		break;
	case EMUL_CALL:
	case EMUL_CALL_REG:
	case EMUL_CALL_MEM:
		rc = call_target(pl, r, t, &to, fault);
		if (!rc)
			rc = push(r, t, pl->next, fault);
		break;
	case EMUL_JMP:
	case EMUL_JCC:
	case EMUL_JRCXZ:
	case EMUL_LOOP:
	case EMUL_LOOPE:
	case EMUL_LOOPNE:
		if (emul_taken(pl, r))
			to = pl->target;
		if (pl->op >= EMUL_LOOP && pl->op <= EMUL_LOOPNE)
			r->rcx = loop_count(pl, r);
		break;
	case EMUL_NONE:
		assert(!"an instruction that is not emulated");
	}
	if (!rc)
		r->rip = to;
	return rc;
}
