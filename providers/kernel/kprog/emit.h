/*
 * emit.h: BPF instructions, written one by one (Documentation/bpf/standardization in the kernel's
 * tree): for programs that are made here instead of being compiled from C.
 */
#ifndef PROVIDERS_KERNEL_KPROG_EMIT_H
#define PROVIDERS_KERNEL_KPROG_EMIT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

struct emitter {
	struct bpf_insn *at;
	unsigned n, max;
	bool is_full; /* what came then is left out: the program cannot be used */
};

void emit_insn(struct emitter *, uint8_t code, unsigned dst, unsigned src, int off, int32_t imm);
void emit_mov(struct emitter *, unsigned dst, unsigned src);
void emit_mov_imm(struct emitter *, unsigned dst, int32_t imm);
void emit_add_imm(struct emitter *, unsigned dst, int32_t imm);
/* Two operands of 64 bits, op: BPF_ADD ... */
void emit_alu(struct emitter *, uint8_t op, unsigned dst, unsigned src);
void emit_alu_imm(struct emitter *, uint8_t op, unsigned dst, int32_t imm);
void emit_const(struct emitter *, unsigned dst, unsigned src_kind, uint64_t value);
void emit_map(struct emitter *, unsigned dst, int fd);
/* The map to r1 and the address of its key, r10 + at, to r2. */
void emit_map_key(struct emitter *, int fd, int at);
void emit_call(struct emitter *, int32_t helper);
/* The address of a function that begins at some later instruction, to be aimed by emit_aim(). */
unsigned emit_function(struct emitter *, unsigned dst);
void emit_aim(struct emitter *, unsigned from);
/* Of a value its lowest `size` bytes, extended to 64 bits. */
void emit_extend(struct emitter *, unsigned dst, unsigned size, bool is_signed);
void emit_store64(struct emitter *, unsigned dst, int off, unsigned src);
void emit_store32(struct emitter *, unsigned dst, int off, unsigned src);
void emit_store_imm(struct emitter *, unsigned dst, int off, int32_t imm); /* 64 bits */
void emit_load64(struct emitter *, unsigned dst, unsigned src, int off);
void emit_load32(struct emitter *, unsigned dst, unsigned src, int off);
/* Jumps forward, to be aimed by emit_land(); op: BPF_JEQ ... */
unsigned emit_jump(struct emitter *, uint8_t op, unsigned dst, int32_t imm);
unsigned emit_jump_reg(struct emitter *, uint8_t op, unsigned dst, unsigned src);
void emit_land(struct emitter *, unsigned from);
/* Adds one to a 64-bit element of a per-CPU array; the word at r10 - 4 and r0 to r5 are used. */
void emit_count(struct emitter *, int fd, uint32_t index);
/* A new element of a map, whose key is at r10 + key, and whose value is where r10 + value says: its
 * address. What is there is left. Returns the jump of those who find no room. */
unsigned emit_keep(struct emitter *, int fd, int key, int value);
void emit_leave(struct emitter *); /* with 0 */
void emit_return(struct emitter *, int32_t result);

#endif
