/*
 * tpnames.h: names that descriptions of tracepoints may have meant.
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_TPNAMES_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_TPNAMES_H

#include "dlang/provider.h"

/* struct provider, suggest: systems as providers, and events of the systems that match. */
void tracepoint_suggest(struct session *, const struct probe_desc *, enum desc_field,
			void (*fn)(void *, const char *), void *arg);

#endif
