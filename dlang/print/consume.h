/*
 * consume.h: the front: records → lines. Takes records from the buffers in order of firing, prints
 * them, merges aggregation snapshots, performs the consumer-side actions (printa, clear, trunc,
 * normalize, system, freopen, setopt ...) when their record is consumed.
 */
#ifndef DLANG_PRINT_CONSUME_H
#define DLANG_PRINT_CONSUME_H

#include <stdio.h>

#include "dlang/session.h"

struct consumer;
struct symres;

/* out: where output goes (-o or stdout), fully buffered; err_out: stderr. snap: asks the engine for
 * a snapshot and returns the table at rest (NULL: engine gone); the consumer merges and clears it.
 */
struct consumer *consumer_new(struct session *, FILE *out, const char *out_name,
			      struct aggtable *(*snap)(void *arg), void *arg);
void consumer_free(struct consumer *);
/* From now on output is shown piece by piece in place of being printed (-B). */
void consumer_dump(struct consumer *);
/* From now on output that cannot be written is an error, whatever the reason. */
void consumer_strict(struct consumer *);
/* All records and messages there are now, then flush. 0; -EPIPE and the like: output is broken
 * (error text: "failed to write to NAME: reason"). */
int consumer_work(struct consumer *, struct err *);
/* The messages alone. Result as of consumer_work(). */
int consumer_messages(struct consumer *, struct err *);
/* -x live: how often consumer_live() is to be called at least, in ns; 0: never. */
uint64_t consumer_live_ns(const struct consumer *);
/* Draws the aggregations, after a snapshot. Result as of consumer_work(). */
int consumer_live(struct consumer *, struct err *);
/*
 * With -x report or -x metrics: all that was aggregated, whatever clear(), trunc() and
 * normalize() have done to what was printed, and what prints it. It lives as long as the consumer.
 */
struct aggstore;
struct printer;
struct aggstore *consumer_account(struct consumer *, struct printer *);
/* What lines are printed from, which those actions act on. */
const struct aggstore *consumer_lines(const struct consumer *);
/* Is given each record, before it is printed; it may be printed with that printer. */
struct rec_head;
typedef void record_fn(void *arg, const struct printer *, const struct rec_head *,
		       const struct ecb *, const char *data);
void consumer_watch(struct consumer *, record_fn *, void *arg);
/* From now on what comes in is kept by itself, too, until it is taken: *out, which the caller
 * releases. */
void consumer_keep_interval(struct consumer *);
void consumer_take_interval(struct consumer *, struct aggstore *out);
/* How many have been printed. */
uint64_t consumer_records(const struct consumer *);
/* Merges a snapshot now (aggrate). */
void consumer_snapshot(struct consumer *);
/* The end: newline, then aggregations that were never printed (docs/spec/d-language.md §12.9). */
int consumer_finish(struct consumer *, struct err *);
/* The end without aggregations: what must be closed is. */
void consumer_give_up(struct consumer *);
/* Something could not be written, to a full device and the like, and has been told of. */
bool consumer_lost_output(const struct consumer *);
/* The newline of SIGINT (not in testing mode). */
void consumer_interrupted(struct consumer *);

#endif
