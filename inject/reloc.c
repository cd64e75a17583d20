#include "inject/reloc.h"

#include <errno.h>

#include "symbols/disasm.h"

struct moving {
	struct reloc *out;
	taddr_t to;
	struct err *err;
};

static void emit(struct moving *m, const void *bytes, size_t n)
{
	memcpy(m->out->code + m->out->len, bytes, n);
	m->out->len += (unsigned)n;
}

static int refuse(struct moving *m, const char *why)
{
	return err_set(m->err, -EINVAL, "%s", why);
}

static int emit_rel32(struct moving *m, const void *opcode, size_t n, taddr_t target)
{
	int64_t rel = (int64_t)(target - (m->to + m->out->len + n + 4));
	int32_t rel32 = (int32_t)rel;

	if (rel != rel32)
		return err_set(m->err, -ERANGE, "its code is too far from free memory");
	emit(m, opcode, n);
	emit(m, &rel32, sizeof(rel32));
	return 0;
}

/* Any instruction that does not branch relative to itself. */
static int emit_copy(struct moving *m, const struct insn_plan *pl)
{
	uint8_t bytes[INSN_MAX];
	int64_t disp;

	memcpy(bytes, pl->bytes, pl->len);
	if (pl->disp_off) {
		int32_t disp32;

		disp = (int64_t)(pl->target - (m->to + m->out->len + pl->len));
		disp32 = (int32_t)disp;
		if (disp != disp32)
			return err_set(m->err, -ERANGE, "its data is too far from free memory");
		memcpy(bytes + pl->disp_off, &disp32, sizeof(disp32));
	}
	emit(m, bytes, pl->len);
	return 0;
}

/* A slot does all that is needed, and goes on in the original. */
static int emit_call(struct moving *m, const struct insn_plan *pl)
{
	uint8_t slot[SLOT_SIZE];

	if (pl->how != INSN_SLOT)
		return refuse(m, "a call through the stack stands in its first bytes");
	/* the slot's words are read as data: no need of alignment */
	if (insn_slot(pl, m->to + m->out->len, slot) < 0)
		return err_set(m->err, -ERANGE, "its code is too far from free memory");
	emit(m, slot, sizeof(slot));
	return 0;
}

static int move_branch(struct moving *m, const struct insn_plan *pl)
{
	const uint8_t jcc[] = {0x0f, (uint8_t)(0x80 | pl->cond)}, jmp[] = {0xe9};

	if (pl->op == EMUL_JMP)
		return emit_rel32(m, jmp, sizeof(jmp), pl->target);
	if (pl->op == EMUL_JCC)
		return emit_rel32(m, jcc, sizeof(jcc), pl->target);
	return refuse(m, "a loop instruction stands in its first bytes");
}

/* *ends: what follows is not reached from here. */
static int move_insn(struct moving *m, const struct insn_plan *pl, enum insn_kind kind,
		     bool is_last, bool *ends)
{
	*ends = kind == INSN_RET || kind == INSN_JMP || kind == INSN_JMP_INDIRECT ||
		kind == INSN_CALL || kind == INSN_CALL_INDIRECT;
	switch (kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return is_last ? emit_call(m, pl) : refuse(m, "a call ends within its first bytes");
	case INSN_JMP:
	case INSN_JCC:
		return move_branch(m, pl);
	case INSN_TRAP:
		return refuse(m, "a trap stands in its first bytes");
	default:
		break;
	}
	if (pl->restarts)
		return refuse(m,
			      "a system call or a repeated instruction stands in its first bytes");
	return emit_copy(m, pl);
}

int reloc_window(struct insn_decoder *d, const uint8_t *bytes, size_t n, taddr_t from, taddr_t to,
		 unsigned need, struct reloc *out, struct err *err)
{
	struct moving m = {.out = out, .to = to, .err = err};
	static const uint8_t jmp[] = {0xe9};
	bool ends = false;

	out->window = out->len = 0;
	while (out->window < need) {
		unsigned off = out->window;
		struct insn_plan pl;
		struct insn in;
		int r;

		if (off >= n || !insn_decode(bytes + off, n - off, from + off, &in))
			return refuse(&m, "its first bytes cannot be decoded");
		if (!ends) {
			r = insn_plan(d, bytes + off, n - off, from + off, &pl, err);
			if (!r)
				r = move_insn(&m, &pl, in.kind, off + in.len >= need, &ends);
			if (r)
				return r;
		}
		/* what stands behind the end is padding: planning has seen to that */
		out->window += in.len;
	}
	return ends ? 0 : emit_rel32(&m, jmp, sizeof(jmp), from + out->window);
}
