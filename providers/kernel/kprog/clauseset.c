#include "providers/kernel/kprog/clauseset.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dlang/offload/claim.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfring.h"
#include "providers/kernel/kprog/clauseload.h"
#include "providers/kernel/perf.h"
#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"

#define MAX_COUNTED  65536 /* keys and buckets: memory is taken for all of them at once */
#define MIN_COUNTED  256
#define MAX_ELEMENTS 65536				/* of an array */
#define GLOBALS_SIZE (GROUP_GLOBALS * sizeof(uint64_t)) /* bytes */

/* ---- what the kernel has where ---- */

/* In bytes; -1: it has no such member. */
static int member_at(struct kernel_btf *btf, const struct type *of, const char *name,
		     const struct type **type)
{
	struct type_member m;

	if (!of || !kernel_btf_member(btf, of, name, &m))
		return -1;
	if (type)
		*type = m.type;
	return (int)(m.bit_offset / 8);
}

static int find_offsets(const struct session *s, struct clause_offsets *at)
{
	struct kernel_btf *btf = world_btf(world_of(s));
	const struct type *task = btf ? kernel_btf_type(btf, "struct task_struct") : NULL;
	const struct type *regs = btf ? kernel_btf_type(btf, "struct pt_regs") : NULL;
	const struct type *info = NULL;
	const int info_at = member_at(btf, task, "thread_info", &info);
	const struct {
		int *to;
		const struct type *of;
		const char *name;
		int behind;
	} members[] = {
		{&at->task_status, info, "status", info_at},
		{&at->task_cpu, info, "cpu", info_at},
		{&at->task_leader, task, "group_leader", 0},
		{&at->task_comm, task, "comm", 0},
		{&at->task_pid, task, "pid", 0},
		{&at->task_tgid, task, "tgid", 0},
		{&at->task_flags, task, "flags", 0},
		{&at->task_start, task, "start_time", 0},
		{&at->task_execs, task, "self_exec_id", 0},
		{&at->regs_orig_ax, regs, "orig_ax", 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
		int off = member_at(btf, members[i].of, members[i].name, NULL);

		if (off < 0)
			return -ENOENT;
		*members[i].to = members[i].behind + off;
	}
	return 0;
}

/* ---- maps ---- */

/* Of each thread, as long as it lives; the kernel wants to know the types. */
static int make_vars(unsigned n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int key, word, fd = -EINVAL;

	if (!btf)
		return -ENOMEM;
	key = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "unsigned long", 8, 0);
	opts.btf_key_type_id = (uint32_t)key;
	opts.btf_value_type_id = (uint32_t)btf__add_array(btf, key, word, n);
	if (btf__load_into_kernel(btf) == 0) {
		opts.btf_fd = (uint32_t)btf__fd(btf);
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "vars", sizeof(int), n * 8, 0,
				    &opts);
		fd = fd < 0 ? -errno : fd;
	}
	btf__free(btf);
	return fd;
}

static uint32_t nentries(const struct clause_set *set)
{
	uint64_t size = (uint64_t)opt(&set->session->options, OPT_AGGSIZE);

	return (uint32_t)MAX(MIN(size / sizeof(struct bpf_count_key), MAX_COUNTED), MIN_COUNTED);
}

/* One element, which the engine sees as well. */
static int make_globals(struct clause_set *set)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *at;
	int fd;

	if (!set->group.nglobals)
		return 0;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "globals", 4, GLOBALS_SIZE, 1, &opts);
	if (fd < 0)
		return -errno;
	set->globals_fd = fd;
	at = mmap(NULL, GLOBALS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	set->globals = at;
	return 0;
}

/* Of `a[keys]`: as many elements as dynvarsize has room for. */
static int make_arrays(struct clause_set *set)
{
	const struct session *s = set->session;
	const uint64_t size = (uint64_t)opt(&s->options, OPT_DYNVARSIZE);

	for (unsigned i = 0; i < set->group.narrays; i++) {
		const uint32_t key = 8 * difcode_key_words(s, set->group.arrays[i]);
		const uint64_t n = MAX(MIN(size / (key + 8), MAX_ELEMENTS), 1);
		int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "array", key, 8, (uint32_t)n, NULL);

		if (fd < 0)
			return -errno;
		set->array_fds[i] = fd;
	}
	return 0;
}

