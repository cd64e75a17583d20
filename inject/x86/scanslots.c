#include "inject/x86/scanslots.h"

#define NEAR	   8  /* instructions between the two: registers are not followed any further */
#define SLOT_JUMPS 16 /* of one function: each means a look at all of its code */

#define REX_B 1
#define REX_X 2
#define REX_R 4

static unsigned rex_of(const uint8_t *p, const struct insn *in)
{
	return in->opcode && (p[in->opcode - 1] & 0xf0) == 0x40 ? p[in->opcode - 1] : 0;
}

static bool is_lea(const uint8_t *p, const struct insn *in)
{
	return in->modrm && in->modrm == in->opcode + 1 && p[in->opcode] == 0x8d;
}

/* The register that a lea writes. */
static unsigned written(const uint8_t *p, const struct insn *in)
{
	return (p[in->modrm] >> 3 & 7) | (rex_of(p, in) & REX_R ? 8 : 0);
}

/* lea (base,index,stride), reg without a distance. Returns the stride; 0: another instruction. */
static unsigned scaled(const uint8_t *p, const struct insn *in, unsigned *base)
{
	uint8_t sib;

	if (!is_lea(p, in) || p[in->modrm] >> 6 || (p[in->modrm] & 7) != 4)
		return 0;
	sib = p[in->modrm + 1];
	if ((sib & 7) == 5) /* no base */
		return 0;
	*base = (sib & 7) | (rex_of(p, in) & REX_B ? 8 : 0);
	return 1U << (sib >> 6);
}

/* Without a label of the function's own there is nothing that an address in it is made of. */
static bool jump(struct slots *s, const uint8_t *p, const struct insn *in)
{
	unsigned reg;

	if (!s->has_label || !in->modrm || p[in->modrm] >> 6 != 3)
		return false;
	reg = (p[in->modrm] & 7) | (rex_of(p, in) & REX_B ? 8 : 0);
	if (s->stride && s->slot_reg == reg && s->slot_age <= NEAR && s->nfound < SLOT_JUMPS) {
		s->nfound++;
		return true;
	}
	s->is_lost = true;
	return false;
}

bool slots_follow(struct slots *s, const uint8_t *p, const struct insn *in, taddr_t label)
{
	unsigned base, stride;

	s->label_age++;
	s->slot_age++;
	if (in->kind == INSN_JMP_INDIRECT)
		return jump(s, p, in);
	if (label) {
		s->has_label = true;
		s->label = label;
		s->label_reg = written(p, in);
		s->label_age = 0;
		return false;
	}
	stride = scaled(p, in, &base);
	if (stride > 1 && s->has_label && s->label_age <= NEAR && base == s->label_reg) {
		s->from = s->label;
		s->stride = stride;
		s->slot_reg = written(p, in);
		s->slot_age = 0;
	}
	return false;
}
