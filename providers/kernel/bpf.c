#include "providers/kernel/bpf.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dlang/run/gaps.h"
#include "providers/kernel/bpfobjs.h"
#include "providers/kernel/bpfpieces.h"
#include "providers/kernel/cgroup.h"
#include "providers/kernel/bpfring.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"
#include "providers/world/userstack.h"
#include "providers/world/kernsyms.h"
#include "providers/kernel/features.h"
#include "tracer/procfs/procfs.h"

#define RING_BYTES  (16 << 20)
#define LOOK_NS	    1000000U  /* between two looks at what was lost */
#define PATIENCE_NS 50000000U /* with a record that a CPU has begun to write */

struct bpf_used {
	const char *name;
	struct bpf_object *object;
	struct bpf_client client;
	bool is_loaded;
};

struct bpf {
	struct world *world;
	struct bpf_used *used;
	unsigned nused;
	struct bpf_link **links;
	unsigned nlinks;
	int *kept; /* descriptors that keep programs attached */
	unsigned nkept;
	struct bpf_ring ring;
	struct {
		bpf_fn *fn;
		void *arg;
	} on[BPF_NKINDS];
	const struct bpf_head *next; /* the oldest record; NULL: none */
	size_t next_len;
	unsigned counted; /* of the record that is handled */
	uint64_t nread;
	uint64_t complete_ns; /* then there was no record that was being written */
	/* Records found no room between these two times (gap_to_ns 0: all are before it). */
	uint64_t nlost, looked_ns, gap_from_ns, gap_to_ns;
	struct bpf_lost lost;
	struct bpf_extra extras[BPF_EXTRAS];
	unsigned nextras;
	struct bpf_sampler {
		const char *program;
		uint64_t event;
	} samplers[BPF_SAMPLERS];
	unsigned nsamplers;
	struct bpf_kept stacks, users, captured;
	struct bpf_shared shared;
	struct userstack user; /* of the record that is handled */
};

/* libbpf's own words, for the sentence of an error: its callback has no argument. */
static char libbpf_says[256];

static PRINTF_LIKE(2, 0) int keep_words(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN)
		vsnprintf(libbpf_says, sizeof(libbpf_says), fmt, ap);
	return 0;
}

/* ---- the source of events ---- */

static void look(struct bpf *b)
{
	const struct bpf_head *h = bpf_ring_record(&b->ring, &b->next_len);

	while (h && (b->next_len < sizeof(*h) || h->kind >= BPF_NKINDS || !b->on[h->kind].fn)) {
		bpf_ring_skip(&b->ring);
		h = bpf_ring_record(&b->ring, &b->next_len);
	}
	b->next = h;
}

/* The counters do not say where it was: between the records of that time. */
static void look_for_gap(struct bpf *b, uint64_t now)
{
	uint64_t nlost;

	if (!b->next || now - b->looked_ns < LOOK_NS)
		return;
	nlost = bpf_lost_room(&b->lost, b->world->session, b->shared.lost_fd);
	if (nlost > b->nlost) {
		b->gap_from_ns = b->gap_to_ns ? b->gap_from_ns : b->looked_ns;
		b->gap_to_ns = now;
	}
	b->nlost = nlost;
	b->looked_ns = now;
}

static void cross_gap(struct bpf *b, uint64_t time_ns)
{
	if (!b->gap_to_ns || time_ns <= b->gap_from_ns)
		return;
	session_gap(b->world->session, 0, LOSS_KERNEL);
	if (time_ns > b->gap_to_ns)
		b->gap_to_ns = 0;
}

static void ring_gather(void *arg)
{
	struct bpf *b = arg;

	uint64_t now = session_now(b->world->session);

	if (!b->ring.consumer)
		return;
	bpf_ring_gather(&b->ring);
	look(b);
	look_for_gap(b, now);
	if (!bpf_ring_is_held(&b->ring))
		b->complete_ns = now;
}

