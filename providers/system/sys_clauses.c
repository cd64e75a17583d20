/*
 * sys_clauses.c: clauses on system calls that run whole in the kernel (kprog/clausecode.h), with
 * their variables, so that no record has to be written for them.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dlang/offload/claim.h"
#include "dlang/session_engine.h"
#include "providers/kernel/kprog/clausecode.h"
#include "providers/kernel/kprog/difcode.h"
#include "providers/kernel/pushreport.h"
#include "providers/system/sysprobe.h"
#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"

#define MAX_COUNTED  65536 /* keys and buckets: memory is taken for all of them at once */
#define MIN_COUNTED  256
#define MAX_ELEMENTS 65536 /* of an array */

struct sys_clauses {
	struct sys_world *sw;
	struct bpf *bpf;
	struct clause_group group;
	struct clause_unit units[2]; /* by enum sys_side */
	struct bpf_counter *counter;
	struct bpf_counts counts;
	int rows_fd[2], prog_fd[2], vars_fd, counted_fd, lost_fd;
	uint64_t told[CLAUSECODE_NLOST + 1]; /* of what was lost */
	struct bpf_insn insns[CLAUSECODE_MAX];
};

/* ---- which clauses ---- */

static enum sys_side side_of(const struct probe *p)
{
	return strcmp(p->name, "return") == 0 ? SYS_RETURN : SYS_ENTRY;
}

/* NULL: it can run in the kernel; else why not. */
static const char *refuses(const struct sys_world *sw, const struct clause *c)
{
	const char *why = NULL;
	bool sides[2] = {false, false};

	for (unsigned i = 0; i < c->nprobes; i++) {
		if (strcmp(c->probes[i]->prov, "syscall") != 0)
			return "it has probes of other providers";
		sides[side_of(c->probes[i])] = true;
	}
	for (unsigned side = 0; side < 2 && !why; side++)
		if (sides[side])
			why = clausecode_refuses(sw->session, c, side == SYS_RETURN);
	return why;
}

static bool fits(void *arg, const struct clause *c)
{
	return c->nprobes && !refuses(arg, c);
}

bool sys_clauses_have(const struct sys_clauses *sc, const struct probe *p)
{
	return sc && clause_group_has_probe(&sc->group, p);
}

/* ---- what the kernel has where ---- */

/* In bytes; -1: it has no such member. */
static int member_at(struct kernel_btf *btf, const struct type *of, const char *name,
		     const struct type **type)
{
	const struct type *body = of;

	if (of && of->kind == TYPE_FORWARD) {
		kernel_btf_complete(btf, of);
		body = of->body;
	}
	for (unsigned i = 0; body && i < body->nmembers; i++)
		if (strcmp(body->members[i].name, name) == 0) {
			if (type)
				*type = body->members[i].type;
			return (int)(body->members[i].bit_offset / 8);
		}
	return -1;
}

static int find_offsets(struct sys_world *sw, struct clause_offsets *at)
{
	struct kernel_btf *btf = world_btf(world_of(sw->session));
	const struct type *task = btf ? kernel_btf_type(btf, "struct task_struct") : NULL;
	const struct type *regs = btf ? kernel_btf_type(btf, "struct pt_regs") : NULL, *info = NULL;
	int info_at, status;

	if (!task || !regs)
		return -ENOENT;
	info_at = member_at(btf, task, "thread_info", &info);
	status = info_at < 0 ? -1 : member_at(btf, info, "status", NULL);
	at->task_leader = member_at(btf, task, "group_leader", NULL);
	at->task_comm = member_at(btf, task, "comm", NULL);
	at->task_status = info_at + status;
	at->regs_orig_ax = member_at(btf, regs, "orig_ax", NULL);
	return status < 0 || at->task_leader < 0 || at->task_comm < 0 || at->regs_orig_ax < 0
		       ? -ENOENT
		       : 0;
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

static int make_rows(const struct sys_clauses *sc, enum sys_side side)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", 4, 8, BPF_SYSCALL_MAX, NULL);
	const struct clause_unit *u = &sc->units[side];

	for (uint32_t nr = 0; fd >= 0 && nr < SYSCALL_MAX_NR; nr++) {
		const struct probe *p = sc->sw->probes[side][nr];
		uint64_t mask = 0;

		if (!p || !sys_clauses_have(sc, p))
			continue;
		bpf_counter_row(sc->counter, u->row + nr, p);
		for (const struct ecb *e = p->ecbs; e; e = e->next)
			for (unsigned i = 0; i < u->n; i++)
				mask |= u->clauses[i] == e->clause ? 1ULL << i : 0;
		bpf_map_update_elem(fd, &nr, &mask, BPF_ANY);
	}
	return fd < 0 ? -errno : fd;
}

