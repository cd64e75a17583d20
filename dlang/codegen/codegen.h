/*
 * codegen.h: what codegen.c (values), cgvars.c (of variables) and cgstore.c (assignments) share.
 * Every cg_ function leaves its value in node->reg; who asked for it frees the register.
 */
#ifndef DLANG_CODEGEN_CODEGEN_H
#define DLANG_CODEGEN_CODEGEN_H

#include "dlang/parse/check.h"
#include "dlang/codegen/difobuild.h"

static inline void emit3(struct difob *b, unsigned op, int r1, int r2, int rd)
{
	difob_emit(b, DIF_FMT(op, r1, r2, rd));
}

/* cgkeep.c: what is read and then written: its parts that do something are evaluated once, from
 * here on to the second call. */
void cg_keep(struct difob *, struct node *target);
void cg_keep_no_more(struct difob *, struct node *target);
/* Of such a part: its code, or the value that it had. */
void cg_kept(struct difob *, struct node *);
/* cgspill.c: whatever the number of registers that are taken. */
void cg_node(struct difob *, struct node *);
/* codegen.c: with those that are free. */
void cg_plain(struct difob *, struct node *);
/* cgvars.c */
void cg_variable(struct difob *, struct node *);
void cg_add(struct difob *, int reg, uint64_t n);
/* A register with the address `offset` bytes from where a register of the thread points. */
int cg_from_register(struct difob *, unsigned ureg, uint64_t offset);
/* codegen.c */
/* Shifts left by so many bits, and back with this instruction. */
void cg_shift(struct difob *, int reg, unsigned bits, unsigned back);
/* The address of a value in memory: of *p, p[i], p->m, s.m. */
void cg_address(struct difob *, struct node *);
/* The value at the address in n->reg; nothing for what is handled by reference. */
void cg_load(struct difob *, const struct node *);
/* What is in reg, of the type of `from`, as a value of another scalar type. */
void cg_cast(struct difob *, int reg, const struct node *from, const struct type *to);
/* Scales an integer in reg to the elements that a pointer of this type counts. */
void cg_scale(struct difob *, int reg, const struct type *pointer);
/* Evaluates the operands and leaves them on the tuple stack, as these types (NULL: as they are). */
void cg_push_list(struct difob *, struct node *args, const struct type *const *types);
/* The instruction of a binary operator, 0: none. */
unsigned cg_opcode(struct difob *, const struct node *, enum node_op);
/* Bytes from the start of its struct to the unit of a bit-field or the member; the bits below it.
 */
uint64_t member_offset(const struct node *, unsigned *shift);

/* Does its code leave the tuple stack alone, and does nothing but read? */
bool cg_is_simple(const struct node *);

/* cgxlate.c */
void cg_input(struct difob *, struct node *);	/* the input of the translator */
void cg_xmember(struct difob *, struct node *); /* a translated member */
void cg_whole(struct difob *, struct node *);	/* a whole translated structure */

/* cgstore.c */
/* The value in a register to the place that is at an address. */
void cg_store_memory(struct difob *, const struct node *, int value, int address);
/* The same of a string, to a string or an array of characters: its characters, then NULs. */
void cg_store_string(struct difob *, const struct node *, int value, int address);
void cg_assign(struct difob *, struct node *);
void cg_assign_op(struct difob *, struct node *);
void cg_step(struct difob *, struct node *); /* ++ and -- */

#endif
