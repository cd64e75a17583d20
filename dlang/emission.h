/*
 * emission.h: events that a program makes itself, by emit() and etw_trace(). The compiler says what
 * fields such a probe has when it meets the first call that names it; the provider (prov_emit.c)
 * gives them out as args[]; run/emission.c fires them.
 */
#ifndef DLANG_EMISSION_H
#define DLANG_EMISSION_H

#include "dlang/provider.h"

#define EMIT_PROVIDER "emit"

/* Behind probe.arg of a probe of the provider `emit`. */
struct emitted_probe {
	bool has_fields; /* false: no call has been compiled yet */
	unsigned nfields;
	struct probe_arg *fields;
	struct emitted_place {
		uint32_t offset, size; /* among the bytes of the event */
		bool is_number;
	} * places;
};

#endif
