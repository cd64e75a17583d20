/* record.c: one event into the ring of its thread. */
#include "hook/agg_proto.h"
#include "hook/rawcall.h"
#include "hook/reserve.h"

static inline uint64_t time_stamp(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/*
 * The kernel keeps the number where rdpid reads it, and in the limit of a segment (vgetcpu of the
 * vdso): any processor has lsl, but it takes 30 times as long.
 */
static inline uint16_t this_cpu(void)
{
	uint64_t number;

	if (((const struct hook_shared *)hook_where.shared)->has_rdpid)
		__asm__ volatile("rdpid %0" : "=r"(number));
	else
		__asm__ volatile("lsl %1, %0"
				 : "=r"(number)
				 : "r"((uint64_t)HOOK_CPU_SEGMENT)
				 : "cc");
	return number & HOOK_CPU_MASK;
}

/* ---- a full ring ---- */

#define NR_NANOSLEEP 35
#define PAUSES	     64
#define SLEEP_MIN_NS 50000U
#define SLEEP_MAX_NS 2000000U

/* A thread that has taken its block gets a ring as soon as that is seen. */
static inline bool is_hopeless(const struct hook_block *b)
{
	return !b->ring_size && !hook_where.selfclaim;
}

/* The reader tells of each eighth of a ring, and takes longer than this for it: to look more often
 * would take time from it. */
static uint64_t sleep_ns(uint64_t ring_size)
{
	uint64_t ns = ring_size / 8;

	return ns < SLEEP_MIN_NS ? SLEEP_MIN_NS : ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS;
}

/* Asleep, as the reader needs a CPU. A filter of the program's may kill it for a system call: then
 * it stays awake. */
static void wait_a_little(const struct hook_shared *sh, uint64_t ring_size)
{
	const uint64_t slice[2] = {0, sleep_ns(ring_size)};
	const uint64_t args[6] = {(uint64_t)slice};

	if (sh->may_call)
		raw_call(NR_NANOSLEEP, args);
	else
		for (unsigned i = 0; i < PAUSES; i++)
			__builtin_ia32_pause();
}

/* True: it has been read a little further, or is there now. */
static __attribute__((noinline)) bool wait_for_reader(struct hook_block *b)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	uint64_t tail = __atomic_load_n(&b->tail, __ATOMIC_ACQUIRE), start;
	uint64_t size = __atomic_load_n(&b->ring_size, __ATOMIC_ACQUIRE);

	if (!sh->wait_ticks || is_hopeless(b) || b->given_up == tail + 1)
		return false;
	start = time_stamp();
	do {
		wait_a_little(sh, size);
		if (__atomic_load_n(&b->tail, __ATOMIC_ACQUIRE) != tail ||
		    __atomic_load_n(&b->ring_size, __ATOMIC_ACQUIRE) != size)
			return true;
	} while (time_stamp() - start < sh->wait_ticks && sh->is_recording);
	b->given_up = tail + 1;
	return false;
}

/* ---- the record ---- */

/* arg0 .. arg5 are in registers; behind the return address lie the others (System V ABI). */
static inline uint64_t *put_args(uint64_t *to, unsigned n, const struct hook_regs *r,
				 const uint64_t *sp)
{
	const uint64_t *regs = &r->rdi;

	for (unsigned i = 0; i < n; i++)
		*to++ = i < 6 ? regs[i] : sp[i - 5];
	return to;
}

static inline uint64_t *put(uint64_t *to, const struct hook_site *s, const struct hook_regs *r,
			    const uint64_t *sp)
{
	uint32_t flags = s->flags;

	if (flags & HOOK_TIME)
		*to++ = time_stamp();
	if (flags & HOOK_RESULT) {
		*to++ = r->rax;
		*to++ = r->rdx;
	}
	if (flags & HOOK_ARGS)
		to = put_args(to, s->nargs, r, sp);
	if (flags & HOOK_CALLER)
		*to++ = *sp;
	for (unsigned i = 0; i < HOOK_CARRIED_OF(flags); i++)
		*to++ = ((const uint64_t *)(r + 1))[i];
	return to;
}

