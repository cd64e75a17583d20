#include "providers/kernel/kprog/kernprobe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/glob.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/places.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/bpffilter.h"
#include "providers/kernel/bpfring.h"
#include "providers/kernel/bpfpieces.h"
#include "providers/kernel/kprog/kernmem.h"
#include "providers/kernel/slowclose.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/pushreport.h"
#include "providers/world/userstack.h"
#include "providers/world/kernsyms.h"
#include "tracer/janitor/watchdog.h"

#define USER_TOP	(1ULL << 63)
#define MAX_COUNTED	65536
#define MAX_THREAD_ARGS 2
#define USER_CODE	0x33 /* __USER_CS: tables are for 64-bit code */

struct kernprobe {
	struct probe *probe;
	struct kernpoint *point;
	struct kprog prog;
	char *filter_text; /* the filter in the kernel; NULL: none */
	unsigned nthreads;
	struct thread_arg { /* an argument that is a thread, and the pieces that say which */
		unsigned arg, pid, start;
	} threads[MAX_THREAD_ARGS];
	int prog_fd, link_fd;
	uint64_t handed_over; /* of what was counted */
};

struct kernprobes {
	struct session *session;
	struct bpf *bpf;
	struct kernprobe **v;
	unsigned n, nlinks;
	int counts_fd; /* -1: nothing is counted */
	/* the memory behind the record that is handled */
	struct target memory;
	const struct kernprobe *hit;
	const struct kprog_record *record;
	uint64_t args[EVENT_ARGS];
	struct userstack user;
	int has_regs; /* 0: not tried yet; 1: they can be had; -1: not */
};

/* ---- memory that was recorded ---- */

static ssize_t read_recorded(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct kernprobes *kp = t->priv;
	const struct kprog *g = &kp->hit->prog;
	const struct pieces_read read = {.capture = &g->capture,
					 .at = g->at,
					 .bytes = (const char *)kp->record,
					 .got = kp->record->got,
					 .thread = kp->record->thread,
					 .args = kp->args};
	size_t room;
	const char *from = pieces_find(&read, addr, n, &room);

	if (from) {
		memcpy(buf, from, MIN(n, room));
		return (ssize_t)MIN(n, room);
	}
	return addr < USER_TOP ? target_read(t->now, addr, buf, n) : -EFAULT;
}

/* ---- records ---- */

/* A result that is narrower than a register has anything above it. */
static uint64_t widen(const struct type *t, uint64_t v)
{
	unsigned bits = (unsigned)type_size(t) * 8;

	if (!bits || bits >= 64)
		return v;
	v <<= 64 - bits;
	return type_is_signed(t) ? (uint64_t)((int64_t)v >> (64 - bits)) : v >> (64 - bits);
}

static void fill_args(struct kernprobes *kp)
{
	const struct kernprobe *k = kp->hit;
	unsigned first = k->prog.kind == KPROG_RETURN ? 2 : 0;

	memset(kp->args, 0, sizeof(kp->args));
	if (first && k->prog.has_result)
		kp->args[1] = widen(k->point->func.result, kp->record->result);
	for (unsigned i = 0; i < k->prog.nargs && first + i < EVENT_ARGS; i++)
		kp->args[first + i] = kp->record->args[i];
}

/* The first frames are those of the program that looks: the function's own is the first that is
 * meant, of a tracepoint the one that announced it. */
