/*
 * prov_reg.c: the kernel's trees of keys and values: /proc/sys, sysfs, cgroups, configfs and
 * securityfs (docs/spec/providers.md §4.6), seen by providers/kernel/bpf/reg.bpf.c when a call
 * returns. One record may be several probes.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "providers/kernel/bpfprobe.h"
#include "providers/kernel/features.h"
#include "providers/providers.h"
#include "providers/system/files/fsops.h"
#include "providers/system/files/fsrecord.h"
#include "providers/system/files/fsstops.h"
#include "providers/system/system.h"
#include "tracer/janitor/watchdog.h"

#define CALLS	 "on_enter on_exit"
#define ENDS	 " on_range on_gone on_exec|on_gone" /* what closes without a call of its own */
#define PROC_SYS "/proc/sys"

/* clang-format off */
static const struct bpf_probe_row rows[REG_NROWS] = {
	[REG_CREATE] =        {"create",        CALLS, 1},
	[REG_OPEN] =          {"open",          CALLS, 1},
	[REG_DELETE] =        {"delete",        CALLS, 1},
	[REG_QUERY] =         {"query",         CALLS, 1},
	[REG_SETVALUE] =      {"setvalue",      CALLS, 1},
	[REG_DELVALUE] =      {"delvalue",      CALLS, 1},
	[REG_QUERYVALUE] =    {"queryvalue",    CALLS, 1},
	[REG_ENUMKEY] =       {"enumkey",       CALLS, 1},
	[REG_ENUMVALUEKEY] =  {"enumvaluekey",  CALLS, 1},
	[REG_QUERYMULVALUE] = {"querymulvalue", CALLS, 1},
	[REG_SETINFO] =       {"setinfo",       CALLS, 1},
	[REG_FLUSH] =         {"flush",         CALLS, 1},
	[REG_KCBCREATE] =     {"kcbcreate",     CALLS, 1},
	[REG_KCBDELETE] =     {"kcbdelete",     CALLS ENDS, 1},
	[REG_VIRTUALIZE] =    {"virtualize",    CALLS, 1},
	[REG_CLOSE] =         {"close",         CALLS ENDS, 1},
};

/* The operations on files that each comes from. */
static const unsigned operations[REG_NROWS] = {
	[REG_CREATE] =        1U << FS_CREATE,
	[REG_OPEN] =          1U << FS_CREATE,
	[REG_DELETE] =        1U << FS_DELETE,
	[REG_QUERY] =         1U << FS_QUERYINFO,
	[REG_SETVALUE] =      1U << FS_WRITE,
	[REG_DELVALUE] =      1U << FS_DELETE,
	[REG_QUERYVALUE] =    1U << FS_READ,
	[REG_ENUMKEY] =       1U << FS_DIRENUM,
	[REG_ENUMVALUEKEY] =  1U << FS_DIRENUM,
	[REG_QUERYMULVALUE] = 1U << FS_READ,
	[REG_SETINFO] =       1U << FS_SETINFO,
	[REG_FLUSH] =         1U << FS_FLUSH,
	[REG_KCBCREATE] =     1U << FS_CREATE,
	[REG_KCBDELETE] =     1U << FS_CLEANUP,
	[REG_VIRTUALIZE] =    1U << FS_READ | 1U << FS_WRITE,
	[REG_CLOSE] =         1U << FS_CLEANUP,
};

/* Keys whose values belong to a namespace. */
static const struct {
	const char *prefix;
	unsigned of;
} namespaced[] = {
	{"/net/",               BPF_REG_NET},
	{"/kernel/hostname",    BPF_REG_UTS},
	{"/kernel/domainname",  BPF_REG_UTS},
	{"/kernel/sem",         BPF_REG_IPC},
	{"/kernel/shm",         BPF_REG_IPC},
	{"/kernel/msg",         BPF_REG_IPC},
	{"/kernel/auto_msgmni", BPF_REG_IPC},
	{"/fs/mqueue/",         BPF_REG_IPC},
	{"/user/",              BPF_REG_USER},
};
/* clang-format on */

