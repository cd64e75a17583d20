#include "providers/kernel/bpfprobe.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "dlang/offload/places.h"
#include "providers/kernel/features.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/pushreport.h"
#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"

static const struct provider *provider_of(const struct bpf_probes *bp, unsigned row)
{
	return bp->providers ? bp->providers[row] : bp->provider;
}

void bpf_probes_create(struct bpf_probes *bp)
{
	struct world *w = world_of(bp->session);

	for (unsigned i = 0; i < bp->nrows; i++)
		probe_create(bp->session, provider_of(bp, i), provider_of(bp, i)->name,
			     KERNEL_MODULE, "", bp->rows[i].name, bp);
	bp->next = w->probes;
	w->probes = bp;
}

struct bpf_probes *bpf_probes_of(const struct probe *p)
{
	return p->arg;
}

unsigned bpf_probes_row(const struct probe *p)
{
	const struct bpf_probes *bp = bpf_probes_of(p);
	unsigned i = 0;

	while (strcmp(bp->rows[i].name, p->name) != 0 || provider_of(bp, i) != p->provider)
		i++;
	return i;
}

static struct bpf_knows knows_of(const struct bpf_probes *bp)
{
	return (struct bpf_knows){bp->knows, bp->words, bp->nwords};
}

/* All are enabled by now. */
static int on_loaded(void *arg, struct err *err)
{
	const struct bpf_probes *bp = arg;
	int rc = bp->loaded ? bp->loaded(bp->loaded_arg, err) : 0;
	struct bpf_knows knows;
	char *text;

	if (rc < 0 || !bp->nenabled || filter_passes_all(&bp->filter))
		return rc;
	knows = knows_of(bp);
	text = bpf_filter_text(&bp->filter, &knows);
	pushdown_report(world_of(bp->session), bp->provider->name, bp->nenabled, text);
	free(text);
	return 0;
}

/* All are enabled: what is counted is known. Clauses of programs of their own tell theirs later. */
static void place(const struct bpf_probes *bp)
{
	for (unsigned i = 0; i < bp->nrows; i++)
		if (bp->probes[i])
			probe_place_counted(bp->probes[i], bp->wants->counts.rows & 1U << i,
					    bp->filter.is_exact,
					    bp->counter ? WHY(AT_HAND) : WHY(EVENTS));
}

static void prepare(void *arg)
{
	const struct bpf_probes *bp = arg;

	place(bp);
	if (bp->prepare)
		bp->prepare(bp->loaded_arg);
}

static void collect(void *arg)
{
	const struct bpf_probes *bp = arg;

	if (bp->collect)
		bp->collect(bp->loaded_arg);
	if (bp->counter && bp->wants->counts.n)
		bpf_counter_collect(bp->counter, bp->bpf, &bp->wants->counts, bp->object);
}

static bool kernel_has(struct world *w, const char *function)
{
	struct kernel_btf *btf = world_btf(w);
	struct kernel_func found;

	return btf && kernel_btf_function(btf, function, &found);
}

/* Maps of what its programs could count. */
static void take_no_room(struct bpf_object *o)
{
	static const char *const maps[] = {"counted", "counted_first", "counted_plain"};

	for (unsigned i = 0; i < ARRAY_SIZE(maps); i++)
		if (bpf_object__find_map_by_name(o, maps[i]))
			bpf_map__set_max_entries(bpf_object__find_map_by_name(o, maps[i]), 1);
}

static int use_object(struct bpf_probes *bp, struct err *err)
{
	const struct bpf_client client = {prepare, on_loaded, collect, bp};
	struct bpf_program *prog;
	size_t size;
	int rc = world_bpf(world_of(bp->session), &bp->bpf, err);

	if (rc == 0)
		rc = bpf_use(bp->bpf, bp->object, &client, &bp->opened, err);
	if (rc < 0)
		return rc;
	bpf_object__for_each_program (prog, bp->opened)
		bpf_program__set_autoload(prog, false);
	bp->wants = bpf_rodata(bp->opened, &size);
	bp->wants->can_cast = kernel_has(world_of(bp->session), "bpf_rdonly_cast");
	bp->wants->can_iterate = kernel_has(world_of(bp->session), "bpf_iter_task_vma_new");
	if (bp->counts_nothing)
		take_no_room(bp->opened);
	else if (bpf_object__find_map_by_name(bp->opened, "counted"))
		bp->counter = bpf_counter_new(bp->session, bp->words, bp->nwords);
	return 0;
}

