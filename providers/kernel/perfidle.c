#include "providers/kernel/perfidle.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/bpfring.h"
#include "providers/kernel/features.h"
#include "providers/world/kernsyms.h"

struct perf_idle {
	struct bpf_object *object; /* NULL: it was tried, and cannot be */
	int program, events;	   /* descriptors of the object's */
	struct kevent *of[BPF_IDLE_EVENTS];
	int links[BPF_IDLE_EVENTS];
	unsigned n;
	int timer_fd, timer_link;  /* what the expiry of timers is seen by; -1: nothing */
	struct hash interrupt_pcs; /* what is_interrupt() has answered */
};

/* Targets are never idle; what only a system call can make neither. */
static bool is_tracepoint(const struct perf_want *w)
{
	return w->format && w->scope == PERF_SYSTEM;
}

/* Samples of the whole machine. */
static bool is_clock(const struct perf *p, const struct perf_want *w)
{
	return w->type == PERF_TYPE_SOFTWARE && w->config == PERF_COUNT_SW_CPU_CLOCK &&
	       p->is_system && (w->scope == PERF_SYSTEM || !p->world->nprocs);
}

/* ---- the program and where it writes ---- */

static const struct tpformat *timer_format(const struct perf *p)
{
	return tracefs_format(world_tracefs(p->world), "timer", "hrtimer_expire_entry");
}

/* False: this kernel tells of timers in another way. */
static bool describe_timers(const struct perf *p, struct bpf_object *o)
{
	const struct tpformat *fmt = timer_format(p);
	const struct tpfield *timer = fmt ? tpformat_field(fmt, "hrtimer") : NULL,
			     *function = fmt ? tpformat_field(fmt, "function") : NULL;
	size_t size;
	struct bpf_idle_timers *t = bpf_rodata(o, &size);

	if (!timer || !function || !t || size < sizeof(*t))
		return false;
	t->timer_at = timer->offset;
	t->function_at = function->offset;
	return true;
}

static int load(const struct perf *p, struct perf_idle *pi)
{
	struct bpf_program *on_timer;
	static const char *const shared[] = {"ring", "pieces"}; /* of records: it has none */
	struct err err;

	if (libbpf_num_possible_cpus() < 0) /* bpf_sum_of_cpus() counts on it */
		return -EIO;
	pi->object = bpf_embedded("idle", &err);
	if (!pi->object)
		return err.code;
	for (unsigned i = 0; i < ARRAY_SIZE(shared); i++)
		bpf_map__set_autocreate(bpf_object__find_map_by_name(pi->object, shared[i]), false);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(pi->object, "out"), p->ncpus);
	on_timer = bpf_object__find_program_by_name(pi->object, "on_timer");
	bpf_program__set_autoload(on_timer, describe_timers(p, pi->object));
	if (bpf_object__load(pi->object) < 0)
		return -errno;
	pi->program = bpf_program__fd(bpf_object__find_program_by_name(pi->object, "on_idle"));
	pi->events = bpf_object__find_map_fd_by_name(pi->object, "events");
	return 0;
}

static unsigned flags_of_all(const struct perf *p)
{
	unsigned flags = PERF_RAW;

	for (const struct kevent *e = p->events; e; e = e->next) {
		flags |= e->want.flags & PERF_KSTACK;
		/* the frame behind the interrupt's is where the CPU was */
		flags |= e->want.flags & PERF_KPC ? PERF_KSTACK : 0;
	}
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

/* What has been prepared, with a place to write to; NULL: it cannot be. */
static struct perf_idle *get(struct perf *p)
{
	struct perf_idle *pi = p->idle;

	if (!pi || !pi->object)
		return NULL;
	if (!p->idle_output && open_output(p, pi) < 0) {
		bpf_object__close(pi->object);
		pi->object = NULL;
		return NULL;
	}
	return pi;
}

void perf_idle_prepare(struct perf *p, const struct perf_want *w)
{
	struct perf_idle *pi = p->idle;
	struct symname name;

	if (!is_tracepoint(w) && !is_clock(p, w))
		return;
	if (w->flags & PERF_KPC)
		kallsyms_lookup(world_ksyms(p->world), 0, &name); /* reads them */
	if (pi)
		return;
	p->idle = pi = xcalloc(1, sizeof(*pi));
	pi->timer_fd = pi->timer_link = -1;
	hash_init(&pi->interrupt_pcs);
	if (!feature_works(world_features(p->world), FEATURE_BPF) || load(p, pi) < 0) {
		bpf_object__close(pi->object);
		pi->object = NULL;
	}
}

/* ---- samples ---- */

/* The event itself is not needed: it is what the program hangs at. */
static int watch_timers(const struct perf *p, struct perf_idle *pi)
{
	struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a), .disabled = 1};
	int program = bpf_program__fd(bpf_object__find_program_by_name(pi->object, "on_timer"));

	if (program < 0) /* not loaded: describe_timers() */
		return -ENOENT;
	a.config = timer_format(p)->id;
	pi->timer_fd = perf_open(&a, -1, 0);
	if (pi->timer_fd < 0)
		return pi->timer_fd;
	pi->timer_link = bpf_link_create(program, pi->timer_fd, BPF_PERF_EVENT, NULL);
	return pi->timer_link < 0 ? -errno : 0;
}

