#include "symbols/cfi/cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbols/cfi/ehbytes.h"
#include "symbols/cfi/ehframe.h"

#define ENTRY_MAX  (1U << 20)  /* bytes of one entry that we believe */
#define SCAN_MAX   (64U << 20) /* bytes of a table without an index that we look through */
#define STATES_MAX 16	       /* remembered at once */
#define TABLE_ENC  (PE_DATAREL | PE_SDATA4)

/* DW_CFA_*: DWARF 5 §7.24; the GNU ones from the LSB. */
struct cfi_entry {
	taddr_t start; /* of the code it describes */
	taddr_t addr;
};

/* ---- finding the entry ---- */

/* The body of the entry at addr. */
static const uint8_t *entry_body(const struct cfi *cfi, taddr_t addr, uint32_t *len)
{
	const uint8_t *p = cfi->bytes(cfi->arg, addr, 4);

	if (!p)
		return NULL;
	memcpy(len, p, 4);
	if (*len < 4 || *len > ENTRY_MAX)
		return NULL;
	return cfi->bytes(cfi->arg, addr + 4, *len);
}

/* The FDE at addr with its CIE. */
static int entry_at(const struct cfi *cfi, taddr_t addr, struct eh_cie *cie, struct eh_fde *fde)
{
	uint32_t len, cie_len, back;
	const uint8_t *body = entry_body(cfi, addr, &len), *cie_body;

	if (!body)
		return -EINVAL;
	memcpy(&back, body, 4);
	if (!back || back > addr + 4)
		return -EINVAL;
	cie_body = entry_body(cfi, addr + 4 - back, &cie_len);
	if (!cie_body || ehframe_cie(cie_body, cie_len, cie))
		return -EINVAL;
	return ehframe_fde(body, len, addr + 4, cie, fde);
}

static bool entry_of(const struct cfi *cfi, uint32_t i, struct cfi_entry *e)
{
	const uint8_t *p;
	int32_t rel[2];

	if (cfi->index) {
		*e = cfi->index[i];
		return true;
	}
	p = cfi->bytes(cfi->arg, cfi->table + i * 8ULL, 8);
	if (!p)
		return false;
	memcpy(rel, p, 8);
	e->start = cfi->hdr + (taddr_t)(int64_t)rel[0];
	e->addr = cfi->hdr + (taddr_t)(int64_t)rel[1];
	return true;
}