static void fill_stacks(struct kernprobes *kp, struct event *ev)
{
	const struct kprog *k = &kp->hit->prog;
	const uint64_t *frames = (const uint64_t *)(const void *)((const char *)kp->record +
								  ROUND_UP(sizeof(*kp->record), 8));

	if (k->kstack && kp->record->kbytes > 0) {
		ev->kpcs = frames;
		ev->nkpcs = (unsigned)kp->record->kbytes / 8;
		world_trim_stack(world_of(kp->session), &ev->kpcs, &ev->nkpcs);
	}
	if (k->kstack)
		frames += KPROG_FRAMES;
	if (!k->ustack)
		return;
	kp->user.nchain = 0;
	kp->user.has_regs = false;
	if (k->copies_stack) {
		const struct kprog_user *u = (const void *)frames;

		memcpy(&kp->user.regs, u->regs, sizeof(u->regs));
		kp->user.has_regs = u->len && (kp->user.regs.r.cs & 0xffff) == USER_CODE;
		kp->user.stack = u->bytes;
		kp->user.len = u->len;
	} else if (kp->record->ubytes > 0) {
		kp->user.chain = frames;
		kp->user.nchain = MIN((unsigned)kp->record->ubytes / 8, (unsigned)KPROG_FRAMES);
	}
	perf_event_user(ev, &kp->user);
}

static uint64_t piece_value(const struct kernprobes *kp, unsigned piece)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)kp->record + kp->hit->prog.at[piece],
	       kp->hit->prog.capture.mem[piece].len);
	return v;
}

/* Clauses may keep the address and follow it when the thread is gone. */
static void tell_threads(const struct kernprobes *kp)
{
	const struct kernprobe *k = kp->hit;

	for (unsigned i = 0; i < k->nthreads; i++) {
		const struct thread_arg *a = &k->threads[i];
		struct kernthread t = {.addr = kp->args[a->arg], .state = KERNTHREAD_LIVES};

		if (!(kp->record->got & 1U << a->pid) || !(kp->record->got & 1U << a->start))
			continue;
		t.tid = (uint32_t)piece_value(kp, a->pid);
		t.start_ns = piece_value(kp, a->start);
		kernmem_tell(world_of(kp->session), &t);
	}
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct kernprobes *kp = arg;
	const struct kprog_record *r = (const void *)h;
	struct event ev;

	if (len < sizeof(*r) || r->index >= kp->n || len < kp->v[r->index]->prog.size)
		return;
	kp->record = r;
	kp->hit = kp->v[r->index];
	fill_args(kp);
	bpf_event_init(kp->bpf, &ev, h);
	kp->memory.now = ev.target;
	kp->memory.pid = ev.target->pid;
	ev.target = &kp->memory;
	ev.probe = kp->hit->probe;
	ev.curthread = r->thread;
	memcpy(ev.args, kp->args, sizeof(ev.args));
	fill_stacks(kp, &ev);
	tell_threads(kp);
	event_fire(kp->session, &ev);
}

/* ---- start and stop ---- */

/* Of a probe that only patterns have meant nobody has said that it must be there. */
static bool is_one_of_many(const struct probe *p)
{
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		if (!glob_is_pattern(e->clause->desc->func) && e->clause->desc->func[0])
			return false;
	return true;
}

/* What the kernel says where its trampolines cannot go (docs/spec/providers.md §1.5). */
static const char *why_not(int errnum)
{
	switch (errnum) {
	case EBUSY:
		return "it is marked notrace";
	case 524: /* ENOTSUPP */
		return "it has more arguments than can be passed on, or structures by value";
	default:
		return strerror(errnum);
	}
}

/* Once for several with the same filter. */
static void report_filters(const struct kernprobes *kp)
{
	for (unsigned i = 0, n = 1; i < kp->n; i++, n++) {
		const char *text = kp->v[i]->filter_text,
			   *next = i + 1 < kp->n ? kp->v[i + 1]->filter_text : NULL;

		if (text && next && strcmp(text, next) == 0)
			continue;
		if (text)
			pushdown_report(world_of(kp->session), kp->v[i]->probe->prov, n, text);
		n = 0;
	}
}

