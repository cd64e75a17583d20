/*
 * diagwatch.h: the probes of diag that watch the events of all others.
 */
#ifndef PROVIDERS_SYSTEM_DIAGWATCH_H
#define PROVIDERS_SYSTEM_DIAGWATCH_H

#include "providers/world/world.h"

enum diag_kind {
	DIAG_EVENTS,
	DIAG_IGNORED,
	DIAG_MISSED_USTACK,
	DIAG_MISSED_STACK,
	DIAG_MISSED_DNET,
	DIAG_FPID,
	DIAG_NKINDS
};
const char *diagwatch_name(enum diag_kind);

/* As in struct provider. */
int diagwatch_enable(struct probe *, struct err *);
void diagwatch_argtypes(struct probe *, struct probe_args *);
void diagwatch_free(struct session *);

#endif
