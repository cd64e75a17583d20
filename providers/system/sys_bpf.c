/* sys_bpf.c: system calls counted or recorded by providers/kernel/bpf/syscall.bpf.c. */
#include "providers/system/sysprobe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "dlang/offload/claim.h"
#include "dlang/offload/places.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/bpffilter.h"
#include "providers/kernel/bpftargets.h"
#include "providers/world/proctab.h"
#include "providers/kernel/pushreport.h"

#define OBJECT "syscall"

struct sys_bpf {
	struct sys_world *sw;
	struct bpf *bpf;
	struct bpf_object *object;
	bool is_loaded; /* its maps are there */
	struct bpf_syscall_want wants[SYSCALL_MAX_NR];
	struct {
		struct bpf_filter filter;
		char *text;
		unsigned nprobes;
	} filters[BPF_SYSCALL_FILTERS]; /* those in use, from 1 on */
	unsigned nfilters;
	struct bpf_counter *counter;	     /* of what is counted by keys */
	struct bpf_counts *counts;	     /* in the object's constants */
	uint64_t counted[2][SYSCALL_MAX_NR]; /* handed over */
	struct sys_clauses *clauses;	     /* NULL: none runs in the kernel */
	const struct bpf_syscall_who *who;
	/* the memory of the process behind a record: what was captured, else what is there now */
	struct target memory;
	const struct bpf_syscall_deep *deep; /* NULL: no pointers in what was captured */
	const struct bpf_syscall_data *call; /* NULL: without captures */
	bool has_raised;		     /* the signal of that record */
	const struct bpf_syscall_data *late; /* what was missing in it; NULL: nothing, or not yet */
};

/* ---- what pointers led to ---- */

/* What was captured at the address and behind; *is_all: there is no more of it. NULL: nothing was.
 */
static const char *find_captured(const struct bpf_syscall_data *d, taddr_t addr, size_t *room,
				 bool *is_all)
{
	for (unsigned i = 0; d && i < BPF_SYSCALL_CAPTURES; i++) {
		uint32_t len = MIN(d->call.captures[i].len, (uint32_t)BPF_SYSCALL_BYTES);

		if (addr < d->call.captures[i].addr || addr - d->call.captures[i].addr >= len)
			continue;
		*room = len - (addr - d->call.captures[i].addr);
		*is_all = d->call.captures[i].is_text && len < BPF_SYSCALL_BYTES;
		return d->bytes[i] + (addr - d->call.captures[i].addr);
	}
	return NULL;
}

/* The same for what pointers in it led to. */
static const char *find_deep(const struct bpf_syscall_deep *d, taddr_t addr, size_t *room,
			     bool *is_all)
{
	const unsigned n = BPF_SYSCALL_CAPTURES * BPF_SYSCALL_WORDS;

	for (unsigned i = 0; d && i < n; i++) {
		const struct bpf_syscall_piece *p =
			&d->pieces[i / BPF_SYSCALL_WORDS][i % BPF_SYSCALL_WORDS];
		uint32_t len = MIN(p->len, (uint32_t)BPF_SYSCALL_DEEP_BYTES);

		if (addr < p->addr || addr - p->addr >= len)
			continue;
		*room = len - (addr - p->addr);
		*is_all = p->is_text && len < BPF_SYSCALL_DEEP_BYTES;
		return p->bytes + (addr - p->addr);
	}
	return NULL;
}

/*
 * A text that was cut, and other bytes further on than were captured, are asked of the process
 * itself, if it is there still.
 */
static ssize_t read_captured(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct sys_bpf *sb = t->priv;
	size_t room = 0;
	bool is_all = false;
	const char *from = find_captured(sb->call, addr, &room, &is_all);
	ssize_t got;

	if (!from)
		from = find_captured(sb->late, addr, &room, &is_all);
	if (!from)
		from = find_deep(sb->deep, addr, &room, &is_all);
	if (from && (room >= n || is_all)) {
		memcpy(buf, from, MIN(n, room));
		return (ssize_t)MIN(n, room);
	}
	got = target_read(t->now, addr, buf, n);
	if (got > 0 && (size_t)got >= MIN(room, n))
		return got;
	if (from) {
		memcpy(buf, from, MIN(n, room));
		return (ssize_t)MIN(n, room);
	}
	return got;
}

