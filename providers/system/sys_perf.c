/* sys_perf.c: system calls by the raw_syscalls tracepoints. */
#include "providers/world/proctab.h"
#include "providers/system/call_tracepoints.h"
#include "providers/system/sysprobe.h"

#include <errno.h>
#include <stdlib.h>

#define FILTER_MAX 3900 /* the kernel takes a page, and there is more to it */

struct sys_perf {
	struct sys_world *sw;
	struct {
		const struct tpfield *id, *value; /* value: the arguments, or the result */
		bool is_wanted[SYSCALL_MAX_NR];
		unsigned nwanted, flags;
	} sides[2];
};

static void on_call(void *arg, const struct perf_sample *sm, enum sys_side side)
{
	struct sys_perf *sp = arg;
	struct perf *perf = world_of(sp->sw->session)->perf;
	unsigned nr = (unsigned)tpfield_int(sp->sides[side].id, sm->raw, sm->rawlen);
	const struct tpfield *f = sp->sides[side].value;
	uint64_t args[6] = {0};
	struct event ev;

	if (nr >= SYSCALL_MAX_NR || !sp->sides[side].is_wanted[nr] || perf_is_own(perf, sm->pid))
		return;
	/* the record does not say of which table the number is */
	if (proctab_is_32(perf_procs(perf), sm->pid))
		return;
	perf_event_init(perf, &ev, sm);
	if (side == SYS_ENTRY && f->offset + sizeof(args) <= sm->rawlen)
		memcpy(args, (const char *)sm->raw + f->offset, sizeof(args));
	sys_fire(sp->sw, side, nr, &ev, args,
		 side == SYS_RETURN ? (int64_t)tpfield_int(f, sm->raw, sm->rawlen) : 0);
}

static void on_enter(void *arg, const struct perf_sample *sm)
{
	on_call(arg, sm, SYS_ENTRY);
}

static void on_exit_call(void *arg, const struct perf_sample *sm)
{
	on_call(arg, sm, SYS_RETURN);
}

/* "id == 1 || id == 3"; NULL: too many, or all. Caller frees. */
static char *make_filter(const bool *wanted)
{
	char *text = xmalloc(FILTER_MAX + 32);
	size_t n = 0;

	for (unsigned nr = 0; nr < SYSCALL_MAX_NR && n < FILTER_MAX; nr++)
		if (wanted[nr])
			n += (size_t)snprintf(text + n, 32, "%sid == %u", n ? " || " : "", nr);
	if (n && n < FILTER_MAX)
		return text;
	free(text);
	return NULL;
}

static int open_side(struct sys_perf *sp, enum sys_side side, struct err *err)
{
	static perf_fn *const fns[] = {on_enter, on_exit_call};
	struct world *w = world_of(sp->sw->session);
	const struct tpformat *fmt = tracefs_format(world_tracefs(w), "raw_syscalls",
						    side == SYS_ENTRY ? "sys_enter" : "sys_exit");
	char *ids = make_filter(sp->sides[side].is_wanted), *filter = perf_filter_own(w->perf, ids);
	const struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = fmt ? fmt->id : 0,
		.scope = PERF_TARGETS,
		.flags = PERF_RAW | sp->sides[side].flags,
		.filter = filter,
		.fn = fns[side],
		.arg = sp,
	};
	int rc;

	free(ids);
	if (!fmt) {
		free(filter);
		return err_set(err, -ENOENT, "the kernel does not tell the format of raw_syscalls");
	}
	sp->sides[side].id = tpformat_field(fmt, "id");
	sp->sides[side].value = tpformat_field(fmt, side == SYS_ENTRY ? "args" : "ret");
	if (!sp->sides[side].id || !sp->sides[side].value)
		rc = err_set(err, -EINVAL, "the format of raw_syscalls is not known");
	else
		rc = perf_add(w->perf, &want, err);
	free(filter);
	return rc;
}

void sys_perf_add(struct sys_world *sw, enum sys_side side, unsigned nr, unsigned flags)
{
	struct sys_perf *sp = sw->perf;

	if (!sp) {
		sw->perf = sp = xcalloc(1, sizeof(*sp));
		sp->sw = sw;
	}
	sp->sides[side].is_wanted[nr] = true;
	sp->sides[side].nwanted++;
	sp->sides[side].flags |= flags;
}

/* ---- of a recording ---- */

static void on_recorded(void *arg, struct recorded_call *c)
{
	sys_fire(arg, c->is_entry ? SYS_ENTRY : SYS_RETURN, c->nr, &c->ev, c->args, c->result);
}

int sys_perf_add_recorded(struct sys_world *sw, const struct probe *p, enum sys_side side,
			  unsigned nr, struct err *err)
{
	struct world *w = world_of(sw->session);
	const char *raw = side == SYS_ENTRY ? "sys_enter" : "sys_exit";
	const struct call_listener one = {.is_entry = side == SYS_ENTRY,
					  .flags = perf_flags(p->needs),
					  .fn = on_recorded,
					  .arg = sw};
	int rc;

	if (!tracefs_has(world_tracefs(w), "raw_syscalls", raw))
		return call_tracepoints_listen_to(w, &one, nr, err);
	rc = perf_check_calls(w, raw, err);
	if (rc == 0)
		sys_perf_add(sw, side, nr, perf_flags(p->needs));
	return rc;
}

int sys_perf_open(struct sys_world *sw, struct err *err)
{
	int rc = 0;

	for (unsigned side = 0; side < 2 && sw->perf && rc == 0; side++)
		if (sw->perf->sides[side].nwanted)
			rc = open_side(sw->perf, side, err);
	return rc;
}

/* Numbers and arguments are words of a record. */
static bool put_word(char *raw, size_t room, const struct tpfield *f, const void *v, size_t n)
{
	if (f->offset + n > room)
		return false;
	memcpy(raw + f->offset, v, n);
	return true;
}

bool sys_perf_make(struct sys_world *sw, enum sys_side side, unsigned nr, const struct event *ev,
		   const uint64_t args[6], int64_t ret)
{
	const struct sys_perf *sp = sw->perf;
	struct world *w = world_of(sw->session);
	const struct tpformat *fmt;
	const int64_t id = nr;
	const int32_t tid = ev->tid;
	char raw[128] = {0};
	const struct perf_sample sm = {.pid = ev->pid,
				       .tid = ev->tid,
				       .cpu = ev->cpu,
				       .time_ns = ev->time_ns,
				       .raw = raw,
				       .rawlen = sizeof(raw) - 4};
	uint16_t type;

	if (!w->log || !sp || !sp->sides[side].is_wanted[nr] || !sp->sides[side].id)
		return false;
	fmt = tracefs_format(world_tracefs(w), "raw_syscalls",
			     side == SYS_ENTRY ? "sys_enter" : "sys_exit");
	type = (uint16_t)fmt->id;
	memcpy(raw, &type, sizeof(type));
	memcpy(raw + 4, &tid, sizeof(tid));
	if (!put_word(raw, sm.rawlen, sp->sides[side].id, &id, sizeof(id)) ||
	    !put_word(raw, sm.rawlen, sp->sides[side].value,
		      side == SYS_ENTRY ? (const void *)args : &ret,
		      side == SYS_ENTRY ? 6 * sizeof(*args) : sizeof(ret)))
		return false;
	perf_make(w->perf, fmt->id, &sm);
	return true;
}

void sys_perf_free(struct sys_perf *sp)
{
	free(sp);
}
