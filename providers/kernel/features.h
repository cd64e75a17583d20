/*
 * features.h: the start-up feature tests of docs/spec/providers.md §1.3. Each is made when somebody
 * asks for its answer, once a run: a run without system probes makes none.
 */
#ifndef PROVIDERS_KERNEL_FEATURES_H
#define PROVIDERS_KERNEL_FEATURES_H

#include <linux/perf_event.h>

#include "base/err.h"

enum feature {
#define FEATURE(id, name, test, without) FEATURE_##id,
#include "providers/kernel/features.def"
	NFEATURES
};

struct features {
	struct {
		bool is_tried, works;
		struct err why; /* it does not work: the kernel's answer, or how to get it */
	} of[NFEATURES];
};

struct world;

/* Those of this run. */
struct features *world_features(struct world *);
bool feature_works(struct features *, enum feature);
const char *feature_name(enum feature);
const char *feature_why(const struct features *, enum feature); /* of one that does not work */
const char *feature_without(enum feature);			/* what its absence costs */

/* perf_event_open(2), close-on-exec. An older kernel's refusal of what it does not know yet is
 * dealt with. A negative errno on failure. */
int perf_open(struct perf_event_attr *, pid_t, int cpu);
/* Counted with `leader`, the descriptor of another one; -1: by itself. */
int perf_open_in_group(struct perf_event_attr *, pid_t, int cpu, int leader);

#endif
