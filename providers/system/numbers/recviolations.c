#include "providers/system/numbers/recviolations.h"

#include <signal.h>
#include <stdlib.h>

#include "base/hash.h"
#include "providers/system/tracepoints/proc_sideband.h"

/* The last page fault of a thread. */
struct access {
	uint64_t addr, ip;
};

struct recviolations {
	struct perf *perf;
	recviolations_fn *fn;
	void *arg;
	const struct tpfield *addr, *ip;
	struct hash threads;
};

static void on_fault(void *arg, const struct perf_sample *sm)
{
	struct recviolations *r = arg;
	struct access *a = hash_get(&r->threads, (uint64_t)sm->tid);

	if (!a) {
		a = xmalloc(sizeof(*a));
		hash_put(&r->threads, (uint64_t)sm->tid, a);
	}
	a->addr = tpfield_int(r->addr, sm->raw, sm->rawlen);
	a->ip = tpfield_int(r->ip, sm->raw, sm->rawlen);
}

/* Of an address: what a debugger sends, or another processor's exception, is none. */
static bool is_violation(const struct procsignal *s)
{
	return (s->number == SIGSEGV && s->code >= SEGV_MAPERR && s->code <= SEGV_PKUERR) ||
	       (s->number == SIGBUS && (s->code == BUS_ADRALN || s->code == BUS_ADRERR));
}

static void on_signal(void *arg, const struct procsignal *s, struct event *ev)
{
	struct recviolations *r = arg;
	const struct access *a = hash_get(&r->threads, (uint64_t)ev->tid);

	if (s->to == ev->tid && is_violation(s))
		r->fn(r->arg, ev, a ? a->addr : 0, a ? a->ip : 0);
}

/* False: they are not recorded. */
static bool listen_to_faults(struct recviolations *r, struct world *w)
{
	const struct tpformat *fmt =
		tracefs_format(world_tracefs(w), "exceptions", "page_fault_user");
	struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				 .scope = PERF_SYSTEM,
				 .flags = PERF_RAW,
				 .fn = on_fault,
				 .arg = r};
	struct err why;

	r->addr = fmt ? tpformat_field(fmt, "address") : NULL;
	r->ip = fmt ? tpformat_field(fmt, "ip") : NULL;
	if (!r->addr || !r->ip)
		return false;
	want.config = fmt->id;
	want.format = fmt;
	return perf_add(r->perf, &want, &why) == 0;
}

struct recviolations *recviolations_new(struct world *w, unsigned flags, recviolations_fn *fn,
					void *arg, bool *has_addresses, struct err *err)
{
	struct recviolations *r;
	struct perf *perf;

	if (world_perf(w, &perf, err) < 0)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->perf = perf;
	r->fn = fn;
	r->arg = arg;
	hash_init(&r->threads);
	if (proc_signals_listen(w, PROC_FAULT, flags, on_signal, r, err) < 0) {
		recviolations_free(r);
		return NULL;
	}
	*has_addresses = listen_to_faults(r, w);
	return r;
}

void recviolations_free(struct recviolations *r)
{
	struct access *a;

	if (!r)
		return;
	for (size_t i = 0; (a = hash_each(&r->threads, &i, NULL));)
		free(a);
	hash_release(&r->threads);
	free(r);
}
