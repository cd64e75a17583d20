/*
 * prov_emit.c: the events that programs make themselves: emit:::NAME by emit(), and
 * etw:PROVIDER:EVENT:generic_event by etw_trace(). The compiler creates the probes where it finds
 * the calls, and run/emission.c fires them; what a clause asks of the process is what the event
 * that they were emitted at has.
 */
#include <errno.h>

#include "dlang/emission.h"
#include "dlang/errtags.h"
#include "dlang/session.h"
#include "providers/providers.h"
#include "providers/world/world.h"

static bool emit_on_demand(const char *prov)
{
	return strcmp(prov, EMIT_PROVIDER) == 0;
}

static int emit_provide(struct session *s UNUSED, const struct probe_desc *d UNUSED,
			int *tag UNUSED, struct err *err UNUSED)
{
	return 0;
}

static const char *emit_why_none(struct session *s, const struct probe_desc *d UNUSED)
{
	return world_of(s)->recording ? "no emit() of this program names it, and the recording has "
					"no such events"
				      : "no emit() of this program names it";
}

static int emit_enable(struct probe *p UNUSED, struct err *err UNUSED)
{
	return 0;
}

static void emit_argtypes(struct probe *p, struct probe_args *args)
{
	const struct emitted_probe *ep = p->arg;

	if (!ep->has_fields) {
		args->why = "its fields are known behind the clause that emits it: write that one "
			    "first";
		return;
	}
	args->v = ep->fields;
	args->n = ep->nfields;
}

static unsigned emit_ustack(const struct event *ev, taddr_t *pcs, unsigned max)
{
	const struct event *o = ev->origin;
	const struct provider *pv = o->probe->provider;

	return o->walk ? o->walk(o, pcs, max) : pv->ustack ? pv->ustack(o, pcs, max) : 0;
}

const struct provider prov_emit = {
	.name = EMIT_PROVIDER,
	.on_demand = emit_on_demand,
	.provide = emit_provide,
	.why_none = emit_why_none,
	.enable = emit_enable,
	.argtypes = emit_argtypes,
	.ustack = emit_ustack,
	.reads_files = true,
	.hits = HITS_FIELDS,
};
