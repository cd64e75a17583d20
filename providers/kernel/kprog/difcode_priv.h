/* difcode_priv.h: what the files that write code of DIF share. */
#ifndef PROVIDERS_KERNEL_KPROG_DIFCODE_PRIV_H
#define PROVIDERS_KERNEL_KPROG_DIFCODE_PRIV_H

#include "providers/kernel/kprog/difcode.h"

#define MAX_FIXUPS 256

/* What is known of a register before the code runs. */
struct known {
	enum {
		KNOWN_NOTHING, /* a number, which the frame has */
		KNOWN_NUMBER,
		KNOWN_TEXT,   /* the frame has where it begins in the expression's texts, */
		KNOWN_CHOICE, /* ... and of one of them */
		KNOWN_NAME,
		KNOWN_CALL,
		KNOWN_PROBE,  /* its name, `text` */
		KNOWN_MEMBER, /* address of the record of a thread, and value */
		KNOWN_RECORD, /* address of the record that argument `arg` leads into, and value */
		KNOWN_MIXED,  /* now this and now that */
	} kind;
	unsigned arg;
	uint64_t value;
	const char *text;
	/* it is this global, or the element of this array (0: none) whose keys are `keys`, and what
	 * was added to it since it was read, the `old`th that was, as the frame has it */
	unsigned plus, old;
	uint64_t keys;
	/* registers with the same number have the same value at each firing; 0: like no other */
	uint64_t same;
};

/* Where branches lead that have been written, and what is known there whoever comes. */
#define MAX_PENDING 16
struct pending {
	unsigned label;
	struct known regs[FRAME_NREGS + 1];
};

struct difcode {
	struct difwriter *w;
	struct emitter *e;
	const struct difo *d;
	struct known regs[FRAME_NREGS + 1];
	/* the instruction before compares these, or branches by that */
	bool is_compared, are_texts;
	unsigned a, b;
	unsigned ntuple; /* words that have been pushed */
	uint64_t keys;	 /* what they are, as known.same; 0: like no others */
	unsigned nold;	 /* globals and elements that have been read */
	unsigned nsets;	 /* variables that have been stored */
	struct {
		unsigned at, label;
	} fixups[MAX_FIXUPS];
	unsigned nfixups;
	struct pending pending[MAX_PENDING];
	unsigned npending;
	bool is_reached;     /* by what is before this instruction */
	bool copies;	     /* it may call copyinstr(), whose result is the address then, */
	uint64_t ncopied;    /* ... of so many bytes */
	struct known pushed; /* last */
	bool makes_text;     /* the result may be one */
};

/* Returns false. */
bool difcode_refuse(const struct difcode *, const char *why);
/* Between registers of BPF and those of DIF; what is stored is not known any more. */
void difcode_load(const struct difcode *, unsigned to, unsigned reg);
void difcode_store(struct difcode *, unsigned reg, unsigned from);
bool difcode_is_text(const struct difcode *, unsigned reg);
/* What follows from these alone: as known.same. */
uint64_t difcode_same(uint64_t what, uint64_t a, uint64_t b);

/* What the register has does not change while a program runs: `which` of these. */
void difcode_always(struct difcode *, unsigned rd, unsigned what, uint64_t which);

/* difevent.c: what the event has. False: refused. */
bool difevent_builtin(struct difcode *, unsigned id, unsigned rd);
bool difevent_argument(struct difcode *, uint32_t insn); /* args[] */
bool difevent_load(struct difcode *, uint32_t insn);	 /* a member */
/* A text of the record to the frame, of at most *nwords words. */
bool difevent_text(const struct difcode *, const struct known *, int to, unsigned *nwords);
/* So many bytes of a tracepoint's record to the frame. */
bool difevent_bytes(const struct difcode *, const struct known *, int to, unsigned size);
/* Leaves 0 in r1 where a text of a tracepoint's record is this one. */
bool difevent_compare(const struct difcode *, const struct known *, const char *text);

/* difvars.c: variables. False: refused. */
bool difvars_load_self(struct difcode *, unsigned id, unsigned rd);
bool difvars_store_self(struct difcode *, unsigned id, unsigned rd);
bool difvars_load_global(struct difcode *, unsigned id, unsigned rd);
bool difvars_store_global(struct difcode *, unsigned id, unsigned rd);
bool difvars_load_this(struct difcode *, unsigned id, unsigned rd);
bool difvars_store_this(struct difcode *, unsigned id, unsigned rd);
bool difvars_push_number(struct difcode *, uint32_t insn);
bool difvars_push_text(struct difcode *, uint32_t insn);
bool difvars_load_element(struct difcode *, unsigned id, unsigned rd);
bool difvars_store_element(struct difcode *, unsigned id, unsigned rd);

#endif
