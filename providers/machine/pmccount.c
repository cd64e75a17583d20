#include "providers/machine/pmccount.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "providers/kernel/bpfcount.h"
#include "providers/kernel/bpftargets.h"
#include "providers/kernel/features.h"

#define OBJECT "pmc"

struct pmc_counting {
	struct session *session;
	struct bpf *bpf;
	struct bpf_object *object;
	struct bpf_pmc *made; /* the object's constants */
	struct bpf_counter *counter;
	bool is_there; /* else the kernel does not take it */
	struct pmc_probe *rows[BPF_COUNT_ROWS];
	unsigned n;
	struct counting_fd {
		int fd;
		unsigned row;
	} * fds;
	unsigned nfds;
	bool has_ended;
};

/* arg0, and of cpc arg1. */
static const struct bpf_word words[] = {
	{.rows = ~0U, .word = 0, .arg = 0, .size = 8},
	{.rows = ~0U, .word = 1, .arg = 1, .size = 8},
};
static const struct bpf_knows knows = {BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME, words,
				       ARRAY_SIZE(words)};

/* ---- start ---- */

static int attach(struct pmc_counting *pc, unsigned row, int program, int cpu, struct err *err)
{
	const struct pmc_probe *pp = pc->rows[row];
	struct perf_event_attr a = {.size = sizeof(a),
				    .type = pp->source.type,
				    .config = pp->source.config,
				    .sample_period = pp->interval,
				    .disabled = 1, /* until the program is there */
				    .exclude_hv = 1,
				    .exclude_kernel = pp->mode == PMC_USER,
				    .exclude_user = pp->mode == PMC_KERNEL};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = row);
	int fd = perf_open(&a, -1, cpu), link;

	if (fd == -ENODEV || fd == -ENXIO) /* it is off */
		return 0;
	if (fd < 0)
		return err_set(err, fd, "cannot open an event of the kernel: %s%s", strerror(-fd),
			       fd == -EMFILE ? "; each needs one for every CPU: raise ulimit -n"
					     : "");
	pc->fds = xrealloc(pc->fds, (pc->nfds + 1) * sizeof(*pc->fds));
	pc->fds[pc->nfds++] = (struct counting_fd){fd, row};
	link = bpf_link_create(program, fd, BPF_PERF_EVENT, &opts);
	if (link < 0)
		return err_set(err, -errno, "the BPF program on_sample cannot be attached: %s",
			       strerror(errno));
	bpf_keep_attached(pc->bpf, link);
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0
		       ? err_set(err, -errno, "cannot start an event of the kernel: %s",
				 strerror(errno))
		       : 0;
}

static int on_loaded(void *arg, struct err *err)
{
	struct pmc_counting *pc = arg;
	int rc = bpf_targets_fill(world_of(pc->session), pc->object, err);
	int program = bpf_program__fd(bpf_object__find_program_by_name(pc->object, "on_sample"));

	for (unsigned i = 0; i < pc->n && rc == 0; i++)
		for (int cpu = 0; cpu < libbpf_num_possible_cpus() && rc == 0; cpu++)
			rc = attach(pc, i, program, cpu, err);
	return rc;
}

/* ---- what was counted ---- */

/* Where everybody is meant: what the kernel has counted and not shown to the program. */
static void tell_hidden(const struct pmc_counting *pc, unsigned row)
{
	const struct pmc_probe *pp = pc->rows[row];
	uint64_t n = 0, all = 0, ran;

	if (pp->source.kind != PMC_SOFTWARE || pc->made->first_target ||
	    !bpf_sum_of_cpus(bpf_map(pc->bpf, OBJECT, "ran"), row, &ran))
		return;
	for (unsigned i = 0; i < pc->nfds; i++)
		if (pc->fds[i].row == row && read(pc->fds[i].fd, &n, sizeof(n)) == sizeof(n))
			all += n / pp->interval;
	atomic_fetch_add_explicit(&pc->session->drops[DROP_HIDDEN], all - MIN(all, ran),
				  memory_order_relaxed);
}