static ssize_t write_now(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	return t->now->write ? target_write(t->now, addr, buf, n) : -EPERM;
}

/* Pages that were not there when the call was made were when it had been: see remember_missing().
 */
static const struct bpf_syscall_data *find_late(const struct sys_bpf *sb,
						const struct bpf_syscall *c)
{
	const struct bpf_head *(*find)(struct bpf *, enum bpf_kind, uint32_t, size_t *);
	const struct bpf_syscall_data *late;
	bool is_missing = false;
	size_t len;

	for (unsigned i = 0; i < BPF_SYSCALL_CAPTURES; i++)
		is_missing |= c->captures[i].addr && !c->captures[i].len;
	if (!is_missing || c->is_return)
		return NULL;
	/* between the old memory and the new there is a while in which nobody has the path */
	find = c->nr == SYS_execve || c->nr == SYS_execveat ? bpf_await : bpf_ahead;
	late = (const void *)find(sb->bpf, BPF_KIND_SYSCALL_LATE, c->head.tid, &len);
	return late && len >= sizeof(*late) && late->call.args[0] == c->head.time_ns ? late : NULL;
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct sys_bpf *sb = arg;
	const struct bpf_syscall *c = (const void *)h;
	struct event ev;

	if (len < sizeof(*c))
		return;
	bpf_event_init(sb->bpf, &ev, h);
	proctab_ids(perf_procs(world_of(sb->sw->session)->perf), ev.pid, c->uid, c->gid);
	sb->memory.now = ev.target;
	sb->deep = len >= sizeof(*sb->deep) ? (const void *)h : NULL;
	sb->call = NULL;
	sb->late = NULL;
	if (len >= sizeof(struct bpf_syscall_data)) {
		sb->call = (const void *)c;
		sb->late = find_late(sb, c);
	}
	sb->memory.pid = ev.target->pid;
	sb->memory.holds_kernel = ev.target->holds_kernel;
	ev.target = &sb->memory;
	sb->has_raised = c->is_raised;
	sys_fire(sb->sw, c->is_return ? SYS_RETURN : SYS_ENTRY, c->nr, &ev,
		 (const uint64_t *)c->args, c->ret);
	sb->has_raised = false;
}

/* ---- raise() ---- */

bool sys_bpf_has_raised(const struct sys_world *sw)
{
	return sw->bpf && sw->bpf->has_raised;
}

static int set_acting(const struct sys_bpf *sb, uint32_t on)
{
	const uint32_t zero = 0;

	return bpf_map_update_elem(bpf_map(sb->bpf, OBJECT, "acting"), &zero, &on, BPF_ANY);
}

void sys_bpf_drain(struct sys_world *sw)
{
	if (sw->bpf && sw->bpf->is_loaded)
		set_acting(sw->bpf, 0);
}

/* ---- setting up ---- */

static int fill_numbers32(int map)
{
	int rc = 0;

	for (uint32_t nr = 0; nr < SYSCALL_ONLY_32 && rc == 0; nr++) {
		int meant = syscall_of_32(nr);
		const uint32_t at = meant < 0 ? BPF_SYSCALL_MAX : (uint32_t)meant;

		rc = bpf_map_update_elem(map, &nr, &at, BPF_ANY);
	}
	return rc;
}

static int fill_filters(const struct sys_bpf *sb, int map)
{
	int rc = 0;

	for (uint32_t i = 1; i < sb->nfilters && rc == 0; i++) {
		rc = bpf_map_update_elem(map, &i, &sb->filters[i].filter, BPF_ANY);
		pushdown_report(world_of(sb->sw->session), "syscall", sb->filters[i].nprobes,
				sb->filters[i].text);
	}
	return rc;
}