static uint32_t nentries(const struct sys_clauses *sc)
{
	uint64_t size = (uint64_t)opt(&sc->sw->session->options, OPT_AGGSIZE);

	return (uint32_t)MAX(MIN(size / sizeof(struct bpf_count_key), MAX_COUNTED), MIN_COUNTED);
}

/* Of `a[keys]`: as many elements as dynvarsize has room for. */
static int make_arrays(struct sys_clauses *sc)
{
	const struct session *s = sc->sw->session;
	const uint64_t size = (uint64_t)opt(&s->options, OPT_DYNVARSIZE);

	for (unsigned i = 0; i < sc->group.narrays; i++) {
		const uint32_t key = 8 * difcode_key_words(s, sc->group.arrays[i]);
		const uint64_t n = MAX(MIN(size / (key + 8), MAX_ELEMENTS), 1);
		int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "array", key, 8, (uint32_t)n, NULL);

		if (fd < 0)
			return -errno;
		for (unsigned side = 0; side < 2; side++)
			sc->units[side].array_fds[i] = fd;
	}
	return 0;
}

/* The programs are written twice: first to see what they count, which gives the maps their size. */
static int make_maps(struct sys_clauses *sc)
{
	for (unsigned side = 0; side < 2; side++)
		if (!clausecode_make(&sc->units[side], sc->insns, CLAUSECODE_MAX))
			return -E2BIG;
	sc->counted_fd = bpf_counter_map(&sc->counts, nentries(sc));
	sc->lost_fd =
		bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "lost", 4, 8, CLAUSECODE_NLOST + 1, NULL);
	sc->vars_fd = sc->group.nself ? make_vars(sc->group.nself) : -1;
	if (sc->counted_fd < 0 || sc->lost_fd < 0 || (sc->group.nself && sc->vars_fd < 0))
		return -ENOMEM;
	if (make_arrays(sc) < 0)
		return -ENOMEM;
	for (unsigned side = 0; side < 2; side++) {
		sc->rows_fd[side] = make_rows(sc, side);
		if (sc->rows_fd[side] < 0)
			return sc->rows_fd[side];
		sc->units[side].rows_fd = sc->rows_fd[side];
		sc->units[side].counted_fd = sc->counted_fd;
		sc->units[side].lost_fd = sc->lost_fd;
		sc->units[side].vars_fd = sc->vars_fd;
	}
	return 0;
}

/* ---- programs ---- */

static int load_one(struct sys_clauses *sc, enum sys_side side)
{
	static const char *const events[] = {"sys_enter", "sys_exit"};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	unsigned n = clausecode_make(&sc->units[side], sc->insns, CLAUSECODE_MAX);
	int id = libbpf_find_vmlinux_btf_id(events[side], BPF_TRACE_RAW_TP);

	if (!n || id < 0)
		return id < 0 ? id : -E2BIG;
	opts.attach_btf_id = (uint32_t)id;
	sc->prog_fd[side] =
		bpf_prog_load(BPF_PROG_TYPE_TRACING, "clauses", "GPL", sc->insns, n, &opts);
	return sc->prog_fd[side] < 0 ? -errno : 0;
}

static int attach_one(struct sys_clauses *sc, enum sys_side side)
{
	int fd;

	if (!sc->units[side].n)
		return 0;
	fd = bpf_raw_tracepoint_open(NULL, sc->prog_fd[side]);
	if (fd < 0)
		return -errno;
	bpf_keep_attached(sc->bpf, fd);
	return 0;
}

/* One with `if` is several, of one number. */
static unsigned nwritten(const struct clause_group *g)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++)
		n += !i || !g->clauses[i]->split ||
		     g->clauses[i]->split != g->clauses[i - 1]->split;
	return n;
}

static bool has_syscalls(const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (strcmp(c->probes[i]->prov, "syscall") == 0)
			return true;
	return false;
}

/* Of clauses that keep something: why it is not kept in the kernel. */
static void report_records(struct sys_world *sw, const struct clause_group *g)
{
	const struct session *s = sw->session;

	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next) {
			struct clause_group alone = {.clauses = {c}, .n = 1};
			const char *why;

			if (!has_syscalls(c) || clause_group_has(g, c) ||
			    !clause_group_list(&alone) ||
			    alone.nself + alone.nthis + alone.narrays == 0)
				continue;
			why = refuses(sw, c);
			session_message(sw->session, MSG_ERR, true,
					"makes records: the clause of %s:%s:%s:%s at line %d: %s",
					c->desc->prov, c->desc->mod, c->desc->func, c->desc->name,
					c->nstmts ? c->stmts[0].line : 0,
					why ? why
					    : "what others use shares its variables or its probes");
		}
}

static void report(const struct sys_clauses *sc)
{
	const struct world *w = world_of(sc->sw->session);
	const unsigned n = nwritten(&sc->group);

	if (w->is_verbose)
		session_message(sc->sw->session, MSG_ERR, true,
				"run in the kernel: %u clause%s of syscall", n, n == 1 ? "" : "s");
}

