/*
 * difobuild.h: a DIFO being written: instructions, constants, labels, registers. Memory comes from
 * the compiler's arena; running out of registers or space ends the compilation.
 */
#ifndef DLANG_CODEGEN_DIFOBUILD_H
#define DLANG_CODEGEN_DIFOBUILD_H

#include "dlang/parse/compiler.h"

/* The input of a translator while its definition is written: in `reg`, or (0) to be evaluated. */
struct binding {
	const struct ident *ident;
	int reg;
	struct node *value;
	const struct binding *outer;
};

struct difob {
	struct compiler *cc;
	const struct binding *bindings; /* the innermost */
	struct difo difo; /* needs, can_fault, is_destructive are the writer's to set */
	uint32_t *text;
	uint64_t *ints;
	char *strs;
	struct dif_var *vars;
	uint64_t *offsets;
	unsigned text_room, ints_room, vars_room, offsets_room;
	unsigned *labels; /* label → index of its instruction */
	unsigned nlabels, labels_room;
	uint64_t regs[DIF_NREGS / 64]; /* bit n: %rn is taken */
	unsigned nspilled;	       /* registers whose values are kept elsewhere (cgspill.c) */
	unsigned nkept;		       /* values that are used twice (cgkeep.c) */
	bool follows_kernel;	       /* it begins at curthread, whatever types it goes by */
};

void difob_init(struct difob *, struct compiler *);

/* The lowest free register. */
int difob_reg(struct difob *);
void difob_free(struct difob *, int reg);
/* This one, which is free. */
void difob_take(struct difob *, int reg);
bool difob_is_taken(const struct difob *, int reg);

void difob_emit(struct difob *, uint32_t insn);
void difob_setx(struct difob *, uint64_t value, int reg);
/* A member lies there behind a pointer. */
void difob_note_offset(struct difob *, uint64_t offset);
void difob_sets(struct difob *, const char *s, size_t len, int reg);

/* Branches lead forward to a label that is set later. */
unsigned difob_label(struct difob *);
void difob_branch(struct difob *, unsigned op, unsigned label);
void difob_set_label(struct difob *, unsigned label); /* the next instruction */

/* Notes that the DIFO uses a variable; a program's one also gets its place in the session. */
void difob_use(struct difob *, const struct ident *, bool is_written);

/* Resolves labels and proves the result. The DIFO lies in the arena. */
struct difo *difob_finish(struct difob *);

#endif