/* A record that is being written was begun after all had last been read. */
static uint64_t ring_complete(void *arg)
{
	const struct bpf *b = arg;

	if (!b->ring.consumer || !bpf_ring_is_held(&b->ring) ||
	    session_now(b->world->session) - b->complete_ns > PATIENCE_NS)
		return UINT64_MAX;
	return b->complete_ns;
}

static uint64_t ring_peek(void *arg)
{
	const struct bpf *b = arg;

	return b->next ? b->next->time_ns : UINT64_MAX;
}

static void ring_fire(void *arg)
{
	struct bpf *b = arg;
	const struct bpf_head *h = b->next;

	b->nread++;
	cross_gap(b, h->time_ns);
	b->counted = h->counted;
	b->on[h->kind].fn(b->on[h->kind].arg, h, b->next_len);
	b->counted = 0;
	bpf_ring_skip(&b->ring);
	look(b);
}

/* Of another record, which is behind it: its stacks and the like. */
static bool is_part(const struct bpf_head *h)
{
	return h->kind == BPF_KIND_STACK || h->kind == BPF_KIND_USER || h->kind == BPF_KIND_PIECES;
}

static void ring_drop(void *arg, bool is_lost)
{
	struct bpf *b = arg;

	if (is_lost && !is_part(b->next))
		session_lose_events(b->world->session, b->next->cpu, 1);
	bpf_ring_skip(&b->ring);
	look(b);
}

static void ring_give_up(void *arg)
{
	struct bpf *b = arg;

	if (!b->ring.consumer)
		return;
	bpf_ring_pass(&b->ring);
	look(b);
}

unsigned bpf_counted(const struct bpf *b)
{
	return b->counted;
}

const struct bpf_head *bpf_ahead(struct bpf *b, enum bpf_kind kind, uint32_t tid, size_t *len)
{
	const struct bpf_head *h = b->next;

	*len = b->next_len;
	bpf_ring_gather(&b->ring);
	do
		h = bpf_ring_behind(&b->ring, h, len);
	while (h && (*len < sizeof(*h) || h->kind != kind || h->tid != tid));
	return h;
}

const struct bpf_head *bpf_await(struct bpf *b, enum bpf_kind kind, uint32_t tid, size_t *len)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	const struct bpf_head *h = bpf_ahead(b, kind, tid, len);

	for (unsigned i = 0; !h && i < PATIENCE_NS / 1000000U; i++) {
		nanosleep(&ms, NULL);
		h = bpf_ahead(b, kind, tid, len);
	}
	return h;
}

/* ---- stacks ---- */

static void on_stack(void *arg, const struct bpf_head *h, size_t len)
{
	if (len >= sizeof(struct bpf_stack))
		bpf_kept_add(&((struct bpf *)arg)->stacks, sizeof(struct bpf_stack), h, len);
}

static void on_user(void *arg, const struct bpf_head *h, size_t len)
{
	const size_t head = offsetof(struct bpf_user, bytes);

	if (len >= head && ((const struct bpf_user *)(const void *)h)->len <= len - head)
		bpf_kept_add(&((struct bpf *)arg)->users, sizeof(struct bpf_user), h, len);
}

static void on_pieces(void *arg, const struct bpf_head *h, size_t len)
{
	struct bpf *b = arg;

	if (len >= sizeof(struct bpf_head) && pieces_are_wanted(b->shared.pieces))
		bpf_kept_add(&b->captured, pieces_size(b->shared.pieces), h, len);
}

static void set_stacks(struct bpf *b, struct event *ev, const struct bpf_head *h)
{
	const struct bpf_stack *st = bpf_kept_find(&b->stacks, h);
	const struct bpf_user *u = bpf_kept_find(&b->users, h);

	b->user.nchain = 0;
	b->user.has_regs = u != NULL;
	if (st) {
		ev->kpcs = (const uint64_t *)st->kernel;
		ev->nkpcs = MIN(st->nkernel, (unsigned)BPF_STACK_KERNEL);
		world_trim_stack(b->world, &ev->kpcs, &ev->nkpcs);
		b->user.chain = (const taddr_t *)st->user;
		b->user.nchain = MIN(st->nuser, (unsigned)BPF_STACK_USER);
	}
	if (u) {
		memcpy(&b->user.regs, u->regs, sizeof(u->regs));
		b->user.stack = u->bytes;
		b->user.len = u->len;
	}
	perf_event_user(ev, &b->user);
}

