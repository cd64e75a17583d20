/*
 * native.h: what a claimed clause does, as machine code that stands in a trampoline. Integers only:
 * what is written here cannot fault, loop or leave its memory, whatever it is given. It keeps all
 * registers but rax, which the trampoline has pushed. Pure: calls in, bytes out.
 *
 * A native clause is: native_begin, then expressions, each of which ends with native_return, and
 * what is done with their values; native_end. An expression has registers 1 to 7, register 0 reads
 * as 0, and branches that lead forward, to instructions by number. A native clause is written
 * twice: what it needs of its frame is known when it has been written once.
 *
 * What is rarely done may be a cold part behind the rest: what is usual needs no jump across it
 * then.
 */
#ifndef INJECT_X86_NATIVE_H
#define INJECT_X86_NATIVE_H

#include "base/base.h"
#include "hook/agg_proto.h"
#include "hook/hook_proto.h"

#define NATIVE_MAX    4096 /* bytes of a native clause */
#define NATIVE_NREGS  8
#define NATIVE_LOCALS 35 /* words of the clause's own */
#define NATIVE_CALLS  64
#define NATIVE_INTO   5
#define NATIVE_RECORD 384 /* bytes of a record, at most */

enum native_op { /* d = a op b */
		 NATIVE_OR,
		 NATIVE_XOR,
		 NATIVE_AND,
		 NATIVE_ADD,
		 NATIVE_SUB,
		 NATIVE_MUL,
		 NATIVE_SLL, /* shifts by b & 63 */
		 NATIVE_SRL,
		 NATIVE_SRA,
		 NATIVE_NOT, /* d = ~a */
		 NATIVE_MOV, /* d = a */
};

enum native_divop { NATIVE_SDIV, NATIVE_UDIV, NATIVE_SREM, NATIVE_UREM };

enum native_cond { /* as the processor encodes them; of a compared with b */
		   NATIVE_BELOW = 2,
		   NATIVE_ABOVE_EQUAL = 3,
		   NATIVE_EQUAL = 4,
		   NATIVE_NOT_EQUAL = 5,
		   NATIVE_BELOW_EQUAL = 6,
		   NATIVE_ABOVE = 7,
		   NATIVE_LESS = 12,
		   NATIVE_GREATER_EQUAL = 13,
		   NATIVE_LESS_EQUAL = 14,
		   NATIVE_GREATER = 15,
		   NATIVE_ALWAYS = 16,
};

struct native_frame {
	unsigned saved; /* registers that it changes, by their numbers */
	unsigned locals;
};
/* Before it is known. */
#define NATIVE_ANY_FRAME ((struct native_frame){UINT32_MAX, NATIVE_LOCALS})

/* What must hold, or the native clause does nothing: a word compared with a constant. */
struct native_guard {
	bool is_there;
	enum native_cond cond; /* not NATIVE_ALWAYS */
	bool is_block; /* off is of a word of the thread's block; else in struct hook_regs */
	unsigned off;
	int32_t constant;
};

struct native_context {
	uint32_t word; /* %fs: holds the address of the thread's block; 0: nothing is done */
	/* Where the word leads to that address: HOOK_FN_TAKE_BLOCK; else 0. Then nothing is done
	 * with a block that has no thread. */
	taddr_t take_block;
	bool keeps_flags_and_redzone; /* the program needs its flags; else only the carry */
	struct native_frame frame;
	struct native_guard guard;
};

struct native_call {
	unsigned end; /* behind it: the distance stands in the four bytes before */
	taddr_t function;
};

struct native {
	struct native_context context;
	unsigned none; /* the jump of a thread without a block */
	/* The cold part begins there, and ends with a jump back to what was in front of it; 0:
	 * nothing does. The jumps that lead into it end there. */
	unsigned cold;
	unsigned into[NATIVE_INTO], ninto;
	struct native_frame needs;
	bool overflows;
	struct native_call calls[NATIVE_CALLS]; /* whose distances are open */
	unsigned ncalls;
	unsigned in_rcx; /* a local, + 1, whose value is there, too; 0: none */
	/* of the expression: */
	unsigned pending; /* registers whose value is a constant that no code has put there yet */
	int32_t constants[NATIVE_NREGS];
	struct native_branch {
		unsigned from; /* behind it */
		unsigned to;   /* instruction */
	} branches[64];
	unsigned nbranches;
	unsigned len;
	uint8_t code[NATIVE_MAX];
};
/* A copy without the room behind its code, to be freed. */
struct native *native_dup(const struct native *);

