#include "providers/system/numbers/recpairs.h"

#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/system/numbers/numprov.h"

#define DEPTH 16

struct begun {
	struct begun *next; /* of threads */
	const struct recpair *pair;
	uint64_t key, time_ns, function, number;
	pid_t tid;
};

/* What each CPU is in the midst of: the last that began ends first. */
struct recnesting {
	struct begun v[DEPTH];
	unsigned depth;
};

struct recorded {
	struct recnesting *cpus;
	unsigned ncpus;
	struct begun *threads, *unused;
};

/* A pair whose events are in the file. */
struct listener {
	struct bpf_probes *probes;
	const struct recpair *pair;
	const struct tpfield *begin_key, *end_key, *routine, *number, *result;
	struct {
		bool is_known;
		uint64_t addr;
	} * functions; /* of pair->names, as they are asked for: each takes all names of the kernel
			*/
};

/* ---- beginnings ---- */

/* The kernel's function, if its names are known. */
static uint64_t routine_of(const struct listener *l, uint64_t number)
{
	struct session *s = l->probes->session;
	const struct recpair *pair = l->pair;
	const uint64_t at = pair->nnames > 1 ? number : 0;

	if (s->kernel_names || at >= pair->nnames || !pair->names[at])
		return 0;
	if (!l->functions[at].is_known) {
		l->functions[at].addr = numprov_function(world_of(s), pair->names[at]);
		l->functions[at].is_known = true;
	}
	return l->functions[at].addr;
}

static uint64_t value(const struct tpfield *f, const struct perf_sample *sm, uint64_t missing)
{
	return f ? tpfield_int(f, sm->raw, sm->rawlen) : missing;
}

static struct begun *new_of_thread(struct session *s, struct recorded *r)
{
	struct begun *b = r->unused;

	if (b)
		r->unused = b->next;
	else
		b = ARENA_NEW(s->arena, struct begun);
	b->next = r->threads;
	r->threads = b;
	return b;
}

static void on_begin(void *arg, const struct perf_sample *sm)
{
	const struct listener *l = arg;
	struct recorded *r = l->probes->recorded;
	struct recnesting *n = &r->cpus[(unsigned)sm->cpu % r->ncpus];
	const uint64_t number = value(l->number, sm, (uint64_t)(int64_t)l->pair->fixed);
	struct begun *b, *next;

	if (l->pair->is_of_thread) {
		b = new_of_thread(l->probes->session, r);
	} else {
		if (n->depth == DEPTH)
			n->depth--;
		b = &n->v[n->depth++];
	}
	next = b->next;
	*b = (struct begun){
		.next = next,
		.pair = l->pair,
		.key = value(l->begin_key, sm, 0),
		.time_ns = sm->time_ns,
		.function = l->routine ? value(l->routine, sm, 0) : routine_of(l, number),
		.number = number,
		.tid = sm->tid,
	};
}

/* ---- ends ---- */

static bool end_of_thread(struct recorded *r, const struct listener *l, pid_t tid, uint64_t key,
			  struct begun *out)
{
	struct begun **at = &r->threads;

	while (*at && ((*at)->tid != tid || (*at)->pair != l->pair))
		at = &(*at)->next;
	if (!*at)
		return false;
	*out = **at;
	(*at)->next = r->unused;
	r->unused = *at;
	*at = out->next;
	return out->key == key;
}

/* False: it had begun before the recording. What began in it and has no end is forgotten. */
static bool end_on_cpu(struct recnesting *n, const struct listener *l, uint64_t key,
		       struct begun *out)
{
	for (unsigned i = n->depth; i-- > 0;)
		if (n->v[i].pair == l->pair && n->v[i].key == key) {
			*out = n->v[i];
			n->depth = i;
			return true;
		}
	return false;
}

/* The thread that runs softirqs where there are too many for the interrupt's end. */
static unsigned row_of(const struct recpair *pair, const struct event *ev)
{
	const unsigned first = (unsigned)__builtin_ctz(pair->rows);
	const unsigned last = 31U - (unsigned)__builtin_clz(pair->rows);

	return ev->task && strncmp(ev->task->comm, "ksoftirqd", 9) == 0 ? last : first;
}

