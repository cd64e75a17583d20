/*
 * The way of a new program to the rendezvous (docs/spec/pid-engine.md §1.8), and the dynamic
 * linker's word that libraries have come or gone: a breakpoint on the function it calls for
 * debuggers.
 */
#include "tracer/tracer_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include "base/procfile.h"
#include "tracer/mem.h"
#include "tracer/x86/regs.h"
#include "tracer/remote.h"

#define CONSISTENT_NS 200000000ULL /* the dynamic linker is given to finish what it does */

/* ---- dynamic symbols, read from memory: the file may be elsewhere or gone ---- */

#define PHDRS_MAX 64  /* that are looked at */
#define TABLE_MAX 256 /* entries of a dynamic section */

struct dynamic {
	taddr_t bias, symtab, strtab, hash, gnu_hash;
};

static bool get(const struct proc *p, taddr_t a, void *buf, size_t n)
{
	return mem_read(p, a, buf, n) == (ssize_t)n;
}

/* Link-time in the file; the dynamic linker adds the bias to its own while it starts. */
static taddr_t biased(const struct dynamic *d, taddr_t v)
{
	return v < d->bias ? v + d->bias : v;
}

/*
 * The entries up to the one that ends them, a page at a time: in a program that has only begun each
 * read of a page that is not in memory yet is the work of another process. Returns how many.
 */
static unsigned read_table(const struct proc *p, taddr_t at, Elf64_Dyn entries[TABLE_MAX])
{
	size_t n = 0, end = 0;

	while (n == end && end < TABLE_MAX) {
		taddr_t from = at + n * sizeof(Elf64_Dyn);
		size_t len = MAX(PAGE - from % PAGE, sizeof(Elf64_Dyn));
		ssize_t got = mem_read(p, from, &entries[n],
				       MIN(len, (TABLE_MAX - n) * sizeof(Elf64_Dyn)));

		if (got < (ssize_t)sizeof(Elf64_Dyn))
			break;
		end += (size_t)got / sizeof(Elf64_Dyn);
		while (n < end && entries[n].d_tag != DT_NULL)
			n++;
	}
	return (unsigned)n;
}

static void read_entries(const struct proc *p, taddr_t at, struct dynamic *d)
{
	Elf64_Dyn entries[TABLE_MAX];
	unsigned n = read_table(p, at, entries);

	for (const Elf64_Dyn *e = entries; e < entries + n; e++)
		if (e->d_tag == DT_SYMTAB)
			d->symtab = biased(d, e->d_un.d_ptr);
		else if (e->d_tag == DT_STRTAB)
			d->strtab = biased(d, e->d_un.d_ptr);
		else if (e->d_tag == DT_HASH)
			d->hash = biased(d, e->d_un.d_ptr);
		else if (e->d_tag == DT_GNU_HASH)
			d->gnu_hash = biased(d, e->d_un.d_ptr);
}

static bool dynamic_read(const struct proc *p, taddr_t base, struct dynamic *d)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph[PHDRS_MAX];
	bool biased_yet = false;
	unsigned n;

	memset(d, 0, sizeof(*d));
	if (!get(p, base, &eh, sizeof(eh)) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	n = MIN(eh.e_phnum, PHDRS_MAX);
	if (!n || !get(p, base + eh.e_phoff, ph, n * sizeof(ph[0])))
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && !biased_yet) {
			d->bias = base - (ph[i].p_vaddr & ~0xfffULL);
			biased_yet = true;
		}
		if (ph[i].p_type == PT_DYNAMIC)
			read_entries(p, d->bias + ph[i].p_vaddr, d);
	}
	return d->symtab && d->strtab && (d->hash || d->gnu_hash);
}

static bool symbol_is(const struct proc *p, const struct dynamic *d, uint32_t i, const char *name,
		      taddr_t *addr)
{
	size_t len = strlen(name) + 1;
	char buf[64];
	Elf64_Sym s;

	if (!get(p, d->symtab + i * sizeof(s), &s, sizeof(s)) || s.st_shndx == SHN_UNDEF ||
	    !get(p, d->strtab + s.st_name, buf, MIN(len, sizeof(buf))) ||
	    memcmp(buf, name, len) != 0)
		return false;
	*addr = d->bias + s.st_value;
	return true;
}

static uint32_t gnu_hash(const char *s)
{
	uint32_t h = 5381;

	for (; *s; s++)
		h = h * 33 + (unsigned char)*s;
	return h;
}

static bool find_gnu(const struct proc *p, const struct dynamic *d, const char *name, taddr_t *addr)
{
	struct {
		uint32_t nbuckets, offset, nbloom, shift;
	} h;
	uint32_t want = gnu_hash(name), i, have;
	taddr_t buckets, chain;

	if (!get(p, d->gnu_hash, &h, sizeof(h)) || !h.nbuckets)
		return false;
	buckets = d->gnu_hash + sizeof(h) + 8ULL * h.nbloom;
	chain = buckets + 4ULL * h.nbuckets;
	if (!get(p, buckets + 4ULL * (want % h.nbuckets), &i, 4) || i < h.offset)
		return false;
	for (unsigned n = 0; n < 4096 && get(p, chain + 4ULL * (i - h.offset), &have, 4);
	     n++, i++) {
		if ((have | 1) == (want | 1) && symbol_is(p, d, i, name, addr))
			return true;
		if (have & 1)
			break;
	}
	return false;
}