static int bpf_start(void *, struct err *);
static void bpf_stop(void *);
static void bpf_snapshot(void *);
static void bpf_free(void *);

static const struct event_source ring_source = {
	.gather = ring_gather,
	.complete = ring_complete,
	.peek = ring_peek,
	.fire = ring_fire,
	.drop = ring_drop,
	.give_up = ring_give_up,
	.start = bpf_start,
	.stop = bpf_stop,
	.snapshot = bpf_snapshot,
	.free = bpf_free,
};

/* ---- objects ---- */

static int make_maps(struct bpf *b, struct err *err)
{
	const uint32_t size = (uint32_t)kernel_ring_size(b->world->session, RING_BYTES);
	int rc;

	b->shared.ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, size, NULL);
	if (b->shared.ring_fd < 0)
		return err_set(err, -errno, "cannot make a ring for BPF programs: %s",
			       strerror(errno));
	b->shared.lost_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "lost", 4, 8, 1, NULL);
	if (b->shared.lost_fd < 0)
		return err_set(err, -errno, "cannot make a map for BPF programs: %s",
			       strerror(errno));
	b->shared.pieces_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pieces", 4,
					     sizeof(struct bpf_pieces), BPF_PIECE_SETS, NULL);
	if (b->shared.pieces_fd < 0)
		return err_set(err, -errno, "cannot make a map for BPF programs: %s",
			       strerror(errno));
	rc = bpf_ring_init(&b->ring, b->shared.ring_fd, size);
	if (rc < 0)
		return err_set(err, rc, "cannot map the ring of BPF programs: %s", strerror(-rc));
	return 0;
}

int world_bpf(struct world *w, struct bpf **out, struct err *err)
{
	struct bpf *b = w->bpf;
	struct perf *perf;
	int rc;

	*out = b;
	if (b)
		return 0;
	if (!feature_works(world_features(w), FEATURE_BPF))
		return err_set(err, -EPERM, "%s", feature_why(world_features(w), FEATURE_BPF));
	rc = world_perf(w, &perf, err); /* knows the processes */
	if (rc < 0)
		return rc;
	libbpf_set_print(keep_words);
	rc = libbpf_num_possible_cpus(); /* known from now on: it is read once */
	if (rc < 0)
		return err_set(err, rc, "cannot read how many CPUs there may be: %s%s",
			       strerror(-rc), err_next_step(-rc));
	b = xcalloc(1, sizeof(*b));
	b->world = w;
	b->shared.ring_fd = b->shared.lost_fd = b->shared.pieces_fd = -1;
	b->shared.pieces = pieces_new();
	rc = make_maps(b, err);
	if (rc < 0) {
		bpf_free(b);
		return rc;
	}
	w->bpf = *out = b;
	session_add_source(w->session, &ring_source, b);
	bpf_on(b, BPF_KIND_STACK, on_stack, b);
	bpf_on(b, BPF_KIND_USER, on_user, b);
	bpf_on(b, BPF_KIND_PIECES, on_pieces, b);
	return 0;
}

