#include "providers/kernel/kprog/bucketcode.h"

#include "dlang/run/aggtable.h"

/* Of the value in r1, as dlang/run/histogram.c has it; to r2. */
static void write_quantize(struct emitter *e)
{
	unsigned zero, positive, skip, done[2];

	emit_mov_imm(e, BPF_REG_2, 63);
	zero = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
	emit_mov_imm(e, BPF_REG_2, 0);
	emit_mov_imm(e, BPF_REG_4, 0);
	positive = emit_jump(e, BPF_JSGT, BPF_REG_1, 0);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	emit_mov_imm(e, BPF_REG_4, 1);
	emit_land(e, positive);
	for (int bits = 32; bits; bits /= 2) {
		emit_mov(e, BPF_REG_3, BPF_REG_1);
		emit_alu_imm(e, BPF_RSH, BPF_REG_3, bits);
		skip = emit_jump(e, BPF_JEQ, BPF_REG_3, 0);
		emit_mov(e, BPF_REG_1, BPF_REG_3);
		emit_add_imm(e, BPF_REG_2, bits);
		emit_land(e, skip);
	}
	skip = emit_jump(e, BPF_JLE, BPF_REG_2, 62);
	emit_mov_imm(e, BPF_REG_2, 62);
	emit_land(e, skip);
	done[0] = emit_jump(e, BPF_JNE, BPF_REG_4, 0);
	emit_add_imm(e, BPF_REG_2, 64);
	done[1] = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, done[0]);
	emit_mov_imm(e, BPF_REG_3, 62);
	emit_alu(e, BPF_SUB, BPF_REG_3, BPF_REG_2);
	emit_mov(e, BPF_REG_2, BPF_REG_3);
	emit_land(e, done[1]);
	emit_land(e, zero);
}

static void write_lquantize(struct emitter *e, const struct bpf_count *c)
{
	unsigned below, within;

	emit_mov_imm(e, BPF_REG_2, 0);
	emit_const(e, BPF_REG_3, 0, (uint64_t)c->base);
	below = emit_jump_reg(e, BPF_JSLT, BPF_REG_1, BPF_REG_3);
	emit_mov(e, BPF_REG_2, BPF_REG_1);
	emit_alu(e, BPF_SUB, BPF_REG_2, BPF_REG_3);
	emit_const(e, BPF_REG_3, 0, (uint64_t)c->step);
	emit_alu(e, BPF_DIV, BPF_REG_2, BPF_REG_3);
	within = emit_jump(e, BPF_JLT, BPF_REG_2, (int32_t)c->levels);
	emit_mov_imm(e, BPF_REG_2, (int32_t)c->levels);
	emit_land(e, within);
	emit_add_imm(e, BPF_REG_2, 1);
	emit_land(e, below);
}

/* One order of magnitude, [top / factor, top), of which r1 is none below; `distance` of its first
 * bucket from the middle. Returns the jump of those it holds, with their distance in r3. */
static unsigned write_order(struct emitter *e, const int64_t params[4], uint64_t top,
			    unsigned distance)
{
	const uint64_t factor = (uint64_t)params[0], steps = (uint64_t)params[3];
	unsigned beyond, within;

	emit_const(e, BPF_REG_5, 0, top);
	beyond = emit_jump_reg(e, BPF_JGE, BPF_REG_1, BPF_REG_5);
	emit_mov(e, BPF_REG_3, BPF_REG_1);
	if (top % steps == 0) {
		emit_const(e, BPF_REG_5, 0, top / steps);
	} else { /* below 2^32 */
		emit_const(e, BPF_REG_2, 0, steps);
		emit_alu(e, BPF_MUL, BPF_REG_3, BPF_REG_2);
	}
	emit_alu(e, BPF_DIV, BPF_REG_3, BPF_REG_5);
	emit_add_imm(e, BPF_REG_3, (int32_t)distance - (int32_t)(steps / factor));
	within = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, beyond);
	return within;
}

static void write_llquantize(struct emitter *e, const struct aggvar *var)
{
	const int64_t *params = var->params;
	const unsigned middle = (var->func->hist->nbuckets(params) - 1) / 2;
	const unsigned per_order = (unsigned)(params[3] - params[3] / params[0]);
	unsigned found[64], n = 0, positive, small, negative, done, distance = 1;
	uint64_t from = 1;

	for (int64_t i = 0; i < params[1]; i++)
		from *= (uint64_t)params[0];
	emit_mov_imm(e, BPF_REG_4, 0);
	positive = emit_jump(e, BPF_JSGE, BPF_REG_1, 0);
	emit_insn(e, BPF_ALU64 | BPF_NEG, BPF_REG_1, 0, 0, 0);
	emit_mov_imm(e, BPF_REG_4, 1);
	emit_land(e, positive);
	emit_mov_imm(e, BPF_REG_3, 0);
	emit_const(e, BPF_REG_5, 0, from);
	small = emit_jump_reg(e, BPF_JLT, BPF_REG_1, BPF_REG_5);
	for (int64_t order = params[1]; order <= params[2] && n < ARRAY_SIZE(found); order++) {
		from *= (uint64_t)params[0];
		found[n++] = write_order(e, params, from, distance);
		distance += per_order;
	}
	emit_mov_imm(e, BPF_REG_3, (int32_t)distance);
	while (n)
		emit_land(e, found[--n]);
	emit_land(e, small);
	emit_mov_imm(e, BPF_REG_2, (int32_t)middle);
	negative = emit_jump(e, BPF_JNE, BPF_REG_4, 0);
	emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_3);
	done = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, negative);
	emit_alu(e, BPF_SUB, BPF_REG_2, BPF_REG_3);
	emit_land(e, done);
}

void bucketcode_write(struct emitter *e, const struct aggvar *var, const struct bpf_count *c)
{
	if (c->func == BPF_COUNT_QUANTIZE)
		write_quantize(e);
	else if (c->func == BPF_COUNT_LQUANTIZE)
		write_lquantize(e, c);
	else
		write_llquantize(e, var);
}
