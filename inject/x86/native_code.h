/*
 * native_code.h: the instructions that native clauses are made of. For native.c and native_*.c
 * only.
 */
#ifndef INJECT_X86_NATIVE_CODE_H
#define INJECT_X86_NATIVE_CODE_H

#include "inject/x86/native.h"

/*
 * BLOCK: the thread's block; locals lie at the stack pointer. rcx and rdx help; rax is free
 * between expressions.
 */
#define NATIVE_RED_ZONE 128
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, BLOCK = R11 };

void native_put(struct native *, const void *bytes, unsigned len);
#define PUT(n, ...)                                                                                \
	native_put(n, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
void native_put32(struct native *, uint32_t);

/* rex.w op /r: of two registers; of a register and the word at base (not r12) + disp */
void native_rr(struct native *, uint8_t op, unsigned reg, unsigned rm);
void native_rm(struct native *, uint8_t op, unsigned reg, unsigned base, uint32_t disp);
void native_set(struct native *, unsigned reg, uint64_t value); /* flags are lost */
/* A register's value in a machine register that helps; and rcx in a register. */
void native_fetch(struct native *, unsigned to, unsigned a);
void native_give(struct native *, unsigned d);
/* A local as operand of op. */
void native_local(struct native *, uint8_t op, unsigned reg, unsigned local);
void native_call(struct native *, taddr_t function);
/* rcx = the address of what has been put there, behind native_go(). */
void native_put_over(struct native *, unsigned over, unsigned at);
/* Steps, and texts that are known, as they stand behind what is wanted. */
void native_put_steps(struct native *, const struct native_texts *);
void native_put_known(struct native *, const struct native_texts *);
/* Behind it the distance of a jump, up to native_here() of what it returns. */
unsigned native_forward(struct native *);

#endif