static const struct bpfobj_row *find_row(const char *name)
{
	const struct bpfobj_row *row = bpfobjs;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

static void share_map(struct bpf_object *o, const char *name, int fd)
{
	struct bpf_map *m = bpf_object__find_map_by_name(o, name);

	if (m)
		bpf_map__reuse_fd(m, fd);
}

struct bpf_object *bpf_embedded(const char *name, struct err *err)
{
	const struct bpfobj_row *row = find_row(name);
	struct bpf_object *o;
	int rc;

	libbpf_set_print(keep_words);
	if (!row) {
		err_set(err, -ENOENT, "there is no BPF object %s", name);
		return NULL;
	}
	if (row->start == row->end) {
		err_set(err, -ENOSYS,
			"this dtrace has no BPF programs: it was built without clang");
		return NULL;
	}
	/* else types that this kernel has not are looked for in modules, listed by CAP_SYS_ADMIN */
	const char *btf = procfs_is_capable(CAP_SYS_ADMIN) ? NULL : "/sys/kernel/btf/vmlinux";
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name, .btf_custom_path = btf);
	o = bpf_object__open_mem(row->start, (size_t)(row->end - row->start), &opts);
	rc = (int)libbpf_get_error(o);
	if (!rc)
		return o;
	err_set(err, rc, "the BPF object %s cannot be opened: %s", name, libbpf_says);
	return NULL;
}

int bpf_use(struct bpf *b, const char *name, const struct bpf_client *client,
	    struct bpf_object **out, struct err *err)
{
	struct bpf_object *o;

	for (unsigned i = 0; i < b->nused; i++)
		if (strcmp(b->used[i].name, name) == 0) {
			*out = b->used[i].object;
			return 0;
		}
	o = bpf_embedded(name, err);
	if (!o)
		return err->code;
	share_map(o, "ring", b->shared.ring_fd);
	share_map(o, "lost", b->shared.lost_fd);
	share_map(o, "pieces", b->shared.pieces_fd);
	b->used = xrealloc(b->used, (b->nused + 1) * sizeof(*b->used));
	b->used[b->nused++] = (struct bpf_used){bpf_object__name(o), o, *client, false};
	*out = o;
	return 0;
}

void *bpf_rodata(struct bpf_object *o, size_t *size)
{
	struct bpf_map *m;

	bpf_object__for_each_map (m, o)
		if (strstr(bpf_map__name(m), ".rodata"))
			return (void *)(uintptr_t)bpf_map__initial_value(m, size);
	return NULL;
}

void bpf_on(struct bpf *b, enum bpf_kind kind, bpf_fn *fn, void *arg)
{
	b->on[kind].fn = fn;
	b->on[kind].arg = arg;
}

void bpf_at_event(struct bpf *b, const char *program, uint64_t event)
{
	for (unsigned i = 0; i < b->nsamplers; i++)
		if (strcmp(b->samplers[i].program, program) == 0)
			return;
	b->samplers[b->nsamplers++] = (struct bpf_sampler){program, event};
}

int bpf_map(struct bpf *b, const char *object, const char *map)
{
	for (unsigned i = 0; i < b->nused; i++)
		if (strcmp(b->used[i].name, object) == 0 && b->used[i].is_loaded)
			return bpf_object__find_map_fd_by_name(b->used[i].object, map);
	return -ENOENT;
}

void bpf_event_init(struct bpf *b, struct event *ev, const struct bpf_head *h)
{
	const struct perf_sample sm = {.pid = (pid_t)h->pid,
				       .tid = (pid_t)h->tid,
				       .cpu = (int)h->cpu,
				       .time_ns = h->time_ns};
	const struct bpf_captured *captured;
	pid_t parent;

	perf_event_init(b->world->perf, ev, &sm);
	if (b->stacks.n || b->users.n)
		set_stacks(b, ev, h);
	captured = bpf_kept_find(&b->captured, h);
	parent = captured ? pieces_lend(b->shared.pieces, captured, ev) : 0;
	if (parent)
		proctab_parent_is(perf_procs(b->world->perf), ev->pid, parent);
}

unsigned bpf_wanted_stacks(const struct bpf *b, unsigned needs)
{
	unsigned wanted = needs & NEED_KSTACK ? BPF_WANT_KSTACK : 0;

	if (needs & NEED_REGS ||
	    (needs & NEED_USTACK && opt_on(&b->world->session->options, OPT_USTACKUNWIND)))
		return wanted | BPF_WANT_USER;
	return wanted | (needs & NEED_USTACK ? BPF_WANT_USTACK : 0);
}

