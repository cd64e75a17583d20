#include "providers/world/userstack.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/regfile.h"
#include "symbols/x86/disasm.h"
#include "symbols/cfi/filecfi.h"
#include "tracer/unwind/ustack.h"

#define CACHE_ROWS 2048 /* a power of two */

struct known_row {
	const struct filecfi *file; /* NULL: empty */
	uint64_t off;
	bool is_there;
	struct cfi_row row;
};

struct userstacks {
	struct procspaces *spaces;
	bool by_files;
	struct hash files;    /* by device and inode: struct filecfi */
	struct filecfi *vdso; /* NULL: not needed yet */
	struct known_row *rows;
};

struct userstacks *userstacks_new(struct procspaces *spaces, bool by_files)
{
	struct userstacks *us = xcalloc(1, sizeof(*us));

	us->spaces = spaces;
	us->by_files = by_files;
	us->rows = xcalloc(CACHE_ROWS, sizeof(*us->rows));
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
	filecfi_free(us->vdso);
	free(us->rows);
	free(us);
}

/* By number (asm/perf_regs.h). */
void userstack_set_regs(struct userstack *us, const uint64_t v[USERSTACK_NREGS])
{
	enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, FLAGS, R8 };

	us->has_regs = true;
	us->regs.r = (struct user_regs_struct){
		.rax = v[AX],
		.rbx = v[BX],
		.rcx = v[CX],
		.rdx = v[DX],
		.rsi = v[SI],
		.rdi = v[DI],
		.rbp = v[BP],
		.rsp = v[SP],
		.rip = v[IP],
		.eflags = v[FLAGS],
		.r8 = v[R8],
		.r9 = v[R8 + 1],
		.r10 = v[R8 + 2],
		.r11 = v[R8 + 3],
		.r12 = v[R8 + 4],
		.r13 = v[R8 + 5],
		.r14 = v[R8 + 6],
		.r15 = v[R8 + 7],
		.orig_rax = UINT64_MAX,
	};
}

void userstack_get_regs(const struct regs *regs, uint64_t v[USERSTACK_NREGS])
{
	const struct user_regs_struct *r = &regs->r;
	const uint64_t all[USERSTACK_NREGS] = {r->rax, r->rbx, r->rcx, r->rdx,	  r->rsi, r->rdi,
					       r->rbp, r->rsp, r->rip, r->eflags, r->r8,  r->r9,
					       r->r10, r->r11, r->r12, r->r13,	  r->r14, r->r15};

	memcpy(v, all, sizeof(all));
}

/* ---- files ---- */

/* All processes have the same one. */
static struct filecfi *open_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(const void *)image;
	int fd = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0) {
		size_t size = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize; /* its end */

		if (write(fd, image, size) != (ssize_t)size) {
			close(fd);
			fd = -1;
		}
	}
	return filecfi_new(fd);
}

/* The file that an address is in, and where; NULL: no file is mapped there for execution. */
static struct filecfi *file_at(struct userstacks *us, pid_t pid, taddr_t pc, uint64_t *off)
{
	const struct procspace_map *m = procspace_at(us->spaces, pid, pc);
	struct filecfi *f;
	uint64_t key;

	if (!m)
		return NULL;
	*off = pc - m->start + m->file_off;
	if (strcmp(m->path, "[vdso]") == 0) {
		if (!us->vdso)
			us->vdso = open_vdso();
		return us->vdso;
	}
	if (m->path[0] != '/' || !m->ino)
		return NULL;
	key = m->ino ^ (uint64_t)m->dev_major << 52 ^ (uint64_t)m->dev_minor << 40;
	f = hash_get(&us->files, key);
	if (!f) {
		f = filecfi_new(regfile_open_mapped(procspaces_namer(us->spaces, pid), m->start,
						    m->end, procspaces_here(us->spaces, m),
						    m->ino));
		hash_put(&us->files, key, f);
	}
	return f;
}

/* NULL: there is none. */
static const struct cfi_row *find_row(struct userstacks *us, pid_t pid, taddr_t pc)
{
	uint64_t off = 0;
	const struct filecfi *f = file_at(us, pid, pc, &off);
	struct known_row *k;

	if (!f)
		return NULL;
	k = &us->rows[hash_u64(off ^ (uintptr_t)f) % CACHE_ROWS];
	if (k->file != f || k->off != off) {
		k->file = f;
		k->off = off;
		k->is_there = filecfi_row(f, off, &k->row) == 0;
	}
	return k->is_there ? &k->row : NULL;
}

