/*
 * prov_pf.c: page faults by their kinds, images that are loaded, and address space that processes
 * ask for and give back (docs/spec/providers.md §4.7), seen by providers/kernel/bpf/pf.bpf.c.
 * Images come from the records that perf makes of mappings.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "providers/kernel/features.h"
#include "providers/kernel/kprog/eventclauses.h"
#include "providers/kernel/perf.h"
#include "providers/providers.h"
#include "providers/system/numbers/faultmode.h"
#include "providers/system/numbers/faultsamples.h"
#include "providers/system/numbers/recareas.h"
#include "providers/system/numbers/recviolations.h"

#define PATH_ROOM 1024

#define FAULTS "on_user_fault on_kernel_fault "
#define CALLS  "on_call on_return"

/* clang-format off */
static const struct bpf_probe_row rows[PF_NROWS] = {
	[PF_HARDFLT] =   {"hardflt",   FAULTS "on_hard", 5},
	[PF_IMGLOAD] =   {"imgload",   "", 4},
	[PF_VALLOC] =    {"valloc",    CALLS, 4},
	[PF_VFREE] =     {"vfree",     CALLS, 4},
	[PF_TRANS_FLT] = {"trans_flt", FAULTS "on_soft", 3},
	[PF_DZERO_FLT] = {"dzero_flt", FAULTS "on_soft", 3},
	[PF_COW_FLT] =   {"cow_flt",   FAULTS "on_soft", 3},
	[PF_GP_FLT] =    {"gp_flt",    FAULTS "on_soft", 3},
	[PF_HP_FLT] =    {"hp_flt",    FAULTS "on_hard", 3},
	[PF_AV_FLT] =    {"av_flt",    FAULTS "on_signal", 3},
};
/* clang-format on */

#define ROW(row) (1U << (row))
static const struct fault_rows fault_rows = {
	.all = ROW(PF_HARDFLT) | ROW(PF_TRANS_FLT) | ROW(PF_DZERO_FLT) | ROW(PF_COW_FLT) |
	       ROW(PF_GP_FLT) | ROW(PF_HP_FLT) | ROW(PF_AV_FLT),
	.by_page = ROW(PF_TRANS_FLT) | ROW(PF_DZERO_FLT) | ROW(PF_COW_FLT),
	.at_begin = ROW(PF_DZERO_FLT) | ROW(PF_COW_FLT),
};

_Static_assert(offsetof(struct bpf_pf, parts) == BPF_PF_SHORT, "short records");

/* Those whose clauses may run in the kernel. Of a hard fault they may not: its beginning is told at
 * its end, and there are no more than disks can read. */
static const struct event_row clause_rows[] = {
	{ROW(PF_DZERO_FLT) | ROW(PF_COW_FLT), "page_fault_user", "begun_clauses", true},
	{ROW(PF_TRANS_FLT) | ROW(PF_DZERO_FLT) | ROW(PF_COW_FLT) | ROW(PF_GP_FLT), NULL,
	 "ended_clauses", true},
	{ROW(PF_AV_FLT), "signal_generate", "signal_clauses", true},
	{ROW(PF_VALLOC) | ROW(PF_VFREE), "sys_exit", "return_clauses", true},
};

/* args[n] of those whose programs count: all but hardflt, whose first one is a name. */
#define WORD(n)                                                                                    \
	{                                                                                          \
		.rows = ~(1U << PF_HARDFLT | 1U << PF_IMGLOAD), .word = (n), .arg = (n), .size = 8 \
	}
static const struct bpf_word words[] = {WORD(0), WORD(1), WORD(2), WORD(3)};

struct pf_world {
	struct bpf_probes probes;
	bool hears_mappings;
	char path[PATH_ROOM];	   /* what D reads */
	struct recareas *areas[2]; /* of a recording: asked for, given back */
	struct recviolations *violations;
};

static struct pf_world *pf_of(const struct session *s)
{
	return world_of(s)->pf;
}

/* ---- records ---- */

