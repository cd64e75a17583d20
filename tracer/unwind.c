/*
 * User stacks from the call frame information, by libunwind reading through us: the stack out of
 * one bulk copy per hit, everything else through target memory with our patches hidden, so that no
 * breakpoint is ever decoded. libunwind keeps the rules per pc; they are dropped when the
 * mappings change.
 */
#include "inside.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include <libunwind-x86_64.h>

#include "mem.h"
#include "regs.h"

#define STACK_BELOW 128ULL /* the red zone */
#define STACK_FIRST 8192U  /* copied at once; the rest when a frame lies there */
#define STACK_MAX   65536U
#define TEXT_PAGES  64 /* of tables and code, direct-mapped */
#define PAGE	    4096ULL

/* Exported by libunwind for other processes' tables, as perf uses it; no header declares it. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t ip, unw_dyn_info_t *,
				       unw_proc_info_t *, int need_unwind_info, void *arg);

struct text_page {
	taddr_t addr; /* 1: none */
	uint8_t bytes[PAGE];
};

/* Where a module's .eh_frame_hdr is; found once per mapping of text. */
struct module {
	taddr_t start, end; /* of the executable mapping */
	taddr_t hdr;	    /* 0: there is none */
	unw_dyn_info_t info;
};

struct unwind {
	unw_addr_space_t space;
	struct proc *proc;
	const struct user_regs_struct *regs;
	taddr_t stack_start;
	size_t stack_len;
	struct module *modules;
	size_t nmodules;
	struct text_page *pages;
	uint8_t stack[STACK_MAX];
};

/* ---- memory ---- */

static const uint8_t *text_page(struct unwind *u, taddr_t page)
{
	struct text_page *tp = &u->pages[page / PAGE % TEXT_PAGES];

	if (tp->addr == page)
		return tp->bytes;
	tp->addr = 1;
	if (target_read(&u->proc->target, page, tp->bytes, PAGE) != (ssize_t)PAGE)
		return NULL;
	tp->addr = page;
	return tp->bytes;
}

static bool is_constant(const struct unwind *u, taddr_t a)
{
	const struct vma *v = vmmap_at(&u->proc->maps, a);

	return v && !v->write;
}

static void copy_stack(struct unwind *u, size_t len)
{
	ssize_t n = target_read(&u->proc->target, u->stack_start, u->stack, len);

	u->stack_len = n > 0 ? (size_t)n : 0;
}

static bool read_word(struct unwind *u, taddr_t a, unw_word_t *v)
{
	const uint8_t *page;

	if (a >= u->stack_start && a + 8 <= u->stack_start + STACK_MAX) {
		if (a + 8 > u->stack_start + u->stack_len && u->stack_len < STACK_MAX)
			copy_stack(u, STACK_MAX);
		if (a + 8 <= u->stack_start + u->stack_len) {
			memcpy(v, u->stack + (a - u->stack_start), 8);
			return true;
		}
	}
	if (a % PAGE <= PAGE - 8 && is_constant(u, a) && (page = text_page(u, a & ~(PAGE - 1)))) {
		memcpy(v, page + a % PAGE, 8);
		return true;
	}
	return target_read(&u->proc->target, a, v, 8) == 8;
}

static int access_mem(UNUSED unw_addr_space_t as, unw_word_t a, unw_word_t *v, int write, void *arg)
{
	return write || !read_word(arg, a, v) ? -UNW_EINVAL : 0;
}

static int access_reg(UNUSED unw_addr_space_t as, unw_regnum_t reg, unw_word_t *v, int write,
		      void *arg)
{
	const struct unwind *u = arg;
	const struct user_regs_struct *r = u->regs;
	/* DWARF's order, psABI figure 3.36 */
	const unw_word_t regs[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				   r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
				   r->r12, r->r13, r->r14, r->r15, r->rip};

	if (write || reg < 0 || (size_t)reg >= ARRAY_SIZE(regs))
		return -UNW_EBADREG;
	*v = regs[reg];
	return 0;
}

/* ---- tables ---- */

static bool text_bytes(struct unwind *u, taddr_t a, void *buf, size_t n)
{
	return target_read(&u->proc->target, a, buf, n) == (ssize_t)n;
}

/* The first mapping of the file that v belongs to: its ELF header. */
static const struct vma *first_vma(const struct unwind *u, const struct vma *v)
{
	const struct vma *first = v;

	while (first > u->proc->maps.v && first[-1].ino == v->ino &&
	       !strcmp(first[-1].path, v->path) && first[-1].offset < first->offset)
		first--;
	return first;
}

