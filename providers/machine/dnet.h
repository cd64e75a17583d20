/*
 * dnet.h: for prov_dnet.c, the processes of the machine that have a runtime.
 */
#ifndef PROVIDERS_MACHINE_DNET_H
#define PROVIDERS_MACHINE_DNET_H

#include "dlang/provider.h"

/* Traces every process that has this runtime (java, python, node, go, cpp), now and later. What
 * cannot be traced, and why, is a message. Again with the same one: does nothing. */
void dnet_watch_machine(struct session *, const char *runtime);
void dnet_free(struct session *); /* as in struct provider */

#endif
