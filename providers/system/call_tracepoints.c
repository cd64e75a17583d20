#include "providers/system/call_tracepoints.h"

#include <errno.h>

#include "base/strbuf.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "providers/system/syscalls.h"
#include "providers/world/proctab.h"

/* ---- one tracepoint for all calls ---- */

struct raw_calls {
	struct call_listener to;
	struct perf *perf;
	const struct tpfield *id, *value; /* value: the arguments, or the result */
};

static bool is_asked(const struct call_listener *l, unsigned nr)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->numbers[i] == nr)
			return true;
	return !l->numbers;
}

static void on_raw(void *arg, const struct perf_sample *sm)
{
	const struct raw_calls *raw = arg;
	struct recorded_call c = {.is_entry = raw->to.is_entry};

	c.nr = (unsigned)tpfield_int(raw->id, sm->raw, sm->rawlen);
	/* the record does not say of which table the number is */
	if (c.nr >= SYSCALL_MAX_NR || !is_asked(&raw->to, c.nr) ||
	    proctab_is_32(perf_procs(raw->perf), sm->pid))
		return;
	perf_event_init(raw->perf, &c.ev, sm);
	if (!c.is_entry)
		c.result = (int64_t)tpfield_int(raw->value, sm->raw, sm->rawlen);
	else if (sm->raw && raw->value->offset + sizeof(c.args) <= sm->rawlen)
		memcpy(c.args, (const char *)sm->raw + raw->value->offset, sizeof(c.args));
	raw->to.fn(raw->to.arg, &c);
}

static int add_raw(struct perf *perf, struct perf_want *want, const struct call_listener *l,
		   struct err *err)
{
	struct strbuf filter;
	int rc;

	strbuf_init(&filter);
	for (unsigned i = 0; i < l->n; i++)
		strbuf_addf(&filter, "%sid == %u", i ? " || " : "", l->numbers[i]);
	want->filter = l->n ? filter.s : NULL;
	rc = perf_add(perf, want, err);
	strbuf_release(&filter);
	return rc;
}

static int listen_to_raw(struct world *w, const struct call_listener *l, const struct tpformat *fmt,
			 struct err *err)
{
	struct raw_calls *raw = ARENA_NEW(w->session->arena, struct raw_calls);
	struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = fmt->id,
		.scope = PERF_SYSTEM,
		.flags = PERF_RAW | l->flags,
		.format = fmt,
		.fn = on_raw,
		.arg = raw,
	};
	int rc = perf_check_calls(w, fmt->name, err);

	if (rc < 0)
		return rc;
	*raw = (struct raw_calls){.to = *l, .perf = w->perf};
	raw->id = tpformat_field(fmt, "id");
	raw->value = tpformat_field(fmt, l->is_entry ? "args" : "ret");
	if (!raw->id || !raw->value)
		return err_set(err, -EINVAL, "the format of raw_syscalls:%s is not known",
			       fmt->name);
	return add_raw(w->perf, &want, l, err);
}

/* ---- a tracepoint for each ---- */

struct one_call {
	struct call_listener to;
	struct perf *perf;
	unsigned nr;
	const struct tpformat *format;
};

static void on_one(void *arg, const struct perf_sample *sm)
{
	const struct one_call *one = arg;
	const struct tpfield *ret = tpformat_field(one->format, "ret");
	struct recorded_call c = {.nr = one->nr, .is_entry = one->to.is_entry};
	const unsigned nargs = MIN(syscall_nargs(one->format), (unsigned)ARRAY_SIZE(c.args));

	perf_event_init(one->perf, &c.ev, sm);
	for (unsigned i = 0; c.is_entry && i < nargs; i++)
		c.args[i] = tpfield_int(syscall_arg(one->format, i), sm->raw, sm->rawlen);
	if (!c.is_entry && ret)
		c.result = (int64_t)tpfield_int(ret, sm->raw, sm->rawlen);
	one->to.fn(one->to.arg, &c);
}

int call_tracepoints_listen_to(struct world *w, const struct call_listener *l, unsigned nr,
			       struct err *err)
{
	const struct tpformat *fmt = l->is_entry ? syscall_format(world_tracefs(w), nr)
						 : syscall_exit_format(world_tracefs(w), nr);
	struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.scope = PERF_SYSTEM,
		.flags = PERF_RAW | l->flags,
		.fn = on_one,
	};
	struct one_call *one;

	if (!fmt)
		return perf_lacks(w, "raw_syscalls", l->is_entry ? "sys_enter" : "sys_exit", err);
	one = ARENA_NEW(w->session->arena, struct one_call);
	*one = (struct one_call){*l, w->perf, nr, fmt};
	want.config = fmt->id;
	want.format = fmt;
	want.arg = one;
	return perf_add(w->perf, &want, err);
}

/* As many of them as are there. */
static int listen_to_each(struct world *w, const struct call_listener *l, struct err *err)
{
	unsigned found = 0;

	for (unsigned i = 0; i < l->n; i++)
		found += call_tracepoints_listen_to(w, l, l->numbers[i], err) == 0;
	return found ? 0 : err->code;
}

int call_tracepoints_listen(struct world *w, const struct call_listener *l, struct err *err)
{
	const char *name = l->is_entry ? "sys_enter" : "sys_exit";
	const struct tpformat *fmt = tracefs_format(world_tracefs(w), "raw_syscalls", name);
	struct perf *perf;
	int rc = world_perf(w, &perf, err);

	if (rc < 0)
		return rc;
	if (fmt)
		return listen_to_raw(w, l, fmt, err);
	return l->n ? listen_to_each(w, l, err) : perf_lacks(w, "raw_syscalls", name, err);
}
