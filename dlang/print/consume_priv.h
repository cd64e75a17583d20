/*
 * consume_priv.h: the state of the front's consumer, shared by consume.c (records and lines) and
 * actprint.c (statements), and nobody else's.
 */
#ifndef DLANG_PRINT_CONSUME_PRIV_H
#define DLANG_PRINT_CONSUME_PRIV_H

#include "base/hash.h"
#include "base/structout.h"
#include "dlang/print/actprint.h"
#include "dlang/print/aggjson.h"
#include "dlang/print/aggstore.h"
#include "dlang/print/consume.h"
#include "dlang/print/printval.h"

/* Flow indentation of one thread (docs/spec/d-language.md §12.2): the CPU of a traced thread is
 * where we put it. */
struct flow {
	unsigned indent;
	uint32_t epid; /* of the last record, 0: none yet */
	const struct probe *probe;
};

/* What the records of one firing have in common, whichever clauses they are of. */
struct firing_id {
	const struct probe *probe;
	uint64_t time_ns;
};

struct consumer {
	struct session *session;
	FILE *out, *first_out; /* first_out: what freopen("") returns to */
	char *out_name;
	const char *first_name;
	struct strbuf text;    /* formatted, not written yet; pr.out */
	struct strbuf scratch; /* names and commands being formatted */
	struct printer pr;
	struct aggstore aggs;
	struct aggstore account;  /* consumer_account(); without -x report it is empty */
	struct aggstore interval; /* consumer_keep_interval() */
	bool keeps_interval;
	record_fn *watch; /* NULL: nobody does */
	void *watch_arg;
	struct aggtable *(*snap)(void *arg);
	void *snap_arg;
	struct aggtable *unread; /* taken, not merged yet */
	struct firing_id last,
		settled;    /* of the last record; whose statements have their snapshot */
	int failed;	    /* of a record that was consumed on the way to a snapshot */
	uint64_t nsnaps;    /* those taken so far */
	struct arena arena; /* values given to setopt() */
	const struct message *message; /* the last one printed */

	/* records */
	struct buffer *buffers[SESSION_MAX_CPUS]; /* those there are, in no order */
	unsigned nbuffers, current;
	uint64_t next_seq;
	bool is_header_done, is_testing;
	bool is_strict, has_told; /* of output that could not be written */
	bool is_dumping;	  /* bufdump.c */
	struct hash flows;	  /* tid → struct flow */
	struct hash modules;	  /* of symbols as keys: printer_same_symbol() */
	bool has_marks;		  /* incomplete.c: some copy is marked */
	struct structout so;	  /* structured.c: once is_header_done */
	struct aggjson lines;	  /* jsonlines.c: the same */
	struct hash told_probes;  /* by ID: those that have had their line there */

	/* drops reported so far */
	uint64_t buffer_drops[SESSION_MAX_CPUS], agg_drops[SESSION_MAX_CPUS], drops[DROP_NKINDS];
};

/* The i-th of the aggregations in the order in which they are printed at the end; may be NULL. */
static inline struct aggcopy *consumer_left(const struct consumer *c, uint32_t i)
{
	bool is_reversed = opt_on(c->pr.options, OPT_AGGSORTREV);

	return c->aggs.copies[is_reversed ? c->aggs.ncopies - 1 - i : i];
}

/* Writes what is formatted. 0, or -errno of an output that is gone, with the sentence; of one that
 * may recover it is told once. */
int consumer_flush(struct consumer *, struct err *);
/* A failure of a statement: a line on stderr that names the enabling (docs/spec/d-language.md
 * §14.5). */
void consumer_complain(struct consumer *, const struct rec_head *, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Lost records, to the output that has a place for them. */
void consumer_tell_drop(struct consumer *, const char *kind, uint64_t n, const char *text);
/*
 * What statements act on, the same for all clauses of a firing. A printa() shows what the last
 * snapshot had, when all is over a complete one. A clear() or trunc() forgets what was aggregated
 * until its moment, but of what a printa() has shown no more than that: between the two nothing is
 * lost.
 */
void consumer_begin_printa(struct consumer *, struct aggcopy *);
void consumer_begin_change(struct consumer *, const struct aggcopy *);

#endif