/* What D reads; dscripts/lib/reg.d has the same structure. */
struct reg_record {
	int64_t index;
	uint64_t intime;
	int32_t status;
	char rname[FS_PATH_ROOM];
	char value[BPF_REG_VALUE + 1], newvalue[BPF_REG_VALUE + 1];
};

/* What can be asked for in the kernel; what may be counted by it there is one probe a record. */
#define COUNTED (1U << REG_SETVALUE | 1U << REG_QUERYVALUE)
#define MEMBER(n, m, called)                                                                       \
	.rows = COUNTED, .word = (n), .is_member = true, .off = offsetof(struct reg_record, m),    \
	.name = (called)
static const struct bpf_word words[] = {
	{MEMBER(REG_WORD_INDEX, index, "r_index"), .size = 8},
	{MEMBER(REG_WORD_INTIME, intime, "r_intime"), .size = 8},
	{MEMBER(REG_WORD_STATUS, status, "r_status"), .size = 4, .is_signed = true},
	{MEMBER(REG_WORD_VALUE, value, "r_value")},
	{MEMBER(REG_WORD_NEWVALUE, newvalue, "r_newvalue")},
	/* the last one: names of sysctls are not asked for there */
	{.word = REG_WORD_TAIL,
	 .is_member = true,
	 .is_tail = true,
	 .name = "r_rname",
	 .off = offsetof(struct reg_record, rname)},
};

struct reg_world {
	struct bpf_probes probes;
	struct mounttab *mounts;
	struct hash closing; /* by irp: struct closed */
	bool names_sysctls;
	struct fs_record file;
	struct reg_record copy;
	/* where programs cannot be: */
	bool by_stops;
	unsigned operations; /* that are wanted, enum bpf_fs_row as bits */
	struct call_watcher watcher;
	struct hash calls; /* by thread: struct begun */
	struct bpf_fs raw;
};

/* A call of a traced process that has not returned yet. */
struct begun {
	struct call_stop call;
	const struct bpf_fs_op *op;
	uint64_t offset;
	bool is_told; /* it closes: all but how it ends */
};

/* A close that has not returned yet. */
struct closed {
	struct reg_record record;
	bool is_folder;
};

static struct reg_world *reg_of(const struct session *s)
{
	return world_of(s)->reg;
}

/* ---- names and values ---- */

/* What is behind /proc/sys, wherever the process has its proc: "", or "/" and so on. NULL: it is
 * not there. */
static const char *sysctl_of(const struct fs_record *f)
{
	static const char sys[] = "/sys";
	const char *path = f->path, *at = path;

	if (strcmp(f->fs, "proc") == 0 && strncmp(path, f->mount, strlen(f->mount)) == 0)
		at += strlen(f->mount);
	else if (strncmp(path, PROC_SYS, strlen(PROC_SYS)) == 0)
		at += strlen(PROC_SYS) - strlen(sys);
	if (at == path || strncmp(at, sys, strlen(sys)) != 0)
		return NULL;
	at += strlen(sys);
	return !*at || *at == '/' ? at : NULL;
}

static bool is_in_trees(const struct fs_record *f)
{
	static const char *const trees[] = {"sysfs", "cgroup", "cgroup2", "configfs", "securityfs"};

	for (unsigned i = 0; i < ARRAY_SIZE(trees); i++)
		if (strcmp(f->fs, trees[i]) == 0)
			return true;
	return sysctl_of(f) != NULL;
}

/* /proc/sys/net/ipv4/conf/eth0.1/rp_filter is net.ipv4.conf.eth0/1.rp_filter to sysctl(8). */
static void set_name(const struct reg_world *w, struct reg_record *r)
{
	const char *key = w->names_sysctls ? sysctl_of(&w->file) : NULL;

	if (!key || !key[0] || !key[1]) {
		snprintf(r->rname, sizeof(r->rname), "%s", w->file.path);
		return;
	}
	snprintf(r->rname, sizeof(r->rname), "%s", key + 1);
	for (char *c = r->rname; *c; c++)
		if (*c == '/' || *c == '.')
			*c = (char)('/' + '.' - *c);
}