/* The programs are written twice: first to see what they count, which gives the maps their size. */
static int write_units(struct clause_set *set)
{
	for (unsigned i = 0; i < set->nunits; i++)
		if (!clausecode_make(&set->units[i], set->insns, CLAUSECODE_MAX)) {
			set->why = set->units[i].why;
			return -E2BIG;
		}
	return 0;
}

static int make_maps(struct clause_set *set)
{
	set->counted_fd = bpf_counter_map(set->counter, nentries(set));
	set->lost_fd =
		bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "lost", 4, 8, CLAUSECODE_NLOST, NULL);
	set->vars_fd = set->group.nself ? make_vars(set->group.nself) : -1;
	if (set->counted_fd < 0 || set->lost_fd < 0 || (set->group.nself && set->vars_fd < 0) ||
	    make_globals(set) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < set->nunits; i++) {
		set->units[i].counted_fd = set->counted_fd;
		set->units[i].lost_fd = set->lost_fd;
		set->units[i].vars_fd = set->vars_fd;
		set->units[i].globals_fd = set->globals_fd;
	}
	return make_arrays(set);
}

static int make_stacks(struct clause_set *set)
{
	int rc = stack_maps_make(&set->stacks, set->nunits,
				 (size_t)opt(&set->session->options, OPT_AGGSIZE));

	if (rc == 0 && set->stacks.nframes)
		bpf_counter_stacks(set->counter, set->stacks.stacks_fd,
				   STACKCODE_SIZE(set->stacks.nframes));
	return rc;
}

static int make_texts(struct clause_set *set)
{
	int rc = text_maps_make(&set->texts, set->nunits,
				(size_t)opt(&set->session->options, OPT_AGGSIZE));

	if (rc == 0 && set->texts.room)
		bpf_counter_texts(set->counter, set->texts.texts_fd, set->texts.room);
	return rc;
}

/* ---- programs ---- */

int clause_set_attach(struct clause_set *set)
{
	for (unsigned i = 0; i < set->nunits; i++) {
		int fd = set->units[i].n ? bpf_raw_tracepoint_open(NULL, set->prog_fds[i]) : -1;

		if (fd < 0 && set->units[i].n)
			return -errno;
		if (fd >= 0)
			bpf_keep_attached(set->bpf, fd);
	}
	return 0;
}

/* ---- what is said ---- */

/* One with `if` is several, of one number: is this the first of what was written as one? */
static bool is_first(const struct clause_group *g, unsigned i)
{
	return !i || !g->clauses[i]->split || g->clauses[i]->split != g->clauses[i - 1]->split;
}

static unsigned nwritten(const struct clause_group *g)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++)
		n += is_first(g, i);
	return n;
}

static bool has_probes_of(const struct clause *c, const struct clause_source *of)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (of->owns(of->arg, c->probes[i]))
			return true;
	return false;
}

/* It is known when its record is read, and clauses of the same provider are to agree on what came
 * before; what others count until then is no more than the run takes to end. */
static bool ends_at_event(const struct session *s, const struct clause_source *of)
{
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			if (c->has_exit && has_probes_of(c, of))
				return true;
	return false;
}

static const char *refuses(const struct clause_source *of, const struct session *s,
			   const struct clause *c)
{
	if (ends_at_event(s, of))
		return WHY(EXITS);
	for (unsigned i = 0; i < c->nprobes; i++)
		if (!of->owns(of->arg, c->probes[i]))
			return WHY(PROVIDERS);
	return of->refuses(of->arg, s, c);
}

/* ---- what such programs can do better ---- */

/* Without keys of its own: counted in an array, where others have to be searched for. */
static bool stmt_is_plain(const struct stmt *st)
{
	for (unsigned i = 0; i < st->nacts; i++)
		if (st->acts[i].kind == ACT_AGGKEY &&
		    !aggkey_is_fixed(&st->acts[i], CLAIM_ALL_PROCESSES))
			return false;
	for (unsigned i = 0; i < st->naggs; i++)
		switch (st->aggs[i]->func->id) {
		case AGG_MIN:
		case AGG_MAX:
		case AGG_LLQUANTIZE:
			return false;
		default:
			break;
		}
	return true;
}

static enum filter_means is_equal(void *arg UNUSED, const struct filter_test *t UNUSED)
{
	return FILTER_EQUAL;
}

