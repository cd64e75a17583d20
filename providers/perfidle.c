#include "providers/perfidle.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "providers/bpf.h"
#include "providers/features.h"

struct perf_idle {
	struct bpf_object *object; /* NULL: it was tried, and cannot be */
	int program, events;	   /* descriptors of the object's */
	struct kevent *of[BPF_IDLE_EVENTS];
	int links[BPF_IDLE_EVENTS];
	unsigned n;
};

/* Targets are never idle; what only a system call can make neither. */
static bool is_meant(const struct kevent *e)
{
	return e->want.format && e->want.scope == PERF_SYSTEM && !e->is_counter && e->nfds;
}

/* ---- the program and where it writes ---- */

static int load(struct perf_idle *pi, unsigned ncpus)
{
	struct err err;
	struct bpf_map *ring;

	pi->object = bpf_embedded("idle", &err);
	if (!pi->object)
		return err.code;
	ring = bpf_object__find_map_by_name(pi->object, "ring");
	if (ring)
		bpf_map__set_autocreate(ring, false);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(pi->object, "out"), ncpus);
	if (bpf_object__load(pi->object) < 0)
		return -errno;
	pi->program = bpf_program__fd(bpf_object__find_program_by_name(pi->object, "on_idle"));
	pi->events = bpf_object__find_map_fd_by_name(pi->object, "events");
	return 0;
}

static unsigned flags_of_all(const struct perf *p)
{
	unsigned flags = PERF_RAW;

	for (const struct kevent *e = p->events; e; e = e->next)
		if (is_meant(e))
			flags |= e->want.flags & PERF_KSTACK;
	return flags;
}

static int open_output(struct perf *p, const struct perf_idle *pi)
{
	const struct perf_want want = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .scope = PERF_SYSTEM,
				       .flags = flags_of_all(p)};
	int out = bpf_object__find_map_fd_by_name(pi->object, "out"), rc;
	struct kevent *e = perf_new_event(p, &want);
	struct err err;

	rc = perf_open_event(p, e, &err);
	for (unsigned i = 0, cpu = 0; cpu < p->ncpus && i < e->nfds && rc == 0; cpu++)
		if (p->cpus[cpu].leader >= 0)
			rc = bpf_map_update_elem(out, &cpu, &e->fds[i++], BPF_ANY);
	if (rc == 0)
		p->idle_output = e;
	return rc;
}

static struct perf_idle *get(struct perf *p)
{
	struct perf_idle *pi = p->idle;

	if (pi)
		return pi;
	p->idle = pi = xcalloc(1, sizeof(*pi));
	if (!feature_works(&p->world->features, FEATURE_BPF) || load(pi, p->ncpus) < 0 ||
	    open_output(p, pi) < 0) {
		bpf_object__close(pi->object);
		pi->object = NULL;
	}
	return pi;
}

/* ---- an event ---- */

/* False: its record has more parts than the program can follow. */
static bool describe(const struct tpformat *fmt, struct bpf_idle_event *ie)
{
	unsigned n = 0;

	*ie = (struct bpf_idle_event){.id = fmt->id, .size = fmt->size};
	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];

		if (f->place == TP_INLINE)
			continue;
		if (n == BPF_IDLE_WORDS)
			return false;
		ie->words[n] = (uint16_t)f->offset;
		ie->bases[n++] = f->place == TP_REL_LOC ? (uint16_t)(f->offset + 4) : 0;
	}
	return true;
}

void perf_idle_join(struct perf *p, struct kevent *e)
{
	struct perf_idle *pi;
	struct bpf_idle_event ie;
	int link;

	if (!is_meant(e))
		return;
	pi = get(p);
	if (!pi->object || pi->n == BPF_IDLE_EVENTS || !describe(e->want.format, &ie) ||
	    (e->want.flags & ~p->idle_output->want.flags & PERF_KSTACK) ||
	    bpf_map_update_elem(pi->events, &pi->n, &ie, BPF_ANY) < 0)
		return;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = pi->n);
	/* of the first CPU: it runs on all of them */
	link = bpf_link_create(pi->program, e->fds[0], BPF_PERF_EVENT, &opts);
	if (link < 0)
		return;
	e->leaves_idle_out = true;
	pi->links[pi->n] = link;
	pi->of[pi->n++] = e;
}

/* ---- records ---- */

struct kevent *perf_idle_unpack(const struct perf *p, struct perf_sample *sm)
{
	struct bpf_idle_record head;
	const size_t size = offsetof(struct bpf_idle_record, raw);

	if (sm->rawlen < size)
		return NULL;
	memcpy(&head, sm->raw, size);
	if (head.index >= p->idle->n || head.size > sm->rawlen - size)
		return NULL;
	sm->raw = (const char *)sm->raw + size;
	sm->rawlen = head.size;
	return p->idle->of[head.index];
}

static uint64_t count_lost(const struct perf_idle *pi)
{
	int ncpus = libbpf_num_possible_cpus();
	uint64_t *n = xcalloc((size_t)MAX(ncpus, 1), sizeof(*n)), sum = 0;
	const uint32_t zero = 0;

	if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(pi->object, "lost"), &zero, n) == 0)
		for (int i = 0; i < ncpus; i++)
			sum += n[i];
	free(n);
	return sum;
}

uint64_t perf_idle_lost(const struct perf *p)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (!p->idle || !p->idle->object)
		return 0;
	bpf_obj_get_info_by_fd(p->idle->program, &info, &size);
	return info.recursion_misses + count_lost(p->idle);
}

void perf_idle_free(struct perf_idle *pi)
{
	if (!pi)
		return;
	for (unsigned i = 0; i < pi->n; i++)
		close(pi->links[i]);
	bpf_object__close(pi->object);
	free(pi);
}