/* Without the end of the line. */
static void set_value(char to[static BPF_REG_VALUE + 1], const char *from, size_t n)
{
	n = strnlen(from, MIN(n, (size_t)BPF_REG_VALUE));
	while (n > 0 && from[n - 1] == '\n')
		n--;
	memcpy(to, from, n);
	to[n] = '\0';
}

static bool holds_several(const char *value)
{
	while (*value && !isspace((unsigned char)*value))
		value++;
	return *value != '\0';
}

static bool is_virtual(const struct fs_record *f, unsigned namespaces)
{
	const char *key = sysctl_of(f);

	for (unsigned i = 0; key && i < ARRAY_SIZE(namespaced); i++)
		if (namespaces & namespaced[i].of &&
		    strncmp(key, namespaced[i].prefix, strlen(namespaced[i].prefix)) == 0)
			return true;
	return false;
}

static void set_record(struct reg_world *w, const struct bpf_fs *f, size_t len)
{
	const char *values = f->bytes + f->way + f->way2 + f->text + f->text2;
	struct reg_record *r = &w->copy;

	r->index = f->row == REG_ENUMKEY ? (int64_t)f->offset : -1;
	r->intime = f->bytes_asked;
	r->status = f->result < 0 && f->result >= -4095 ? (int32_t)f->result : 0;
	set_name(w, r);
	r->value[0] = r->newvalue[0] = '\0';
	if (!fs_record_has_bytes(f, len))
		return;
	set_value(r->value, values, f->value);
	set_value(r->newvalue, values + f->value, f->newvalue);
}

/* ---- records ---- */

static void fire(struct reg_world *w, unsigned row, struct event *ev)
{
	bpf_probes_fire(&w->probes, row, ev);
}

static bool is_folder(const struct bpf_fs *f)
{
	return (f->flags & BPF_FS_FILE && S_ISDIR(f->mode)) || f->oflags & O_PATH ||
	       f->oflags & O_DIRECTORY;
}

/* The rows that follow from that of the record. */
static void fire_all(struct reg_world *w, const struct bpf_fs *f, struct event *ev)
{
	switch (f->row) {
	case REG_OPEN:
		fire(w, REG_OPEN, ev);
		if (is_folder(f))
			fire(w, REG_KCBCREATE, ev);
		return;
	case REG_ENUMKEY:
		fire(w, REG_ENUMKEY, ev);
		fire(w, REG_ENUMVALUEKEY, ev);
		return;
	case REG_QUERYVALUE:
		if (f->offset != 0)
			return; /* the rest of it */
		fire(w, REG_QUERYVALUE, ev);
		if (holds_several(w->copy.value))
			fire(w, REG_QUERYMULVALUE, ev);
		break;
	default:
		fire(w, f->row, ev);
	}
	if ((f->row == REG_QUERYVALUE || f->row == REG_SETVALUE) &&
	    is_virtual(&w->file, f->flags >> 16))
		fire(w, REG_VIRTUALIZE, ev);
}

static void on_closing(struct reg_world *w, const struct bpf_fs *f)
{
	struct closed *c = hash_get(&w->closing, f->irp);

	if (!c) {
		c = xcalloc(1, sizeof(*c));
		hash_put(&w->closing, f->irp, c);
	}
	c->record = w->copy;
	c->is_folder = is_folder(f);
}

static void on_closed(struct reg_world *w, const struct bpf_fs *f, struct event *ev)
{
	struct closed *c = hash_del(&w->closing, f->irp);

	if (!c)
		return;
	w->copy = c->record;
	w->copy.status = f->result < 0 ? (int32_t)f->result : 0;
	fire(w, REG_CLOSE, ev);
	if (c->is_folder)
		fire(w, REG_KCBDELETE, ev);
	free(c);
}

static void set_args(const struct reg_world *w, struct event *ev)
{
	ev->raw = &w->copy;
	ev->rawlen = sizeof(w->copy);
	ev->args[0] = (uintptr_t)&w->copy;
}

