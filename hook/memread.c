/*
 * memread.c: memory that an argument points to. Nothing says that it is there: the kernel copies
 * it, by the one call that reports a bad address and does nothing else (process_vm_readv, of
 * ourselves). What lies on the thread's own stack needs no call.
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

/* Bytes that could be read. */
static uint64_t read_bytes(const struct hook_block *b, const uint64_t *sp, void *to, uint64_t addr,
			   uint64_t n)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	const struct iovec into = {(uint64_t)to, n}, from = {addr, n};
	uint64_t lo = (uint64_t)sp;

	if (lo >= b->stack_start && addr >= lo && addr < b->stack_end && n <= b->stack_end - addr) {
		for (uint64_t i = 0; i < n; i++) {
			((volatile char *)to)[i] = ((const volatile char *)addr)[i];
		}
		return n;
	}
	return sh->may_call && n ? read_self(sh->pid, &into, &from) : 0;
}

static uint64_t read_string(const struct hook_block *b, const uint64_t *sp, char *to, uint64_t addr,
			    uint64_t max)
{
	uint64_t done = 0;

	while (done < max) {
		uint64_t at = addr + done, n = CHUNK - at % CHUNK, got;

		n = n < max - done ? n : max - done;
		got = read_bytes(b, sp, to + done, at, n);
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
	} else if (m->base == HOOK_MEM_PIECE) {
		const uint64_t *piece = pieces[m->index];

		*base = piece[2];
		return piece[1] >= WORD;
	}
	return true;
}

uint64_t *hook_copy_memory(uint64_t *to, const struct hook_block *b, const struct hook_site *s,
			   const struct hook_regs *r, const uint64_t *sp)
{
	const struct hook_mem *m = (const struct hook_mem *)hook_where.mem + s->mem;
	const uint64_t *pieces[HOOK_MEM_MAX];

	for (unsigned i = 0; i < s->nmem; i++, m++) {
		uint64_t base, got = 0;

		pieces[i] = to;
		if (base_of(m, pieces, r, sp, &base))
			got = m->is_string
				      ? read_string(b, sp, (char *)(to + 2),
						    base + (uint64_t)m->off, m->len)
				      : read_bytes(b, sp, to + 2, base + (uint64_t)m->off, m->len);
		to[0] = base + (uint64_t)m->off;
		to[1] = got;
		to += 2 + (got + WORD - 1) / WORD;
	}
	return to;
}
