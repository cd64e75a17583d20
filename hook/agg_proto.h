/*
 * agg_proto.h: the treaty, continued: aggregations that are kept in the target. Part of
 * HOOK_VERSION.
 *
 * Each block has a table, those of the first threads with more room than the others; a page with
 * struct hook_clock is for all.
 *
 *     hook_table │ words of aggregations without keys, arrays │ slots │ zeros │ entries ...
 *                0                                hook_where.table_words    + HOOK_ENTRIES
 *
 * A slot holds the distance of an entry from the zeros, or 0: then what it leads to is no entry.
 *
 * A small aggregation without keys has its words at a fixed address; each set of keys of another is
 * an entry: struct hook_entry, keys, words. An entry is written first and then found, by one
 * compare-and-exchange of a slot; it is never moved or taken away.
 *
 * A stack that is part of a key is an entry, too, by which it has a number: struct hook_entry with
 * HOOK_GROUP_STACK, a word (below), and pcs. So is a text of the program's memory.
 *
 * Words of a table are only ever added to by its thread, in single instructions, so that a signal
 * handler of the thread may do the same in between; the reader takes what is new since it last
 * looked. A minimum or maximum is the exception: the reader exchanges it for 0, no value.
 *
 *     count      number of values                    min, max  number, value (see HOOK_AGG_MIN)
 *     sum, avg   number, sum                         stddev    number, sum, squares (128 bits)
 *     quantize, lquantize, llquantize: one word per bucket
 *
 * All of it can be written by the target: whoever reads it believes nothing.
 */
#ifndef HOOK_AGG_PROTO_H
#define HOOK_AGG_PROTO_H

#include <stdint.h>

#define HOOK_SLOTS	  32768u /* a power of two */
#define HOOK_SLOTS_SIZE	  (HOOK_SLOTS * 4)
#define HOOK_REACH	  512 /* slots that are looked at for an entry: of a full table not all */
#define HOOK_KEYS_MAX	  7
#define HOOK_ENTRY_ALIGN  16
#define HOOK_ENTRIES	  (HOOK_SLOTS_SIZE + HOOK_ENTRY_ALIGN)
#define HOOK_QUANTIZE_MID 63 /* the bucket of zero among 127 */

enum hook_aggfunc {
	HOOK_AGG_COUNT,
	HOOK_AGG_SUM,
	HOOK_AGG_MIN, /* INT64_MAX - value: the larger, the smaller; 0 is none */
	HOOK_AGG_MAX, /* value - INT64_MIN */
	HOOK_AGG_AVG,
	HOOK_AGG_STDDEV,
	HOOK_AGG_QUANTIZE,
	HOOK_AGG_LQUANTIZE,
	HOOK_AGG_LLQUANTIZE,
	HOOK_NAGGFUNCS
};

/* One aggregation of one probe; in the memory of trampolines, which the target cannot write. */
struct hook_agg {
	uint32_t func;
	uint32_t group; /* its number: of entries */
	uint32_t nkeys;
	uint32_t nwords;
	uint64_t words; /* where they are, from the table's beginning; 0: in an entry */
	/* lquantize: base, limit, step; llquantize: factor, low, high, steps */
	int64_t params[4];
};

struct hook_table {
	uint64_t used;	/* bytes of entries */
	uint64_t drops; /* values that found no room */
	uint64_t room;	/* bytes of entries that there may be: from the engine */
	uint64_t lost;	/* assignments of elements (element.h) that found no room */
	uint64_t stamp; /* the thread's last one, for arrays of all threads (tuple.h) */
};
#define HOOK_TABLE_HEAD 64

struct hook_entry {
	uint32_t group; /* + 1; 0: not written yet */
	uint32_t size;	/* of all of it */
};

/* The group of stacks, and what their word is made of: as before the pcs of a record, and above it
 * how many of them were asked for. */
#define HOOK_GROUP_STACK (UINT32_MAX - 1)
#define HOOK_STACK_MAX	 40
/* The group of texts that were read from memory: a word, how many characters, and these; what is
 * left of the last word is 0. */