static void set_path(struct pf_world *w, const struct bpf_pf *r)
{
	size_t at = 0;

	w->path[0] = '\0';
	for (unsigned i = MIN(r->nparts, (unsigned)BPF_PF_PARTS); i-- > 0 && at < PATH_ROOM;)
		at += (size_t)snprintf(w->path + at, PATH_ROOM - at, "/%.*s", BPF_PF_NAME - 1,
				       r->parts[i]);
	if (!at)
		snprintf(w->path, PATH_ROOM, "<none>");
}

static void show_path(struct pf_world *w, struct event *ev)
{
	ev->raw = w->path;
	ev->rawlen = sizeof(w->path);
	ev->args[0] = (uintptr_t)w->path;
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct pf_world *w = arg;
	const struct bpf_pf *r = (const void *)h;
	struct event ev;

	if (len < BPF_PF_SHORT || r->row >= PF_NROWS)
		return;
	bpf_event_init(w->probes.bpf, &ev, h);
	for (unsigned i = 0; i < ARRAY_SIZE(r->args); i++)
		ev.args[i] = r->args[i];
	if (r->row == PF_HARDFLT && len >= sizeof(*r)) {
		set_path(w, r);
		show_path(w, &ev);
	}
	bpf_probes_fire(&w->probes, r->row, &ev);
}

static void on_mapping(void *arg, const struct perf_mapping *m)
{
	struct pf_world *w = arg;
	struct event ev;

	perf_event_init(world_of(w->probes.session)->perf, &ev, &m->at);
	snprintf(w->path, sizeof(w->path), "%s", m->path);
	show_path(w, &ev);
	ev.args[1] = m->flags & 0xffff;
	ev.args[2] = m->dev_major;
	ev.args[3] = m->dev_minor;
	bpf_probes_fire(&w->probes, PF_IMGLOAD, &ev);
}

/* ---- enabling ---- */

/* A user without privileges is told of the images of the programs that are traced. */
static int hear_mappings(struct pf_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	struct perf *perf;
	int rc = world_perf(world, &perf, err);

	if (rc == 0 && !world->nprocs && !feature_works(world_features(world), FEATURE_PERF_SYSTEM))
		rc = perf_may(perf, p, PERF_SYSTEM, err);
	if (rc < 0)
		return rc;
	perf_note_needs(perf, p->needs);
	w->probes.probes[PF_IMGLOAD] = p;
	if (!w->hears_mappings)
		perf_on_mapping(perf, on_mapping, w);
	w->hears_mappings = true;
	return 0;
}

/* ---- without programs in the kernel ---- */

static void fill_fault(void *arg UNUSED, const struct perf_sample *sm, struct event *ev)
{
	ev->args[0] = sm->addr;
	ev->args[1] = sm->ip;
	ev->args[2] = sm->cpumode == PERF_RECORD_MISC_KERNEL;
}

static void fill_hard(void *arg, const struct perf_sample *sm, struct event *ev)
{
	struct pf_world *w = arg;

	snprintf(w->path, sizeof(w->path), "<unknown>");
	show_path(w, ev);
	ev->args[1] = sm->addr;
	ev->args[4] = (uint64_t)sm->tid;
}

/* The reason why BPF cannot stays in err where nothing else can either. */
static int use_samples(struct pf_world *w, struct probe *p, const struct err *err)
{
	const bool is_hard = bpf_probes_row(p) == PF_HARDFLT;

	if (!is_hard && bpf_probes_row(p) != PF_HP_FLT)
		return err->code;
	return faultsamples_add(p, FAULTS_HARD,
				is_hard ? "[0] (file), [2] (time), [3] (offset)" : NULL,
				is_hard ? fill_hard : fill_fault, w) < 0
		       ? err->code
		       : 0;
}

static void on_area(struct pf_world *w, unsigned row, const struct recarea *a, struct event *ev)
{
	ev->args[0] = a->addr;
	ev->args[1] = (uint64_t)ev->pid;
	ev->args[2] = a->size;
	ev->args[3] = a->kind;
	bpf_probes_fire(&w->probes, row, ev);
}