static int search(const struct cfi *cfi, taddr_t pc, struct eh_cie *cie, struct eh_fde *fde)
{
	uint32_t lo = 0, hi = cfi->count;
	struct cfi_entry e;
	taddr_t best = 0;
	int r;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (!entry_of(cfi, mid, &e))
			return -EINVAL;
		if (e.start <= pc) {
			best = e.addr;
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	if (!best)
		return -ENOENT;
	r = entry_at(cfi, best, cie, fde);
	return r ? r : pc - fde->start < fde->size ? 0 : -ENOENT;
}

/* ---- opening ---- */

static int by_start(const void *a, const void *b)
{
	const struct cfi_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void add_to_index(struct cfi *cfi, uint32_t *room, taddr_t addr)
{
	struct eh_cie cie;
	struct eh_fde fde;

	if (entry_at(cfi, addr, &cie, &fde))
		return;
	if (cfi->count == *room) {
		*room = *room ? *room * 2 : 256;
		cfi->index = xrealloc(cfi->index, *room * sizeof(*cfi->index));
	}
	cfi->index[cfi->count++] = (struct cfi_entry){fde.start, addr};
}

static void make_index(struct cfi *cfi, taddr_t frame, uint64_t frame_size)
{
	uint64_t size = frame_size ? MIN(frame_size, SCAN_MAX) : SCAN_MAX, at = 0;
	uint32_t room = 0;

	while (at + 4 <= size) {
		const uint8_t *p = cfi->bytes(cfi->arg, frame + at, 4);
		uint32_t len;

		if (!p)
			break;
		memcpy(&len, p, 4);
		if ((!len && !frame_size) || len == EH_EXTENDED_LENGTH || len > size - at - 4)
			break;
		if (len)
			add_to_index(cfi, &room, frame + at);
		at += 4 + (uint64_t)len;
	}
	if (cfi->count)
		qsort(cfi->index, cfi->count, sizeof(*cfi->index), by_start);
}

int cfi_open(struct cfi *cfi, cfi_bytes *bytes, void *arg, taddr_t hdr, taddr_t frame,
	     uint64_t frame_size)
{
	const uint8_t *h = hdr ? bytes(arg, hdr, 12) : NULL;

	*cfi = (struct cfi){.bytes = bytes, .arg = arg, .hdr = hdr};
	if (h && h[0] == 1) {
		struct ehbytes b = {h + 4, h + 12, true};

		if (!frame)
			ehframe_hdr_find(h, 12, hdr, &frame);
		eh_encoded(&b, h[1]);
		/* The sorted table in the one encoding that linkers write. */
		if (b.ok && h[2] == PE_UDATA4 && h[3] == TABLE_ENC && b.end - b.p == 4) {
			cfi->count = (uint32_t)eh_uint(&b, 4);
			cfi->table = hdr + 12;
		}
	}
	if (!cfi->table && frame)
		make_index(cfi, frame, frame_size);
	return cfi->table || cfi->index ? 0 : -EINVAL;
}

void cfi_close(struct cfi *cfi)
{
	free(cfi->index);
	cfi->index = NULL;
}

/* ---- running its instructions ---- */

struct state {
	struct cfi_rule cfa;
	struct cfi_rule regs[CFI_NREGS];
};

struct machine {
	const struct eh_cie *cie;
	taddr_t pc, loc;
	taddr_t end; /* where the row ends, when it was reached */
	struct state now, initial;
	struct cfi_rule untracked; /* of all other registers */
	struct state saved[STATES_MAX];
	unsigned nsaved;
	struct ehbytes b;
};

/* To a later place in the code; false: the row for pc is complete. */
static bool advance_to(struct machine *m, taddr_t to)
{
	if (to < m->loc) {
		m->b.ok = false;
		return false;
	}
	if (to > m->pc) {
		m->end = to;
		return false;
	}
	m->loc = to;
	return true;
}

static bool advance(struct machine *m, uint64_t delta)
{
	return advance_to(m, m->loc + delta * m->cie->code_align);
}

static struct cfi_rule *rule_of(struct machine *m, uint64_t reg)
{
	return reg < CFI_NREGS ? &m->now.regs[reg] : &m->untracked;
}

static void set_offset(struct machine *m, uint64_t reg, enum cfi_how how, uint64_t factored)
{
	uint64_t off = factored * (uint64_t)m->cie->data_align;

	*rule_of(m, reg) = (struct cfi_rule){.how = (uint8_t)how, .off = (int64_t)off};
}

static struct cfi_rule take_expression(struct machine *m, enum cfi_how how)
{
	uint64_t len = eh_uleb(&m->b);
	const uint8_t *expr = len <= ENTRY_MAX ? eh_take(&m->b, len) : NULL;

	m->b.ok = m->b.ok && expr;
	return (struct cfi_rule){.how = (uint8_t)how, .len = (uint32_t)len, .expr = expr};
}

static void def_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->now.cfa = (struct cfi_rule){.how = CFI_REGISTER, .reg = (uint8_t)reg, .off = off};
	m->b.ok = m->b.ok && reg < CFI_RA;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < CFI_NREGS)
		m->now.regs[reg] = m->initial.regs[reg];
}

static void op_cfa(struct machine *m, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = eh_uleb(&m->b);
		def_cfa(m, reg, (int64_t)eh_uleb(&m->b));
		break;
	case DW_CFA_def_cfa_sf:
		reg = eh_uleb(&m->b);
		def_cfa(m, reg, (int64_t)((uint64_t)eh_sleb(&m->b) * (uint64_t)m->cie->data_align));
		break;
	case DW_CFA_def_cfa_expression:
		m->now.cfa = take_expression(m, CFI_VALEXPR);
		break;
	default: /* these change one half of reg + off */
		if (m->now.cfa.how != CFI_REGISTER)
			m->b.ok = false;
		else if (op == DW_CFA_def_cfa_register)
			def_cfa(m, eh_uleb(&m->b), m->now.cfa.off);
		else if (op == DW_CFA_def_cfa_offset)
			m->now.cfa.off = (int64_t)eh_uleb(&m->b);
		else
			m->now.cfa.off =
				(int64_t)((uint64_t)eh_sleb(&m->b) * (uint64_t)m->cie->data_align);
	}
}

static void op_register(struct machine *m, uint8_t op)
{
	uint64_t reg = eh_uleb(&m->b);

	switch (op) {
	case DW_CFA_offset_extended:
		set_offset(m, reg, CFI_SAVED, eh_uleb(&m->b));
		break;
	case DW_CFA_offset_extended_sf:
		set_offset(m, reg, CFI_SAVED, (uint64_t)eh_sleb(&m->b));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_offset(m, reg, CFI_SAVED, -eh_uleb(&m->b));
		break;
	case DW_CFA_val_offset:
		set_offset(m, reg, CFI_VALUE, eh_uleb(&m->b));
		break;
	case DW_CFA_val_offset_sf:
		set_offset(m, reg, CFI_VALUE, (uint64_t)eh_sleb(&m->b));
		break;
	case DW_CFA_restore_extended:
		restore(m, reg);
		break;
	case DW_CFA_undefined:
		*rule_of(m, reg) = (struct cfi_rule){.how = CFI_UNDEFINED};
		break;
	case DW_CFA_same_value:
		*rule_of(m, reg) = (struct cfi_rule){.how = CFI_SAME};
		break;
	case DW_CFA_register: {
		uint64_t in = eh_uleb(&m->b);

		m->b.ok = m->b.ok && in < CFI_NREGS;
		*rule_of(m, reg) = (struct cfi_rule){.how = CFI_REGISTER, .reg = (uint8_t)in};
		break;
	}
	case DW_CFA_expression:
		*rule_of(m, reg) = take_expression(m, CFI_EXPR);
		break;
	case DW_CFA_val_expression:
		*rule_of(m, reg) = take_expression(m, CFI_VALEXPR);
		break;
	default:
		m->b.ok = false;
	}
}