unsigned bpf_wanted_pieces(const struct bpf *b, const char *object, const struct probe *p)
{
	return p->needs & (NEED_KERNEL | NEED_PPID | NEED_FACTS)
		       ? pieces_add(b->shared.pieces, object, p)
		       : 0;
}

const struct bpf_shared *bpf_shared(const struct bpf *b)
{
	return &b->shared;
}

void bpf_add_extra(struct bpf *b, const struct bpf_extra *extra)
{
	assert(b->nextras < BPF_EXTRAS);
	b->extras[b->nextras++] = *extra;
}

void bpf_keep_attached(struct bpf *b, int fd)
{
	b->kept = xrealloc(b->kept, (b->nkept + 1) * sizeof(int));
	b->kept[b->nkept++] = fd;
}

/* ---- start and stop ---- */

static void detach(struct bpf *b)
{
	for (unsigned i = 0; i < b->nlinks; i++)
		bpf_link__destroy(b->links[i]);
	for (unsigned i = 0; i < b->nkept; i++)
		close(b->kept[i]);
	b->nlinks = b->nkept = 0;
}

static bool is_of(const struct bpf_program *prog, const char *section)
{
	return strncmp(bpf_program__section_name(prog), section, strlen(section)) == 0;
}

/* A program that looks at all there are of something runs once, when the others see what is new. */
static int run_iterators(struct bpf_used *u, struct err *err)
{
	struct bpf_program *prog;
	struct bpf_link *link;
	char rest[256];
	int fd, rc;

	bpf_object__for_each_program (prog, u->object) {
		if (!bpf_program__autoload(prog) || !is_of(prog, "iter"))
			continue;
		link = bpf_program__attach(prog);
		fd = libbpf_get_error(link) ? -1 : bpf_iter_create(bpf_link__fd(link));
		rc = -errno;
		while (fd >= 0 && (rc = (int)read(fd, rest, sizeof(rest))) > 0)
			;
		if (fd >= 0)
			close(fd);
		bpf_link__destroy(link);
		if (rc < 0)
			return err_set(err, rc, "the BPF program %s cannot run: %s",
				       bpf_program__name(prog), strerror(-rc));
	}
	return 0;
}

static int keep_link(struct bpf *b, const struct bpf_program *prog, struct bpf_link *link,
		     struct err *err)
{
	int rc = (int)libbpf_get_error(link);

	if (rc)
		return err_set(err, rc, "the BPF program %s cannot be attached: %s",
			       bpf_program__name(prog), strerror(-rc));
	b->links = xrealloc(b->links, (b->nlinks + 1) * sizeof(struct bpf_link *));
	b->links[b->nlinks++] = link;
	return 0;
}

/* On every CPU that is there. */
static int attach_sampler(struct bpf *b, struct bpf_program *prog, struct err *err)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = PERF_TYPE_SOFTWARE, .sample_period = 1};
	unsigned i = 0;
	int rc = 0;

	while (i < b->nsamplers && strcmp(b->samplers[i].program, bpf_program__name(prog)) != 0)
		i++;
	if (i == b->nsamplers)
		return err_set(err, -EINVAL, "the BPF program %s has no event",
			       bpf_program__name(prog));
	a.config = b->samplers[i].event;
	for (int cpu = 0; rc == 0 && cpu < libbpf_num_possible_cpus(); cpu++) {
		int fd = perf_open(&a, -1, cpu);

		if (fd == -ENODEV || fd == -ENXIO) /* it is off */
			continue;
		if (fd < 0)
			return err_set(err, fd, "cannot open an event of the kernel: %s%s",
				       strerror(-fd), err_next_step(-fd));
		rc = keep_link(b, prog, bpf_program__attach_perf_event(prog, fd), err);
		if (rc < 0)
			close(fd);
	}
	return rc;
}

