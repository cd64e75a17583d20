/*
 * fpid_clauses.h: how much of a clause of an fpid probe the target does itself. It computes with
 * integers, and texts; where it reads memory that is not there it stops, and leaves a record.
 */
#ifndef PROVIDERS_FPID_FPID_CLAUSES_H
#define PROVIDERS_FPID_FPID_CLAUSES_H

#include "dlang/run/aggtable.h"
#include "inject/x86/native.h"
#include "providers/fpid/fpid.h"

enum fpid_share {
	FPID_NOTHING, /* the hit is recorded, and the clause runs here */
	/* Its predicate is decided there, and its variables are kept there; what else it does, it
	 * does here, when a record of what it reads comes. */
	FPID_DECIDES,
	FPID_ALL,
};

/*
 * Variables, by number, that are not kept in the target: those that somebody uses here, but for
 * globals in clauses of BEGIN, END and ticks. Globals that are more than added to are words that
 * all threads share. Those that are kept by their keys are arrays self->x[keys] of keys that some
 * clause does not know beforehand (hook/element.h, tuple.h); of others each element is a variable.
 */
struct fpid_lost {
	bool *self, *globals, *words, *keyed;
	unsigned n, nglobals, nwords, nkeyed;
};

/* Words that a clause of FPID_DECIDES finds here as they were there. */
#define FPID_CARRIED_MAX 8
struct fpid_carried {
	bool has_time, has_vtime; /* the first ones: timestamp, vtimestamp */
	unsigned n;		  /* variables */
	struct {
		enum dif_scope scope; /* SELF or THIS */
		uint16_t id;
	} vars[FPID_CARRIED_MAX];
};

/* Of all clauses of a probe. */
#define FPID_CLAUSES_MAX 16
#define FPID_THIS_MAX	 10
struct fpid_shares {
	const struct session *session;
	const struct fpid_lost *lost;
	bool is_return; /* uregs[] are those behind its last instruction */
	unsigned n;
	const struct clause *clauses[FPID_CLAUSES_MAX];
	enum fpid_share v[FPID_CLAUSES_MAX];
	/* of FPID_ALL: it leaves a record where memory that it reads is not there (fpid_memory.h)
	 */
	bool stops[FPID_CLAUSES_MAX];
	struct fpid_carried carried[FPID_CLAUSES_MAX]; /* of FPID_DECIDES, and what stops */
	uint16_t kept[FPID_THIS_MAX];		       /* this-> variables that it has there */
	unsigned nkept;
	bool is_native; /* the target has something to do for it, of each clause */
};
void fpid_share(struct fpid_shares *out, const struct probe *, const struct fpid_lost *);
/* Is it about clauses that are those of the probe? */
bool fpid_is_shared(const struct fpid_shares *, const struct probe *);
/* Does the target evaluate that, of a clause of FPID_DECIDES, for the variables it assigns? */
bool fpid_keeps(const struct fpid_shares *, const struct difo *);
/* Such a clause assigns self-> variables that the target cannot compute: they are lost. */
typedef void fpid_lose_fn(void *arg, unsigned id);
void fpid_each_unkept(const struct fpid_shares *, fpid_lose_fn *, void *arg);

/* A key that is the address of a text, which is read behind all else. */
bool fpid_is_text_there(const struct fpid_shares *, const struct action *);
/* It needs no record of its clause. */
bool fpid_statement_can_run(const struct fpid_shares *, const struct stmt *);
bool fpid_agg_func(const struct aggfunc *, enum hook_aggfunc *); /* false: not one of ours */
bool fpid_clause_reads_builtin(const struct clause *, unsigned id);
/* timestamp, or walltimestamp, which is that and an offset. */
bool fpid_clause_reads_time(const struct clause *);
/* One of these, or vtimestamp. */
bool fpid_reads_clock(const struct difo *);
bool fpid_clause_reads_clock(const struct clause *);
/* Words in front of the variables. */
static inline unsigned fpid_carried_clocks(const struct fpid_carried *c)
{
	return (unsigned)c->has_time + c->has_vtime;
}

#endif
