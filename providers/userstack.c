#include "providers/userstack.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/regfile.h"
#include "symbols/filecfi.h"

struct userstacks {
	struct livespaces *spaces;
	struct hash files; /* by device and inode: struct filecfi */
	taddr_t pcs[USERSTACK_FRAMES];
};

struct userstacks *userstacks_new(struct livespaces *spaces)
{
	struct userstacks *us = xcalloc(1, sizeof(*us));

	us->spaces = spaces;
	hash_init(&us->files);
	return us;
}

void userstacks_free(struct userstacks *us)
{
	struct filecfi *f;

	if (!us)
		return;
	for (size_t i = 0; (f = hash_each(&us->files, &i, NULL));)
		filecfi_free(f);
	hash_release(&us->files);
	free(us);
}

static bool find_row(struct userstacks *us, pid_t pid, taddr_t pc, struct cfi_row *row)
{
	const struct livemap *m = livespace_at(us->spaces, pid, pc);
	struct filecfi *f;
	uint64_t key;

	if (!m || m->path[0] != '/')
		return false;
	key = m->ino ^ (uint64_t)m->dev_major << 52 ^ (uint64_t)m->dev_minor << 40;
	f = hash_get(&us->files, key);
	if (!f) {
		f = filecfi_new(regfile_open_mapped(pid, m->start, m->end, m->path, m->ino));
		hash_put(&us->files, key, f);
	}
	return filecfi_row(f, pc - m->start + m->file_off, row) == 0;
}

/* ---- the copy of the stack ---- */

struct copy {
	const struct userstack *from;
	taddr_t start;
};

static bool read_copy(void *arg, taddr_t addr, uint64_t *v)
{
	const struct copy *c = arg;

	if (addr < c->start || addr - c->start > c->from->len ||
	    c->from->len - (addr - c->start) < sizeof(*v))
		return false;
	memcpy(v, c->from->stack + (addr - c->start), sizeof(*v));
	return true;
}

/* ---- frames ---- */

/* By DWARF number (psABI figure 3.36). */
static struct cfi_regs by_dwarf(const uint64_t *r)
{
	enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, FLAGS, R8 };

	return (struct cfi_regs){{r[AX], r[DX], r[CX], r[BX], r[SI], r[DI], r[BP], r[SP], r[R8],
				  r[R8 + 1], r[R8 + 2], r[R8 + 3], r[R8 + 4], r[R8 + 5], r[R8 + 6],
				  r[R8 + 7], r[IP]}};
}

/* Code without such information: by the frame pointer, if that leads to code. */
static bool step_rbp(const struct userstacks *us, pid_t pid, struct cfi_regs *r, struct copy *c)
{
	taddr_t rbp = r->r[CFI_RBP];
	uint64_t next, ra;

	if (rbp < r->r[CFI_RSP] || !read_copy(c, rbp, &next) || !read_copy(c, rbp + 8, &ra) ||
	    !livespace_at(us->spaces, pid, ra))
		return false;
	r->r[CFI_RSP] = rbp + 16;
	r->r[CFI_RBP] = next;
	r->r[CFI_RA] = ra;
	return true;
}

unsigned userstack_walk(struct userstacks *us, pid_t pid, const struct userstack *from,
			const taddr_t **pcs)
{
	struct cfi_regs r = by_dwarf(from->regs);
	struct copy c = {from, r.r[CFI_RSP]};
	bool is_exact = true; /* it stands at that pc; else a call will return to it */
	unsigned n = 0;

	us->pcs[n++] = r.r[CFI_RA];
	while (n < USERSTACK_FRAMES) {
		struct cfi_row row;
		taddr_t rsp = r.r[CFI_RSP];

		if (find_row(us, pid, r.r[CFI_RA] - !is_exact, &row)) {
			if (cfi_step(&row, &r, read_copy, &c) < 0)
				break;
			is_exact = row.is_signal;
		} else {
			if (!step_rbp(us, pid, &r, &c))
				break;
			is_exact = false;
		}
		if (!r.r[CFI_RA] || r.r[CFI_RSP] <= rsp) /* stacks grow downwards */
			break;
		us->pcs[n++] = r.r[CFI_RA];
	}
	*pcs = us->pcs;
	return n;
}
