/*
 * hook_vtime.c: the time that the thread has been on CPUs (vtimestamp). The kernel tells it by a
 * system call, which takes ten times as long as all else that a clause does: it is asked when the
 * thread may have been away since it looked last (struct hook_vtime).
 */
#include "hook/hook.h"
#include "hook/agg_proto.h"
#include "hook/element.h"
#include "hook/rawcall.h"

#define NR_CLOCK_GETTIME	228
#define CLOCK_THREAD_CPUTIME_ID 3
#define NS			1000000000ULL

static const struct hook_value nothing = {0, 0};

/* As native_now() has it. */
static uint64_t now(void)
{
	const struct hook_clock *c = (const struct hook_clock *)hook_where.clock;
	uint32_t which = __atomic_load_n(&c->which, __ATOMIC_ACQUIRE);
	const struct hook_line *l = &c->lines[which % HOOK_CLOCK_LINES];
	uint64_t ticks = (__builtin_ia32_rdtsc() - l->tsc) << HOOK_CLOCK_SHIFT;

	return l->ns + (uint64_t)((__int128)(int64_t)ticks * (int64_t)l->mult >> 64);
}

static struct hook_value ask(void)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	uint64_t time[2] = {0, 0};
	const uint64_t args[6] = {CLOCK_THREAD_CPUTIME_ID, (uint64_t)time};

	if (!sh->may_call || raw_call(NR_CLOCK_GETTIME, args))
		return nothing;
	return (struct hook_value){time[0] * NS + time[1], 1};
}

struct moment {
	uint64_t looked_ns, away_ns;
};

/* What is away is looked at behind looked_ns: where a handler comes between it is not older. */
static struct moment look(const struct hook_vtime *v)
{
	struct moment seen;

	seen.looked_ns = look_at(&v->ns[HOOK_VTIME_LOOKED]);
	in_order();
	seen.away_ns = look_at(&v->ns[HOOK_VTIME_AWAY]);
	in_order();
	return seen;
}

/*
 * It never goes back, though the kernel may not count interrupts that we have counted. Where a
 * handler has learnt more meanwhile looked_ns may be older than that: then this is too early, or
 * before 0.
 */
static struct moment learn(const struct moment *was, uint64_t cputime)
{
	int64_t last = (int64_t)(was->looked_ns - was->away_ns);
	uint64_t at = now();

	return (struct moment){at, at - ((int64_t)cputime > last ? cputime : (uint64_t)last)};
}

/* False: a handler has looked meanwhile. */
static bool keep(struct hook_vtime *v, const struct moment *was, const struct moment *is)
{
	return swap_both((struct two_words *)(void *)v,
			 (struct two_words){{was->looked_ns, was->away_ns}},
			 (struct two_words){{is->looked_ns, is->away_ns}});
}

struct hook_value hook_vtime(struct hook_block *b)
{
	struct hook_value v = nothing;

	for (unsigned tries = 0; tries < HOOK_TRIES; tries++) {
		struct moment was = look(&b->vtime), is;
		uint64_t at = hook_where.clock ? now() : 0;

		if (at - was.looked_ns < HOOK_VTIME_NS && was.looked_ns) {
			__atomic_store_n(&b->vtime.ns[HOOK_VTIME_LOOKED], at, __ATOMIC_RELAXED);
			return (struct hook_value){at - was.away_ns, 1};
		}
		v = ask();
		if (!v.is_there || !hook_where.clock)
			break;
		is = learn(&was, v.value);
		v.value = is.looked_ns - is.away_ns;
		if (keep(&b->vtime, &was, &is))
			break;
	}
	return v;
}

struct hook_value hook_vtime_or_drop(struct hook_block *b)
{
	struct hook_value v = hook_vtime(b);

	if (!v.is_there)
		hook_drop_value(b);
	return v;
}
