/*
 * scan.h: all code of a file, read once: where something jumps to, so that no branch into bytes
 * that a hook replaces is missed (docs/spec/fpid-engine.md §1.4). From the file alone.
 */
#ifndef INJECT_X86_SCAN_H
#define INJECT_X86_SCAN_H

#include "symbols/x86/disasm.h"
#include "symbols/symbols.h"

/* A call or jump by a distance of 32 bits, which its last four bytes hold. From codescan.lo on: */
struct codecall {
	uint32_t to, end; /* where it leads and where it ends */
	uint32_t behind;  /* the last ret or jump in front of it ends there; 0: there is none */
};

struct codescan {
	struct objfile *o;
	taddr_t lo, hi;	       /* its functions lie there */
	uint8_t *targets;      /* one bit per byte: something jumps there, or its address is kept */
	uint8_t *called;       /* the same: something calls it */
	uint8_t *jumped;       /* the same: a jump leads there, also through a table */
	uint8_t *foreign;      /* the same: something that is no jump of that function's own */
	uint8_t *taken;	       /* the same: padding that a hook uses */
	uint8_t *words;	       /* the same: a word of data may mean it; only while it is scanned */
	uint8_t *flagged;      /* the same: the flags it returns with are looked at (flagsuse.h) */
	struct scanned {       /* per function of the objfile */
		bool broken;   /* does not decode, even along the flow from its beginning */
		bool has_data; /* does not decode from its beginning to its end */
		bool open;     /* its last instruction may go on into what follows */
		/* It jumps through a table that was not found: any of its instructions may be the
		 * target. */
		bool is_lost;
		/* It jumps to addresses in registers more often than there are tables for it: the
		 * same holds for what is no entry and no exit. */
		bool is_unsure;
		bool reads_flags; /* those it is entered with (flagsuse.h) */
		taddr_t reach;	  /* how far the functions up to it extend */
	} * funcs;
	struct codecall *calls; /* by where they lead; each once */
	unsigned ncalls, calls_room;
	bool is_copy; /* all but `taken` is another's */
};

/* Where its functions lie, but for what is absurdly far from the first; equal: it has none. */
void codescan_bounds(const struct objfile *, taddr_t *lo, taddr_t *hi);
struct codescan *codescan_new(struct objfile *);
/* The same code with padding of its own, none of which is taken. The other must live as long. */
struct codescan *codescan_copy(const struct codescan *);
void codescan_free(struct codescan *);

bool codescan_is_target(const struct codescan *, taddr_t);
/* Only direct jumps of the function that it lies in lead there, if anything does. */
bool codescan_is_inner(const struct codescan *, taddr_t);
/*
 * May what begins there be a part of a function that stands apart (.cold)? Flags and red zone are
 * live at such a place. Not where something calls it; nor where no jump is seen to lead to and the
 * first instruction pushes something.
 */
bool codescan_may_be_part(const struct codescan *, taddr_t);
/*
 * Are there flags in function i that a hook must keep: does it look at those it is entered with, or
 * does one who calls it by name look at those it returns with?
 */
bool codescan_keeps_flags(const struct codescan *, unsigned i);
bool codescan_shares_code(const struct codescan *, unsigned i); /* with another function */
/* Padding for one hook only: it is taken, or given back. */
bool codescan_is_taken(const struct codescan *, taddr_t);
bool codescan_is_free(const struct codescan *, taddr_t, unsigned n); /* none of n bytes is taken */
void codescan_take(struct codescan *, taddr_t, unsigned n, bool);
void codescan_take_nothing(struct codescan *); /* all of it is given back */
/* Those that lead to `to`, as long as the scan lives; *n of them. */
const struct codecall *codescan_calls(const struct codescan *, taddr_t to, unsigned *n);
/* What looks like a call may be data, of a function that jumps across it: not if code leads there,
 * and nothing into it. */
bool codescan_is_call(const struct codescan *, const struct codecall *);

/* The instructions of one function, and the bytes up to the next one. */
struct funcode {
	const struct codescan *scan;
	const struct func *func;
	unsigned index;
	uint8_t *bytes;
	size_t n,
		limit; /* bytes that were there; up to the next function, which it may reach into */
	struct insn *insns;
	uint32_t *offs; /* where each begins */
	unsigned ninsns, room;
};

void funcode_init(struct funcode *, const struct codescan *, unsigned i);
void funcode_release(struct funcode *);
/* Instruction i may be moved, with others behind it. */
bool funcode_may_move(const struct funcode *, unsigned i);
/* The instruction that begins at `off`, or the next one; ninsns: there is none. */
unsigned funcode_index(const struct funcode *, uint32_t off);
/* Something jumps to one of these bytes. */
bool funcode_is_jumped_into(const struct funcode *, uint32_t from, uint32_t to);
/* How many bytes of padding at `off` nobody needs: whole instructions, until there are `enough`. */
unsigned funcode_padding(const struct funcode *, size_t off, unsigned enough);

/* What follows such an instruction is come to from elsewhere, if at all. */
bool insn_ends_code(enum insn_kind);
/* Length of an instruction of padding at p: int3, or a nop of any length. 0: it is none. */
unsigned padding_len(const uint8_t *p, size_t n);

#endif
