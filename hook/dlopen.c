/*
 * dlopen.c: the dynamic linker says that libraries have come (it calls the function that debuggers
 * watch), and nobody stops the thread: it waits until the engine has hooked them (struct
 * hook_mailbox). No wait is without an end, whatever becomes of the engine.
 */
#include "hook/hook.h"
#include "hook/rawcall.h"

#define NR_CLOCK_GETTIME 228
#define CLOCK_MONOTONIC	 1
#define NR_FUTEX	 202
#define FUTEX_WAIT	 0 /* between processes */
#define SLICE_NS	 20000000
#define ANSWER_NS	 2000000000ULL	/* of a busy machine; then nobody listens */
#define WORK_NS		 10000000000ULL /* between two signs of life */
#define RT_CONSISTENT	 0
#define STATE_OF_DEBUG	 24 /* r_state of struct r_debug (link.h) */

/* By a call, as all is here: some programs may not read the time stamp counter. */
static uint64_t now_ns(void)
{
	uint64_t t[2] = {0, 0};
	const uint64_t args[6] = {CLOCK_MONOTONIC, (uint64_t)t};

	raw_call(NR_CLOCK_GETTIME, args);
	return t[0] * 1000000000 + t[1];
}

static inline uint32_t state_of(const struct hook_mailbox *m)
{
	return __atomic_load_n(&m->state, __ATOMIC_ACQUIRE);
}

static inline bool pass(struct hook_mailbox *m, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&m->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* A little, or until the state is another one. */
static void wait_a_little(const struct hook_mailbox *m, uint32_t now)
{
	const uint64_t slice[2] = {0, SLICE_NS};
	const uint64_t args[6] = {(uint64_t)&m->state, FUTEX_WAIT, now, (uint64_t)slice};

	raw_call(NR_FUTEX, args);
}

/* False: nobody has taken it, or has come to an end. */
static bool wait_for_answer(struct hook_mailbox *m, uint32_t now)
{
	uint64_t start = now_ns(), limit = now == HOOK_MAILBOX_POSTED ? ANSWER_NS : WORK_NS;

	while (state_of(m) == now) {
		if (now_ns() - start > limit && pass(m, now, HOOK_MAILBOX_CLOSED))
			return false;
		wait_a_little(m, now);
	}
	return true;
}

static bool is_consistent(const struct hook_shared *sh)
{
	return !sh->debug || *(const int32_t *)(sh->debug + STATE_OF_DEBUG) == RT_CONSISTENT;
}

void hook_dlopen(void)
{
	struct hook_mailbox *m = (struct hook_mailbox *)(hook_where.blocks + HOOK_MAILBOX);
	const struct hook_selfclaim *selfclaim =
		(const struct hook_selfclaim *)hook_where.selfclaim;
	uint32_t now;

	if (!selfclaim->is_original ||
	    !is_consistent((const struct hook_shared *)hook_where.shared) ||
	    !pass(m, HOOK_MAILBOX_OPEN, HOOK_MAILBOX_POSTED))
		return;
	while ((now = state_of(m)) != HOOK_MAILBOX_GO && now != HOOK_MAILBOX_CLOSED)
		if (now == HOOK_MAILBOX_CALL) {
			m->result = raw_call(m->nr, m->args);
			pass(m, now, HOOK_MAILBOX_RESULT);
		} else if (!wait_for_answer(m, now)) {
			__atomic_fetch_add(&m->nlate, 1, __ATOMIC_RELAXED);
			return;
		}
	pass(m, HOOK_MAILBOX_GO, HOOK_MAILBOX_OPEN);
}
