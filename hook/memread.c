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

/* Bytes that are there from that address on, as nobody need ask: of the thread's own stack. */
static uint64_t known(const struct hook_block *b, const uint64_t *sp, uint64_t addr)
{
	uint64_t lo = (uint64_t)sp;

	return lo >= b->stack_start && addr >= lo && addr < b->stack_end ? b->stack_end - addr : 0;
}

uint64_t hook_read_bytes(const struct hook_block *b, const uint64_t *sp, void *to, uint64_t addr,
			 uint64_t n)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	const struct iovec into = {(uint64_t)to, n}, from = {addr, n};

	if (n <= known(b, sp, addr)) {
		for (uint64_t i = 0; i < n; i++) {
			((volatile char *)to)[i] = ((const volatile char *)addr)[i];
		}
		return n;
	}
	return sh->may_call && n ? read_self(sh->pid, &into, &from) : 0;
}

/* Wherever it lies. */
typedef uint64_t loose_word __attribute__((aligned(1), may_alias));
#define ONES  0x0101010101010101ULL
#define HIGHS 0x8080808080808080ULL

/* Of what is known to be there, as hook_read_text. */
static uint64_t copy_known(char *to, uint64_t addr, uint64_t n)
{
	uint64_t done = 0;

	for (; done + WORD <= n; done += WORD) {
		uint64_t word = *(const volatile loose_word *)(addr + done);
		uint64_t zeros = (word - ONES) & ~word & HIGHS;

		*(loose_word *)(to + done) = word;
		if (zeros)
			return done + (uint64_t)__builtin_ctzll(zeros) / 8 + 1;
	}
	for (; done < n; done++) {
		to[done] = ((const volatile char *)addr)[done];
		if (!to[done])
			return done + 1;
	}
	return done;
}

uint64_t hook_read_text(const struct hook_block *b, const uint64_t *sp, char *to, uint64_t addr,
			uint64_t max)
{
	uint64_t room = known(b, sp, addr), done = copy_known(to, addr, room < max ? room : max);

	if (done && !to[done - 1])
		return done;
	while (done < max) {
		uint64_t at = addr + done, n = CHUNK - at % CHUNK, got;

		n = n < max - done ? n : max - done;
		got = hook_read_bytes(b, sp, to + done, at, n);
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