/* w->file is that of the record. */
static void on_event(struct reg_world *w, const struct bpf_fs *f, size_t len, struct event *ev)
{
	set_args(w, ev);
	set_record(w, f, len);
	if (f->row == REG_CLOSE)
		on_closing(w, f);
	else
		fire_all(w, f, ev);
}

static void on_ended(struct reg_world *w, const struct bpf_fs *f, struct event *ev)
{
	set_args(w, ev);
	on_closed(w, f, ev);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct reg_world *w = arg;
	const struct bpf_fs *f = (const void *)h;
	struct event ev;

	if (len < BPF_FS_SHORT || f->row >= REG_NROWS)
		return;
	bpf_event_init(w->probes.bpf, &ev, h);
	if (f->row == REG_CLOSE && f->flags & BPF_FS_ENDED) {
		on_ended(w, f, &ev);
		return;
	}
	fs_record_set(&w->file, w->mounts, f, len);
	if (!(f->flags & BPF_FS_TEXT) || is_in_trees(&w->file))
		on_event(w, f, len, &ev);
}

/* ---- stops ---- */

/* The first process may not let us look: threads of the kernel are where it is, and so are we, as
 * far as we are not in a container. */
static uint32_t namespace_of_init(const char *name)
{
	static const char *const whose[] = {"1", "2", "self"};
	char path[64];
	struct stat st;

	for (unsigned i = 0; i < ARRAY_SIZE(whose); i++) {
		snprintf(path, sizeof(path), "/proc/%s/ns/%s", whose[i], name);
		if (stat(path, &st) == 0)
			return (uint32_t)st.st_ino;
	}
	return 0;
}

struct stopped {
	struct reg_world *world;
	struct fsstops at;
	struct event ev;
};

static unsigned namespaces_of(const struct reg_world *w, pid_t pid)
{
	static const char *const names[] = {"net", "ipc", "uts", "user"};
	unsigned other = 0;

	_Static_assert(BPF_REG_NET == 1 && BPF_REG_USER == 8, "in this order");
	for (unsigned i = 0; w->probes.probes[REG_VIRTUALIZE] && i < ARRAY_SIZE(names); i++) {
		uint32_t first = namespace_of_init(names[i]);
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, names[i]);
		if (first && stat(path, &st) == 0 && (uint32_t)st.st_ino != first)
			other |= 1U << i;
	}
	return other << 16;
}

static bool is_of_trees(struct stopped *st)
{
	struct reg_world *w = st->world;

	fs_record_set(&w->file, w->mounts, st->at.record, st->at.len);
	return is_in_trees(&w->file);
}

static void end_close(struct stopped *st, uint64_t irp, int64_t result)
{
	struct bpf_fs *r = &st->world->raw;

	r->irp = irp;
	r->result = result;
	on_ended(st->world, r, &st->ev);
}

static void begin_close(struct stopped *st)
{
	struct bpf_fs *r = st->at.record;

	r->row = REG_CLOSE;
	r->bytes_asked = st->at.call->time_ns;
	on_event(st->world, r, st->at.len, &st->ev);
}

static void close_by_stop(void *arg, struct fsstops *at)
{
	struct stopped *st = arg;

	if (!is_of_trees(st))
		return;
	begin_close(st);
	end_close(st, at->record->irp, 0);
}

static void called(struct stopped *st, unsigned nr)
{
	struct reg_world *w = st->world;
	const struct call_stop *c = st->at.call;
	const struct bpf_fs_op *op = fsops_of(nr, false);
	struct begun b = {.call = *c, .op = op}, *kept;

	if (w->operations & 1U << FS_CLEANUP)
		fsstops_closes(&st->at, (int)nr, close_by_stop, st);
	if (!op || op->flags & FS_OP_RANGE || !(w->operations & 1U << op->row))
		return;
	if (op->path == FS_OP_NONE) {
		if (!fsstops_start(&st->at, op, (uint64_t)c->tid) || !is_of_trees(st))
			return;
		b.offset = st->at.record->offset;
		b.is_told = op->row == FS_CLEANUP;
	}
	if (b.is_told)
		begin_close(st);
	kept = hash_get(&w->calls, (uint64_t)c->tid);
	if (!kept) {
		kept = xmalloc(sizeof(*kept));
		hash_put(&w->calls, (uint64_t)c->tid, kept);
	}
	*kept = b;
}

