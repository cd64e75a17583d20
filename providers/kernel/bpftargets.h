/*
 * bpftargets.h: which processes programs mean (bpf/whose.h), for objects that have them.
 */
#ifndef PROVIDERS_KERNEL_BPFTARGETS_H
#define PROVIDERS_KERNEL_BPFTARGETS_H

#include <bpf/libbpf.h>

#include "providers/world/world.h"

/* Before it is loaded: the programs that follow forks, if any process is asked for. Says which is
 * the first of those (0: all are meant), and which are tracing's own. */
void bpf_targets_choose(const struct world *, struct bpf_object *, unsigned *first,
			unsigned own[2]);
/* When it is loaded. */
int bpf_targets_fill(const struct world *, const struct bpf_object *, struct err *);

#endif
