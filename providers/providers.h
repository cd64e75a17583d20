/*
 * providers.h: the list of providers.
 */
#ifndef PROVIDERS_PROVIDERS_H
#define PROVIDERS_PROVIDERS_H

#include "dlang/provider.h"

extern const struct provider prov_dtrace, prov_profile, prov_pid, prov_fpid, prov_usdt,
	prov_tracepoint, prov_syscall, prov_sched, prov_proc, prov_io, prov_ip, prov_tcp, prov_udp,
	prov_tcpip, prov_udpip, prov_fbt, prov_rawtp, prov_diag, prov_pf, prov_fsinfo, prov_pmc,
	prov_reg, prov_dpc, prov_isr, prov_lockstat, prov_vminfo, prov_sysinfo;
extern const struct provider prov_hwconfig, prov_dnet, prov_emit, prov_script, prov_hits;
extern const struct provider *const providers[];
extern const unsigned nproviders;

struct world;
/* The end: what the providers and the kernel's ways of telling them keep for the run. */
void providers_free(struct world *);

/* The types and symbols of the traced processes, and behind them the kernel's (typesource.c). */
extern const struct typesource kernel_typesource;

#endif
