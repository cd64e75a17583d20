/*
 * fpid_claims.h: probes of fpid whose clauses the target runs itself (ARCHITECTURE.md, Needs and
 * claims): which they are, what they have aggregated, and their thread-local variables.
 */
#ifndef PROVIDERS_FPID_FPID_CLAIMS_H
#define PROVIDERS_FPID_FPID_CLAIMS_H

#include "dlang/offload/capture.h"
#include "dlang/run/handover.h"
#include "inject/hooks.h"
#include "inject/x86/native.h"
#include "providers/fpid/fpid_clauses.h"
#include "providers/fpid/fpid_constants.h"
#include "providers/fpid/fpid.h"

struct fpid_claims; /* of one process */
struct varslot;

struct fpid_claim {
	struct pid_site *site;
	struct fpid_point at;
};

/*
 * Has to be asked again when there are new enablings. A probe is claimed when the target can run
 * all its clauses, or decides there when to record them, and all clauses of all probes that use one
 * of their self-> variables.
 */
void fpid_claims_decide(struct session *);
bool fpid_is_claimed(const struct probe *);
/*
 * Probes of pid (-x pidhooks), with which nothing else may come out than by breakpoints. Where a
 * clause of the run ends it, or shows or clears an aggregation, at a hit of some probe, what is
 * counted in the target would go on: such a run has records only.
 */
static inline bool fpid_is_of_pid(const struct pid_probe *pr)
{
	return pr->ops == &pidhook_site_ops;
}
/* Why a record with that of the probe could be told from a breakpoint; NULL: it cannot. */
const char *fpid_may_differ(const struct probe *, const struct capture *);
/* A hook can count for it, and nothing else. */
bool fpid_is_countable(const struct probe *);
/* Its clauses want to know who has called, or that cannot be told. */
bool fpid_finds_callers(const struct probe *);
/* Some enabled clause may be: the process needs tables. */
bool fpid_wants_claims(struct session *);
/* The target asks for records of some clause of a claimed probe. */
bool fpid_leaves_records(const struct probe *);
/* All of its clauses run there: a record is only left where memory is not there. */
bool fpid_runs_there(const struct probe *);
/* What is to be done for each clause of a claimed probe; valid until the next question. */
const struct fpid_shares *fpid_shares_of(const struct probe *);
/* Is that array self->x[] kept by its keys (struct fpid_lost)? */
bool fpid_is_keyed_array(const struct session *, unsigned id);
/* Can it be: are they numbers and texts, few, and not too long? */
bool fpid_can_be_keyed(const struct session *, const struct varslot *);
/* Does the target keep that array x[] of all threads? */
bool fpid_is_global_array(const struct fpid_lost *, const struct session *, unsigned id);
bool fpid_keeps_global_array(const struct session *, unsigned id);
/* Is that global a word that all threads share? */
bool fpid_keeps_word(const struct session *, unsigned id);

/* The clauses of the site's probe, to be run at that point. Errors: with the reason. */
int fpid_claim(struct pid_site *, struct hook_point *, const struct fpid_point *, struct err *);

/* Its probes have been breakpoints until now: their variables go into the target. */
void fpid_claims_begin(struct fpid_claims *);
/* A hit of such a probe at a breakpoint: it works with the variables that are in the target. */
void fpid_claims_hit(struct pid_proc *, const struct event *);

/* Before hooks_commit, when code of the process has changed. */
void fpid_claims_settle(struct pid_proc *);
void fpid_claims_collect(struct pid_proc *); /* hands over what is new */
void fpid_claims_fetch(struct pid_proc *);   /* of counters alone (struct fpid_lost) */
void fpid_claims_free(struct fpid_claims *);
void fpid_rules_free(struct fpid_rules *);

/* ---- fpid_codegen.c ---- */

/* As a native_clause_fn. */
int fpid_write_clause(struct fpid_claims *, const struct fpid_claim *, struct native_clause *);

/* ---- fpid_records.c ---- */

/*
 * The number and the function by which a native clause at that point of the site calls for records
 * of that part of a clause; then, how many words its frame has. Errors: -ENOSPC.
 */
struct fpid_record_call {
	uint32_t number;
	bool is_full;
};
int fpid_record_number(struct pid_site *, const struct fpid_point *, const struct ecb_part *,
		       const struct fpid_carried *, struct fpid_record_call *);
void fpid_record_frame(const struct pid_site *, uint32_t number, unsigned frame);

/* What native clauses need; a cell's number or a negative errno. */
int fpid_claims_tid_cell(struct fpid_claims *);
int fpid_claims_self_cell(struct fpid_claims *, uint16_t id);
int fpid_claims_element_cell(struct fpid_claims *, uint16_t id, const struct fpid_key *);
int fpid_claims_random_cell(struct fpid_claims *); /* of rand() */
/* The HOOK_ARRAY() of self->x[key], or HOOK_TUPLES(). Errors: -ENOSPC. */
int fpid_claims_array(struct fpid_claims *, uint16_t id, uint64_t *array);
/* The same of x[key], in the arrays of all threads. */
int fpid_claims_global(struct fpid_claims *, uint16_t id, uint64_t *array);
/* The address of such a word. Errors: -ENOSPC. */
int fpid_claims_word(struct fpid_claims *, uint16_t id, taddr_t *at);
uint64_t fpid_global_bytes(const struct session *); /* of all of them */
/* Bytes of each table that all such arrays of a process take; is_selfclaim: as in struct
 * hooks_sizes. */
uint64_t fpid_array_bytes(const struct session *, bool is_selfclaim);
/* Where what is added to a counter is kept, from the beginning of a table. Errors: -ENOSPC. */
int fpid_claims_counter(struct fpid_claims *, uint16_t id, uint64_t *place);
/* Before clauses of BEGIN, END and ticks fpid_claims_fetch() is called from now on. */
void fpid_fetches_shared(struct session *);
/* The counter's value here, which all processes add to. NULL: there are too many. */
_Atomic uint64_t *fpid_counter_value(struct session *, uint16_t id);
/* What hook_stack_key() is asked for a stack of so many frames, the probe's own among them. */
int fpid_claims_stack(struct fpid_claims *, unsigned frames, uint64_t *what);
/* The rooms where a text of so many characters, or as many bytes, is read to (struct hook_read). */
int fpid_claims_text(struct fpid_claims *, unsigned chars, uint64_t *rooms);
/* Where what a statement aggregates is kept. Errors: -ENOSPC. */
int fpid_claims_group(struct fpid_claims *, const struct fpid_claim *, const struct ecb *,
		      const struct stmt *, struct hook_agg *);

#endif
