#include "providers/kernel/kprog/emit.h"

#include <errno.h>

void emit_insn(struct emitter *e, uint8_t code, unsigned dst, unsigned src, int off, int32_t imm)
{
	if (e->n == e->max) {
		e->is_full = true;
		return;
	}
	e->at[e->n++] = (struct bpf_insn){.code = code,
					  .dst_reg = dst & 15,
					  .src_reg = src & 15,
					  .off = (int16_t)off,
					  .imm = imm};
}

void emit_mov(struct emitter *e, unsigned dst, unsigned src)
{
	emit_insn(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void emit_mov_imm(struct emitter *e, unsigned dst, int32_t imm)
{
	emit_insn(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

void emit_alu(struct emitter *e, uint8_t op, unsigned dst, unsigned src)
{
	emit_insn(e, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void emit_alu_imm(struct emitter *e, uint8_t op, unsigned dst, int32_t imm)
{
	emit_insn(e, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

void emit_add_imm(struct emitter *e, unsigned dst, int32_t imm)
{
	emit_alu_imm(e, BPF_ADD, dst, imm);
}

void emit_const(struct emitter *e, unsigned dst, unsigned src_kind, uint64_t value)
{
	emit_insn(e, BPF_LD | BPF_IMM | BPF_DW, dst, src_kind, 0, (int32_t)value);
	emit_insn(e, 0, 0, 0, 0, (int32_t)(value >> 32));
}

void emit_map(struct emitter *e, unsigned dst, int fd)
{
	emit_const(e, dst, BPF_PSEUDO_MAP_FD, (uint32_t)fd);
}

void emit_map_key(struct emitter *e, int fd, int at)
{
	emit_map(e, BPF_REG_1, fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, at);
}

void emit_extend(struct emitter *e, unsigned dst, unsigned size, bool is_signed)
{
	const int32_t unused = 64 - 8 * (int32_t)size;

	if (!unused)
		return;
	emit_alu_imm(e, BPF_LSH, dst, unused);
	emit_alu_imm(e, is_signed ? BPF_ARSH : BPF_RSH, dst, unused);
}

void emit_call(struct emitter *e, int32_t helper)
{
	emit_insn(e, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

unsigned emit_function(struct emitter *e, unsigned dst)
{
	emit_const(e, dst, BPF_PSEUDO_FUNC, 0);
	return e->n - 2;
}

void emit_aim(struct emitter *e, unsigned from)
{
	if (!e->is_full)
		e->at[from].imm = (int32_t)(e->n - from - 1);
}

void emit_store64(struct emitter *e, unsigned dst, int off, unsigned src)
{
	emit_insn(e, BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

void emit_store32(struct emitter *e, unsigned dst, int off, unsigned src)
{
	emit_insn(e, BPF_STX | BPF_MEM | BPF_W, dst, src, off, 0);
}

void emit_store_imm(struct emitter *e, unsigned dst, int off, int32_t imm)
{
	emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, dst, 0, off, imm);
}

void emit_load64(struct emitter *e, unsigned dst, unsigned src, int off)
{
	emit_insn(e, BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

void emit_load32(struct emitter *e, unsigned dst, unsigned src, int off)
{
	emit_insn(e, BPF_LDX | BPF_MEM | BPF_W, dst, src, off, 0);
}

unsigned emit_jump(struct emitter *e, uint8_t op, unsigned dst, int32_t imm)
{
	emit_insn(e, BPF_JMP | op | BPF_K, dst, 0, 0, imm);
	return e->n - 1;
}

unsigned emit_jump_reg(struct emitter *e, uint8_t op, unsigned dst, unsigned src)
{
	emit_insn(e, BPF_JMP | op | BPF_X, dst, src, 0, 0);
	return e->n - 1;
}

void emit_land(struct emitter *e, unsigned from)
{
	if (!e->is_full)
		e->at[from].off = (int16_t)(e->n - from - 1);
}

void emit_count(struct emitter *e, int fd, uint32_t index)
{
	unsigned none;

	emit_insn(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, (int32_t)index);
	emit_map(e, BPF_REG_1, fd);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, -4);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	none = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	emit_load64(e, BPF_REG_1, BPF_REG_0, 0);
	emit_add_imm(e, BPF_REG_1, 1);
	emit_store64(e, BPF_REG_0, 0, BPF_REG_1);
	emit_land(e, none);
}

unsigned emit_keep(struct emitter *e, int fd, int key, int value)
{
	unsigned is_new, is_late, lost;

	emit_map_key(e, fd, key);
	emit_load64(e, BPF_REG_3, BPF_REG_10, value);
	emit_mov_imm(e, BPF_REG_4, BPF_NOEXIST);
	emit_call(e, BPF_FUNC_map_update_elem);
	is_new = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	is_late = emit_jump(e, BPF_JEQ, BPF_REG_0, -EEXIST); /* another CPU was faster */
	lost = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_new);
	emit_land(e, is_late);
	return lost;
}

void emit_return(struct emitter *e, int32_t result)
{
	emit_mov_imm(e, BPF_REG_0, result);
	emit_insn(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void emit_leave(struct emitter *e)
{
	emit_return(e, 0);
}