static void on_asked(void *arg, const struct recarea *a, struct event *ev)
{
	on_area(arg, PF_VALLOC, a, ev);
}

static void on_freed(void *arg, const struct recarea *a, struct event *ev)
{
	on_area(arg, PF_VFREE, a, ev);
}

static int use_calls(struct pf_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	const bool are_freed = bpf_probes_row(p) == PF_VFREE;
	struct recareas **areas = &w->areas[are_freed];
	int rc;

	*areas = recareas_new(are_freed, are_freed ? on_freed : on_asked, w);
	rc = recareas_listen(*areas, world, perf_flags(p->needs), err);
	if (rc < 0)
		return rc;
	perf_note_needs(world->perf, p->needs);
	bpf_probes_do_without(p, are_freed ? "[3] (protection)" : NULL);
	return 0;
}

static void on_violation(void *arg, struct event *ev, uint64_t addr, uint64_t ip)
{
	struct pf_world *w = arg;

	ev->args[0] = addr;
	ev->args[1] = ip;
	bpf_probes_fire(&w->probes, PF_AV_FLT, ev);
}

static int use_signals(struct pf_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	bool has_addresses;

	w->violations = recviolations_new(world, perf_flags(p->needs), on_violation, w,
					  &has_addresses, err);
	if (!w->violations)
		return err->code;
	perf_note_needs(world->perf, p->needs);
	bpf_probes_do_without(p, has_addresses ? NULL
					       : "[0] (address), [1] (instruction; "
						 "exceptions:page_fault_user)");
	return 0;
}

static int use_recording(struct pf_world *w, struct probe *p, struct err *err)
{
	const unsigned row = bpf_probes_row(p);

	if (row == PF_VALLOC || row == PF_VFREE)
		return use_calls(w, p, err);
	if (row == PF_AV_FLT)
		return use_signals(w, p, err);
	faultsamples_lack(p, w->probes.without_bpf & 1U << row ? FAULTS_HARD : 0, err);
	return use_samples(w, p, err);
}

static int pf_enable(struct probe *p, struct err *err)
{
	struct pf_world *w = pf_of(p->session);
	int rc;

	if (bpf_probes_row(p) == PF_IMGLOAD)
		return hear_mappings(w, p, err);
	if (bpf_probes_are_recorded(p))
		return use_recording(w, p, err);
	rc = bpf_probes_enable(p, err);
	if (rc < 0)
		return use_samples(w, p, err);
	bpf_at_event(w->probes.bpf, "on_hard", PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	bpf_at_event(w->probes.bpf, "on_soft", PERF_COUNT_SW_PAGE_FAULTS_MIN);
	bpf_on(w->probes.bpf, BPF_KIND_PF, on_record, w);
	event_clauses_use(&w->probes, clause_rows, ARRAY_SIZE(clause_rows));
	return 0;
}

static void prepare(void *arg)
{
	faultmode_choose(arg, &fault_rows);
}

static int pf_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		      struct err *err UNUSED)
{
	struct pf_world *w;

	if (d || pf_of(s))
		return 0;
	w = world_of(s)->pf = xcalloc(1, sizeof(*w));
	w->probes = (struct bpf_probes){.provider = &prov_pf,
					.object = "pf",
					.rows = rows,
					.nrows = PF_NROWS,
					.words = words,
					.nwords = ARRAY_SIZE(words),
					.without_bpf = 1U << PF_HARDFLT | 1U << PF_HP_FLT,
					.knows = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME,
					.prepare = prepare,
					.loaded_arg = &w->probes,
					.session = s};
	bpf_probes_create(&w->probes);
	return 0;
}

static void pf_free(struct session *s)
{
	struct pf_world *w = pf_of(s);

	if (!w)
		return;
	recareas_free(w->areas[0]);
	recareas_free(w->areas[1]);
	recviolations_free(w->violations);
	free(w);
	world_of(s)->pf = NULL;
}

const struct provider prov_pf = {
	.name = "pf",
	.is_of_kernel = true,
	.provide = pf_provide,
	.enable = pf_enable,
	.argtypes = bpf_probes_argtypes,
	.free = pf_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
