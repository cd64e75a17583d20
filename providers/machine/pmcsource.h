/*
 * pmcsource.h: what perf can count, by the names of perf, of Windows' profile sources and of PAPI.
 */
#ifndef PROVIDERS_MACHINE_PMCSOURCE_H
#define PROVIDERS_MACHINE_PMCSOURCE_H

#include "base/err.h"

#define PMC_NAME_MAX 48

enum pmc_kind { PMC_CLOCK, PMC_SOFTWARE, PMC_HARDWARE, PMC_COUNT_ONLY };

struct pmc_source {
	char name[PMC_NAME_MAX]; /* perf's */
	enum pmc_kind kind;
	uint32_t type; /* as of perf_event_attr */
	uint64_t config;
	bool is_of_kernel; /* it never happens in user space */
};

/* By any of its names, also rHEX and those of caches (L1-dcache-load-misses); capital letters, and
 * "_" instead of "-", make no difference. False: there is no such source. */
bool pmc_source_find(const char *name, struct pmc_source *);

/* Each of the table: those of caches are left out. Nothing is opened: what is wanted has to be
 * found by its name, which asks the kernel for its type where that is no constant. */
void pmc_source_each(void (*fn)(void *arg, const struct pmc_source *), void *arg);

/* Can it be had here? Errors: what the kernel says. */
int pmc_source_try(const struct pmc_source *, struct err *);

/* The sentence for one that cannot, by the answer of the kernel: what it is, why, what there is. */
int pmc_source_refuse(const struct pmc_source *, int rc, struct err *);

/* Of what a clock has, ns; of an event, how many: for a source that is given no interval. */
uint64_t pmc_source_interval(const struct pmc_source *);
uint64_t pmc_source_least(const struct pmc_source *); /* the shortest */

/* "cpu-clock-1000000" and "cpu-clock": the source and the number, else 0. False: it is neither. */
bool pmc_parse_interval(const char *text, struct pmc_source *, uint64_t *interval);

/*
 * The original's cpc: EVENT-MODE[-ATTRIBUTES]-COUNT, "page-faults-user-100". Attributes are
 * NAME_HEX with dashes between them, or the umask alone; they make a raw event (rHEX) another one:
 * "r3c-all-umask_0x1-cmask_0x2-10000". 1: it is there; 0: it is no such name. Errors, with the
 * sentence: -EINVAL, attributes that no event has or this one does not.
 */
enum pmc_mode { PMC_ALL, PMC_USER, PMC_KERNEL };
int pmc_parse_cpc(const char *text, struct pmc_source *, enum pmc_mode *, uint64_t *count,
		  struct err *);

/*
 * Several events of perf for the same one of the kernel have one sample between them, and kernels
 * from 6.2 on write the number of the first of them into the records of all. (Clocks, and counters
 * of the processor, have one each.)
 */
bool pmc_source_is_shared(const struct pmc_source *);

/* A counter that was on the processor for `running` of `enabled` ns only. */
uint64_t pmc_scale(uint64_t value, uint64_t enabled_ns, uint64_t running_ns);

#endif
