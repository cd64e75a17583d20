/*
 * bpfprobe.h: providers whose probes are all fed by one BPF object: a table of names, each with the
 * programs that see it happen. One record may fire several of them.
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
	uint32_t without_bpf;	      /* rows that perf feeds where programs cannot, as bits */
	unsigned knows;		      /* what its programs can ask for clauses: BPF_KNOWS_ ... */
	const struct bpf_word *words; /* what they can count by (bpfcount.h) */
	unsigned nwords;
	bpf_loaded_fn *loaded; /* optional: fills the object's maps */
	void *loaded_arg;
	struct session *session;
	struct bpf *bpf;
	struct bpf_object *opened; /* NULL: nothing is enabled */
	struct bpf_wants *wants;   /* in the object's constants */
	struct bpf_counter *counter;
	struct filter filter; /* of all that are enabled: they share records */
	unsigned nenabled;
	bool has_warned;
	struct probe *probes[BPF_PROBE_MAX]; /* by row; NULL: not enabled */
	struct probe_arg args[BPF_PROBE_ARGS];
};

/* Creates a probe for each row. */
void bpf_probes_create(struct bpf_probes *);
/* The row of a probe of these. */
unsigned bpf_probes_row(const struct bpf_probes *, const struct probe *);
/* Chooses the programs of the probe's row. Errors: the sentences of docs/spec/providers.md §1.3. */
int bpf_probes_enable(struct bpf_probes *, struct probe *, struct err *);
/* It is fed by other means, which do not fill these members of its args[] ("pr_addr, pr_wchan";
 * NULL: they fill all): says so, once, if they may be read. */
void bpf_probes_do_without(struct bpf_probes *, struct probe *, const char *members);
/* args[i] is arg<i>, which leads into the record. */
void bpf_probes_argtypes(struct bpf_probes *, const struct probe *, struct probe_args *);
/* In the provider's `snapshot`: hands over what has been counted. */
void bpf_probes_collect(struct bpf_probes *);
void bpf_probes_free(struct bpf_probes *);
/* Fires the row's probe if it is enabled, and the event not counted; ev has the rest. */
void bpf_probes_fire(struct bpf_probes *, unsigned row, struct event *ev);

#endif