static void report_refusal(struct sys_world *sw, int rc)
{
	if (world_of(sw->session)->is_verbose)
		session_message(sw->session, MSG_ERR, true,
				"clauses of syscall make records: the kernel refuses their "
				"program: %s",
				strerror(-rc));
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void sys_clauses_free(struct sys_clauses *sc)
{
	if (!sc)
		return;
	for (unsigned side = 0; side < 2; side++) {
		close_fd(sc->rows_fd[side]);
		close_fd(sc->prog_fd[side]);
	}
	for (unsigned i = 0; i < GROUP_ARRAYS; i++)
		close_fd(sc->units[0].array_fds[i]);
	close_fd(sc->vars_fd);
	close_fd(sc->counted_fd);
	close_fd(sc->lost_fd);
	bpf_counter_free(sc->counter);
	free(sc);
}

static struct sys_clauses *new_clauses(struct sys_world *sw, const struct sys_clauses_of *of)
{
	struct sys_clauses *sc = xcalloc(1, sizeof(*sc));

	sc->sw = sw;
	sc->bpf = of->bpf;
	sc->vars_fd = sc->counted_fd = sc->lost_fd = -1;
	sc->counter = bpf_counter_new(sw->session, NULL, 0);
	for (unsigned side = 0; side < 2; side++) {
		sc->rows_fd[side] = sc->prog_fd[side] = -1;
		sc->units[side] = (struct clause_unit){
			.session = sw->session,
			.group = &sc->group,
			.counter = sc->counter,
			.counts = &sc->counts,
			.is_return = side == SYS_RETURN,
			.row = side * BPF_SYSCALL_MAX,
			.first_target = of->who->first_target,
			.own = {of->who->own[0], of->who->own[1]},
			.targets_fd = of->targets_fd,
			.numbers32_fd = of->numbers32_fd,
		};
		for (unsigned i = 0; i < GROUP_ARRAYS; i++)
			sc->units[side].array_fds[i] = -1;
	}
	return sc;
}

/* Variables are what makes the difference: other clauses have their counts where records are made.
 */
static int make(struct sys_clauses *sc)
{
	struct clause_offsets at;
	int rc;

	clause_group_find(&sc->group, sc->sw->session, fits, sc->sw);
	if (!sc->group.n || sc->group.nself + sc->group.nthis + sc->group.narrays == 0)
		return 0;
	rc = find_offsets(sc->sw, &at);
	for (unsigned side = 0; side < 2; side++)
		sc->units[side].at = at;
	if (rc == 0)
		rc = make_maps(sc);
	for (unsigned side = 0; side < 2 && rc == 0; side++)
		rc = load_one(sc, side);
	return rc < 0 ? rc : 1;
}

struct sys_clauses *sys_clauses_start(struct sys_world *sw, const struct sys_clauses_of *of)
{
	struct sys_clauses *sc;
	int rc;

	if (!claims_are_allowed(sw->session) || sw->session->engine->watch)
		return NULL;
	sc = new_clauses(sw, of);
	rc = make(sc);
	if (world_of(sw->session)->is_verbose)
		report_records(sw, &sc->group);
	for (unsigned side = 0; side < 2 && rc > 0; side++)
		if (attach_one(sc, side) < 0)
			rc = -EINVAL;
	if (rc > 0) {
		report(sc);
		return sc;
	}
	if (rc < 0)
		report_refusal(sw, rc);
	sys_clauses_free(sc);
	return NULL;
}

/* ---- what was counted ---- */

static void collect_lost(struct sys_clauses *sc)
{
	const int ncpus = libbpf_num_possible_cpus();
	uint64_t *v = xcalloc((size_t)ncpus, sizeof(*v));
	struct session *s = sc->sw->session;

	for (uint32_t i = 0; i <= CLAUSECODE_LOST_VAR; i++) {
		uint64_t sum = 0;

		if (bpf_map_lookup_elem(sc->lost_fd, &i, v) < 0)
			continue;
		for (int cpu = 0; cpu < ncpus; cpu++)
			sum += v[cpu];
		if (i == CLAUSECODE_LOST_VAR)
			atomic_fetch_add_explicit(&s->drops[DROP_DYNAMIC], sum - sc->told[i],
						  memory_order_relaxed);
		else
			atomic_fetch_add_explicit(&s->agg_drops[0], sum - sc->told[i],
						  memory_order_relaxed);
		sc->told[i] = sum;
	}
	free(v);
}

void sys_clauses_collect(struct sys_clauses *sc)
{
	if (!sc)
		return;
	collect_lost(sc);
	bpf_counter_collect(sc->counter, sc->bpf, &sc->counts, sc->counted_fd, -1);
}