static void op_state(struct machine *m, uint8_t op)
{
	if (op == DW_CFA_remember_state && m->nsaved < STATES_MAX)
		m->saved[m->nsaved++] = m->now;
	else if (op == DW_CFA_restore_state && m->nsaved)
		m->now = m->saved[--m->nsaved];
	else
		m->b.ok = false;
}

/* One instruction. Returns false when the row for pc is complete. */
static bool execute(struct machine *m, const uint8_t *data, taddr_t addr)
{
	uint8_t op = (uint8_t)eh_uint(&m->b, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(m, low);
	case DW_CFA_offset:
		set_offset(m, low, CFI_SAVED, eh_uleb(&m->b));
		return true;
	case DW_CFA_restore:
		restore(m, low);
		return true;
	default:
		break;
	}
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return advance_to(m, eh_pointer(&m->b, m->cie->enc, data, addr));
	case DW_CFA_advance_loc1:
		return advance(m, eh_uint(&m->b, 1));
	case DW_CFA_advance_loc2:
		return advance(m, eh_uint(&m->b, 2));
	case DW_CFA_advance_loc4:
		return advance(m, eh_uint(&m->b, 4));
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		op_state(m, op);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		op_cfa(m, op);
		return true;
	case DW_CFA_GNU_args_size: /* for landing pads only */
		eh_uleb(&m->b);
		return true;
	default:
		op_register(m, op);
		return true;
	}
}

static void run(struct machine *m, const uint8_t *p, const uint8_t *end, taddr_t addr)
{
	m->b = (struct ehbytes){p, end, true};
	while (m->b.ok && m->b.p < m->b.end && execute(m, p, addr))
		;
}

/* The row for m->pc, from the instructions that are left. */
static int next_row(struct machine *m, const struct eh_fde *fde, struct cfi_row *row)
{
	while (m->b.ok && m->b.p < m->b.end && execute(m, fde->insns, fde->insns_addr))
		;
	if (!m->b.ok || m->now.cfa.how == CFI_UNDEFINED)
		return -EINVAL;
	row->start = m->loc;
	row->end = MIN(m->end, fde->start + fde->size);
	row->is_signal = m->cie->is_signal;
	row->cfa = m->now.cfa;
	memcpy(row->regs, m->now.regs, sizeof(row->regs));
	return 0;
}

/* Before the first instruction of an entry. False: its CIE cannot be understood. */
static bool start(struct machine *m, const struct eh_cie *cie, const struct eh_fde *fde)
{
	*m = (struct machine){.cie = cie, .pc = fde->start, .loc = fde->start};
	m->now.cfa.how = CFI_UNDEFINED;
	run(m, cie->insns, cie->end, 0);
	if (!m->b.ok || m->loc != fde->start || m->end)
		return false;
	m->initial = m->now;
	m->end = fde->start + fde->size;
	m->b = (struct ehbytes){fde->insns, fde->end, true};
	return true;
}

static int row_of(const struct eh_cie *cie, const struct eh_fde *fde, taddr_t pc,
		  struct cfi_row *row)
{
	struct machine m;

	if (!start(&m, cie, fde))
		return -EINVAL;
	m.pc = pc;
	return next_row(&m, fde, row);
}

static void rows_of(const struct eh_cie *cie, const struct eh_fde *fde, cfi_row_fn *fn, void *arg)
{
	taddr_t end = fde->start + fde->size;
	struct cfi_row row;
	struct machine m;

	if (!start(&m, cie, fde))
		return;
	while (m.loc < end && !next_row(&m, fde, &row)) {
		fn(arg, &row);
		m.loc = m.pc = m.end;
		m.end = end;
	}
}

int cfi_row(const struct cfi *cfi, taddr_t pc, struct cfi_row *row)
{
	struct eh_cie cie;
	struct eh_fde fde;
	int r = search(cfi, pc, &cie, &fde);

	if (r)
		return r;
	return cie.ra == CFI_RA ? row_of(&cie, &fde, pc, row) : -EINVAL;
}

void cfi_each_row(const struct cfi *cfi, cfi_row_fn *fn, void *arg)
{
	for (uint32_t i = 0; i < cfi->count; i++) {
		struct cfi_entry e;
		struct eh_cie cie;
		struct eh_fde fde;

		if (!entry_of(cfi, i, &e))
			return;
		if (!entry_at(cfi, e.addr, &cie, &fde) && cie.ra == CFI_RA)
			rows_of(&cie, &fde, fn, arg);
	}
}
