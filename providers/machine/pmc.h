/*
 * pmc.h: what the files of the pmc provider share. Three kinds of probes: samples of a source
 * (pmc:::NAME-N, cpc:::NAME-MODE-N), counters that are read at tracepoints
 * (SYSTEM::pmc:EVENT-NAME), and the two that tell once which there are.
 */
#ifndef PROVIDERS_MACHINE_PMC_H
#define PROVIDERS_MACHINE_PMC_H

#include "providers/kernel/perf.h"
#include "providers/machine/pmcsource.h"
#include "providers/providers.h"

enum pmc_probe_kind { PMC_SAMPLES, PMC_SAMPLE_SRC, PMC_COUNTER_SRC, PMC_GROUP };

/* As dscripts/lib/pmc.d has it. */
struct pmc_counts {
	uint32_t count, pad;
	uint64_t counters[PERF_GROUP_MAX];
	char names[PERF_GROUP_MAX][PMC_NAME_MAX];
};

#define PMC_PAYLOAD_MAX 2048
#define PMC_THREADS	64 /* whose processes are remembered */

struct pmc_probe {
	enum pmc_probe_kind kind;
	struct probe *probe;
	struct perf *perf;
	struct pmc_source source; /* samples; a group's one counter */
	bool is_cpc;
	enum pmc_mode mode;
	uint64_t interval;
	/* Others sample this event, too: its records come one by one and are chosen here. */
	bool is_shared;
	uint64_t seen;
	/* Nothing is done but to count it: perf's own number is read, `counted` of it are told. */
	const struct perf_counter *counter;
	uint64_t counted;
	/* a group */
	const char *system, *event, *thread_field;
	const struct tpformat *format;
	const struct tpfield *thread; /* whose event it is; NULL: who passes the tracepoint */
	struct pmc_thread {
		pid_t tid, pid;
		uint64_t time_ns;
	} threads[PMC_THREADS];
	bool has_all; /* every software counter: the probe names none */
	struct {      /* what D reads */
		struct pmc_counts counts;
		char payload[PMC_PAYLOAD_MAX]; /* of the tracepoint, without the common fields */
	} copy;
	struct perf_sibling siblings[PERF_GROUP_MAX];
	uint64_t enabled_ns, running_ns; /* of its last event */
};

/* The probe with these names and what it is about; NULL: it was there. */
struct pmc_probe *pmc_create(struct session *, enum pmc_probe_kind, const char *prov,
			     const char *func, const char *name);
/* For `provide`, of an exact name: 0: it is there; else why not, or 1: nobody wants to know (-Z).
 */
int pmc_check(struct session *, const struct pmc_source *, int *tag, struct err *);

/* pmcgroup.c, as in struct provider */
bool pmc_group_on_demand(const char *prov);
int pmc_group_provide(struct session *, const struct probe_desc *, int *tag, struct err *);
int pmc_group_list(struct session *, struct err *);
int pmc_group_enable(struct pmc_probe *, struct err *);
void pmc_group_argtypes(struct pmc_probe *, struct probe_args *);

#endif