bool clause_set_counts(void *arg UNUSED, const struct clause *c)
{
	const struct filter_source source = {.means = is_equal};
	struct keyed keyed[BPF_COUNT_STMTS];
	struct filter f;

	filter_init(&f);
	filter_add(&f, c->probes[0], &source);
	return f.is_exact && probe_keyed(c->probes[0], keyed, BPF_COUNT_STMTS);
}

/* As far as its code tells, the provider's own program counts it as well, without a record. */
static bool is_plain(const struct clause *c, const struct clause_source *of)
{
	if (of->counts)
		return of->counts(of->arg, c);
	for (unsigned i = 0; i < c->nstmts; i++)
		if (!stmt_is_plain(&c->stmts[i]))
			return false;
	return clause_set_counts(NULL, c);
}

static bool is_worth_it(const struct clause_group *g, const struct clause_source *of)
{
	bool is = clause_group_has_variables(g);

	for (unsigned i = 0; i < g->n; i++)
		is |= !is_plain(g->clauses[i], of);
	return is;
}

static const char *why_records(const struct clause_source *of, const struct session *s,
			       const struct clause *c)
{
	const char *why = refuses(of, s, c);

	return why ? why : WHY(OTHERS);
}

/* NULL: it is kept in the kernel. Only its probes that are of this provider. */
static void place(const struct clause *c, const struct clause_source *of, const char *why)
{
	const struct placement pl = {why ? RUNS_RECORDS : RUNS_KERNEL, why,
				     why ? refusal_instead(why) : NULL, why && why == WHY(OTHERS)};

	for (unsigned i = 0; i < c->nprobes; i++)
		for (struct ecb *e = c->probes[i]->ecbs; e; e = e->next)
			if (e->clause == c && of->owns(of->arg, e->probe) &&
			    !(why && e->place.runs == RUNS_KERNEL_COUNT))
				ecb_place(e, &pl);
}

/* The provider's own program does it, of each of its probes. */
static bool is_counted(const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		for (const struct ecb *e = c->probes[i]->ecbs; e; e = e->next)
			if (e->clause == c && e->place.runs != RUNS_KERNEL_COUNT)
				return false;
	return c->nprobes;
}

static void tell_records(struct session *s, const struct clause *c, const char *why)
{
	const char *instead = refusal_instead(why);

	session_message(s, MSG_ERR, true,
			"makes records: the clause of %s:%s:%s:%s at line %d: %s%s%s",
			c->desc->prov, c->desc->mod, c->desc->func, c->desc->name, c->line, why,
			instead ? "; instead: " : "", instead ? instead : "");
}

/* Of clauses that are not kept in the kernel: those that keep something are told with -v. */
static void report_records(struct session *s, const struct clause_group *g,
			   const struct clause_source *of)
{
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next) {
			struct clause_group alone = {.clauses = {c}, .n = 1};
			const char *why;

			if (!has_probes_of(c, of) || clause_group_has(g, c) || is_plain(c, of) ||
			    is_counted(c))
				continue;
			why = why_records(of, s, c);
			place(c, of, why);
			if (world_of(s)->is_verbose && clause_group_list(&alone) &&
			    clause_group_has_variables(&alone))
				tell_records(s, c, why);
		}
}

static void report(const struct clause_set *set, int rc)
{
	const unsigned n = nwritten(&set->group);
	const char *provider = set->group.clauses[0]->probes[0]->prov;

	if (rc == 0)
		session_message(set->session, MSG_ERR, true, "run in the kernel: %u clause%s of %s",
				n, n == 1 ? "" : "s", provider);
	else if (!set->why)
		session_message(set->session, MSG_ERR, true,
				"clauses of %s make records: the kernel refuses their program: %s",
				provider, strerror(-rc));
	else
		session_message(set->session, MSG_ERR, true, "clauses of %s make records: %s",
				provider, set->why);
}

static void place_all(const struct clause_set *set, const struct clause_source *of, int rc)
{
	const struct clause_group *g = &set->group;
	const char *why = rc == 0 ? NULL : set->why;

	if (rc != 0 && !why)
		why = "the kernel refuses their program";
	for (unsigned i = 0; i < g->n; i++)
		place(g->clauses[i], of, why);
}

/* ---- a set ---- */