bool perf_idle_samples(struct perf *p, const struct kevent *e)
{
	struct perf_idle *pi = is_clock(p, &e->want) ? get(p) : NULL;

	if (!pi || (e->want.flags & PERF_KPC && !(p->idle_output->want.flags & PERF_KSTACK)))
		return false;
	return pi->timer_link >= 0 || (pi->timer_fd < 0 && watch_timers(p, pi) == 0);
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
	struct perf_idle *pi = is_tracepoint(&e->want) && !e->is_counter ? get(p) : NULL;
	struct bpf_idle_event ie;
	int link;

	if (!pi || !e->nfds || pi->n == BPF_IDLE_EVENTS || !describe(e->want.format, &ie) ||
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

/* asm_sysvec_apic_timer_interrupt: where an interrupt begins. The answer for an address is kept. */
static bool is_interrupt(const struct perf *p, uint64_t pc)
{
	static char yes, no;
	struct hash *known = &p->idle->interrupt_pcs;
	struct symname name;
	const char *answer = hash_get(known, pc);

	if (!answer) {
		kallsyms_lookup(world_ksyms(p->world), pc, &name);
		answer = name.function && strncmp(name.function, "asm_", 4) == 0 ? &yes : &no;
		hash_put(known, pc, (void *)(uintptr_t)answer);
	}
	return answer == &yes;
}

/* What was interrupted lies behind the frames of the interrupt. */
static void trim_interrupt(const struct perf *p, struct perf_sample *sm)
{
	unsigned n = 0;

	while (n < sm->nkpcs && !is_interrupt(p, sm->kpcs[n]))
		n++;
	if (n + 1 >= sm->nkpcs)
		return;
	sm->kpcs += n + 1;
	sm->nkpcs -= n + 1;
	sm->ip = sm->kpcs[0];
}

static struct kevent *unpack_sample(const struct perf *p, struct perf_sample *sm)
{
	const size_t at = offsetof(struct bpf_idle_record, raw);
	struct kevent *e;
	uint64_t id;

	if (sm->rawlen < at + sizeof(id))
		return NULL;
	memcpy(&id, (const char *)sm->raw + at, sizeof(id));
	sm->cpumode = PERF_RECORD_MISC_KERNEL;
	sm->raw = NULL;
	sm->rawlen = 0;
	e = hash_get(&p->by_id, id);
	if (e && e->want.flags & PERF_KPC)
		trim_interrupt(p, sm);
	return e;
}

struct kevent *perf_idle_unpack(const struct perf *p, struct perf_sample *sm)
{
	struct bpf_idle_record head;
	const size_t size = offsetof(struct bpf_idle_record, raw);

	if (sm->rawlen < size)
		return NULL;
	memcpy(&head, sm->raw, size);
	if (head.index == BPF_IDLE_SAMPLE)
		return unpack_sample(p, sm);
	if (head.index >= p->idle->n || head.size > sm->rawlen - size)
		return NULL;
	sm->raw = (const char *)sm->raw + size;
	sm->rawlen = head.size;
	return p->idle->of[head.index];
}

uint64_t perf_idle_lost(const struct perf *p)
{
	uint64_t lost;

	if (!p->idle || !p->idle->object)
		return 0;
	bpf_sum_of_cpus(bpf_object__find_map_fd_by_name(p->idle->object, "lost"), 0, &lost);
	return bpf_missed(p->idle->program) + lost;
}

unsigned perf_idle_nlinks(const struct perf_idle *pi)
{
	return pi ? pi->n : 0;
}

void perf_idle_free(struct perf_idle *pi)
{
	if (!pi)
		return;
	for (unsigned i = 0; i < pi->n; i++)
		close(pi->links[i]);
	if (pi->timer_link >= 0)
		close(pi->timer_link);
	if (pi->timer_fd >= 0)
		close(pi->timer_fd);
	bpf_object__close(pi->object);
	hash_release(&pi->interrupt_pcs);
	free(pi);
}