static int attach_all(void *arg, struct err *err)
{
	struct kernprobes *kp = arg;
	unsigned nrefused = 0;

	for (unsigned i = 0; i < kp->n; i++) {
		struct kernprobe *k = kp->v[i];
		const char *event = k->point->kind == KPROG_RAW ? k->point->target : NULL;

		if (k->prog_fd >= 0)
			k->link_fd = bpf_raw_tracepoint_open(event, k->prog_fd);
		if (k->prog_fd >= 0 && k->link_fd < 0 && !is_one_of_many(k->probe))
			return err_set(err, -errno,
				       "probe description %s:%s:%s:%s: the kernel lets nobody look "
				       "there: %s",
				       k->probe->prov, k->probe->mod, k->probe->func,
				       k->probe->name, why_not(errno));
		kp->nlinks += k->link_fd >= 0;
		nrefused += k->link_fd < 0;
	}
	report_filters(kp);
	if (nrefused)
		session_message(
			kp->session, MSG_ERR, false,
			"could not enable %u of %u probes: the kernel lets nobody look there",
			nrefused, kp->n);
	return 0;
}

static void detach_all(void *arg)
{
	struct kernprobes *kp = arg;
	int held = slowclose_in_a_child(kp->v[0]->point->kind == KPROG_RAW ? 0 : kp->nlinks);
	uint64_t missed = 0;

	for (unsigned i = 0; i < kp->n; i++)
		if (kp->v[i]->link_fd >= 0) {
			close(kp->v[i]->link_fd);
			kp->v[i]->link_fd = -1;
		}
	if (held >= 0)
		close(held);
	for (unsigned i = 0; i < kp->n; i++)
		if (kp->v[i]->prog_fd >= 0)
			missed += bpf_missed(kp->v[i]->prog_fd);
	bpf_tell_missed(kp->session, missed);
}

/* ---- enabling ---- */

/* Looks for the prototype, once. False: the kernel does not tell it. */
static bool know(struct session *s, struct kernpoint *pt)
{
	struct kernel_btf *btf = world_btf(world_of(s));

	if (!pt->was_looked_for && btf)
		pt->is_known = pt->kind == KPROG_RAW
				       ? kernel_btf_tracepoint(btf, pt->target, &pt->func)
				       : kernel_btf_function(btf, pt->target, &pt->func);
	pt->was_looked_for = true;
	return pt->is_known;
}

static int get(struct session *s, struct kernprobes **out, struct err *err)
{
	struct kernprobes *kp = world_of(s)->kernprobes;
	struct bpf *b;
	int rc;

	*out = kp;
	if (kp)
		return 0;
	rc = world_bpf(world_of(s), &b, err);
	if (rc < 0)
		return rc;
	*out = kp = world_of(s)->kernprobes = xcalloc(1, sizeof(*kp));
	kp->session = s;
	kp->bpf = b;
	kp->counts_fd = -1;
	kp->memory.read = read_recorded;
	kp->memory.holds_kernel = true;
	kp->memory.priv = kp;
	bpf_on(b, BPF_KIND_KERNEL, on_record, kp);
	bpf_add_extra(b, &(struct bpf_extra){attach_all, detach_all, kp});
	return 0;
}

static int get_counts(struct kernprobes *kp, struct err *err)
{
	if (kp->counts_fd < 0)
		kp->counts_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "kcounts", 4, 8,
					       MAX_COUNTED, NULL);
	return kp->counts_fd < 0 ? err_set(err, -errno, "cannot make a map for BPF programs: %s",
					   strerror(errno))
				 : 0;
}

static bool place(const struct probe *p, bool is_exact)
{
	bool is = is_exact && probe_actions_are_countable(p, CLAIM_ALL_PROCESSES);

	probe_place_counted(p, is, is_exact, WHY(NUMBERS));
	return is;
}

/* True: a number of what it lets pass is all that the clauses want. */
static bool use_filter(struct kernprobe *k)
{
	struct kprog *g = &k->prog;
	unsigned nargs = g->kind == KPROG_RAW ? MIN(g->nargs, 6U) : 0;
	const struct bpf_knows knows = {.set = BPF_KNOWS_IDS | ((1U << nargs) - 1)
								       << BPF_FILTER_ARG0};
	struct filter s;
	bool is_whole;

	filter_init(&s);
	bpf_filter_add(&s, k->probe, &knows);
	is_whole = bpf_filter_make(&s, &knows, &g->filter);
	if (!filter_passes_all(&s) && is_whole)
		k->filter_text = filter_text(&s, NULL, NULL, SIZE_MAX);
	return place(k->probe, s.is_exact && is_whole);
}