static void put_values(struct stopped *st, const struct bpf_fs_op *op, int64_t ret)
{
	struct bpf_fs *r = st->at.record;

	if (op->flags & FS_OP_SECOND)
		return;
	if (op->row == FS_READ)
		r->value = fsstops_buffer(&st->at, op, ret);
	else if (op->row == FS_WRITE)
		r->newvalue =
			fsstops_buffer(&st->at, op,
				       !(op->flags & FS_OP_IOVEC) ? (int64_t)st->at.call->args[2]
				       : ret > 0		  ? ret
								  : BPF_REG_VALUE);
}

static void returned(struct stopped *st, const struct begun *b, int64_t ret)
{
	uint64_t irp = (uint64_t)b->call.tid;
	struct bpf_fs *r = st->at.record;

	st->at.call = &b->call; /* a return has no arguments */
	if (b->is_told) {
		end_close(st, irp, ret);
		return;
	}
	if (b->op->flags & FS_OP_SECOND && ret < 0) /* such a try is followed by a read */
		return;
	if (!(b->op->flags & FS_OP_OPENS && ret >= 0 && fsstops_opened(&st->at, irp, (int)ret)) &&
	    !fsstops_start(&st->at, b->op, irp))
		return;
	if (!is_of_trees(st))
		return;
	r->row = reg_row_of(b->op, b->op->extra == FS_OP_NONE ? 0 : b->call.args[b->op->extra]);
	r->flags |= namespaces_of(st->world, b->call.pid);
	r->result = ret;
	r->bytes_asked = b->call.time_ns;
	r->offset = b->offset;
	put_values(st, b->op, ret);
	on_event(st->world, r, st->at.len, &st->ev);
}

static void on_call(void *arg, const struct call_stop *c)
{
	struct reg_world *w = arg;
	struct stopped st = {.world = w};
	struct begun *b;
	struct hit at;
	int nr = sys_stops_event(c, &at, &st.ev);

	st.at = (struct fsstops){.call = c, .mounts = w->mounts, .record = &w->raw};
	if (c->is_entry) {
		if (nr >= 0)
			called(&st, (unsigned)nr);
		return;
	}
	b = hash_del(&w->calls, (uint64_t)c->tid);
	if (b)
		returned(&st, b, c->ret);
	free(b);
}

static int reg_start(struct session *s, struct err *err UNUSED)
{
	struct reg_world *w = reg_of(s);

	if (!w || !w->by_stops)
		return 0;
	w->watcher = (struct call_watcher){.called = on_call, .arg = w};
	sys_stops_watch(s, &w->watcher);
	return 0;
}

/* ---- enabling ---- */

static int fill_maps(void *arg, struct err *err)
{
	struct reg_world *w = arg;
	unsigned wanted = 0;

	for (unsigned i = 0; i < REG_NROWS; i++)
		if (w->probes.wants->rows & 1U << i)
			wanted |= operations[i];
	return fsops_fill(bpf_map(w->probes.bpf, "reg", "ops"),
			  bpf_map(w->probes.bpf, "reg", "numbers32"), wanted, err);
}

static int set_constants(struct reg_world *w, const struct session *s, struct err *err)
{
	size_t size;
	struct {
		struct bpf_wants wants;
		struct bpf_fs_who who;
	} *constants = bpf_rodata(w->probes.opened, &size);

	if (size < sizeof(*constants))
		return err_set(err, -EINVAL, "the BPF object reg has other constants");
	constants->who = (struct bpf_fs_who){.own = {(uint32_t)s->engine_pid},
					     .net = namespace_of_init("net"),
					     .ipc = namespace_of_init("ipc"),
					     .uts = namespace_of_init("uts"),
					     .user = namespace_of_init("user")};
	if (s->watchdog)
		constants->who.own[1] = (uint32_t)s->watchdog->pid;
	return 0;
}

