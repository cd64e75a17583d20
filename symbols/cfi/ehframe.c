#include "symbols/cfi/ehframe.h"

#include <errno.h>

#include "symbols/cfi/ehbytes.h"

#define CIE_LOOK 128u /* what we read of a CIE lies in its first bytes: bounds the work */

static void read_augmentation(struct ehbytes *b, const char *aug, struct eh_cie *cie)
{
	for (; *aug && b->ok; aug++) {
		if (*aug == 'R') {
			cie->enc = (uint8_t)eh_uint(b, 1);
		} else if (*aug == 'L') {
			cie->lsda_enc = (uint8_t)eh_uint(b, 1);
		} else if (*aug == 'P') {
			uint8_t how = (uint8_t)eh_uint(b, 1);

			eh_encoded(b, how);
		} else if (*aug == 'S') {
			cie->is_signal = true;
		} else if (*aug != 'B') {
			break; /* unknown: what follows cannot be placed, what came before holds */
		}
	}
}

int ehframe_cie(const uint8_t *body, size_t n, struct eh_cie *cie)
{
	struct ehbytes b = {body, body + MIN(n, CIE_LOOK), true};
	uint8_t version;
	const char *aug;
	uint64_t len;

	*cie = (struct eh_cie){.enc = PE_ABSPTR, .lsda_enc = PE_OMIT, .end = body + n};
	if (eh_uint(&b, 4) != 0)
		return -EINVAL;
	version = (uint8_t)eh_uint(&b, 1);
	aug = (const char *)b.p;
	while (b.ok && eh_uint(&b, 1))
		;
	if (!b.ok || (version != 1 && version != 3))
		return -EINVAL;
	/* Without a z nothing can be told of the augmentation but that it is empty. */
	if (aug[0] && aug[0] != 'z')
		return -EINVAL;
	cie->code_align = eh_uleb(&b);
	cie->data_align = eh_sleb(&b);
	cie->ra = version == 1 ? eh_uint(&b, 1) : eh_uleb(&b);
	cie->insns = b.p;
	if (aug[0]) {
		cie->is_sized = true;
		len = eh_uleb(&b);
		if (!b.ok || len > (size_t)(cie->end - b.p))
			return -EINVAL;
		cie->insns = b.p + len;
		read_augmentation(&b, aug + 1, cie);
	}
	return b.ok ? 0 : -EINVAL;
}

/* A pointer in the augmentation data of an FDE, where zero is none whatever it is relative to. */
static taddr_t lsda_of(struct ehbytes b, const struct eh_cie *cie, const uint8_t *body,
		       taddr_t addr)
{
	struct ehbytes raw = b;
	taddr_t lsda;

	if (cie->lsda_enc == PE_OMIT || !eh_encoded(&raw, cie->lsda_enc & PE_FORMAT))
		return 0;
	lsda = eh_pointer(&b, cie->lsda_enc, body, addr);
	return b.ok ? lsda : 0;
}

int ehframe_fde(const uint8_t *body, size_t n, taddr_t addr, const struct eh_cie *cie,
		struct eh_fde *fde)
{
	struct ehbytes b = {body, body + n, true};

	eh_take(&b, 4); /* where the CIE is */
	fde->start = eh_pointer(&b, cie->enc, body, addr);
	fde->size = eh_encoded(&b, cie->enc & PE_FORMAT);
	fde->lsda = 0;
	if (cie->is_sized) {
		uint64_t len = eh_uleb(&b);

		fde->lsda = len ? lsda_of(b, cie, body, addr) : 0;
		eh_take(&b, len);
	}
	fde->insns = b.p;
	fde->end = b.end;
	fde->insns_addr = addr + (taddr_t)(b.p - body);
	return b.ok && fde->size && fde->start + fde->size > fde->start ? 0 : -EINVAL;
}

/* The CIE that starts at p. */
static int cie_at(const struct ehframe *eh, const uint8_t *p, struct eh_cie *cie)
{
	struct ehbytes b = {p, eh->data + eh->size, true};
	uint64_t len = eh_uint(&b, 4);
	const uint8_t *body = len == EH_EXTENDED_LENGTH ? NULL : eh_take(&b, len);

	return body ? ehframe_cie(body, len, cie) : -EINVAL;
}