static bool find_sysv(const struct proc *p, const struct dynamic *d, const char *name,
		      taddr_t *addr)
{
	uint32_t h[2];

	if (!get(p, d->hash, h, sizeof(h)))
		return false;
	for (uint32_t i = 1; i < h[1] && i < 65536; i++)
		if (symbol_is(p, d, i, name, addr))
			return true;
	return false;
}

static bool find_symbol(const struct proc *p, const struct dynamic *d, const char *name,
			taddr_t *addr)
{
	return d->gnu_hash ? find_gnu(p, d, name, addr) : find_sysv(p, d, name, addr);
}

bool proc_exported(struct proc *p, taddr_t base, const char *name, taddr_t *addr)
{
	struct dynamic d;

	return dynamic_read(p, base, &d) && find_symbol(p, &d, name, addr);
}

/* ---- the dynamic linker's breakpoint ---- */

static bool is_consistent(const struct proc *p)
{
	struct r_debug r;

	return !p->rtld.debug || !get(p, p->rtld.debug, &r, sizeof(r)) ||
	       r.r_state == RT_CONSISTENT;
}

static void reached(struct thread *); /* the rendezvous */

static void on_rtld(struct hit *h, void *arg)
{
	struct proc *p = arg;

	if (!is_consistent(p))
		return;
	proc_read_maps(p);
	p->page_addr = 1;
	if (p->stage == STAGE_START && p->evaltime == EVALTIME_PREINIT) {
		reached(h->thread);
	} else if (p->stage == STAGE_LIVE && p->tracer->ops->mapped) {
		remote_calm(h->thread);
		p->tracer->ops->mapped(p->tracer->arg, p);
	}
}

/* The dynamic linker leaves its address in the program's DT_DEBUG once it has run. */
static taddr_t debug_of_program(const struct proc *p)
{
	uint64_t nphdr = MIN(p->rtld.nphdr, PHDRS_MAX);
	Elf64_Phdr ph[PHDRS_MAX];
	Elf64_Dyn entries[TABLE_MAX];
	taddr_t dyn = 0, bias = 0;
	unsigned n;

	if (!nphdr || !get(p, p->rtld.phdr, ph, nphdr * sizeof(ph[0])))
		return 0;
	for (uint64_t i = 0; i < nphdr; i++)
		if (ph[i].p_type == PT_PHDR)
			bias = p->rtld.phdr - ph[i].p_vaddr;
		else if (ph[i].p_type == PT_DYNAMIC)
			dyn = ph[i].p_vaddr;
	n = dyn ? read_table(p, bias + dyn, entries) : 0;
	for (unsigned i = 0; i < n; i++)
		if (entries[i].d_tag == DT_DEBUG)
			return entries[i].d_un.d_ptr;
	return 0;
}

static void read_auxv(struct proc *);

static bool find_rtld(struct proc *p, taddr_t *brk)
{
	struct r_debug r;
	struct dynamic d;

	p->rtld.debug = debug_of_program(p);
	if (p->rtld.debug && get(p, p->rtld.debug, &r, sizeof(r)) && r.r_brk) {
		*brk = r.r_brk;
		return true;
	}
	if (!p->rtld.base || !dynamic_read(p, p->rtld.base, &d) ||
	    !find_symbol(p, &d, "_dl_debug_state", brk))
		return false;
	if (!find_symbol(p, &d, "_r_debug", &p->rtld.debug))
		p->rtld.debug = 0;
	return true;
}

taddr_t proc_linker_hook(struct proc *p, taddr_t *debug)
{
	taddr_t brk;

	read_auxv(p);
	if (!find_rtld(p, &brk))
		return 0;
	*debug = p->rtld.debug;
	return brk;
}

static void watch_rtld(struct proc *p)
{
	taddr_t brk;

	if (!find_rtld(p, &brk))
		return;
	if (bkpt_add(p, brk, BKPT_ALWAYS, on_rtld, p, &p->rtld.brk, NULL) < 0)
		p->rtld.brk = NULL;
}

/* ---- the rendezvous ---- */

static bool await_call_from(struct proc *, taddr_t pc);

static void reached(struct thread *t)
{
	struct proc *p = t->proc;
	struct tracer *tr = p->tracer;
	pid_t tid = t->tid;
	bool begun;

	p->stage = STAGE_LIVE;
	if (p->evaltime != EVALTIME_MAIN && !p->rtld.brk && !p->is_32bit)
		await_call_from(p, p->rtld.entry);
	begun = tr->launching != p && colocate_begin(t);
	remote_calm(t);
	if (tr->launching == p)
		t->hold = true;
	else if (tr->ops->ready)
		tr->ops->ready(tr->arg, p);
	colocate_end(tr, tid, begun);
}