/* "tp_btf/EVENT"; of another kind of program: "" */
static const char *event_of(const struct bpf_program *prog)
{
	const char *slash = strchr(bpf_program__section_name(prog), '/');

	return slash ? slash + 1 : "";
}

/* A program of a cgroup or an iterator has no event. */
static bool event_is_there(struct bpf_probes *bp, const struct bpf_program *prog)
{
	struct world *w = world_of(bp->session);
	const char *section = bpf_program__section_name(prog);
	struct kernel_btf *btf = world_btf(w);
	struct kernel_func event;

	if (strncmp(section, "cgroup", 6) == 0)
		return feature_works(world_features(w), FEATURE_CGROUP);
	return strncmp(section, "tp_btf/", 7) != 0 || !btf ||
	       kernel_btf_tracepoint(btf, event_of(prog), &event);
}

/* Of "one|other" the first whose event is there; "one|": or none. Returns how many. */
static int choose_one(struct bpf_probes *bp, const struct probe *p, const char *names, size_t len,
		      struct err *err)
{
	struct bpf_program *prog = NULL;
	struct utsname u;
	char name[64];

	for (size_t at = 0, n; at < len; at += n + 1) {
		n = strcspn(names + at, "| ");
		snprintf(name, sizeof(name), "%.*s", (int)n, names + at);
		prog = bpf_object__find_program_by_name(bp->opened, name);
		if (event_is_there(bp, prog)) {
			bpf_program__set_autoload(prog, true);
			return 1;
		}
	}
	if (names[len - 1] == '|')
		return 0;
	uname(&u);
	return err_set(err, -ENOENT,
		       "probe description %s:::%s: tracepoint %s does not exist on kernel %s",
		       p->prov, p->name, event_of(prog), u.release);
}

static void say_never(const struct probe *p)
{
	session_message(p->session, MSG_ERR, false,
			"probe description %s:::%s: this kernel has no such event; it never fires",
			p->prov, p->name);
}

/* Those of the row, and with details those that gather them (keep_...). */
static int choose(struct bpf_probes *bp, const struct probe *p, const char *programs,
		  struct err *err)
{
	struct bpf_program *prog;
	unsigned nchosen = 0;

	while (*programs) {
		size_t n = strcspn(programs, " ");
		int rc = choose_one(bp, p, programs, n, err);

		if (rc < 0)
			return rc;
		nchosen += (unsigned)rc;
		programs += n + strspn(programs + n, " ");
	}
	if (!nchosen)
		say_never(p);
	bpf_object__for_each_program (prog, bp->opened)
		if (bp->wants->details && strncmp(bpf_program__name(prog), "keep_", 5) == 0)
			bpf_program__set_autoload(prog, true);
	return 0;
}

static void add_filter(struct bpf_probes *bp, const struct probe *p)
{
	const struct bpf_knows knows = knows_of(bp);

	if (!bp->nenabled++)
		filter_init(&bp->filter);
	bpf_filter_add(&bp->filter, p, &knows);
	/* a file has all, for other questions */
	if (world_of(bp->session)->log ||
	    !bpf_filter_make(&bp->filter, &knows, &bp->wants->filter)) {
		bp->filter.root = FILTER_PASS;
		bp->filter.is_exact = false;
	}
	bp->wants->filter_asks = bpf_filter_asks(&bp->wants->filter);
}

/* Of all that are enabled so far: one more may take the filter's exactness away. Programs without
 * the map count nothing. */
static void choose_counted(struct bpf_probes *bp)
{
	struct bpf_counts *counts = &bp->wants->counts;

	if (!bp->counter)
		return;
	bpf_counter_reset(bp->counter, counts);
	for (unsigned i = 0; i < BPF_FILTER_NODES; i++)
		counts->asks_name |= bp->wants->filter.nodes[i].what == BPF_FILTER_NAME;
	if (!bp->filter.is_exact)
		return;
	for (unsigned i = 0; i < MIN(bp->nrows, BPF_COUNT_ROWS); i++)
		if (bp->probes[i]) {
			counts->stmts[i] =
				bpf_counter_add(bp->counter, counts, i, 1U << i, bp->probes[i]);
			counts->rows |= counts->stmts[i] ? 1U << i : 0;
		}
	bpf_counter_size(bp->counter, bp->opened, counts);
}

