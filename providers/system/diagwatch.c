/*
 * diagwatch.c: diag:::events, ignored, missed-ustack, missed-stack, missed-dnet-stack and fpid:
 * what has come, what no clause took, and stacks that could not be told (docs/spec/providers.md
 * §4.17). They fire behind the event that they are about.
 */
#include "providers/system/diagwatch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/procfile.h"
#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/pid/site.h"
#include "providers/world/userstack.h"
#include "providers/providers.h"
#include "symbols/jit.h"

#define PAYLOAD_MAX 4096
#define MAX_FRAMES  64
#define NAME_MAX_   32
#define KERNEL_HALF (1ULL << 63)

/* What D reads of an event. */
struct diag_copy {
	char provider[NAME_MAX_];
	char payload[PAYLOAD_MAX];
};

struct diag_watch {
	struct session *session;
	struct event_watch watch;
	struct probe *probes[DIAG_NKINDS];
	struct hash jitmaps; /* of processes: struct jitmap */
	uint64_t seq;
	struct diag_copy copy;
};

static const char *const names[DIAG_NKINDS] = {
	"events", "ignored", "missed-ustack", "missed-stack", "missed-dnet-stack", "fpid",
};

const char *diagwatch_name(enum diag_kind kind)
{
	return names[kind];
}

/* ---- firing ---- */

static void fire(const struct diag_watch *d, enum diag_kind kind, const struct event *about,
		 const uint64_t args[EVENT_ARGS])
{
	struct event ev = *about;

	ev.probe = d->probes[kind];
	ev.raw = &d->copy;
	ev.rawlen = sizeof(d->copy);
	ev.walk = NULL;
	ev.source = NULL;
	ev.more_args = NULL;
	memcpy(ev.args, args, sizeof(ev.args));
	event_fire(d->session, &ev);
}

/* The record, with where it comes from. */
static void fire_record(struct diag_watch *d, enum diag_kind kind, const struct event *ev,
			const char *provider, uint64_t id, uint64_t opcode)
{
	size_t n = ev->raw ? MIN(ev->rawlen, sizeof(d->copy.payload)) : 0;
	const uint64_t args[EVENT_ARGS] = {(uintptr_t)d->copy.provider, id, opcode, n,
					   n ? (uintptr_t)d->copy.payload : 0};

	if (!d->probes[kind])
		return;
	snprintf(d->copy.provider, sizeof(d->copy.provider), "%s", provider);
	memcpy(d->copy.payload, n ? ev->raw : "", n);
	fire(d, kind, ev, args);
}

static void fire_fpid(struct diag_watch *d, const struct event *ev)
{
	const struct pid_probe *pr = ev->probe->arg;
	bool is_return = strcmp(ev->probe->name, "return") == 0;
	uint64_t args[EVENT_ARGS] = {is_return};
	const struct pid_site *site = pr ? pr->sites : NULL;

	while (site && site->next && proc_pid(site->proc->proc) != ev->pid)
		site = site->next;
	args[1] = site && site->mod ? site->addr + site->mod->bias : 0;
	if (is_return)
		args[2] = ev->args[1];
	else
		memcpy(args + 2, ev->args, sizeof(args) - 2 * sizeof(args[0]));
	fire(d, DIAG_FPID, ev, args);
}

/* ---- stacks ---- */

static struct jitmap *jitmap_of(struct diag_watch *d, pid_t pid)
{
	struct jitmap *map = hash_get(&d->jitmaps, (uint64_t)pid);

	if (!map) {
		map = jitmap_new(pid);
		hash_put(&d->jitmaps, (uint64_t)pid, map);
	}
	return map;
}

/* Memory that can be executed and is of no file; text: that of its maps, which is cut up. */
static unsigned keep_made_code(char *text, const taddr_t *pcs, unsigned n, taddr_t *made)
{
	struct procmap line;
	unsigned nmade = 0;

	while (procmap_next(&text, &line))
		for (unsigned i = 0; i < n && line.exec; i++)
			if (pcs[i] >= line.start && pcs[i] < line.end && line.path[0] != '/' &&
			    line.path[0] != '[' && nmade < n)
				made[nmade++] = pcs[i];
	return nmade;
}

static bool has_nameless_code(struct diag_watch *d, pid_t pid, const taddr_t *pcs, unsigned n)
{
	taddr_t made[MAX_FRAMES];
	struct strbuf maps;
	unsigned nmade = 0;
	bool is_nameless = false;

	strbuf_init(&maps);
	if (procfile_slurp(pid, "maps", &maps) == 0)
		nmade = keep_made_code(maps.s, pcs, n, made);
	strbuf_release(&maps);
	if (nmade)
		jitmap_poll(jitmap_of(d, pid));
	for (unsigned i = 0; i < nmade && !is_nameless; i++)
		is_nameless = !jitmap_at(jitmap_of(d, pid), made[i]);
	return is_nameless;
}

#define KTHREADD 2 /* the parent of the kernel's threads, which have no user stack */

/* Of a late event: no frame, or none above the first because nothing of the stack has come. */
static bool has_no_stack(const struct event *ev, unsigned npcs)
{
	const struct userstack *user = ev->user;

	if (ev->pid <= KTHREADD || (ev->task && ev->task->ppid == KTHREADD))
		return false;
	return !npcs || (user && npcs == 1 && !user->len && user->nchain <= 1);
}