static const uint8_t any_of_side[2] = {
	[SYS_ENTRY] = BPF_WANT_ENTRY | BPF_WANT_ENTRY_COUNT | BPF_WANT_ENTRY_KEYED,
	[SYS_RETURN] = BPF_WANT_RETURN | BPF_WANT_RETURN_COUNT | BPF_WANT_RETURN_KEYED,
};

/* What runs in the kernel is no work of the object's any more; perhaps nothing is. */
static void start_clauses(struct sys_bpf *sb)
{
	static const char *const programs[] = {"on_enter", "on_exit"};
	const struct sys_clauses_of of = {
		.who = sb->who,
		.targets_fd = bpf_map(sb->bpf, OBJECT, "targets"),
		.numbers32_fd = bpf_map(sb->bpf, OBJECT, "numbers32"),
		.record_fd =
			bpf_program__fd(bpf_object__find_program_by_name(sb->object, "on_absent")),
	};
	unsigned char left[2] = {0, 0};

	sb->clauses = sys_clauses_start(sb->clauses, &of);
	for (unsigned side = 0; side < 2 && sb->clauses; side++) {
		for (unsigned nr = 0; nr < SYSCALL_MAX_NR; nr++) {
			const struct probe *p = sb->sw->probes[side][nr];

			if (p && sys_clauses_have(sb->clauses, p))
				sb->wants[nr].flags &= (uint8_t)~any_of_side[side];
			left[side] |= sb->wants[nr].flags & any_of_side[side];
		}
		if (!left[side])
			bpf_program__set_autoattach(
				bpf_object__find_program_by_name(sb->object, programs[side]),
				false);
	}
}

static void choose(struct bpf_object *o, const char *program, bool on)
{
	bpf_program__set_autoload(bpf_object__find_program_by_name(o, program), on);
}

static void find_clauses(void *arg)
{
	struct sys_bpf *sb = arg;

	sb->clauses = sb->who ? sys_clauses_find(sb->sw, sb->bpf) : NULL;
	choose(sb->object, "on_absent", sys_clauses_make_records(sb->clauses));
}

/* Before the programs are attached: what is wanted of each call, and of whom. */
static int fill_maps(void *arg, struct err *err)
{
	struct sys_bpf *sb = arg;
	const struct world *w = world_of(sb->sw->session);
	int wants = bpf_map(sb->bpf, OBJECT, "wants");
	int rc = fill_numbers32(bpf_map(sb->bpf, OBJECT, "numbers32"));

	start_clauses(sb);
	for (uint32_t nr = 0; nr < SYSCALL_MAX_NR && rc == 0; nr++)
		rc = bpf_map_update_elem(wants, &nr, &sb->wants[nr], BPF_ANY);
	if (rc == 0)
		rc = fill_filters(sb, bpf_map(sb->bpf, OBJECT, "filters"));
	sb->is_loaded = true;
	if (rc == 0)
		rc = set_acting(sb, sb->sw->session->state == SESSION_ACTIVE);
	return rc < 0 ? err_set(err, rc, "cannot fill a BPF map: %s", strerror(-rc))
		      : bpf_targets_fill(w, sb->object, err);
}

/* Of an entry word n is argN; of a return the first one is its result. */
static const struct bpf_word words[] = {
	{.rows = 1U << SYS_ENTRY, .word = 0, .arg = 0},
	{.rows = 1U << SYS_ENTRY, .word = 1, .arg = 1},
	{.rows = 1U << SYS_ENTRY, .word = 2, .arg = 2},
	{.rows = 1U << SYS_ENTRY, .word = 3, .arg = 3},
	{.rows = 1U << SYS_ENTRY, .word = 4, .arg = 4},
	{.rows = 1U << SYS_ENTRY, .word = 5, .arg = 5},
	{.rows = 1U << SYS_RETURN, .word = 0, .arg = 0},
	{.rows = 1U << SYS_RETURN, .word = 0, .arg = 1},
};