struct finding {
	const struct clause_source *of;
	const struct session *session;
};

static bool fits(void *arg, const struct clause *c)
{
	const struct finding *f = arg;

	return c->nprobes && !refuses(f->of, f->session, c);
}

static struct clause_set *new_set(struct session *s, struct bpf *b, const struct clause_source *of)
{
	struct clause_set *set = xcalloc(1, sizeof(*set));

	set->session = s;
	set->bpf = b;
	set->nunits = of->nunits;
	set->vars_fd = set->globals_fd = set->counted_fd = set->lost_fd = -1;
	set->stacks.stacks_fd = set->stacks.frames_fd = -1;
	set->texts.texts_fd = set->texts.rooms_fd = -1;
	for (unsigned i = 0; i < GROUP_ARRAYS; i++)
		set->array_fds[i] = -1;
	set->counter = bpf_counter_new(s, NULL, 0);
	for (unsigned i = 0; i < CLAUSESET_UNITS; i++) {
		set->prog_fds[i] = -1;
		if (i >= set->nunits)
			continue;
		set->units[i] = of->units[i];
		set->units[i].session = s;
		set->units[i].group = &set->group;
		set->units[i].counter = set->counter;
		set->units[i].at = &set->at;
		set->units[i].array_fds = set->array_fds;
		set->units[i].stacks = &set->stacks;
		set->units[i].texts = &set->texts;
		set->units[i].number = i;
	}
	return set;
}

/* The programs are written, and the maps are there that they need. */
static int prepare(struct clause_set *set)
{
	int rc = find_offsets(set->session, &set->at);

	if (rc == 0)
		rc = write_units(set);
	if (rc == 0)
		rc = make_maps(set);
	if (rc == 0)
		rc = make_stacks(set);
	if (rc == 0)
		rc = make_texts(set);
	return rc;
}

static int load(struct clause_set *set, const struct clause_source *of)
{
	int rc = prepare(set);

	if (rc == 0)
		rc = of->prepare(of->arg, set);
	for (unsigned i = 0; i < set->nunits && rc == 0; i++)
		rc = clause_set_load_one(set, i, of->events[i]);
	for (unsigned i = 0; i < set->group.nglobals && rc == 0; i++)
		if (!vars_share(set->session->engine->vars, set->group.globals[i],
				&set->globals[i]))
			rc = -E2BIG;
	return rc;
}

/* In place of maps of the provider's, which is not started. Each is one of the unit's descriptors.
 */
static void stand_in(struct clause_unit *u)
{
	if (u->kind == CLAUSES_OF_EVENTS || u->kind == CLAUSES_OF_OWN)
		u->events_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "event", 4,
					      sizeof(struct bpf_clause_event), 1, NULL);
	if (u->gathers)
		u->again_fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "again", 4, 4, 1, NULL);
	if (u->kind != CLAUSES_OF_ENTRIES && u->kind != CLAUSES_OF_RETURNS)
		return;
	u->records_fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "records", 4, 4, 1, NULL);
	u->rows_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", 4, 8, 1, NULL);
	u->targets_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "targets", 4, 1, 1, NULL);
	u->numbers32_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "numbers", 4, 4, 1, NULL);
}

