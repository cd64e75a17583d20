/*
 * fpid_codegen.h: what the files that write the machine code of clauses share: fpid_codegen.c,
 * fpid_codetext.c (memory and texts), fpid_codearray.c (elements), fpid_codeguard.c (comparisons).
 * For them only.
 */
#ifndef PROVIDERS_FPID_FPID_CODEGEN_H
#define PROVIDERS_FPID_FPID_CODEGEN_H

#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"
#include "providers/fpid/fpid_memory.h"

enum { /* locals of a native clause */
       LOCAL_KEYS = 0,
       LOCAL_VALUE = HOOK_KEYS_MAX,
       LOCAL_CARRIED = 0, /* when the hook is called for a record */
       LOCAL_TIME = FPID_CARRIED_MAX,
       LOCAL_VTIME,
       LOCAL_SCRATCH, /* within one step */
       LOCAL_PUSHED,  /* first: for a subroutine, or as key of an element */
       LOCAL_SECOND,  /* behind it: another text, or key; or what is stored in that element */
       LOCAL_WORDS = LOCAL_PUSHED + HOOK_TUPLE_KEYS + 1, /* of texts in the making */
       LOCAL_LOADED = LOCAL_WORDS + FPID_TEXT_WORDS,	 /* the last element of all threads; */
       LOCAL_WORD,					 /* and the last word */
       LOCAL_THIS,					 /* from here on: this-> variables */
};
#define MAX_THIS (NATIVE_LOCALS - LOCAL_THIS)
#define JUMPS	 32
#define STOPS	 16
_Static_assert(LOCAL_VALUE < LOCAL_TIME, "keys");
_Static_assert(MAX_THIS >= FPID_THIS_MAX, "this-> variables");
_Static_assert(FPID_PUSHED >= HOOK_TUPLE_KEYS, "what is known of keys");

/* What is known of registers: which have the same value, and which are the element of all threads,
 * or (of_words) the word, that was loaded last, and something added to it (fpid_codearray.c). */
struct code_sums {
	bool of_words;
	uint64_t value[FPID_REGS]; /* the same number: the same value */
	uint64_t cut[FPID_REGS];   /* it is such a sum, shifted left by a value with this number */
	unsigned sums;
	bool is_loaded;
	uint16_t id;
	uint64_t loaded, keys; /* by which keys; and those that have been pushed now */
	uint16_t kept;	       /* a this-> variable of the compiler's own, */
	uint64_t kept_value;   /* and its value; 0: none */
	uint64_t nunknown, nstores;
};

struct writing {
	struct fpid_claims *claims;
	const struct fpid_claim *claim;
	struct native_clause *native;
	const struct fpid_shares *shares;
	struct fpid_record_call calls[FPID_CLAUSES_MAX]; /* of FPID_DECIDES */
	struct stop {
		struct ecb_part part;
		struct fpid_record_call call;
	} stops[STOPS]; /* where memory may not be there */
	unsigned nstops;
	struct fpid_constants known; /* of the expression that is being written */
	/* How texts are made that registers stand for, and what has been pushed. */
	struct native_texts texts[FPID_REGS], pushed[HOOK_TUPLE_KEYS];
	unsigned unread, unread_pushed; /* such ones, by their bits */
	struct {
		uint16_t id;
		struct native_texts how;
	} kept[HOOK_TUPLE_KEYS]; /* such this-> variables of the compiler's own */
	unsigned nkept;
	unsigned nwords; /* that they are made of: in locals from LOCAL_WORDS on */
	bool is_unused;	 /* what the expression returns */
	struct code_sums sums, word_sums;
	uint16_t this_ids[MAX_THIS]; /* of the locals from LOCAL_THIS on */
	unsigned nthis;
	unsigned naggs;
	unsigned without[JUMPS], nwithout; /* of a statement: no room for one of its keys */
	unsigned absent[JUMPS], nabsent;   /* memory that is not there */
	bool is_guarded;		   /* its only clause runs where the predicate holds */
	int error;
};

/* Where registers of the program are that an argument is in; -1: its value is always 0. */
int code_place_of_arg(unsigned arg, bool is_return);
extern const struct native_type code_word; /* that of a register */
struct native_type code_type_of(const struct writing *, enum dif_scope, uint16_t id);
/* Of a block; cell: its number, or an error, which is kept. */
unsigned code_cell_off(struct writing *, int cell);
/* One more of those that go on together, later. */
void code_jump_later(struct writing *, unsigned *jumps, unsigned *n, unsigned jump);

/* ---- fpid_codearray.c ---- */

/* Elements self->x[keys], and what is pushed before. */
void code_push(struct writing *, const struct difo *, unsigned insn);
void code_load_element(struct writing *, uint32_t insn);
void code_store_element(struct writing *, uint32_t insn);

void code_sums_begin(struct writing *);
void code_sums_meet(struct writing *, const struct difo *, unsigned insn); /* where ways meet */
void code_sums_forget(struct writing *, unsigned reg); /* it has another value */
void code_sums_insn(struct writing *, const struct difo *, uint32_t insn); /* behind it */
/* Elements x[keys] of all threads. */
void code_load_global(struct writing *, const struct difo *, unsigned insn);
void code_store_global(struct writing *, uint32_t insn);
/* Globals: what is added to a counter is a value, or they are words. */
void code_load_scalar(struct writing *, uint32_t insn);
void code_store_scalar(struct writing *, uint32_t insn);

/* ---- fpid_codetext.c ---- */

void code_load(struct writing *, uint32_t insn);
void code_call(struct writing *, const struct difo *, unsigned insn); /* of a subroutine */
/* The result takes the places of what is compared. */
void code_compare_texts(struct writing *, uint32_t insn);
/* A text at the address in a register, by a step for it (HOOK_TEXT_AT ...), becomes its number. */
void code_text_key(struct writing *, struct hook_text_step, unsigned reg);
void code_push_text(struct writing *, const struct difo *, unsigned insn);
void code_known_text(struct writing *, struct native_texts *, const char *text); /* and no more */
void code_flush_texts(struct writing *); /* what was pushed is gone */
/* A self-> variable is assigned a text, by its number. */
void code_store_text(struct writing *, uint32_t insn);
/* How much of a room it takes to make these, and (is_key) one of them a key. */
unsigned code_texts_chars(const struct native_texts *, bool is_key);
/* Such a text is assigned to a this-> variable, or loaded from it. */
void code_keep_text(struct writing *, uint32_t insn);
void code_load_kept(struct writing *, uint32_t insn);

/* ---- fpid_codeguard.c ---- */

/* A branch, and what the compiler makes of `a < b` as a value: bl 3; mov %r0, %rd; ba 4; 3: setx 1,
 * %rd; 4: */
#define CODE_COMPARISON 4 /* instructions */
bool code_is_comparison(const struct difo *, unsigned insn);
/* Is such a value all that is returned, whatever way led there? Then it begins at *at. */
bool code_ends_in_comparison(const struct difo *, unsigned *at);
/* Is a predicate a comparison of a word with a constant, or that of a word with 0? */
bool code_as_guard(struct writing *, const struct difo *, struct native_guard *);

#endif