static int get(struct sys_world *sw, struct err *err)
{
	const struct world *w = world_of(sw->session);
	struct bpf_client client = {.prepare = find_clauses, .loaded = fill_maps};
	struct sys_bpf *sb = sw->bpf;
	struct bpf_object *o;
	struct bpf *b;
	struct bpf_syscall_who *who;
	size_t size;
	int rc;

	if (sb)
		return 0;
	rc = world_bpf(world_of(sw->session), &b, err);
	if (rc < 0)
		return rc;
	sb = xcalloc(1, sizeof(*sb));
	sb->sw = sw;
	client.arg = sb;
	rc = bpf_use(b, OBJECT, &client, &o, err);
	if (rc < 0) {
		free(sb);
		return rc;
	}
	sb->bpf = b;
	sb->object = o;
	sb->nfilters = 1;
	sb->counter = bpf_counter_new(sw->session, words, ARRAY_SIZE(words));
	sb->memory.read = read_captured;
	sb->memory.write = write_now;
	sb->memory.priv = sb;
	who = bpf_rodata(o, &size);
	if (who && size >= sizeof(*who)) {
		bpf_targets_choose(w, o, &who->first_target, who->own);
		sb->counts = &who->counts;
		sb->who = who;
	}
	choose(o, "on_enter", false);
	choose(o, "on_exit", false);
	choose(o, "on_absent", false);
	bpf_program__set_autoattach(bpf_object__find_program_by_name(o, "on_absent"), false);
	choose(o, "on_late", false);
	choose(o, "on_late_exec", false);
	bpf_on(b, BPF_KIND_SYSCALL, on_record, sb);
	sw->bpf = sb;
	return 0;
}

static void find_pointers(struct sys_world *sw, unsigned nr, struct bpf_syscall_want *w)
{
	const struct tpformat *fmt = syscall_format(world_tracefs(world_of(sw->session)), nr);

	for (unsigned i = 0; fmt && i < syscall_nargs(fmt); i++) {
		const struct tpfield *f = syscall_arg(fmt, i);

		if (!strchr(f->type, '*'))
			continue;
		w->pointers |= (uint8_t)(1 << i);
		if (strchr(strchr(f->type, '*') + 1, '*') || strstr(f->type, "struct "))
			w->deep |= (uint8_t)(1 << i);
		/* "buf" of write() is no text */
		if (strncmp(f->type, "const char *", 12) == 0 && strcmp(f->name, "buf") != 0)
			w->texts |= (uint8_t)(1 << i);
	}
}

/* Where it is in the table; 0: it leaves nothing out, or there is no room. */
static unsigned place_filter(struct sys_bpf *sb, const struct filter *s,
			     const struct bpf_filter *made)
{
	unsigned i = 1;

	if (made->root == BPF_FILTER_PASS)
		return 0;
	while (i < sb->nfilters && memcmp(&sb->filters[i].filter, made, sizeof(*made)) != 0)
		i++;
	if (i == BPF_SYSCALL_FILTERS)
		return 0;
	if (i == sb->nfilters) {
		sb->nfilters++;
		sb->filters[i].filter = *made;
		sb->filters[i].text = filter_text(s, NULL, NULL, SIZE_MAX);
	}
	sb->filters[i].nprobes++;
	return i;
}

/* How the calls of a probe are told. */
static unsigned char how_told(struct sys_bpf *sb, const struct probe *p, enum sys_side side,
			      unsigned nr, const struct filter *s)
{
	/* clang-format off */
	static const unsigned char flags[2][3] = {
		{BPF_WANT_ENTRY, BPF_WANT_ENTRY_COUNT, BPF_WANT_ENTRY_KEYED},
		{BPF_WANT_RETURN, BPF_WANT_RETURN_COUNT, BPF_WANT_RETURN_KEYED}};
	/* clang-format on */
	struct bpf_syscall_want *w = &sb->wants[nr];

	if (!s->is_exact)
		return flags[side][0];
	if (probe_actions_are_countable(p, CLAIM_ALL_PROCESSES))
		return flags[side][1];
	if (sb->counts)
		w->stmts[side] = bpf_counter_add(sb->counter, sb->counts,
						 side * BPF_SYSCALL_MAX + nr, 1U << side, p);
	return flags[side][w->stmts[side] ? 2 : 0];
}