static int attach(struct bpf *b, struct bpf_used *u, struct err *err)
{
	struct bpf_program *prog;
	int rc = 0;

	bpf_object__for_each_program (prog, u->object) {
		if (!bpf_program__autoload(prog) || !bpf_program__autoattach(prog) ||
		    is_of(prog, "iter") || rc < 0)
			continue;
		if (bpf_program__type(prog) == BPF_PROG_TYPE_PERF_EVENT)
			rc = attach_sampler(b, prog, err);
		else if (is_of(prog, "cgroup"))
			rc = keep_link(b, prog, cgroup_attach(prog), err);
		else
			rc = keep_link(b, prog, bpf_program__attach(prog), err);
	}
	return rc < 0 ? rc : run_iterators(u, err);
}

static int load(struct bpf_used *u, struct err *err)
{
	int rc;

	if (u->client.prepare)
		u->client.prepare(u->client.arg);
	rc = bpf_object__load(u->object);
	if (rc < 0)
		return err_set(err, rc, "the kernel refuses the BPF object %s: %s%s", u->name,
			       strerror(-rc), err_next_step(-rc));
	u->is_loaded = true;
	return u->client.loaded ? u->client.loaded(u->client.arg, err) : 0;
}

/* To load them takes time, in which programs that are attached would fill the ring that nobody
 * reads yet, with page faults of our own first of all. */
static int bpf_start(void *arg, struct err *err)
{
	struct bpf *b = arg;
	int rc = pieces_fill(b->shared.pieces, b->shared.pieces_fd, err);

	for (unsigned i = 0; i < b->nused && rc == 0; i++)
		rc = load(&b->used[i], err);
	for (unsigned i = 0; i < b->nused && rc == 0; i++)
		rc = attach(b, &b->used[i], err);
	for (unsigned i = 0; i < b->nextras && rc == 0; i++)
		rc = b->extras[i].start(b->extras[i].arg, err);
	return rc;
}

void bpf_foresee(struct world *w)
{
	for (unsigned i = 0; w->bpf && i < w->bpf->nused; i++)
		if (w->bpf->used[i].client.prepare)
			w->bpf->used[i].client.prepare(w->bpf->used[i].client.arg);
}

uint64_t bpf_nread(const struct bpf *b)
{
	return b->nread;
}

static void tell_missed(struct bpf *b)
{
	uint64_t missed = 0;

	for (unsigned i = 0; i < b->nused; i++)
		if (b->used[i].is_loaded)
			missed += bpf_missed_by_all(b->used[i].object);
	bpf_tell_missed(b->world->session, missed);
}

static void bpf_stop(void *arg)
{
	struct bpf *b = arg;

	detach(b);
	for (unsigned i = 0; i < b->nextras; i++)
		if (b->extras[i].stop)
			b->extras[i].stop(b->extras[i].arg);
	session_flush_sources(b->world->session);
	bpf_lost_room(&b->lost, b->world->session, b->shared.lost_fd);
	tell_missed(b);
	if (b->ring.npassed)
		session_lose_events(b->world->session, 0, b->ring.npassed);
}

static void bpf_snapshot(void *arg)
{
	const struct bpf *b = arg;

	for (unsigned i = 0; i < b->nused; i++)
		if (b->used[i].client.snapshot)
			b->used[i].client.snapshot(b->used[i].client.arg);
}

static void bpf_free(void *arg)
{
	struct bpf *b = arg;
	const int fds[] = {b->shared.ring_fd, b->shared.lost_fd, b->shared.pieces_fd};

	if (b->world->bpf == b)
		b->world->bpf = NULL;
	detach(b);
	for (unsigned i = 0; i < b->nused; i++)
		bpf_object__close(b->used[i].object);
	bpf_ring_release(&b->ring);
	for (unsigned i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	bpf_lost_release(&b->lost);
	bpf_kept_release(&b->stacks);
	bpf_kept_release(&b->users);
	bpf_kept_release(&b->captured);
	pieces_free(b->shared.pieces);
	free(b->links);
	free(b->kept);
	free(b->used);
	free(b);
}