static void stand_down(const struct clause_unit *u)
{
	const int fds[] = {u->events_fd,  u->again_fd,	   u->rows_fd,
			   u->targets_fd, u->numbers32_fd, u->records_fd};

	for (unsigned i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
}

/* What the kernel will say of the programs, without the provider. Returns 0 or a negative errno. */
static int foresee(struct clause_set *set, const struct clause_source *of)
{
	int rc = prepare(set);

	for (unsigned i = 0; i < set->nunits && rc == 0; i++) {
		stand_in(&set->units[i]);
		rc = clause_set_load_one(set, i, of->events[i]);
		stand_down(&set->units[i]);
	}
	return rc;
}

struct clause_set *clause_set_find(struct session *s, struct bpf *b, const struct clause_source *of)
{
	struct finding f = {.of = of, .session = s};
	struct clause_set *set;

	if (!claims_are_allowed(s) || s->engine->watch)
		return NULL;
	set = new_set(s, b, of);
	clause_group_find(&set->group, s, fits, &f);
	report_records(s, &set->group, of);
	if (is_worth_it(&set->group, of)) {
		place_all(set, of, s->engine->foresees ? foresee(set, of) : 0);
		return set;
	}
	clause_set_free(set);
	return NULL;
}

static void collect_of(void *set)
{
	clause_set_collect(set);
}

struct clause_set *clause_set_load(struct clause_set *set, const struct clause_source *of)
{
	int rc;

	if (!set || set->session->engine->foresees)
		return set;
	rc = load(set, of);
	if (world_of(set->session)->is_verbose)
		report(set, rc);
	place_all(set, of, rc);
	if (rc == 0 && set->stacks.has_user)
		perf_keep_past(world_of(set->session)->perf, collect_of, set);
	if (rc == 0)
		return set;
	clause_set_free(set);
	return NULL;
}

bool clause_set_reads_texts(const struct clause_set *set)
{
	for (unsigned i = 0; i < set->group.n; i++)
		if (clausecode_reads_texts(set->group.clauses[i]))
			return true;
	return false;
}

bool clause_set_has(const struct clause_set *set, const struct probe *p)
{
	return set && clause_group_has_probe(&set->group, p);
}

void clause_set_row(struct clause_set *set, unsigned row, const struct probe *p)
{
	bpf_counter_row(set->counter, row, p);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void clause_set_free(struct clause_set *set)
{
	if (!set)
		return;
	for (unsigned i = 0; i < CLAUSESET_UNITS; i++)
		close_fd(set->prog_fds[i]);
	for (unsigned i = 0; i < GROUP_ARRAYS; i++)
		close_fd(set->array_fds[i]);
	if (set->globals) {
		vars_unshare(set->session->engine->vars, set->globals, GROUP_GLOBALS);
		munmap((void *)set->globals, GLOBALS_SIZE);
	}
	close_fd(set->globals_fd);
	close_fd(set->vars_fd);
	close_fd(set->counted_fd);
	close_fd(set->lost_fd);
	stack_maps_close(&set->stacks);
	text_maps_close(&set->texts);
	bpf_counter_free(set->counter);
	free(set);
}

/* ---- what was counted ---- */

static bool has_statement(const struct clause *c, const struct stmt *st)
{
	return st >= c->stmts && st < c->stmts + c->nstmts;
}

/* The enabling of the statement. NULL: its clause has several, which the maps do not tell apart. */
static struct ecb *only_ecb_of(struct session *s, const struct stmt *st)
{
	struct ecb *found = NULL;

	for (uint32_t id = 1; st && id <= s->necbs; id++) {
		struct ecb *e = session_ecb(s, id);

		if (!has_statement(e->clause, st))
			continue;
		if (found)
			return NULL;
		found = e;
	}
	return found;
}

static void lose_values(struct clause_set *set, uint32_t number, uint64_t n)
{
	struct session *s = set->session;
	struct ecb *e = n ? only_ecb_of(s, bpf_counter_statement(set->counter, number)) : NULL;

	atomic_fetch_add_explicit(&s->agg_drops[0], n, memory_order_relaxed);
	if (e)
		atomic_fetch_add_explicit(&e->nlost[ECB_LOST_VALUE], n, memory_order_relaxed);
}

static void collect_lost(struct clause_set *set)
{
	for (uint32_t i = 0; i < CLAUSECODE_NLOST; i++) {
		uint64_t sum, n;

		if (!bpf_sum_of_cpus(set->lost_fd, i, &sum))
			continue;
		n = sum - set->told[i];
		set->told[i] = sum;
		if (i == CLAUSECODE_LOST_VAR)
			atomic_fetch_add_explicit(&set->session->drops[DROP_DYNAMIC], n,
						  memory_order_relaxed);
		else
			lose_values(set, i, n);
	}
}

/* Events at which their program was still at work on that CPU, or another one that the kernel does
 * not interrupt by any. */
static void collect_missed(struct clause_set *set)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < set->nunits; i++)
		if (set->prog_fds[i] >= 0)
			sum += bpf_missed(set->prog_fds[i]);
	bpf_tell_missed(set->session, sum - MIN(sum, set->missed));
	set->missed = MAX(sum, set->missed);
}

void clause_set_collect(struct clause_set *set)
{
	if (!set)
		return;
	collect_lost(set);
	collect_missed(set);
	bpf_counter_collect_map(set->counter, set->bpf, set->counted_fd);
}
