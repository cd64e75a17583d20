/*
 * clausecode.h: clauses of D as a BPF program: predicates, expressions on integers, variables
 * self->x, this->x and x, `@a[keys] = f(value)`. What a clause does there and what the engine would
 * have made of a record is the same; what cannot be the same is refused with the reason.
 *
 * The program of one side of system calls (entries or returns):
 *
 *     which call, of which process ── not meant ─► end
 *       │
 *     mask of clauses for this call (map `rows`) ── none ─► end
 *       │
 *     variables of the thread (task storage), time, name, arguments
 *       │
 *     clause 0: predicate ─ false ─┐   assignments, then keys and value into the map `counted`
 *     clause 1 ...  ◄──────────────┘
 *
 * That of another event is called by the provider's own program, which has put what is known of the
 * event into a map (struct bpf_clause_event).
 *
 * That of a tracepoint reads the record which perf would have written.
 *
 * That of switches between threads does the clauses of off-cpu, then of sleep or preempt, in the
 * context of the thread that leaves its CPU, and those of on-cpu in that of the one that comes.
 */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSECODE_H
#define PROVIDERS_KERNEL_KPROG_CLAUSECODE_H

#include "dlang/offload/group.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/kprog/difcode.h"
#include "providers/kernel/kprog/stackcode.h"
#include "providers/kernel/kprog/textcode.h"

#define CLAUSECODE_MAX	   16384 /* instructions */
#define CLAUSECODE_CLAUSES 30	 /* of one side */

/* What a program is made of. Descriptors of maps are open. */
struct clause_unit {
	const struct session *session;
	const struct clause_group *group;
	struct bpf_counter *counter;
	enum clause_kind kind;
	uint32_t row; /* of call 0; of others 0: they have rows of their own */
	const struct clause_offsets *at;
	int vars_fd, globals_fd, counted_fd, lost_fd;
	const int *array_fds;
	struct stack_maps *stacks; /* of all units: `nframes` grows as programs are written */
	struct text_maps *texts;   /* the same: `room` grows */
	unsigned number;	   /* of this one among them */
	/* of events: which rows of a table of probes they may be of, bits; the map of struct
	 * bpf_clause_event, of one element but for packets, and what its words are */
	unsigned rows, last; /* last: those that fire behind the others */
	bool is_packet;	     /* of a cgroup: the context says where in the map it is */
	bool gathers;	     /* several at once, one in each element of the map */
	int again_fd;	     /* of these: what is called when they are done, if there are more */
	bool has_stack;	     /* not of the thread that runs, but stack() is what has led there */
	struct probe *const *probes; /* by row; NULL: not enabled */
	int events_fd;
	const struct bpf_word *words;
	unsigned nwords;
	/* of a tracepoint: what its record has, arg0 and arg1; its record has no stack */
	const struct clause_field *fields;
	unsigned nfields;
	uint64_t args[2];
	bool has_no_stack;
	/* of system calls; of tracepoints all processes are meant */
	uint32_t first_target, own[2]; /* tracing's own, whose events are left out */
	int rows_fd, targets_fd, numbers32_fd;
	int records_fd; /* the program that makes a record of an entry: a program array of one */
	int (*call_number)(const char *name); /* -1: there is none */

	/* made by clausecode_make() */
	const struct clause *clauses[CLAUSECODE_CLAUSES]; /* bit n of a row's mask */
	unsigned n;
	unsigned each_at;	   /* where its function for each event begins; 0: it has none */
	const char *why;	   /* it was refused; NULL: it was not */
	const struct probe *probe; /* meanwhile: whose event it is; NULL: of several */
	unsigned stack_of; /* meanwhile: the register with the thread whose stack is meant; 0: the
			    * current one's */
};

/* What is lost is counted in the map `lost`: by statement, then variables. */
enum { CLAUSECODE_LOST_VAR = BPF_COUNT_MADE, CLAUSECODE_NLOST };

/* NULL: programs can do what the clause does; else why not. Of the unit nothing is known yet but
 * its session, kind, rows and words. */
const char *clausecode_refuses(const struct clause_unit *, const struct clause *);
/* Is a key of the clause a text that copyinstr() has read? Where it is not in memory, a record of
 * the event is made instead, by `records_fd`. */
bool clausecode_reads_texts(const struct clause *);
/* Writes the program of the clauses that have a probe of this kind. Returns the number of its
 * instructions; 0: it does not fit, `why` says what is too much. */
unsigned clausecode_make(struct clause_unit *, struct bpf_insn *, unsigned max);

#endif