static bool was_in_kernel(const struct event *ev)
{
	const struct provider *prov = ev->probe->provider;

	if (prov == &prov_profile || (strcmp(prov->name, "pmc") == 0 && !*ev->probe->func))
		return ev->args[0] >= KERNEL_HALF;
	/* pmc's counters at tracepoints are of the kernel as these are */
	return prov->is_of_kernel || prov == &prov_tracepoint;
}

static void look_at_stacks(struct diag_watch *d, const struct event *ev, const taddr_t *pcs,
			   unsigned npcs)
{
	const uint64_t id[EVENT_ARGS] = {(uint64_t)ev->tid << 32 | (uint32_t)++d->seq};
	const uint64_t when[EVENT_ARGS] = {ev->time_ns};

	if (d->probes[DIAG_MISSED_STACK] && ev->probe->needs & NEED_KSTACK && !ev->nkpcs &&
	    ev->is_late && was_in_kernel(ev))
		fire(d, DIAG_MISSED_STACK, ev, when);
	if (!pcs)
		return;
	if (d->probes[DIAG_MISSED_USTACK] && has_no_stack(ev, npcs))
		fire(d, DIAG_MISSED_USTACK, ev, id);
	if (d->probes[DIAG_MISSED_DNET] && has_nameless_code(d, ev->pid, pcs, npcs))
		fire(d, DIAG_MISSED_DNET, ev, id);
}

/* ---- what is watched ---- */

static void on_event(void *arg, const struct event *about, bool was_taken, const taddr_t *pcs,
		     unsigned npcs)
{
	struct diag_watch *d = arg;
	const struct event ev = *about;
	const struct probe *p = ev.probe;
	taddr_t frames[MAX_FRAMES];

	npcs = MIN(npcs, ARRAY_SIZE(frames)); /* what is fired here has a stack of its own */
	if (pcs)
		memcpy(frames, pcs, npcs * sizeof(*pcs));
	fire_record(d, DIAG_EVENTS, &ev, p->prov, p->id,
		    p->provider == &prov_tracepoint ? ev.args[1] : 0);
	if (!was_taken)
		fire_record(d, DIAG_IGNORED, &ev, p->prov, p->id, 0);
	if (d->probes[DIAG_FPID] && p->provider == &prov_fpid)
		fire_fpid(d, &ev);
	look_at_stacks(d, &ev, pcs ? frames : NULL, npcs);
}

static void on_side_band(void *arg, uint32_t type, const struct perf_sample *at)
{
	struct diag_watch *d = arg;
	struct event ev;

	perf_event_init(world_of(d->session)->perf, &ev, at);
	ev.probe = d->probes[DIAG_IGNORED];
	fire_record(d, DIAG_EVENTS, &ev, "perf", type, 0);
	fire_record(d, DIAG_IGNORED, &ev, "perf", type, 0);
}

/* ---- enabling ---- */

int diagwatch_enable(struct probe *p, struct err *err)
{
	struct world *w = world_of(p->session);
	struct diag_watch *d = w->diag;
	struct err why = {0};
	struct perf *perf;

	/* maps of processes, and hits of fpid as they are here */
	if (w->recording && (strcmp(p->name, names[DIAG_MISSED_DNET]) == 0 ||
			     strcmp(p->name, names[DIAG_FPID]) == 0))
		return perf_lacks_all(w, NULL, err);
	if (!d) {
		w->diag = d = xcalloc(1, sizeof(*d));
		d->session = p->session;
		hash_init(&d->jitmaps);
		d->watch = (struct event_watch){on_event, d, &prov_diag};
		p->session->engine->watch = &d->watch;
	}
	for (unsigned i = 0; i < DIAG_NKINDS; i++)
		if (strcmp(p->name, names[i]) == 0)
			d->probes[i] = p;
	/* where there are no rings nothing but events of probes comes */
	if ((d->probes[DIAG_EVENTS] == p || d->probes[DIAG_IGNORED] == p) &&
	    world_perf(w, &perf, &why) == 0)
		perf_on_side_band(perf, on_side_band, d);
	return 0;
}

void diagwatch_free(struct session *s)
{
	struct diag_watch *d = world_of(s)->diag;
	struct jitmap *map;
	uint64_t pid;

	if (!d)
		return;
	s->engine->watch = NULL;
	for (size_t i = 0; (map = hash_each(&d->jitmaps, &i, &pid));)
		jitmap_free(map);
	hash_release(&d->jitmaps);
	free(d);
	world_of(s)->diag = NULL;
}

void diagwatch_argtypes(struct probe *p, struct probe_args *args)
{
	struct probe_arg *v = arena_alloc(p->session->arena, EVENT_ARGS * sizeof(*v));

	for (unsigned i = 0; i < EVENT_ARGS; i++)
		v[i] = (struct probe_arg){.type = p->session->engine->types.t_uword,
					  .place = ARG_VALUE,
					  .at = i,
					  .is_ours = true};
	args->v = v;
	args->n = strcmp(p->name, "fpid") == 0					      ? 8
		  : strcmp(p->name, "events") == 0 || strcmp(p->name, "ignored") == 0 ? 5
		  : strcmp(p->name, "lostevent") == 0				      ? 2
										      : 1;
}