static taddr_t find_hdr(struct unwind *u, const struct vma *v)
{
	const struct vma *first = first_vma(u, v);
	taddr_t bias = 0, hdr = 0;
	bool has_bias = false;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (first->offset || !text_bytes(u, first->start, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	for (unsigned i = 0; i < eh.e_phnum && i < 64; i++) {
		if (!text_bytes(u, first->start + eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return 0;
		if (ph.p_type == PT_LOAD && !has_bias) {
			bias = first->start - (ph.p_vaddr & ~(PAGE - 1));
			has_bias = true;
		}
		if (ph.p_type == PT_GNU_EH_FRAME)
			hdr = ph.p_vaddr;
	}
	return has_bias && hdr ? bias + hdr : 0;
}

/* The sorted table of .eh_frame_hdr (LSB core, 10.6.2), in the one encoding linkers write. */
static void module_init(struct unwind *u, struct module *m, const struct vma *v)
{
	uint8_t h[12];
	uint32_t count;

	memset(m, 0, sizeof(*m));
	m->start = v->start;
	m->end = v->end;
	m->hdr = find_hdr(u, v);
	if (!m->hdr || !text_bytes(u, m->hdr, h, sizeof(h)) || h[0] != 1 || h[2] != 0x03 ||
	    h[3] != 0x3b) {
		m->hdr = 0;
		return;
	}
	memcpy(&count, h + 8, 4);
	m->info.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	m->info.start_ip = m->start;
	m->info.end_ip = m->end;
	m->info.u.rti.segbase = m->hdr;
	m->info.u.rti.table_data = m->hdr + sizeof(h);
	m->info.u.rti.table_len = count * 8ULL / sizeof(unw_word_t);
}

static struct module *module_at(struct unwind *u, taddr_t ip)
{
	const struct vma *v;

	for (size_t i = 0; i < u->nmodules; i++)
		if (ip >= u->modules[i].start && ip < u->modules[i].end)
			return &u->modules[i];
	v = vmmap_at(&u->proc->maps, ip);
	if (!v || !v->exec)
		return NULL;
	u->modules = xrealloc(u->modules, (u->nmodules + 1) * sizeof(*u->modules));
	module_init(u, &u->modules[u->nmodules], v);
	return &u->modules[u->nmodules++];
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct unwind *u = arg;
	struct module *m = module_at(u, ip);

	if (!m || !m->hdr)
		return -UNW_ENOINFO;
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &m->info, pi, need, arg);
}

static void put_unwind_info(UNUSED unw_addr_space_t as, UNUSED unw_proc_info_t *pi,
			    UNUSED void *arg)
{
}

static int no_dyn_info(UNUSED unw_addr_space_t as, UNUSED unw_word_t *a, UNUSED void *arg)
{
	return -UNW_ENOINFO;
}

static int no_fpreg(UNUSED unw_addr_space_t as, UNUSED unw_regnum_t reg, UNUSED unw_fpreg_t *v,
		    UNUSED int write, UNUSED void *arg)
{
	return -UNW_EBADREG;
}

static int no_resume(UNUSED unw_addr_space_t as, UNUSED unw_cursor_t *c, UNUSED void *arg)
{
	return -UNW_EINVAL;
}

static int no_name(UNUSED unw_addr_space_t as, UNUSED unw_word_t a, UNUSED char *buf,
		   UNUSED size_t n, UNUSED unw_word_t *off, UNUSED void *arg)
{
	return -UNW_ENOINFO;
}

static struct unwind *unwind_new(struct proc *p)
{
	unw_accessors_t acc = {.find_proc_info = find_proc_info,
			       .put_unwind_info = put_unwind_info,
			       .get_dyn_info_list_addr = no_dyn_info,
			       .access_mem = access_mem,
			       .access_reg = access_reg,
			       .access_fpreg = no_fpreg,
			       .resume = no_resume,
			       .get_proc_name = no_name};
	struct unwind *u = xcalloc(1, sizeof(*u));

	u->space = unw_create_addr_space(&acc, 0);
	if (!u->space)
		die("the unwinder (libunwind) cannot be started");
	unw_set_caching_policy(u->space, UNW_CACHE_GLOBAL);
	u->proc = p;
	u->pages = xcalloc(TEXT_PAGES, sizeof(*u->pages));
	for (unsigned i = 0; i < TEXT_PAGES; i++)
		u->pages[i].addr = 1;
	return u;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	unw_destroy_addr_space(u->space);
	free(u->modules);
	free(u->pages);
	free(u);
}

void unwind_flush(struct proc *p)
{
	struct unwind *u = p->unwind;

	vmmap_read(&p->maps, proc_live_tid(p));
	if (!u)
		return;
	unw_flush_cache(u->space, 0, 0);
	u->nmodules = 0;
	for (unsigned i = 0; i < TEXT_PAGES; i++)
		u->pages[i].addr = 1;
}

/* ---- walking ---- */

static unsigned walk(struct unwind *u, taddr_t *pcs, unsigned n, unsigned max)
{
	unw_cursor_t c;
	unw_word_t ip;

	if (unw_init_remote(&c, u->space, u) < 0)
		return n;
	while (n < max && unw_step(&c) > 0) {
		if (unw_get_reg(&c, UNW_REG_IP, &ip) < 0 || !ip)
			break;
		pcs[n++] = ip;
	}
	return n;
}

unsigned hit_ustack(struct hit *h, bool at_entry, taddr_t *pcs, unsigned max)
{
	struct proc *p = h->proc;
	struct user_regs_struct r = hit_regs(h)->r;
	struct unwind *u = p->unwind;
	unw_word_t caller;
	unsigned n = 0;

	if (!max)
		return 0;
	if (!u) {
		u = p->unwind = unwind_new(p);
		vmmap_read(&p->maps, h->tid);
	}
	r.rip = h->pc; /* of a sampled thread in a slot: the origin */
	u->regs = &r;
	u->stack_start = r.rsp - STACK_BELOW;
	copy_stack(u, STACK_FIRST);
	pcs[n++] = h->pc;
	/* No frame is built yet: the caller is on top of the stack, whatever the tables say. */
	if (at_entry && n < max && read_word(u, r.rsp, &caller)) {
		pcs[n++] = caller;
		r.rip = caller -
			1; /* within the call, so that one to a noreturn function is found */
		r.rsp += 8;
	}
	return walk(u, pcs, n, max);
}
