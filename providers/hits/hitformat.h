/*
 * hitformat.h: a probe of our own as an event of a recording: system `dtrace`, a name that perf
 * takes, and a format as tracefs has them, in which the four names of the probe are the first
 * strings of what is printed ("print fmt"):
 *
 *	print fmt: "pid123" ":libc.so.6" ":malloc" ":entry" " arg0=0x%lx", REC->arg0
 *
 * A record, behind the common fields: a word for each argument (or the bytes of an event that a
 * program emits, as they lie), a place for each text, and the memory that was read, in pieces. The
 * fields are args[] in their order, which have what is known of types (of no size: it was not
 * recorded), then words that none of these is. What is read of a file is hostile.
 *
 * HITS_RECORD: the record that arguments lead into is among the memory, in pieces between which are
 * zeros. It begins at HIT_RECORD_AT, where no address is (bits 47 to 63 differ); so do arguments.
 */
#ifndef PROVIDERS_HITS_HITFORMAT_H
#define PROVIDERS_HITS_HITFORMAT_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "dlang/provider.h"
#include "providers/hits/hits.h"

#define HIT_SYSTEM    "dtrace"
#define HIT_MEMORY    "memory"
#define HIT_ALIAS     "also_"
#define HIT_RECORD    "record_size" /* the last word of HITS_RECORD, behind all of event.args */
#define HIT_WORD      "u64"	    /* the type of a word of which nothing is known */
#define HIT_RECORD_AT UINT64_C(0x7265000000000000)
#define HIT_WORDS_MAX 64
#define HIT_TEXTS_MAX 16

/* A piece of memory, then its bytes, filled up to 8. */
struct hit_piece {
	uint64_t addr;
	uint32_t size, filler;
};

struct hit_field {
	char name[64];
	char type[64];	 /* as D writes it; "char []": a text that lies in the record */
	uint32_t offset; /* in the record, common fields included */
	uint32_t size;	 /* of the value; of a text, of its place */
	bool is_signed;
	bool is_text;  /* __data_loc: HIT_MEMORY too, of bytes */
	bool is_array; /* of `size` bytes that lie there, of text */
	bool is_plain; /* a word of which nothing is known */
	bool is_bytes; /* with is_array: not of text */
};

struct hit_format {
	unsigned nfields;
	struct hit_field fields[2 * HIT_WORDS_MAX + HIT_TEXTS_MAX + 1];
	uint32_t size; /* what is always there */
};

/* The next one, at the end of what there is: its place is set. NULL: there are too many. */
struct hit_field *hit_add_field(struct hit_format *, const char *name, uint32_t size);

/* Another name of its function: a field of no size, HIT_ALIAS and that. Others than words are left
 * out, and those behind so many that texts and memory would find no room. */
void hit_add_alias(struct hit_format *, const char *name);

/* hitemit.c: the type of a word, NULL: nothing is known of it; the event as a program has put it
 * together: each field where it lies. */
struct type;
struct emitted_probe;
void hit_set_type(struct hit_field *, const struct type *);
void hit_add_fields(struct hit_format *, const struct emitted_probe *);

/* What is known of processes, which are no hits: events with one text, "dtrace::process:arguments"
 * and the like. */
#define HIT_FACT_PROVIDER "dtrace"
#define HIT_FACT_FUNCTION "process"
extern const char *const hit_fact_names[HIT_NFACTS];

/* Letters, digits and "_": pid123_malloc_entry. */
void hit_event_name(const struct probe *, char *name, size_t size);

void hit_write_format(const struct probe *, const char *name, unsigned number,
		      const struct hit_format *, struct strbuf *);

/* The four names, of that format. False: it is not one of ours. */
bool hit_read_names(struct arena *, const char *format, const char *names[4]);

#endif
