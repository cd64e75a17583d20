/*
 * bpfprobe.h: providers whose probes are all fed by one BPF object: a table of names, each with the
 * programs that see it happen. One record may fire several of them.
 *
 * Such a provider is a function `provide`, which makes its struct bpf_probes with
 * bpf_probes_create(), one `enable`, which calls bpf_probes_enable() and says by bpf_on() what is
 * done with records, and in struct provider `.argtypes = bpf_probes_argtypes`. Counts are handed
 * over and all is freed without it. Where records are a few numbers and no more there is even
 * less: providers/system/numbers/numprov.h.
 */
#ifndef PROVIDERS_KERNEL_BPFPROBE_H
#define PROVIDERS_KERNEL_BPFPROBE_H

#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/bpffilter.h"

#define BPF_PROBE_ARGS 8
#define BPF_PROBE_MAX  32

struct bpf_probe_row {
	const char *name;
	const char *programs; /* "on_switch on_made|on_queued": of alternatives the first whose
			       * event the kernel has, "on_made|": or none; "": it never fires */
	unsigned nargs;	      /* args[]: their types are declared in the provider's D library */
};

/* Of one provider and one run. */
struct bpf_probes {
	const struct provider *provider;
	const char *object;
	const struct bpf_probe_row *rows;
	const struct provider *const *providers; /* of the rows; NULL: all are of `provider` */
	unsigned nrows;				 /* <= BPF_PROBE_MAX */
	unsigned args_at;      /* args[i] is the native argument args_at + i: where
				* arg0 and those behind it are something else */
	uint32_t without_bpf;  /* rows that perf feeds where programs cannot, as bits */
	bool details_have_ids; /* the user and group of the process, at the event */
	uint32_t unclaimed;    /* rows whose records others need, too */
	uint32_t last;	       /* rows that fire behind all others of an event */
	uint32_t here; /* rows whose stack() is that of whoever runs, whose event it may not be */
	bool counts_nothing;	      /* but in clauses that run in the kernel whole */
	unsigned knows;		      /* what its programs can ask for clauses: BPF_KNOWS_ ... */
	const struct bpf_word *words; /* what they can count by (bpfcount.h) */
	unsigned nwords;
	const struct bpf_word *clause_words; /* and programs of clauses besides, or instead */
	unsigned nclause_words;
	bool words_are_partial;	      /* not known of each event: clauses read none of `words` */
	const char *const *gathering; /* optional: of each row of kprog/eventclauses.h the program
				       * that tells of several events at once; NULL: it does not */
	bpf_interned_fn *interned;    /* what words that are interned stand for */
	void (*make_room)(void *arg); /* with it: the maps that have it are to get their size */
	bpf_loaded_fn *loaded;	      /* optional: fills the object's maps */
	void (*prepare)(void *arg);   /* optional: before it is loaded, when all is enabled */
	void (*collect)(void *arg);   /* optional: counts besides those of the object */
	void (*release)(void *arg);   /* optional: before the providers free what is theirs */
	void *loaded_arg;	      /* of these */
	void *recorded;		      /* of a file: what its reader keeps (recpairs.c) */
	struct session *session;
	struct bpf_probes *next; /* of the run, from world.probes */
	struct bpf *bpf;
	struct bpf_object *opened; /* NULL: nothing is enabled */
	struct bpf_wants *wants;   /* in the object's constants */
	struct bpf_counter *counter;
	struct filter filter; /* of all that are enabled: they share records */
	unsigned nenabled;
	const char *missed; /* the members of which it was said last that nothing fills them */
	struct probe *probes[BPF_PROBE_MAX]; /* by row; NULL: not enabled */
	struct probe_arg args[BPF_PROBE_ARGS];
};

/* Creates a probe for each row; the structure, which is the caller's, lives until providers are
 * freed. */
void bpf_probes_create(struct bpf_probes *);
/* Those that a probe is one of, and its row. */
struct bpf_probes *bpf_probes_of(const struct probe *);
unsigned bpf_probes_row(const struct probe *);
/* A file has what it needs, or is to have it: records of perf. False: its events are written as
 * they are (HITS_RECORD). */
bool bpf_probes_are_recorded(const struct probe *);
/* Chooses the programs of the probe's row. Errors: the sentences of docs/spec/providers.md §1.3. */
int bpf_probes_enable(struct probe *, struct err *);
/* Besides those of its row, when it is enabled: names as a row has them. */
int bpf_probes_add_programs(const struct probe *, const char *programs, struct err *);
/* It is fed by other means, which do not fill these members of its args[] ("pr_addr, pr_wchan";
 * NULL: they fill all; text that stays): says so, once, if they may be read. */
void bpf_probes_do_without(struct probe *, const char *members);
/* Of struct provider: args[i] is arg<args_at + i>, which leads into the record. */
void bpf_probes_argtypes(struct probe *, struct probe_args *);
/* Fires the row's probe if it is enabled, and the event not counted; ev has the rest. */
void bpf_probes_fire(struct bpf_probes *, unsigned row, struct event *ev);
/* Of all providers, before these free what is theirs. */
void bpf_probes_free(struct world *);

#endif
