#include "inject/x86/reloc.h"

#include <errno.h>

#include "symbols/x86/disasm.h"

struct moving {
	const struct reloc_request *rq;
	struct reloc *out;
	unsigned nstops; /* of them are behind us */
	bool overflows;
	struct err *err;
};

static void emit(struct moving *m, const void *bytes, size_t n)
{
	m->overflows |= m->out->len + n > RELOC_CODE_MAX;
	if (m->overflows)
		return;
	memcpy(m->out->code + m->out->len, bytes, n);
	m->out->len += (unsigned)n;
}

static int refuse(struct moving *m, const char *why)
{
	return err_set(m->err, -EINVAL, "%s", why);
}

static int emit_rel32(struct moving *m, const void *opcode, size_t n, taddr_t target)
{
	int64_t rel = (int64_t)(target - (m->rq->to + m->out->len + n + 4));
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

		disp = (int64_t)(pl->target - (m->rq->to + m->out->len + pl->len));
		disp32 = (int32_t)disp;
		if (disp != disp32)
			return err_set(m->err, -ERANGE, "its data is too far from free memory");
		memcpy(bytes + pl->disp_off, &disp32, sizeof(disp32));
	}
	emit(m, bytes, pl->len);
	return 0;
}

/*
 * call 1f; jmp NEXT; 1: movl NEXT, (%rsp); jmp TARGET, where NEXT is behind the original. The
 * processor predicts returns by its calls: what is only pushed would make it wrong about the return
 * to every caller further out. Here it is wrong about one, and goes on to NEXT meanwhile.
 */
static int emit_direct_call(struct moving *m, taddr_t target)
{
	static const uint8_t call[] = {0xe8, 5, 0, 0, 0}, jmp[] = {0xe9};
	taddr_t next = m->rq->from + m->out->window;
	uint8_t low[] = {0xc7, 0x04, 0x24, 0, 0, 0, 0}, high[] = {0xc7, 0x44, 0x24, 4, 0, 0, 0, 0};
	int r;

	memcpy(low + 3, &next, 4);
	memcpy(high + 4, (const char *)&next + 4, 4);
	emit(m, call, sizeof(call));
	r = emit_rel32(m, jmp, sizeof(jmp), next);
	emit(m, low, sizeof(low));
	emit(m, high, sizeof(high));
	return r ? r : emit_rel32(m, jmp, sizeof(jmp), target);
}

/* A slot does all that is needed, and goes on in the original. */
static int emit_call(struct moving *m, const struct insn_plan *pl)
{
	uint8_t slot[SLOT_SIZE];

	if (pl->op == EMUL_CALL)
		return emit_direct_call(m, pl->target);
	if (pl->how != INSN_SLOT)
		return refuse(m, "a call through the stack stands there");
	/* the slot's words are read as data: no need of alignment */
	if (insn_slot(pl, m->rq->to + m->out->len, slot) < 0)
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
	return refuse(m, "a loop instruction stands there");
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
		return is_last ? emit_call(m, pl) : refuse(m, "a call ends there");
	case INSN_JMP:
	case INSN_JCC:
		return move_branch(m, pl);
	case INSN_TRAP:
		return refuse(m, "a trap stands there");
	default:
		break;
	}
	if (pl->restarts)
		return refuse(m, "a system call or a repeated instruction stands there");
	return emit_copy(m, pl);
}

/* What stands at the next stop. */
static int fill(struct moving *m)
{
	struct reloc *out = m->out;
	int n = m->rq->fill(m->rq->arg, m->nstops++, m->rq->to + out->len, out->code + out->len,
			    RELOC_CODE_MAX - out->len);

	if (n < 0)
		return err_set(m->err, n, "its code is too far from free memory");
	out->len += (unsigned)n;
	return 0;
}

/* Where the jump at that place leads to: or what stands there. */
static int emit_leave(struct moving *m, const struct reloc_stop *stop, taddr_t target)
{
	static const uint8_t jmp[] = {0xe9}, ret[] = {0xc3};

	if (!stop->leads_to_ret)
		return emit_rel32(m, jmp, sizeof(jmp), target);
	emit(m, ret, sizeof(ret));
	return 0;
}