void bpf_probes_free(struct world *w)
{
	for (const struct bpf_probes *bp = w->probes; bp; bp = bp->next) {
		bpf_counter_free(bp->counter);
		if (bp->release)
			bp->release(bp->loaded_arg);
	}
	w->probes = NULL;
}

/* What perf alone may be allowed to see does not help a probe that has no other source. */
static int refuse(const struct probe *p, struct err *err)
{
	return err_set(err, -EACCES,
		       "probe description %s:%s:%s:%s: needs CAP_BPF and CAP_PERFMON (or root)",
		       p->prov, p->mod, p->func, p->name);
}

bool bpf_probes_are_recorded(const struct probe *p)
{
	const struct world *w = world_of(p->session);

	return w->recording || (w->log && p->hits != HITS_RECORD);
}

int bpf_probes_enable(struct probe *p, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	unsigned row = bpf_probes_row(p);
	struct perf *perf;
	int rc;

	if (world_of(bp->session)->recording) /* else it would have been found in the file */
		return perf_lacks_all(world_of(bp->session), NULL, err);
	if (!bp->rows[row].programs[0]) {
		say_never(p);
		return 0;
	}
	if (p->provider->reads_files && bpf_probes_are_recorded(p))
		return err_set(err, -ENOTSUP, "its events are to be records of perf (-E)");
	if (world_of(bp->session)->log) {
		p->hits = HITS_RECORD;
		p->needs |= NEED_ARGS;
	}
	rc = world_perf(world_of(bp->session), &perf, err);
	if (rc < 0)
		return err_wrap(err, "probe description %s:::%s", p->prov, p->name);
	rc = perf_may(perf, p, PERF_SYSTEM, err);
	if (rc < 0)
		return bp->without_bpf & 1U << row ? rc : refuse(p, err);
	rc = bp->opened ? 0 : use_object(bp, err);
	if (rc < 0)
		return err_wrap(err, "probe description %s:::%s", p->prov, p->name);
	bp->probes[row] = p;
	bp->wants->rows |= 1U << row;
	if (p->needs & (NEED_ARGS | NEED_MEM | NEED_TEXTS) ||
	    (p->needs & NEED_IDS && bp->details_have_ids))
		bp->wants->details = 1;
	if (p->needs & NEED_TASK)
		bp->wants->names = 1;
	add_filter(bp, p);
	choose_counted(bp);
	bp->wants->stacks |= bpf_wanted_stacks(bp->bpf, p->needs);
	bp->wants->stacks |= bpf_wanted_pieces(bp->bpf, bp->object, p);
	perf_note_needs(perf, p->needs);
	return choose(bp, p, bp->rows[row].programs, err);
}

int bpf_probes_add_programs(const struct probe *p, const char *programs, struct err *err)
{
	return choose(bpf_probes_of(p), p, programs, err);
}

void bpf_probes_argtypes(struct probe *p, struct probe_args *args)
{
	struct bpf_probes *bp = bpf_probes_of(p);

	for (unsigned i = 0; i < BPF_PROBE_ARGS; i++)
		bp->args[i] = (struct probe_arg){.type = bp->session->engine->types.t_int,
						 .place = ARG_VALUE,
						 .at = bp->args_at + i,
						 .is_ours = true};
	args->v = bp->args;
	args->n = bp->rows[bpf_probes_row(p)].nargs;
}

void bpf_probes_do_without(struct probe *p, const char *members)
{
	struct bpf_probes *bp = bpf_probes_of(p);

	bp->probes[bpf_probes_row(p)] = p;
	if (!members || !(p->needs & NEED_ARGS) || (bp->missed && !strcmp(bp->missed, members)))
		return;
	bp->missed = members;
	if (world_is_recorded(world_of(p->session))) {
		session_message(
			p->session, MSG_ERR, false,
			"probe description %s:::%s: args[] members %s are not recorded, and empty",
			p->prov, p->name, members);
		return;
	}
	session_message(p->session, MSG_ERR, false,
			"probe description %s:::%s: needs CAP_BPF and CAP_PERFMON; running without "
			"in-kernel programs, so args[] members %s are empty",
			p->prov, p->name, members);
}

void bpf_probes_fire(struct bpf_probes *bp, unsigned row, struct event *ev)
{
	if (!bp->probes[row] || (bp->bpf && bpf_counted(bp->bpf) & 1U << row))
		return;
	ev->probe = bp->probes[row];
	event_fire(bp->session, ev);
}