/* What the clauses ask for goes into the programs. Returns how they are told of. */
static unsigned char use_filter(struct sys_bpf *sb, const struct probe *p, enum sys_side side,
				unsigned nr)
{
	const struct bpf_knows knows = {
		.set = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME |
		       (side == SYS_ENTRY ? BPF_KNOWS_ARGS : BPF_KNOWS_RESULT)};
	struct bpf_filter made;
	unsigned char flag;
	struct filter s;

	filter_init(&s);
	bpf_filter_add(&s, p, &knows);
	bpf_filter_make(&s, &knows, &made);
	sb->wants[nr].filters[side] = (uint8_t)place_filter(sb, &s, &made);
	if (!filter_passes_all(&s) && !sb->wants[nr].filters[side])
		s.is_exact = false;
	sb->wants[nr].signals[side] = sys_raise_of(sb->sw, p, s.is_exact);
	flag = how_told(sb, p, side, nr, &s);
	probe_place_counted(p, !(flag & (BPF_WANT_ENTRY | BPF_WANT_RETURN)), s.is_exact,
			    WHY(AT_HAND));
	return flag;
}

int sys_bpf_add(struct sys_world *sw, enum sys_side side, unsigned nr, struct err *err)
{
	int rc = get(sw, err);
	struct bpf_syscall_want *w;
	unsigned char flag;

	if (rc < 0)
		return rc;
	w = &sw->bpf->wants[nr];
	flag = use_filter(sw->bpf, sw->probes[side][nr], side, nr);
	w->flags |= flag;
	if (sw->bpf->counts)
		bpf_counter_size(sw->bpf->counter, sw->bpf->object, sw->bpf->counts);
	w->stacks[side] = (uint16_t)(bpf_wanted_stacks(sw->bpf->bpf, sw->probes[side][nr]->needs) |
				     bpf_wanted_pieces(sw->bpf->bpf, OBJECT, sw->probes[side][nr]));
	choose(sw->bpf->object, side == SYS_ENTRY ? "on_enter" : "on_exit", true);
	if (flag & (BPF_WANT_ENTRY | BPF_WANT_RETURN) &&
	    sw->probes[side][nr]->needs & NEED_TARGET) {
		w->flags |= BPF_WANT_DATA;
		if (side == SYS_ENTRY) {
			choose(sw->bpf->object, "on_late", true);
			choose(sw->bpf->object, "on_late_exec", true);
		}
		find_pointers(sw, nr, w);
	}
	return 0;
}

/* ---- counts ---- */

void sys_bpf_collect(struct sys_world *sw)
{
	struct sys_bpf *sb = sw->bpf;
	int map = sb ? bpf_map(sb->bpf, OBJECT, "counts") : -1;
	struct session *s = sw->session;

	for (unsigned side = 0; map >= 0 && side < 2; side++)
		for (uint32_t nr = 0; nr < SYSCALL_MAX_NR; nr++) {
			const uint8_t flag =
				side == SYS_ENTRY ? BPF_WANT_ENTRY_COUNT : BPF_WANT_RETURN_COUNT;
			struct event ev = {.probe = sw->probes[side][nr]};
			uint64_t n;

			if (!(sb->wants[nr].flags & flag) ||
			    !bpf_sum_of_cpus(map, side * BPF_SYSCALL_MAX + nr, &n) ||
			    n == sb->counted[side][nr])
				continue;
			ev.time_ns = session_now(s);
			event_count(s, &ev, n - sb->counted[side][nr]);
			sb->counted[side][nr] = n;
		}
	if (sb)
		sys_clauses_collect(sb->clauses);
	if (map >= 0 && sb->counts)
		bpf_counter_collect(sb->counter, sb->bpf, sb->counts, OBJECT);
}

void sys_bpf_free(struct sys_bpf *sb)
{
	for (unsigned i = 0; sb && i < sb->nfilters; i++)
		free(sb->filters[i].text);
	if (sb) {
		bpf_counter_free(sb->counter);
		sys_clauses_free(sb->clauses);
	}
	free(sb);
}
