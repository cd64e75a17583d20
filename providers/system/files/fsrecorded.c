#include "providers/system/files/fsrecorded.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "providers/kernel/perf.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "providers/system/files/fsops.h"
#include "providers/system/syscalls.h"
#include "providers/world/proctab.h"

struct listener {
	struct perf *perf;
	void (*fn)(void *arg, struct fs_call *);
	void *arg;
	const struct tpfield *id, *value; /* value: the arguments, or the result */
	bool is_entry;
};

static void on_call(void *arg, const struct perf_sample *sm)
{
	const struct listener *l = arg;
	struct fs_call c = {.is_entry = l->is_entry};

	c.nr = (unsigned)tpfield_int(l->id, sm->raw, sm->rawlen);
	/* the record does not say of which table the number is */
	if (c.nr >= SYSCALL_MAX_NR || proctab_is_32(perf_procs(l->perf), sm->pid))
		return;
	perf_event_init(l->perf, &c.ev, sm);
	if (!l->is_entry)
		c.result = (int64_t)tpfield_int(l->value, sm->raw, sm->rawlen);
	else if (sm->raw && l->value->offset + sizeof(c.args) <= sm->rawlen)
		memcpy(c.args, (const char *)sm->raw + l->value->offset, sizeof(c.args));
	l->fn(l->arg, &c);
}

static int listen_to(struct world *w, struct listener *l, struct err *err)
{
	const char *name = l->is_entry ? "sys_enter" : "sys_exit";
	const struct tpformat *fmt = tracefs_format(world_tracefs(w), "raw_syscalls", name);
	const struct perf_want want = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = fmt ? fmt->id : 0,
		.scope = PERF_SYSTEM,
		.flags = PERF_RAW,
		.format = fmt,
		.fn = on_call,
		.arg = l,
	};
	int rc = perf_check_calls(w, name, err);

	if (rc < 0)
		return rc;
	if (!fmt)
		return perf_lacks(w, "raw_syscalls", name, err);
	l->id = tpformat_field(fmt, "id");
	l->value = tpformat_field(fmt, l->is_entry ? "args" : "ret");
	if (!l->id || !l->value)
		return err_set(err, -EINVAL, "the format of raw_syscalls:%s is not known", name);
	return perf_add(l->perf, &want, err);
}

int fsrecorded_listen(struct world *w, bool is_entry, void (*fn)(void *arg, struct fs_call *),
		      void *arg, struct err *err)
{
	struct listener *l = ARENA_NEW(w->session->arena, struct listener);
	int rc = world_perf(w, &l->perf, err);

	l->fn = fn;
	l->arg = arg;
	l->is_entry = is_entry;
	return rc < 0 ? rc : listen_to(w, l, err);
}

static uint64_t operand(const struct fs_call *c, unsigned char which)
{
	return which < ARRAY_SIZE(c->args) ? c->args[which] : 0;
}

bool fsrecorded_start(struct fs_record *r, const struct bpf_fs_op *op, const struct fs_call *c,
		      uint64_t irp)
{
	if (op->flags & (FS_OP_RANGE | FS_OP_REPLACES))
		return false;
	memset(r, 0, sizeof(*r));
	r->row = op->flags & FS_OP_CONTROL && (int)c->args[1] == F_SETFL ? FS_SETINFO : op->row;
	r->irp = irp;
	if (op->fd != FS_OP_NONE)
		snprintf(r->name, sizeof(r->name), "<fd %d>", (int)operand(c, op->fd));
	else
		snprintf(r->name, sizeof(r->name), "<unknown>");
	if (!(op->flags & FS_OP_IOVEC)) /* else it is the number of buffers */
		r->bytes = operand(c, op->len);
	if (!(op->flags & FS_OP_OFF_AT)) /* else it is behind a pointer */
		r->offset = operand(c, op->off);
	r->extinfo = (int64_t)operand(c, op->extra);
	r->aflags = operand(c, op->mode) & 07777;
	if (op->flags & FS_OP_MAKES) {
		r->cflags = 2;
		r->aflags |= op->type;
	}
	if (op->flags & FS_OP_CREAT)
		r->oflags = O_CREAT | O_WRONLY | O_TRUNC;
	else if (op->flags & FS_OP_OPENS && !(op->flags & FS_OP_HOW))
		r->oflags = (uint32_t)operand(c, op->oflags);
	if (op->flags & FS_OP_OPENS) {
		r->cflags = fsops_cflags(r->oflags);
		if (!(r->oflags & O_CREAT) && (r->oflags & O_TMPFILE) != O_TMPFILE)
			r->aflags = 0; /* nothing is made */
	}
	return true;
}