/* What locals hold is not known. */
void native_begin(struct native *, const struct native_context *);
/* Returns its length, or -ENOSPC: something did not fit. */
int native_end(struct native *);
/*
 * Puts what was written, but for its cold part, to memory from which it will run at `at`, and
 * returns its length; then, if there is something, that to memory at `cold`, with the jumps from
 * `from`, where the first part was put. -ERANGE: too far from a function.
 */
int native_copy(const struct native *, taddr_t at, uint8_t *to);
int native_copy_cold(const struct native *, taddr_t at, uint8_t *from, taddr_t cold, uint8_t *to);

/* Expressions. Before the instructions: their numbers start at 0 again. */
void native_expr(struct native *);
void native_label(struct native *, unsigned insn); /* it stands here */
void native_op(struct native *, enum native_op, unsigned d, unsigned a, unsigned b);
/*
 * d = a divided by b, or what is left then. Where b may be 0, what follows is done up to
 * native_here() of what is returned if it is; else that is 0.
 */
struct native_division {
	enum native_divop op;
	bool may_be_0, may_be_minus_1; /* b */
};
unsigned native_divide(struct native *, const struct native_division *, unsigned d, unsigned a,
		       unsigned b);
/* d = bits of a, whose bytes may be swapped before: shifted left, and then right, with zeros. */
struct native_bits {
	bool swaps;
	uint8_t left, right; /* 0 to 63 */
};
void native_bits(struct native *, const struct native_bits *, unsigned d, unsigned a);
/* d = a random int; its word of the thread's block is nobody else's. */
void native_random(struct native *, unsigned d, unsigned off, uint64_t seed);
void native_constant(struct native *, unsigned d, uint64_t value);
/* A register of the program (offset in struct hook_regs), a word of its stack from the stack
 * pointer on, a word of the thread's block, a local. */
void native_load_saved(struct native *, unsigned d, unsigned off);
void native_load_stack_pointer(struct native *, unsigned d); /* the program's */
void native_load_stack(struct native *, unsigned d, unsigned nth);
void native_load_block(struct native *, unsigned d, unsigned off);
void native_load_local(struct native *, unsigned d, unsigned local);
/* What a variable of that size keeps of a; a stays as it is. */
struct native_type {
	unsigned size; /* 1, 2, 4, 8 */
	bool is_signed;
};
void native_store_block(struct native *, unsigned off, unsigned a, struct native_type);
void native_store_local(struct native *, unsigned local, unsigned a, struct native_type);
struct native_jump {
	enum native_cond cond; /* of a compared with b */
	unsigned a, b;
	unsigned to;   /* instruction */
	unsigned live; /* registers that are read behind it, or where it leads */
};
void native_branch(struct native *, const struct native_jump *);
/* d = 1 if it holds, else 0; not NATIVE_ALWAYS */
void native_compare(struct native *, enum native_cond, unsigned d, unsigned a, unsigned b);
void native_return(struct native *, unsigned a, bool is_last); /* the value is a */
/* All instructions have been seen: a local takes the value; or, unless it is 0, what follows is
 * done up to native_here. */
void native_keep(struct native *, unsigned local);
unsigned native_if(struct native *);
/* The same where all that is asked for is a comparison; instead of the last instructions. */
unsigned native_if_compared(struct native *, enum native_cond, unsigned a, unsigned b);
void native_here(struct native *, unsigned jump);

/* What is done with values. local = CLOCK_MONOTONIC in ns, by the struct hook_clock there */
void native_now(struct native *, taddr_t clock, unsigned local);
/* CLOCK_REALTIME, when CLOCK_MONOTONIC was what is in the local `time`. */
void native_wall(struct native *, taddr_t clock, unsigned time, unsigned local);
/* local = the number of the CPU; has_rdpid: the processor has this instruction */
void native_cpu(struct native *, bool has_rdpid, unsigned local);
/* local = the thread's time on CPUs; function: HOOK_FN_VTIME. What follows is done up to
 * native_here() of what it returns where that is not known. */
unsigned native_vtime(struct native *, taddr_t function, unsigned local);