/* The registers are found so since Linux 5.15. */
static bool copies_stack(struct kernprobes *kp, unsigned needs)
{
	if (!(needs & NEED_REGS) &&
	    !(needs & NEED_USTACK && opt_on(&kp->session->options, OPT_USTACKUNWIND)))
		return false;
	if (!kp->has_regs)
		kp->has_regs = libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT,
						       BPF_FUNC_task_pt_regs, NULL) == 1
				       ? 1
				       : -1;
	return kp->has_regs > 0;
}

static unsigned add_piece(struct capture *c, unsigned arg, const struct type_member *m)
{
	c->mem[c->nmem] = (struct capture_mem){.base = MEM_ARG,
					       .index = arg,
					       .off = (int64_t)(m->bit_offset / 8),
					       .len = (uint32_t)type_size(m->type)};
	return c->nmem++;
}

/* Only where the memory of the kernel may be followed by what was kept. */
static void add_threads(struct kernprobe *k)
{
	const unsigned first = k->prog.kind == KPROG_RETURN ? 2 : 0;
	struct capture *c = &k->prog.capture;

	for (unsigned i = 0; i < k->prog.nargs && k->nthreads < MAX_THREAD_ARGS; i++) {
		const struct type *t = type_resolve(k->point->func.params[i].type);
		struct type_member pid, start;

		t = t->kind == TYPE_POINTER ? type_resolve(t->ref) : t;
		if (!t->is_kernel || !t->name || strcmp(t->name, "struct task_struct") != 0 ||
		    c->nmem + 2 > CAPTURE_KERNEL_MAX || !type_member(t, "pid", &pid) ||
		    !type_member(t, "start_time", &start) || type_size(start.type) != 8)
			continue;
		k->threads[k->nthreads].arg = first + i;
		k->threads[k->nthreads].pid = add_piece(c, first + i, &pid);
		k->threads[k->nthreads++].start = add_piece(c, first + i, &start);
	}
}

static int describe(struct kernprobes *kp, struct kernprobe *k, struct err *err)
{
	const struct session *s = kp->session;
	struct kernpoint *pt = k->point;
	struct kprog *g = &k->prog;
	bool is_known = know(kp->session, pt);

	*g = (struct kprog){
		.kind = pt->kind,
		.index = kp->n,
		.nargs = is_known ? MIN(pt->func.nparams, (unsigned)KPROG_ARGS) : 0,
		.has_result =
			is_known && pt->kind == KPROG_RETURN && type_size(pt->func.result) > 0,
		.kstack = k->probe->needs & NEED_KSTACK,
		.ustack = k->probe->needs & (NEED_USTACK | NEED_REGS),
		.copies_stack = copies_stack(kp, k->probe->needs),
		.own = {(uint32_t)s->engine_pid, s->watchdog ? (uint32_t)s->watchdog->pid : 0},
		.ring_fd = bpf_shared(kp->bpf)->ring_fd,
		.lost_fd = bpf_shared(kp->bpf)->lost_fd,
	};
	g->is_counted = use_filter(k) && kp->n < MAX_COUNTED;
	probe_capture_kernel(k->probe, &g->capture);
	if (is_known && k->probe->needs & NEED_KERNEL)
		add_threads(k);
	if (!g->is_counted)
		return 0;
	if (get_counts(kp, err) < 0)
		return err->code;
	g->counts_fd = kp->counts_fd;
	return 0;
}