static void on_end(void *arg, const struct perf_sample *sm)
{
	const struct listener *l = arg;
	struct recorded *r = l->probes->recorded;
	const uint64_t key = value(l->end_key, sm, 0);
	struct event ev;
	struct begun b;

	if (!(l->pair->is_of_thread
		      ? end_of_thread(r, l, sm->tid, key, &b)
		      : end_on_cpu(&r->cpus[(unsigned)sm->cpu % r->ncpus], l, key, &b)))
		return;
	perf_event_init(world_of(l->probes->session)->perf, &ev, sm);
	ev.args[0] = b.time_ns;
	ev.args[1] = b.function;
	ev.args[2] = l->pair->has_result ? value(l->result, sm, 1) : b.number;
	ev.args[3] = l->pair->has_result ? b.number : 0;
	bpf_probes_fire(l->probes, row_of(l->pair, &ev), &ev);
}

/* ---- enabling ---- */

static int listen(struct perf *perf, const struct probe *p, const struct tpformat *fmt, perf_fn *fn,
		  struct listener *l, struct err *err)
{
	const struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = fmt->id,
		.scope = PERF_SYSTEM,
		.flags = PERF_RAW | perf_flags(p->needs),
		.format = fmt,
		.fn = fn,
		.arg = l,
	};

	return perf_add(perf, &want, err);
}

static const struct tpfield *field_of(const struct tpformat *fmt, const char *name)
{
	return name ? tpformat_field(fmt, name) : NULL;
}

/* Rows share pairs: each is heard once. */
static bool is_heard(struct bpf_probes *bp, const struct probe *p, const struct recpair *pair)
{
	for (unsigned row = 0; row < bp->nrows; row++)
		if (bp->probes[row] && bp->probes[row] != p && pair->rows & 1U << row)
			return true;
	return false;
}

/* 1: its events are there. */
static int add_pair(struct perf *perf, struct probe *p, const struct recpair *pair, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	struct tracefs *t = world_tracefs(world_of(p->session));
	const struct tpformat *begin = tracefs_format(t, pair->system, pair->begin),
			      *end = tracefs_format(t, pair->system, pair->end);
	struct listener *l;

	if (!begin || !end)
		return 0;
	if (is_heard(bp, p, pair))
		return 1;
	l = ARENA_NEW(p->session->arena, struct listener);
	*l = (struct listener){
		.probes = bp,
		.pair = pair,
		.begin_key = field_of(begin, pair->key),
		.end_key = field_of(end, pair->key),
		.routine = field_of(begin, pair->routine),
		.number = field_of(begin, pair->number),
		.result = field_of(end, pair->result),
	};
	if (pair->nnames) {
		l->functions = arena_alloc(p->session->arena, pair->nnames * sizeof(*l->functions));
		memset(l->functions, 0, pair->nnames * sizeof(*l->functions));
	}
	if (listen(perf, p, begin, on_begin, l, err) < 0)
		return err->code;
	return listen(perf, p, end, on_end, l, err) < 0 ? err->code : 1;
}

static int lacks(const struct probe *p, const struct recpair *pairs, unsigned n, struct err *err)
{
	struct strbuf names;
	int rc;

	strbuf_init(&names);
	for (unsigned i = 0; i < n; i++)
		if (pairs[i].rows & 1U << bpf_probes_row(p))
			strbuf_addf(&names, "%s%s:%s,%s:%s", names.len ? "," : "", pairs[i].system,
				    pairs[i].begin, pairs[i].system, pairs[i].end);
	rc = perf_lacks_all(world_of(p->session), names.s, err);
	strbuf_release(&names);
	return rc;
}

int recpairs_enable(struct probe *p, const struct recpair *pairs, unsigned n, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	unsigned found = 0;
	struct perf *perf;
	int rc = world_perf(world_of(p->session), &perf, err);

	if (rc < 0)
		return rc;
	if (!bp->recorded) {
		struct recorded *r = ARENA_NEW(p->session->arena, struct recorded);
		const size_t size = perf_ncpus(perf) * sizeof(*r->cpus);

		*r = (struct recorded){.ncpus = perf_ncpus(perf)};
		r->cpus = arena_alloc(p->session->arena, size);
		memset(r->cpus, 0, size);
		bp->recorded = r;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!(pairs[i].rows & 1U << bpf_probes_row(p)))
			continue;
		rc = add_pair(perf, p, &pairs[i], err);
		if (rc < 0)
			return rc;
		found += (unsigned)rc;
	}
	if (!found)
		return lacks(p, pairs, n, err);
	perf_note_needs(perf, p->needs);
	bp->probes[bpf_probes_row(p)] = p;
	return 0;
}