static inline uint64_t *put_regs(uint64_t *to, const struct hook_regs *r, const uint64_t *sp)
{
	const uint64_t *from = (const uint64_t *)r;

	for (unsigned i = 0; i < HOOK_NREGS - 1; i++)
		*to++ = from[i];
	*to++ = (uint64_t)(uintptr_t)sp;
	return to;
}

static inline uint64_t *put_stack(uint64_t *to, struct hook_block *b, const struct hook_site *s,
				  const struct hook_regs *r, const uint64_t *sp)
{
	uint64_t word = s->flags & HOOK_WITHIN
				? hook_walk_within(b, s->pc, sp, r->rbp, to + 1, s->nframes)
				: hook_walk(b, sp, r->rbp, to + 1, s->nframes);

	*to = word;
	return to + 1 + (uint32_t)word;
}

/* The next record comes by the slow way, and tells. */
static inline void lose(struct hook_block *b, uint32_t cell)
{
	hook_count(b, cell);
	__asm__ volatile("incq %0" : "+m"(b->nlost) : : "cc");
	in_order();
	set(&b->limit, 0);
}

static inline __attribute__((always_inline)) void record(struct hook_block *b, uint32_t number,
							 const struct hook_regs *r, bool is_full)
{
	uint32_t site = number & ~HOOK_SKIPPED;
	const struct hook_site *s = (const struct hook_site *)hook_where.sites + site;
	const uint64_t *sp = (const uint64_t *)(r + 1) + (number & HOOK_SKIPPED ? 16 : 0) +
			     HOOK_FRAME_OF(s->flags);
	struct hook_value vtime = {0, 1};
	uint64_t *begin, *to, nlost;
	uint16_t cpu;
	struct reservation at;

	if (!((const struct hook_shared *)hook_where.shared)->is_recording)
		return;
	if (is_full && s->flags & HOOK_VTIME)
		vtime = hook_vtime(b);
	if (!vtime.is_there) {
		lose(b, s->drops_cell);
		return;
	}
	do { /* where there is no ring there is no room */
		begin = ring_reserve(b, (uint64_t)s->max_words * sizeof(*begin), &at);
		if (__builtin_expect(!begin, 0)) {
			if (wait_for_reader(b))
				continue;
			lose(b, s->drops_cell);
			return;
		}
		nlost = look_at(&b->nlost);
		to = put(begin + 1, s, r, sp);
		if (is_full && s->flags & HOOK_REGS)
			to = put_regs(to, r, sp);
		if (is_full && s->flags & HOOK_STACK)
			to = put_stack(to, b, s, r, sp);
		if (is_full && s->flags & HOOK_MEM)
			to = hook_copy_memory(to, b, s, r, sp);
		if (is_full && s->flags & HOOK_VTIME)
			*to++ = vtime.value;
		cpu = s->flags & HOOK_CPU ? this_cpu() : 0;
		if (__builtin_expect(nlost != look_at(&b->nlost_told), 0))
			cpu |= HOOK_AFTER_LOSS;
		*(struct hook_record *)begin =
			(struct hook_record){site, (uint16_t)(to - begin), cpu};
	} while (!begin || !ring_commit(b, &at, (uint64_t)((char *)to - (char *)begin)));
	if (cpu & HOOK_AFTER_LOSS)
		set(&b->nlost_told, nlost);
}

void hook_leave(struct hook_block *b, uint64_t start, uint64_t end)
{
	const struct reservation at = {.head = start, .start = start, .end = end};

	ring_give_back(b, &at, end);
}

void hook_record(struct hook_block *b, uint32_t number, const struct hook_regs *r)
{
	record(b, number, r, false);
}

void hook_record_full(struct hook_block *b, uint32_t number, const struct hook_regs *r)
{
	record(b, number, r, true);
}
