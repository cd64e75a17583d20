/*
 * memread.c: memory that an argument points to. Nothing says that it is there: the kernel copies
 * it, by the one call that reports a bad address and does nothing else (process_vm_readv, of
 * ourselves). What lies on the thread's own stack needs no call; nor does a page that the kernel
 * has copied from before, while the engine catches the fault that comes when it is gone
 * (HOOK_PAGES).
 */
#include "hook/hook.h"
#include "hook/rawcall.h"

#define WORD	   8
#define CHUNK	   256 /* bytes of a string that are read at once */
#define NR_READV   310
#define BAD_RESULT ~0xfffUL /* from here on results are errors */

struct iovec {
	uint64_t base, len;
};

static uint64_t read_self(uint32_t pid, const struct iovec *to, const struct iovec *from)
{
	const uint64_t args[6] = {pid, (uint64_t)to, 1, (uint64_t)from, 1};
	uint64_t result = (uint64_t)raw_call(NR_READV, args);

	return result < BAD_RESULT ? result : 0;
}

/* Bytes that are there from that address on, as nobody need ask: of the thread's own stack. */
static uint64_t known(const struct hook_block *b, const uint64_t *sp, uint64_t addr)
{
	uint64_t lo = (uint64_t)sp;

	return lo >= b->stack_start && addr >= lo && addr < b->stack_end ? b->stack_end - addr : 0;
}

/* ---- pages that could be read before ---- */

static const struct hook_shared *shared(void)
{
	return (const struct hook_shared *)hook_where.shared;
}

static bool is_kept(void)
{
	return __atomic_load_n(&shared()->keeper, __ATOMIC_RELAXED) & HOOK_KEEPER;
}

/* One word each, so that a signal cannot tear it. */
static uint64_t *page_word(struct hook_block *b, uint64_t addr)
{
	uint64_t *pages = (uint64_t *)((char *)b + HOOK_PAGES);

	return pages + (addr / PAGE & ((1UL << HOOK_PAGES_BITS) - 1));
}

static uint64_t page_name(uint64_t addr)
{
	return (addr & -PAGE) | 1;
}

static void remember(struct hook_block *b, uint64_t addr, uint64_t n)
{
	for (uint64_t at = addr & -PAGE; n && at < addr + n && is_kept(); at += PAGE)
		*page_word(b, at) = page_name(at);
}

static uint64_t left_of_page(uint64_t addr)
{
	return PAGE - addr % PAGE;
}

/* As much as can be had without a call: of pages one after the other. */
static uint64_t load(struct hook_block *b, char *to, uint64_t addr, uint64_t n, bool is_text)
{
	uint64_t done = 0;

	while (done < n && *page_word(b, addr + done) == page_name(addr + done) && is_kept()) {
		uint64_t left = left_of_page(addr + done), want = left < n - done ? left : n - done;
		uint64_t got = hook_load(to + done, addr + done, want, is_text);

		done += got;
		if (is_text && got && !to[done - 1])
			return done;
		if (got < want)
			*page_word(b, addr + done) = 0;
	}
	return done;
}

/* ---- bytes and texts ---- */

static uint64_t ask(struct hook_block *b, void *to, uint64_t addr, uint64_t n)
{
	const struct iovec into = {(uint64_t)to, n}, from = {addr, n};
	uint64_t got = shared()->may_call && n ? read_self(shared()->pid, &into, &from) : 0;

	remember(b, addr, got);
	return got;
}

uint64_t hook_read_bytes(struct hook_block *b, const uint64_t *sp, void *to, uint64_t addr,
			 uint64_t n)
{
	uint64_t done;

	if (n <= known(b, sp, addr))
		return hook_load(to, addr, n, false);
	done = load(b, to, addr, n, false);
	return done + ask(b, (char *)to + done, addr + done, n - done);
}

uint64_t hook_read_text(struct hook_block *b, const uint64_t *sp, char *to, uint64_t addr,
			uint64_t max)
{
	uint64_t room = known(b, sp, addr);
	uint64_t done = room ? hook_load(to, addr, room < max ? room : max, true) : 0;

	while (done < max && !(done && !to[done - 1])) {
		uint64_t at = addr + done, n = CHUNK - at % CHUNK, got;

		got = load(b, to + done, at, max - done, true);
		if (got) {
			done += got;
			continue;
		}
		n = n < max - done ? n : max - done;
		got = ask(b, to + done, at, n);
		for (uint64_t i = 0; i < got; i++)
			if (!to[done + i])
				return done + i + 1;
		done += got;
		if (got < n)
			break;
	}
	return done;
}

static bool base_of(const struct hook_mem *m, const uint64_t *const *pieces,
		    const struct hook_regs *r, const uint64_t *sp, uint64_t *base)
{
	*base = 0;
	if (m->base == HOOK_MEM_ARG) {
		*base = m->index < 6 ? (&r->rdi)[m->index] : sp[m->index - 5];
	} else if (m->base == HOOK_MEM_RESULT) {
		*base = m->index ? r->rdx : r->rax;
	} else if (m->base == HOOK_MEM_REG) {
		*base = m->index < HOOK_NREGS - 1 ? (&r->r15)[m->index] : (uint64_t)sp;
	} else if (m->base == HOOK_MEM_PIECE) {
		const uint64_t *piece = pieces[m->index];

		*base = piece[2];
		return piece[1] >= WORD;
	}
	return true;
}

uint64_t *hook_copy_memory(uint64_t *to, struct hook_block *b, const struct hook_site *s,
			   const struct hook_regs *r, const uint64_t *sp)
{
	const struct hook_mem *m = (const struct hook_mem *)hook_where.mem + s->mem;
	const uint64_t *pieces[HOOK_MEM_MAX];

	for (unsigned i = 0; i < s->nmem; i++, m++) {
		uint64_t base, got = 0;

		pieces[i] = to;
		if (base_of(m, pieces, r, sp, &base))
			got = m->is_string ? hook_read_text(b, sp, (char *)(to + 2),
							    base + (uint64_t)m->off, m->len)
					   : hook_read_bytes(b, sp, to + 2, base + (uint64_t)m->off,
							     m->len);
		to[0] = base + (uint64_t)m->off;
		to[1] = got;
		to += 2 + (got + WORD - 1) / WORD;
	}
	return to;
}