#define HOOK_GROUP_TEXT (UINT32_MAX - 2)
#define HOOK_TEXT_KEY	(1ULL << 40) /* above the number of such an entry, where it is a key */
/* Where they are put before it is known which entry they are: words for one, and how many may be in
 * the making, by signal handlers that interrupt each other. */
#define HOOK_STACK_ROOM(max)	    (2 + (max))
#define HOOK_TEXT_ROOM(max)	    (2 + (max) / 8 + 1)
#define HOOK_ROOMS		    4
#define HOOK_ROOMS_AT(place, words) ((uint64_t)(place) << 32 | (uint64_t)(words) << 16)
#define HOOK_ROOMS_PLACE(rooms)	    ((rooms) >> 32)
#define HOOK_ROOMS_WORDS(rooms)	    ((rooms) >> 16 & 0xffff)

/* The first slot of a set of keys: the low bits of this; then the following ones. */
#define HOOK_HASH_FACTOR 0x9e3779b97f4a7c15ULL
#define HOOK_HASH_SHIFT	 40
#define HOOK_HASH_GROUP	 0x9e3779b1U

static inline uint32_t hook_hash(uint32_t group, const uint64_t *keys, unsigned n)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ keys[i]) * HOOK_HASH_FACTOR;
	return (uint32_t)(h >> HOOK_HASH_SHIFT) + group * HOOK_HASH_GROUP;
}

/* The line from the time stamp counter to nanoseconds. Only native clauses read it. */
#define HOOK_CLOCK_LINES 4
#define HOOK_CLOCK_SHIFT 4 /* a counter of 125 MHz and more: mult is a signed number */
struct hook_clock {
	uint32_t which; /* of the lines: the others may be written */
	struct hook_line {
		uint64_t tsc, ns;
		uint64_t mult; /* ns + (now - tsc) * 2^HOOK_CLOCK_SHIFT * mult / 2^64 */
	} lines[HOOK_CLOCK_LINES];
	struct hook_wall {
		int64_t offset; /* of CLOCK_REALTIME from CLOCK_MONOTONIC */
		uint64_t floor; /* no time is before this: it stands when it is set back */
	} walls[HOOK_CLOCK_LINES];
};

_Static_assert(sizeof(struct hook_agg) == 56, "hook_agg");

/*
 * What is wanted of the program's memory; it stands among the code of a native clause. Where it is
 * not all there, nothing is: the clause leaves a record then, and the engine finds the fault.
 */
enum hook_read_op {
	HOOK_READ_VALUE, /* a number of `size` bytes */
	HOOK_READ_BYTES, /* are so many there? */
	/* Of one text, or of two: */
	HOOK_READ_KEY,	  /* its number, and HOOK_TEXT_KEY; 0: there is no room, one more value has
			   * found none; or (param: it is assigned) one more assignment is lost */
	HOOK_READ_ORDER,  /* 1, 2, 3: the first one is less than, equal to, greater than the second
			   */
	HOOK_READ_LENGTH, /* of the text */
	HOOK_READ_INDEX,  /* where the second one begins in the first one, at first from character
			   * `param` on; or -1 */
	HOOK_READ_RINDEX, /* the same, at last up to there */
	HOOK_READ_NUMBER, /* strtoll() of it, to base `param` */
};

/*
 * How a text is made, step by step: some put a text on a stack, the others take the topmost one
 * away, or two, and put what they make of it. The results are those of the subroutines of D
 * (dlang/run/strsubrs.c, pathsubrs.c). Where one is NULL, it can be compared, and nothing else.
 */