/*
 * Takes the one-shot breakpoint out; its thread goes back to the instruction it stood on. Not where
 * others have a breakpoint there: they are called next, and the thread goes across.
 */
static struct site *rendezvous_over(struct thread *t)
{
	struct proc *p = t->proc;
	struct site *s = p->rtld.rendezvous->site;

	bkpt_del(p->rtld.rendezvous);
	p->rtld.rendezvous = NULL;
	bkpt_commit(p, NULL);
	t->redo = !s->first;
	return s;
}

static bool rendezvous_at(struct proc *p, taddr_t pc, bkpt_fn *fn)
{
	if (bkpt_add_once(p, pc, fn, &p->rtld.rendezvous, NULL) < 0)
		return false;
	return bkpt_commit(p, NULL) == 0;
}

static void on_main(struct hit *h, UNUSED void *arg)
{
	rendezvous_over(h->thread);
	reached(h->thread);
}

/* A program that nobody has linked tells nothing on its way: this is what it says. */
static void on_late_main(struct hit *h, UNUSED void *arg)
{
	struct proc *p = h->proc;
	struct site *s = rendezvous_over(h->thread);
	const struct bkpt *others = s->first;

	proc_read_maps(p);
	remote_calm(h->thread);
	if (p->tracer->ops->mapped)
		p->tracer->ops->mapped(p->tracer->arg, p);
	h->thread->redo |= s->first != others; /* those that are new have not been called */
}

static bool is_code(struct proc *p, pid_t tid, taddr_t pc)
{
	const struct vma *v = vmmap_read(&p->maps, tid) == 0 ? vmmap_at(&p->maps, pc) : NULL;

	return v && v->exec;
}

/*
 * _start calls the C library with main in rdi: no symbols are needed to find it. In musl it calls
 * another function for that, with its stack pointer.
 */
static void on_start_call(struct hit *h, void *arg)
{
	struct proc *p = arg;
	taddr_t pc = hit_regs(h)->r.rdi, callee = p->rtld.callee;

	rendezvous_over(h->thread);
	p->rtld.callee = 0;
	if (is_code(p, h->tid, pc) &&
	    rendezvous_at(p, pc, p->stage == STAGE_LIVE ? on_late_main : on_main))
		return;
	if (!is_code(p, h->tid, pc) && callee && await_call_from(p, callee)) {
		p->rtld.callee = 0; /* no deeper */
		return;
	}
	if (p->stage != STAGE_LIVE)
		reached(h->thread);
}

static bool await_call_from(struct proc *p, taddr_t pc)
{
	struct first_call call;
	uint8_t code[64];
	ssize_t n = target_read(&p->target, pc, code, sizeof(code));

	if (n <= 0 || !insn_first_call(code, (size_t)n, pc, &call))
		return false;
	p->rtld.callee = call.target;
	return rendezvous_at(p, call.pc, on_start_call);
}

static void on_entry(struct hit *h, void *arg)
{
	struct proc *p = arg;

	rendezvous_over(h->thread);
	if (p->evaltime != EVALTIME_MAIN || !await_call_from(p, p->rtld.entry))
		reached(h->thread);
}

static void read_auxv(struct proc *p)
{
	p->rtld.base = procauxv(p->pid, AT_BASE);
	p->rtld.entry = procauxv(p->pid, AT_ENTRY);
	p->rtld.phdr = procauxv(p->pid, AT_PHDR);
	p->rtld.nphdr = procauxv(p->pid, AT_PHNUM);
}

/* Who is in the middle of dlopen or dlclose comes to the breakpoint at its end. */
static void await_consistency(const struct proc *p)
{
	const struct timespec nap = {.tv_nsec = 100000};
	uint64_t end = now_mono() + CONSISTENT_NS;

	while (!is_consistent(p) && now_mono() < end) {
		tracer_serve(p->tracer);
		nanosleep(&nap, NULL);
	}
}

void rtld_prepare(struct proc *p)
{
	read_auxv(p);
	watch_rtld(p);
}

int rtld_attached(struct proc *p, struct err *err)
{
	int r;

	rtld_prepare(p);
	r = p->rtld.brk ? bkpt_commit(p, err) : 0;
	if (p->rtld.brk && !r)
		await_consistency(p);
	return r;
}

void rtld_started(struct thread *t)
{
	const struct user_regs_struct *r;
	struct proc *p = t->proc;

	p->stage = STAGE_START;
	sigtrap_begin(p);
	r = regs_all(&t->regs);
	p->is_32bit = r && r->cs != USER_CS;
	if (!r || p->is_32bit) { /* there is nothing to be found in it */
		reached(t);
		return;
	}
	read_auxv(p);
	watch_rtld(p);
	if (p->evaltime == EVALTIME_EXEC) {
		bkpt_commit(p, NULL);
		reached(t);
	} else if (p->evaltime == EVALTIME_PREINIT && p->rtld.brk) {
		bkpt_commit(p, NULL);
	} else if (!rendezvous_at(p, p->rtld.entry, on_entry)) {
		reached(t);
	}
}