static void collect(void *arg)
{
	struct pmc_counting *pc = arg;
	bool is_end = pc->session->state == SESSION_DRAINING && !pc->has_ended;

	for (unsigned i = 0; i < pc->nfds && is_end; i++)
		ioctl(pc->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	bpf_counter_collect(pc->counter, pc->bpf, &pc->made->wants.counts, OBJECT);
	for (unsigned i = 0; i < pc->n && is_end; i++)
		tell_hidden(pc, i);
	pc->has_ended |= is_end;
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	const struct pmc_counting *pc = arg;
	const struct bpf_numbers *r = (const void *)h;
	struct event ev;

	if (len < sizeof(*r) || r->row >= pc->n || bpf_counted(pc->bpf) & 1U << r->row)
		return;
	bpf_event_init(pc->bpf, &ev, h);
	ev.probe = pc->rows[r->row]->probe;
	ev.args[0] = r->args[0];
	ev.args[1] = r->args[1];
	event_fire(pc->session, &ev);
}

/* ---- enabling ---- */

static bool open_object(struct pmc_counting *pc)
{
	const struct bpf_client client = {.loaded = on_loaded, .snapshot = collect, .arg = pc};
	const struct session *s = pc->session;
	struct world *w = world_of(s);
	struct err why = {0};
	size_t size = 0;

	if (world_bpf(w, &pc->bpf, &why) < 0 ||
	    bpf_use(pc->bpf, OBJECT, &client, &pc->object, &why) < 0)
		return false;
	pc->made = bpf_rodata(pc->object, &size);
	if (!pc->made || size < sizeof(*pc->made))
		return false;
	bpf_program__set_autoattach(bpf_object__find_program_by_name(pc->object, "on_sample"),
				    false);
	bpf_targets_choose(w, pc->object, &pc->made->first_target, pc->made->own);
	pc->made->front = (uint32_t)s->front_pid;
	pc->counter = bpf_counter_new(pc->session, words, ARRAY_SIZE(words));
	bpf_on(pc->bpf, BPF_KIND_PMC, on_record, pc);
	return true;
}

/* NULL: there is none, and none can be. */
static struct pmc_counting *counting_of(struct session *s)
{
	struct world *w = world_of(s);
	struct pmc_counting *pc = w->pmc_counting;

	if (!pc) {
		pc = w->pmc_counting = xcalloc(1, sizeof(*pc));
		pc->session = s;
		pc->is_there = feature_works(world_features(w), FEATURE_BPF) && open_object(pc);
	}
	return pc->is_there ? pc : NULL;
}

/* What the program is to do for these rows. False: their clauses cannot all be kept there. */
static bool make(struct pmc_counting *pc, unsigned n)
{
	struct bpf_wants *to = &pc->made->wants;
	struct bpf_counts *c = &to->counts;
	struct filter asked;

	filter_init(&asked);
	for (unsigned i = 0; i < n; i++)
		bpf_filter_add(&asked, pc->rows[i]->probe, &knows);
	bpf_counter_reset(pc->counter, c);
	if (!asked.is_exact || !bpf_filter_make(&asked, &knows, &to->filter))
		return false;
	to->filter_asks = bpf_filter_asks(&to->filter);
	for (unsigned i = 0; i < BPF_FILTER_NODES; i++)
		c->asks_name |= to->filter.nodes[i].what == BPF_FILTER_NAME;
	for (unsigned i = 0; i < n; i++) {
		const struct probe *p = pc->rows[i]->probe;

		c->stmts[i] = bpf_counter_add(pc->counter, c, i, 1U << i, p);
		if (!c->stmts[i])
			return false;
		c->rows |= 1U << i;
	}
	bpf_counter_size(pc->counter, pc->object, c);
	return true;
}

bool pmc_counts_by_keys(struct pmc_probe *pp)
{
	struct session *s = pp->probe->session;
	struct pmc_counting *pc;
	struct keyed all[BPF_COUNT_STMTS];

	/* clocks are few samples, and their interrupt may find the program at work */
	if (pp->source.kind != PMC_SOFTWARE || world_of(s)->log || !perf_sees_all(pp->perf) ||
	    !probe_keyed(pp->probe, all, ARRAY_SIZE(all)))
		return false;
	pc = counting_of(s);
	if (!pc || pc->n == ARRAY_SIZE(pc->rows))
		return false;
	pc->rows[pc->n] = pp;
	if (!make(pc, pc->n + 1)) {
		if (pc->n)
			make(pc, pc->n);
		return false;
	}
	if (pp->is_cpc)
		pc->made->cpc_rows |= 1U << pc->n;
	pc->n++;
	return true;
}

void pmc_count_free(struct session *s)
{
	struct pmc_counting *pc = world_of(s)->pmc_counting;

	if (!pc)
		return;
	for (unsigned i = 0; i < pc->nfds; i++)
		close(pc->fds[i].fd);
	free(pc->fds);
	bpf_counter_free(pc->counter);
	free(pc);
	world_of(s)->pmc_counting = NULL;
}