enum hook_text_op {
	HOOK_TEXT_AT,	  /* at the address that is the nth word: `size` characters at most */
	HOOK_TEXT_PLAIN,  /* the same, but it is not read where it is compared with NULL, or is NULL
			   */
	HOOK_TEXT_WHOLE,  /* the same, and all `size` bytes must be there, also behind its end */
	HOOK_TEXT_KNOWN,  /* `size` characters, behind the steps, in turn */
	HOOK_TEXT_NUMBER, /* lltostr() of the nth word, to base `start` */
	/* Of one text: */
	HOOK_TEXT_SUBSTR, /* from `start` on, `count` characters */
	HOOK_TEXT_BASENAME,
	HOOK_TEXT_DIRNAME,
	HOOK_TEXT_CLEANPATH,
	HOOK_TEXT_TOUPPER,
	HOOK_TEXT_TOLOWER,
	HOOK_TEXT_STRCHR, /* of character `start` */
	HOOK_TEXT_STRRCHR,
	/* Of two: */
	HOOK_TEXT_STRSTR,
	HOOK_TEXT_STRTOK,
	HOOK_TEXT_STRJOIN, /* `size` characters at most */
};
#define HOOK_TEXT_ALL INT32_MAX /* a count that cuts nothing off */
#define HOOK_STEPS    24	/* at most */
#define HOOK_TEXTS    8		/* on the stack */
#define HOOK_NUMBER   72	/* characters of a number: 64 digits, and what stands in front */
struct hook_text_step {
	uint16_t op, nth;
	uint32_t size;
	int32_t start, count;
};
struct hook_read {
	uint16_t op, nsteps;
	int32_t param;
	uint64_t rooms; /* HOOK_ROOMS_AT(), for all steps */
	uint64_t size;	/* HOOK_READ_VALUE, HOOK_READ_BYTES */
			/* behind it: nsteps of struct hook_text_step */
};
/* Characters of a room that a step takes for a text of that size: whole words, the first one for
 * its length. So does the text of them all that is a key. In front of them is the stack. */
#define HOOK_STEP_CHARS(size) (((size) / 8 + 2) * 8)
#define HOOK_TEXTS_CHARS      (HOOK_TEXTS * 24)
struct hook_value {
	uint64_t value, is_there;
};

_Static_assert(sizeof(struct hook_text_step) == 16, "hook_text_step");
_Static_assert(sizeof(struct hook_read) == 24, "hook_read");

/*
 * An element by several keys, or texts (tuple.h); it stands among the code of a native clause, with
 * the steps of all keys behind it.
 */
#define HOOK_TUPLE_KEYS 5
enum hook_tuple_op { HOOK_TUPLE_LOAD, HOOK_TUPLE_STORE, HOOK_TUPLE_ADD };
struct hook_tuple {
	uint64_t array;	   /* HOOK_TUPLES() */
	uint64_t rooms;	   /* HOOK_ROOMS_AT(); 0: all keys are numbers */
	uint8_t op;	   /* enum hook_tuple_op */
	uint8_t is_shared; /* the array is that of all threads: it lies at hook_where.arrays */
	uint8_t size, is_signed; /* HOOK_TUPLE_ADD: of an element */
	uint32_t nkeys;
	uint8_t nsteps[8]; /* of each key; 0: it is a number */
			   /* behind it: the steps of all keys (struct hook_text_step) */
};
_Static_assert(sizeof(struct hook_tuple) == 32, "hook_tuple");

/* What native clauses call, by HOOK_FN_AGGREGATE, HOOK_FN_STACK_KEY and so on. */
struct hook_block;
void hook_aggregate(struct hook_block *, const struct hook_agg *, const uint64_t *keys,
		    uint64_t value);
/*
 * The number of the stack of callers of a function whose return address is at sp:
 * HOOK_ENTRY_ALIGN more than the distance of its entry from the first one. what: how many callers,
 * at most, and HOOK_ROOMS_AT() of the rooms for them. 0: there is no room; one more value
 * has found none.
 */
uint32_t hook_stack_key(struct hook_block *, const uint64_t *sp, uint64_t rbp, uint64_t what);
/* sp: what lies above it, on the thread's own stack, can be read. addr: of texts, where the words
 * of their steps are. */
struct hook_value hook_read(struct hook_block *, const uint64_t *sp, uint64_t addr,
			    const struct hook_read *);
/* self->x[key], in the array at that HOOK_ARRAY() of the table (element.h). */
uint64_t hook_load_element(const struct hook_block *, uint64_t key, uint64_t array);
void hook_store_element(const struct hook_block *, const uint64_t *key_and_value, uint64_t array);
/*
 * The same of others: keys: numbers; behind them what is assigned. Words of steps are numbered from
 * the first key on. Where one of the texts is not there, nothing is done.
 */
struct hook_value hook_tuple(struct hook_block *, const uint64_t *sp, const uint64_t *keys,
			     const struct hook_tuple *);

#endif