/*
 * Calls for a record, as a trampoline does: with the program's registers. Its words are the
 * first locals.
 */
struct native_record_call {
	taddr_t function; /* HOOK_FN_RECORD, or HOOK_FN_RECORD_FULL */
	uint32_t number;
	unsigned keep; /* a local that nobody else uses */
};
void native_call_record(struct native *, const struct native_record_call *);
/* From the first local to the stack pointer of the hooked function, when its frame is known. */
unsigned native_frame_words(const struct native *);

/* A value (of a local) is added to an aggregation; its keys are those locals and the next ones. */
struct native_agg {
	const struct hook_agg *agg;
	taddr_t there;	      /* where the target has it */
	taddr_t function;     /* HOOK_FN_AGGREGATE: for what is rare */
	uint64_t table_words; /* as in struct hook_where */
	unsigned keys, value;
};
void native_aggregate(struct native *, const struct native_agg *);
/*
 * local = hook_stack_key() of the callers of the hooked function; function: HOOK_FN_STACK_KEY. What
 * follows is done up to native_here() of what it returns, unless that is 0.
 */
unsigned native_stack_key(struct native *, taddr_t function, uint64_t what, unsigned local);
/* Steps by which texts are made: known: of each that is known, its characters. */
struct native_texts {
	struct hook_text_step steps[HOOK_STEPS];
	const char *known[HOOK_STEPS];
	unsigned n;
};
/*
 * d = what is read at the address that is a's value; or of texts, whose words are the first locals
 * from `words` on, nwords. What follows is done up to native_here() of what it returns where that
 * is not there.
 */
struct native_read {
	taddr_t function; /* HOOK_FN_READ */
	struct hook_read what;
	const struct native_texts *texts; /* NULL: HOOK_READ_VALUE, HOOK_READ_BYTES */
	unsigned words, nwords;
	bool is_signed; /* HOOK_READ_VALUE */
};
unsigned native_read(struct native *, const struct native_read *, unsigned d, unsigned a);
/*
 * An element of an array of the thread (hook/element.h). Its key is in the first of two locals; the
 * second one is for what is assigned.
 */
struct native_element {
	taddr_t function; /* HOOK_FN_LOAD_ELEMENT, HOOK_FN_STORE_ELEMENT */
	uint64_t array;	  /* HOOK_ARRAY() */
	unsigned key;
};
void native_load_element(struct native *, const struct native_element *, unsigned d);
void native_store_element(struct native *, const struct native_element *, unsigned a,
			  struct native_type);
/*
 * The same by several keys, or texts (hook/tuple.h). The keys are in the first locals, and what is
 * assigned is in the one behind them. What follows is done up to native_here() of what is returned
 * where a text is not there; 0: all keys are numbers.
 */
struct native_tuple {
	taddr_t function; /* HOOK_FN_TUPLE */
	struct hook_tuple what;
	const struct native_texts *texts[HOOK_TUPLE_KEYS]; /* NULL: a number */
	unsigned keys;
	unsigned nwords; /* that steps speak of, from the keys on */
	unsigned loaded; /* HOOK_TUPLE_ADD: the local of what is subtracted before */
};
unsigned native_load_tuple(struct native *, const struct native_tuple *, unsigned d);
unsigned native_store_tuple(struct native *, const struct native_tuple *, unsigned a,
			    struct native_type);
/* Goes on at native_here() of what it returns. */
unsigned native_go(struct native *);
/* A word of the thread's table, by its distance from the beginning, += a local. */
void native_add(struct native *, uint64_t word, unsigned local);
/* A word that all threads share, of which the lowest bytes are the value. What is added, at once,
 * is a less a local. */
void native_load_word(struct native *, unsigned d, taddr_t at, struct native_type);
void native_store_word(struct native *, taddr_t at, unsigned a);
void native_add_word(struct native *, taddr_t at, unsigned a, unsigned local);

/*
 * A native clause of its own: the record of a site that has nothing but a few words. Returns its
 * length, or -ENOSPC.
 */
struct native_record {
	const struct hook_site *site;
	uint32_t number;
	taddr_t function; /* HOOK_FN_RECORD */
	taddr_t leave;	  /* HOOK_FN_LEAVE */
};
bool native_can_record(const struct hook_site *, bool has_rdpid);
int native_record(struct native *, const struct native_context *, const struct native_record *);

#endif
