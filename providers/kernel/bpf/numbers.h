/*
 * numbers.h: records of events that a few numbers tell all of (struct bpf_numbers), and such events
 * counted.
 */
#ifndef BPF_NUMBERS_H
#define BPF_NUMBERS_H

#include "providers/kernel/bpf/clauses.h"

/* kind is a constant. The current thread has passed the filter. `events`: of the CLAUSE_PROGRAM()
 * that may be run for it (NULL: there is none); true: it is to be. */
static __always_inline int put_numbers(void *ctx, const volatile struct bpf_wants *w, __u32 kind,
				       unsigned int row, __u64 a0, __u64 a1, __u64 a2, __u64 a3,
				       void *events)
{
	const struct count_words words = {.v = {a0, a1, a2, a3}};
	struct bpf_numbers *r;
	__u64 time_ns;

	if (events && tell_own_clauses(events, w, 1U << row, &words))
		return 1;
	if (w->counts.n && count_passed(w, row, bpf_get_current_task_btf(), &words))
		return 0;
	time_ns = put_own_stacks(ctx, w->stacks, 0);
	if (time_ns == NO_ROOM)
		return 0;
	r = reserve_at(sizeof(*r), kind, time_ns);
	if (!r)
		return 0;
	r->row = row;
	r->args[0] = a0;
	r->args[1] = a1;
	r->args[2] = a2;
	r->args[3] = a3;
	r->args[4] = 0;
	submit(r);
	return 0;
}

#endif
