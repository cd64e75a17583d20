#include "providers/system/files/fsrecorded.h"

#include <fcntl.h>
#include <string.h>

#include "providers/system/files/fsops.h"

static uint64_t operand(const struct recorded_call *c, unsigned char which)
{
	return which < ARRAY_SIZE(c->args) ? c->args[which] : 0;
}

bool fsrecorded_start(struct fs_record *r, const struct bpf_fs_op *op,
		      const struct recorded_call *c, uint64_t irp)
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