unsigned ehframe_each(const struct ehframe *eh, ehframe_fn *fn, void *arg)
{
	struct ehbytes all = {eh->data, eh->data + eh->size, true};
	const uint8_t *cie_pos = NULL;
	struct eh_cie cie;
	bool has_cie = false;
	unsigned n = 0;

	while (all.p < all.end) {
		uint64_t len = eh_uint(&all, 4), id;
		const uint8_t *body;
		struct ehbytes b;
		struct eh_fde fde;

		if (all.ok && len == 0) {
			if (eh->is_section)
				continue;
			break;
		}
		if (all.ok && len == EH_EXTENDED_LENGTH) {
			len = eh_uint(&all, 8);
			eh_take(&all, len);
			continue;
		}
		body = eh_take(&all, len);
		if (!body)
			break;
		b = (struct ehbytes){body, body + len, true};
		id = eh_uint(&b, 4);
		if (!b.ok || id == 0 || id > (size_t)(body - eh->data))
			continue;
		if (body - id != cie_pos) {
			cie_pos = body - id;
			/*
			 * Frames of signals do not begin where their code does: unwinders look up
			 * pc - 1, which for the first instruction of glibc's __restore_rt lies in
			 * front of it, so its FDE starts a byte early.
			 */
			has_cie = !cie_at(eh, cie_pos, &cie) && !cie.is_signal;
		}
		if (!has_cie ||
		    ehframe_fde(body, len, eh->addr + (taddr_t)(body - eh->data), &cie, &fde) ||
		    !fde.start)
			continue;
		fn(arg, &fde);
		n++;
	}
	return n;
}

#define REG_RSP 7 /* psABI figure 3.36 */

/* DWARF 5 §6.4.2, with what GNU adds: what follows the opcode. */
enum { NOTHING, ULEB, ULEB_ULEB, ULEB_BLOCK, MOVES_ON };
enum { DEF_CFA = 0x0c, DEF_CFA_REGISTER, DEF_CFA_OFFSET, DEF_CFA_EXPRESSION };
static const uint8_t operands[64] = {
	[0x01] = MOVES_ON,  [0x02] = MOVES_ON,	 [0x03] = MOVES_ON,  [0x04] = MOVES_ON,
	[0x05] = ULEB_ULEB, [0x06] = ULEB,	 [0x07] = ULEB,	     [0x08] = ULEB,
	[0x09] = ULEB_ULEB, [0x10] = ULEB_BLOCK, [0x11] = ULEB_ULEB, [0x14] = ULEB_ULEB,
	[0x15] = ULEB_ULEB, [0x16] = ULEB_BLOCK, [0x2e] = ULEB,	     [0x2f] = ULEB_ULEB,
};

static void skip_operands(struct ehbytes *b, uint8_t how)
{
	if (how == ULEB || how == ULEB_ULEB || how == ULEB_BLOCK)
		eh_uleb(b);
	if (how == ULEB_ULEB)
		eh_uleb(b);
	if (how == ULEB_BLOCK)
		eh_take(b, eh_uleb(b));
}

bool ehframe_is_framed(const struct eh_fde *fde)
{
	struct ehbytes b = {fde->insns, fde->end, true};
	uint64_t reg = REG_RSP, off = 8;

	while (b.ok && b.p < b.end) {
		uint8_t op = (uint8_t)eh_uint(&b, 1);

		if (op >> 6 == 1 || (op < 64 && operands[op] == MOVES_ON))
			break;
		if (op >> 6 == 2)
			eh_uleb(&b); /* where a register is saved */
		if (op >> 6)
			continue;
		if (op == DEF_CFA_EXPRESSION)
			return true;
		if (op == DEF_CFA || op == DEF_CFA_REGISTER)
			reg = eh_uleb(&b);
		if (op == DEF_CFA || op == DEF_CFA_OFFSET)
			off = eh_uleb(&b);
		skip_operands(&b, operands[op]);
	}
	return b.ok && (reg != REG_RSP || off != 8);
}

int ehframe_hdr_find(const uint8_t *hdr, size_t size, taddr_t hdr_addr, taddr_t *addr)
{
	struct ehbytes c = {hdr, hdr + size, true};
	uint8_t version = (uint8_t)eh_uint(&c, 1);
	uint8_t enc = (uint8_t)eh_uint(&c, 1);
	taddr_t at;

	eh_take(&c, 2); /* encodings of the search table, which we do not need */
	if (!c.ok || version != 1 || enc == PE_OMIT)
		return -EINVAL;
	at = eh_pointer(&c, enc, hdr, hdr_addr);
	if (!c.ok)
		return -EINVAL;
	*addr = at;
	return 0;
}
