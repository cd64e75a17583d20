/*
 * fire_priv.h: one firing, shared by fire.c (clauses and records) and actrun.c (actions), and
 * nobody else.
 */
#ifndef DLANG_RUN_FIRE_PRIV_H
#define DLANG_RUN_FIRE_PRIV_H

#include "dlang/session_priv.h"

struct firing {
	uint64_t bufsize, storage; /* storage: what a buffer takes in memory */
	uint64_t kept;		   /* for the records of END (policy fill) */
	int64_t policy;
	char *key; /* of the aggregation being added to: whole words */
	bool in_error;
	int bad_action;	     /* what ERROR fires for; 0: the predicate */
	bool bad_is_gone;    /* vm.fault_is_gone of it */
	uint64_t times;	     /* that the event happened; more than 1 where it was only counted */
	bool was_taken;	     /* by a clause whose predicate held */
	unsigned from;	     /* struct ecb_part */
	bool is_counted;     /* by its source, which has seen to the predicates */
	struct emits *emits; /* emission.c's own; NULL: no clause emits */
	int emits_state;     /* session.state when the emitted event that fires began */
	/* this clause */
	struct buffer *buffer; /* where its record is reserved; NULL: nowhere */
	char *payload;	       /* of the record; NULL: it makes none */
	bool exits;
	bool has_ended;	 /* quietly, before its last action */
	bool speculates; /* its record goes to this speculation, by way of `aside` */
	uint32_t speculation;
	char *aside;
	uint32_t exit_status;
	/* chill() in this window */
	uint64_t chill_start_ns, chilled_ns;
};

/*
 * emission.c: events that clauses emit. They fire when all clauses of the event at hand have run,
 * in order; those that their clauses emit fire behind them.
 */
void emits_init(struct session *); /* before the first event; finds out whether there are any */
/* What the clauses of emitted events read must be captured where they are emitted. */
void emits_add_needs(struct session *);
/* A field of the event that is being put together; the event is complete. False: a fault. */
bool emit_field(struct session *, const struct stmt *, const struct action *);
bool emit_event(struct session *, const struct stmt *);
void emits_fire(struct session *); /* those that wait */
/* fire.c: the clauses of an event that no source has brought. */
void firing_fire(struct session *, const struct event *);

/* actrun.c: the actions of a clause. The number of the one that faulted, or -1: all have run. */
int firing_run(struct session *, const struct clause *);
/* A key of the aggregation, to where it is put together. */
bool firing_add_key(struct session *, const struct stmt *, const struct action *);

/* fire.c: what an aggregation holds of the key put together; NULL: its table is full. */
uint64_t *firing_agg(struct session *, const struct aggvar *);
/* The buffer that takes the records of this firing; NULL: the arena is full. */
struct buffer *firing_buffer(struct session *, unsigned cpu);
/* Room for the clause's record. False: there is none. */
bool firing_reserve(struct session *, const struct ecb *);
/* A record found no room: with the policy fill that is the end of tracing, else a loss. */
void firing_no_room(struct session *, const struct ecb *);
/* Counted by CPU, and by probe. */
void firing_lose(struct session *, const struct ecb *, enum ecb_loss, uint64_t n);
/* The front, if this buffer should be read now. */
void firing_wake(struct session *, struct buffer *, bool at_once);

#define KEY_WORDS 8 /* so few are cleared faster one by one */

/* Before its parts are stored: what lies between them counts as zero. */
static inline void clear_key(char *key, uint32_t size)
{
	if (size > KEY_WORDS * sizeof(uint64_t)) { /* a text, a stack */
		memset(key, 0, ROUND_UP((size_t)size, sizeof(uint64_t)));
		return;
	}
	for (uint32_t i = 0; i < size; i += sizeof(uint64_t))
		memset(key + i, 0, sizeof(uint64_t));
}

/* The CPU whose buffer takes the records of this firing. */
static inline unsigned cpu_of(const struct event *ev)
{
	return (unsigned)ev->cpu % SESSION_MAX_CPUS;
}

#endif