static int load(struct kernprobe *k, struct err *err)
{
	static const struct {
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} kinds[] = {
		[KPROG_RAW] = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0},
		[KPROG_ENTRY] = {BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY},
		[KPROG_RETURN] = {BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT},
	};
	struct bpf_insn insns[KPROG_MAX];
	unsigned n = kprog_make(&k->prog, insns);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = kinds[k->prog.kind].attach);

	if (k->prog.kind != KPROG_RAW)
		opts.attach_btf_id = (__u32)k->point->func.id;
	k->prog_fd = bpf_prog_load(kinds[k->prog.kind].type, "dtrace", "GPL", insns, n, &opts);
	if (k->prog_fd < 0 && !is_one_of_many(k->probe))
		return err_set(err, -errno,
			       "probe description %s:%s:%s:%s: the kernel refuses its program: %s",
			       k->probe->prov, k->probe->mod, k->probe->func, k->probe->name,
			       why_not(errno));
	return 0;
}

int kernprobe_enable(struct probe *p, struct err *err)
{
	struct kernprobes *kp;
	struct kernprobe *k;
	int rc = get(p->session, &kp, err);

	if (rc < 0)
		return err_wrap(err, "probe description %s:%s:%s:%s", p->prov, p->mod, p->func,
				p->name);
	perf_note_needs(world_of(p->session)->perf, p->needs);
	k = xcalloc(1, sizeof(*k));
	k->probe = p;
	k->point = p->arg;
	k->prog_fd = k->link_fd = -1;
	rc = describe(kp, k, err);
	if (rc == 0)
		rc = load(k, err);
	if (rc < 0) {
		free(k);
		return rc;
	}
	kp->v = xrealloc(kp->v, (kp->n + 1) * sizeof(struct kernprobe *));
	kp->v[kp->n++] = k;
	return 0;
}

void kernprobes_free(struct world *w)
{
	struct kernprobes *kp = w->kernprobes;

	for (unsigned i = 0; kp && i < kp->n; i++) {
		struct kernprobe *k = kp->v[i];

		if (k->link_fd >= 0)
			close(k->link_fd);
		if (k->prog_fd >= 0)
			close(k->prog_fd);
		free(k->filter_text);
		free(k);
	}
	if (kp && kp->counts_fd >= 0)
		close(kp->counts_fd);
	if (kp) {
		free(kp->v);
	}
	free(kp);
	w->kernprobes = NULL;
}

/* ---- types ---- */

void kernprobe_argtypes(struct probe *p, struct probe_args *args)
{
	struct kernpoint *pt = p->arg;
	struct session *s = p->session;
	unsigned first = pt->kind == KPROG_RETURN ? 2 : 0;

	if (!know(s, pt)) {
		args->why = "the kernel does not tell its arguments";
		return;
	}
	if (!pt->args) {
		pt->nargs = MIN(pt->func.nparams + first, (unsigned)EVENT_ARGS);
		if (pt->kind == KPROG_RETURN && !type_size(pt->func.result) && !pt->func.nparams)
			pt->nargs = 1;
		pt->args = arena_alloc(s->arena, EVENT_ARGS * sizeof(*pt->args));
		for (unsigned i = 0; i < pt->nargs; i++)
			pt->args[i] = (struct probe_arg){
				.type = i >= first ? pt->func.params[i - first].type
					: i == 0   ? s->engine->types.t_int
						   : pt->func.result,
				.place = ARG_VALUE,
				.at = i};
	}
	args->v = pt->args;
	args->n = pt->nargs;
}

/* ---- counts ---- */

void kernprobe_snapshot(struct session *s, const struct provider *provider)
{
	struct kernprobes *kp = world_of(s)->kernprobes;

	for (unsigned i = 0; kp && i < kp->n; i++) {
		struct kernprobe *k = kp->v[i];
		struct event ev = {.probe = k->probe, .time_ns = session_now(s)};
		uint64_t sum;

		if (!k->prog.is_counted || k->probe->provider != provider ||
		    !bpf_sum_of_cpus(kp->counts_fd, i, &sum))
			continue;
		if (sum != k->handed_over)
			event_count(s, &ev, sum - k->handed_over);
		k->handed_over = sum;
	}
}