/* jump past what follows unless taken; what stands at the stops; jump to where it leads */
static int move_exit_branch(struct moving *m, const struct insn_plan *pl, unsigned off)
{
	const uint8_t past[] = {0x0f, (uint8_t)(0x80 | (pl->cond ^ 1)), 0, 0, 0, 0};
	const struct reloc_stop *stop = &m->rq->stops[m->nstops];
	unsigned from;
	int32_t rel;
	int r = 0;

	if (pl->op != EMUL_JCC)
		return refuse(m, "a loop instruction stands there");
	emit(m, past, sizeof(past));
	from = m->out->len;
	while (!r && m->nstops < m->rq->nstops && m->rq->stops[m->nstops].off == off)
		r = fill(m);
	if (!r)
		r = emit_leave(m, stop, pl->target);
	rel = (int32_t)(m->out->len - from);
	if (!r && !m->overflows)
		memcpy(m->out->code + from - sizeof(rel), &rel, sizeof(rel));
	return r;
}

static int move_next(struct moving *m, bool *ends)
{
	const struct reloc_request *rq = m->rq;
	unsigned off = m->out->window;
	struct insn_plan pl;
	struct insn in;
	int r = 0;

	if (off >= rq->n || off >= RELOC_WINDOW_MAX ||
	    !insn_decode(rq->bytes + off, rq->n - off, rq->from + off, &in))
		return refuse(m, "its code cannot be decoded there");
	m->out->window += in.len;
	if (*ends) /* what stands behind the end is padding: planning has seen to that */
		return 0;
	m->out->new_offset[off] = (uint16_t)m->out->len;
	while (!r && m->nstops < rq->nstops && rq->stops[m->nstops].off == off &&
	       !(in.kind == INSN_JCC && rq->stops[m->nstops].is_exit))
		r = fill(m);
	m->out->insn_at[off] = (uint16_t)(m->out->len + 1);
	if (!r)
		r = insn_plan(rq->bytes + off, rq->n - off, rq->from + off, &pl, m->err);
	if (r)
		return r;
	if (m->nstops < rq->nstops && rq->stops[m->nstops].off == off)
		return move_exit_branch(m, &pl, off);
	if (in.kind == INSN_JMP && m->nstops && rq->stops[m->nstops - 1].off == off) {
		*ends = true;
		return emit_leave(m, &rq->stops[m->nstops - 1], pl.target);
	}
	return move_insn(m, &pl, in.kind, off + in.len >= rq->need, ends);
}

bool reloc_may_move(const uint8_t *bytes, const struct insn *in, taddr_t pc)
{
	struct insn_plan pl;
	struct err err;

	if (in->kind != INSN_OTHER && in->kind != INSN_JCC)
		return false;
	if (insn_plan(bytes, in->len, pc, &pl, &err))
		return false;
	return !pl.restarts && (in->kind == INSN_OTHER || pl.op == EMUL_JCC);
}

bool reloc_stop_is_same(const struct reloc_stop *a, const struct reloc_stop *b)
{
	return a->off == b->off && a->is_exit == b->is_exit && a->is_offset == b->is_offset &&
	       a->leads_to_ret == b->leads_to_ret && a->ret == b->ret;
}

int reloc_window(const struct reloc_request *rq, struct reloc *out, struct err *err)
{
	struct moving m = {.rq = rq, .out = out, .err = err};
	static const uint8_t jmp[] = {0xe9};
	bool ends = false;
	int r = 0;

	out->window = out->len = 0;
	memset(out->new_offset, 0, sizeof(out->new_offset));
	memset(out->insn_at, 0, sizeof(out->insn_at));
	while (out->window < rq->need && !r)
		r = move_next(&m, &ends);
	if (!r && !ends)
		r = emit_rel32(&m, jmp, sizeof(jmp), rq->from + out->window);
	if (!r && (m.overflows || m.nstops < rq->nstops))
		r = refuse(&m, "there is too much to do there");
	return r;
}
