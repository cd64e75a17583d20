/*
 * clauseset.h: the clauses of one provider that run whole in the kernel (clausecode.h): which they
 * are, the maps and programs they have, and what comes back.
 */
#ifndef PROVIDERS_KERNEL_KPROG_CLAUSESET_H
#define PROVIDERS_KERNEL_KPROG_CLAUSESET_H

#include "providers/kernel/kprog/clausecode.h"
#include "providers/world/world.h"

#define CLAUSESET_UNITS 24

struct clause_set {
	struct session *session;
	struct bpf *bpf;
	struct clause_group group;
	struct clause_unit units[CLAUSESET_UNITS]; /* one for each program */
	unsigned nunits;
	struct bpf_counter *counter;
	struct clause_offsets at;
	struct stack_maps stacks;
	struct text_maps texts;
	int prog_fds[CLAUSESET_UNITS], array_fds[GROUP_ARRAYS];
	int vars_fd, globals_fd, counted_fd, lost_fd;
	_Atomic uint64_t *globals;	 /* mapped; NULL: there are none */
	uint64_t told[CLAUSECODE_NLOST]; /* of what was lost */
	uint64_t missed;		 /* events that were told to be lost */
	const char *why;		 /* they are too many, or too large; NULL: they are not */
	struct bpf_insn insns[CLAUSECODE_MAX];
};

/* What of it is the provider's. */
struct clause_source {
	bool (*owns)(void *arg, const struct probe *);
	/* Of each unit: the raw tracepoint. NULL: events of perf. One that this kernel does not
	 * have is of no unit that sees anything. */
	const char *const *events;
	/* what is known of them: kind; of events the rows, probes and words */
	const struct clause_unit *units;
	unsigned nunits;
	/* NULL: programs of these kinds can do it; else why not */
	const char *(*refuses)(void *arg, const struct session *, const struct clause *);
	/* Optional: the provider counts it as well, without a record; NULL: it does what
	 * bpf/count.h can. */
	bool (*counts)(void *arg, const struct clause *);
	/* Before programs are loaded: what its units have besides. Returns 0 or a negative errno.
	 */
	int (*prepare)(void *arg, struct clause_set *);
	void *arg;
};

/* For `counts`: what bpf/count.h can, by whatever keys. */
bool clause_set_counts(void *arg, const struct clause *);
/*
 * When all is enabled: finds the clauses. NULL: there are none that
 * the provider's own programs would not count as well, or they cannot be (-v says why).
 */
struct clause_set *clause_set_find(struct session *, struct bpf *, const struct clause_source *);
/* Loads their programs. NULL, as it was given or because they cannot be (-v says why): the set is
 * gone, and the clauses make records. Where nothing is enabled but to see what would be (-lv)
 * nothing is loaded. */
struct clause_set *clause_set_load(struct clause_set *, const struct clause_source *);
/* The programs run until tracing ends. Returns 0 or a negative errno. */
int clause_set_attach(struct clause_set *);
/* Are records made of some of their events (clausecode_reads_texts())? */
bool clause_set_reads_texts(const struct clause_set *);
/* Nothing else has to be done for the events of this probe, which the set calls `row`. */
bool clause_set_has(const struct clause_set *, const struct probe *);
void clause_set_row(struct clause_set *, unsigned row, const struct probe *);
/* Hands over what is new. */
void clause_set_collect(struct clause_set *);
void clause_set_free(struct clause_set *); /* NULL: nothing */

#endif