/* The values of a sysctl that is written: from a program that the kernel asks before. */
static void use_values(struct reg_world *w, struct probe *p)
{
	struct features *f = world_features(world_of(p->session));
	struct bpf_program *prog;

	if (strcmp(p->name, "setvalue") != 0 && strcmp(p->name, "virtualize") != 0)
		return;
	if (feature_works(f, FEATURE_CGROUP)) {
		prog = bpf_object__find_program_by_name(w->probes.opened, "on_sysctl");
		bpf_program__set_autoload(prog, true);
		return;
	}
	if (p->needs & NEED_ARGS)
		session_message(p->session, MSG_ERR, false,
				"probe description %s:::%s: %s; r_value is empty", p->prov, p->name,
				feature_why(f, FEATURE_CGROUP));
}

/* The calls of the traced processes, where nothing else is allowed. */
static void use_stops(struct reg_world *w, struct probe *p)
{
	w->by_stops = true;
	w->operations |= operations[bpf_probes_row(p)];
	bpf_probes_do_without(p, NULL);
	if (strcmp(p->name, "setvalue") == 0 && p->needs & NEED_ARGS)
		session_message(p->session, MSG_ERR, false,
				"probe description %s:::%s: needs CAP_BPF and CAP_NET_ADMIN (or "
				"root) for r_value, which is empty",
				p->prov, p->name);
}

static int reg_enable(struct probe *p, struct err *err)
{
	struct reg_world *w = reg_of(p->session);
	bool can_stop;
	int rc;

	w->names_sysctls = opt(&p->session->options, OPT_REGKEYS) == REGKEYS_SYSCTL;
	w->probes.nwords = ARRAY_SIZE(words) - w->names_sysctls;
	rc = bpf_probes_enable(p, err);
	can_stop = (rc == -EACCES || rc == -EPERM) && world_can_stop(world_of(p->session));
	if (rc < 0 && !can_stop)
		return rc;
	if (!w->mounts) {
		w->mounts = mounttab_new();
		hash_init(&w->closing);
		hash_init(&w->calls);
	}
	if (can_stop) {
		use_stops(w, p);
		return 0;
	}
	use_values(w, p);
	bpf_on(w->probes.bpf, BPF_KIND_REG, on_record, w);
	return set_constants(w, p->session, err);
}

static int reg_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		       struct err *err UNUSED)
{
	struct reg_world *w;

	if (d || world_of(s)->reg)
		return 0;
	w = world_of(s)->reg = xcalloc(1, sizeof(*w));
	w->probes = (struct bpf_probes){.provider = &prov_reg,
					.object = "reg",
					.rows = rows,
					.nrows = REG_NROWS,
					.knows = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME |
						 BPF_KNOWS_WORDS,
					.words = words,
					.nwords = ARRAY_SIZE(words),
					.loaded = fill_maps,
					.loaded_arg = w,
					.session = s};
	bpf_probes_create(&w->probes);
	return 0;
}

static void reg_free(struct session *s)
{
	struct reg_world *w = reg_of(s);
	struct closed *c;
	struct begun *b;
	uint64_t irp, tid;

	if (!w)
		return;
	for (size_t i = 0; w->mounts && (c = hash_each(&w->closing, &i, &irp));)
		free(c);
	for (size_t i = 0; w->mounts && (b = hash_each(&w->calls, &i, &tid));)
		free(b);
	if (w->mounts) {
		hash_release(&w->closing);
		hash_release(&w->calls);
	}
	mounttab_free(w->mounts);
	free(w);
	world_of(s)->reg = NULL;
}

const struct provider prov_reg = {
	.name = "reg",
	.is_of_kernel = true,
	.provide = reg_provide,
	.enable = reg_enable,
	.argtypes = bpf_probes_argtypes,
	.ustack = sys_stops_ustack,
	.start = reg_start,
	.free = reg_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.instead = "raw_syscalls:* (without names of files) and use syscall and fsinfo",
};
