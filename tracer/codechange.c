/*
 * Code that is in no file is changed by those who made it: a runtime writes another target into a
 * call and leaves its first byte, ours, alone. What stands behind that byte is looked at before
 * such an instruction is crossed by a plan that was made of it earlier.
 */
#include <string.h>

#include "tracer/mem.h"
#include "tracer/slot.h"

/* The instruction as it is now; false: it cannot be read. */
static bool read_insn(const struct proc *p, const struct site *s, uint8_t bytes[INSN_MAX])
{
	size_t behind = (size_t)(s->plan.len - s->patch_len);

	memcpy(bytes, s->plan.bytes, INSN_MAX);
	return mem_read(p, s->pc + s->patch_len, bytes + s->patch_len, behind) == (ssize_t)behind;
}

/* A plan for other bytes of the same length; the old slot stays for those who are in it. */
static bool plan_anew(struct proc *p, struct site *s, const uint8_t *bytes)
{
	struct insn_plan was = s->plan, plan;
	taddr_t slot = s->slot;

	if (insn_plan(bytes, was.len, s->pc, &plan, NULL) < 0 || plan.len != was.len ||
	    plan.how == INSN_INPLACE)
		return false;
	s->plan = plan;
	if (plan.how != INSN_SLOT || (slot_take(p, s) && slot_write(p, &s, 1) == 0))
		return true;
	s->plan = was;
	s->slot = slot;
	return false;
}

bool codechange_check(struct proc *p, struct site *s)
{
	uint8_t bytes[INSN_MAX];

	if (!s->may_change || s->plan.len <= s->patch_len || !read_insn(p, s, bytes) ||
	    memcmp(bytes, s->plan.bytes, s->plan.len) == 0)
		return true;
	return plan_anew(p, s, bytes);
}