/* ---- the copy of the stack ---- */

static bool read_copy(void *arg, taddr_t addr, uint64_t *v)
{
	const struct userstack *from = arg;
	taddr_t start = from->regs.r.rsp;

	if (addr < start || addr - start > from->len || from->len - (addr - start) < sizeof(*v))
		return false;
	memcpy(v, from->stack + (addr - start), sizeof(*v));
	return true;
}

/* ---- frames ---- */

/*
 * May a call return there? Of code in files the call stands in front of it, as far as they can be
 * read; runtimes that make code push such addresses themselves.
 */
static bool is_return_address(struct userstacks *us, pid_t pid, taddr_t ra)
{
	uint8_t at[CALL_MAX];
	const struct filecfi *f;
	uint64_t off = 0;

	f = file_at(us, pid, ra, &off);
	if (!f || !filecfi_is_open(f))
		return procspace_at(us->spaces, pid, ra);
	if (off < sizeof(at) || !filecfi_code(f, off - sizeof(at), at, sizeof(at)))
		return false;
	return code_ends_with_call(at);
}

/* Code without such information: by the frame pointer, if that leads to code. */
static bool step_rbp(struct userstacks *us, pid_t pid, struct cfi_regs *r, struct userstack *from)
{
	taddr_t rbp = r->r[CFI_RBP];
	uint64_t next, ra;

	if (rbp < r->r[CFI_RSP] || rbp % 8 || !read_copy(from, rbp, &next) ||
	    !read_copy(from, rbp + 8, &ra) || !is_return_address(us, pid, ra))
		return false;
	r->r[CFI_RSP] = rbp + 16;
	r->r[CFI_RBP] = next;
	r->r[CFI_RA] = ra;
	return true;
}

static struct cfi_regs by_dwarf(const struct user_regs_struct *r)
{
	return (struct cfi_regs){{r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
				  r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
				  r->rip}};
}

static unsigned walk_files(struct userstacks *us, pid_t pid, const struct userstack *from,
			   taddr_t *pcs, unsigned max)
{
	struct cfi_regs r = by_dwarf(&from->regs.r);
	struct userstack copy = *from;
	bool is_exact = true; /* it stands at that pc; else a call will return to it */
	unsigned n = 0;

	pcs[n++] = r.r[CFI_RA];
	while (n < max) {
		const struct cfi_row *row = find_row(us, pid, r.r[CFI_RA] - !is_exact);
		taddr_t rsp = r.r[CFI_RSP];

		if (row) {
			if (cfi_step(row, &r, read_copy, &copy) < 0)
				break;
			is_exact = row->is_signal;
		} else {
			if (!step_rbp(us, pid, &r, &copy))
				break;
			is_exact = false;
		}
		/* stacks grow downwards; vfork() keeps its return address in a register */
		if (r.r[CFI_RSP] < rsp || (r.r[CFI_RSP] == rsp && n > 1))
			break;
		if (!procspace_at(us->spaces, pid, r.r[CFI_RA] - !is_exact))
			break;
		pcs[n++] = r.r[CFI_RA];
	}
	return n;
}

/* The first is where the thread stood. */
static unsigned take_chain(struct userstacks *us, pid_t pid, const struct userstack *from,
			   taddr_t *pcs, unsigned max)
{
	unsigned n = 0;

	while (n < MIN(from->nchain, max) &&
	       (n == 0 || is_return_address(us, pid, from->chain[n]))) {
		pcs[n] = from->chain[n];
		n++;
	}
	return n;
}

unsigned userstack_walk(struct userstacks *us, pid_t pid, const struct userstack *from,
			taddr_t *pcs, unsigned max)
{
	struct proc *p = us->by_files ? NULL : procspace_traced(us->spaces, pid);

	if (!max)
		return 0;
	if (!from->has_regs || !from->stack)
		return take_chain(us, pid, from, pcs, max);
	if (p)
		return proc_late_ustack(p, &from->regs, from->stack, from->len, pcs, max);
	return walk_files(us, pid, from, pcs, max);
}
