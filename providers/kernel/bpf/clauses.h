/*
 * clauses.h: clauses that run here as programs of their own (kprog/eventclauses.h), called at the
 * end of the program that sees the event: bpf_tail_call() does not come back.
 */
#ifndef BPF_CLAUSES_H
#define BPF_CLAUSES_H

#include "providers/kernel/bpf/count.h"

/* By row, as a program of one row may interrupt that of another. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_COUNT_ROWS);
	__type(key, __u32);
	__type(value, struct bpf_clause_event);
} clause_events SEC(".maps");

/* The program of a row: `bpf_tail_call(ctx, &name, 0)`. One map for each program that calls, as the
 * kernel wants programs of one kind in a map. */
#define CLAUSE_PROGRAM(name)                                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PROG_ARRAY);                                             \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__type(value, __u32);                                                              \
	} name SEC(".maps")

/* True: clauses of the row are to be called. */
static __always_inline int tell_clauses(const volatile struct bpf_wants *wants, __u32 row,
					__u32 pid, __u32 tid, const struct count_words *words)
{
	struct bpf_clause_event *ev;

	_Static_assert(sizeof(*words) <= sizeof(ev->words), "words");
	if (!(wants->clauses & 1U << row))
		return 0;
	ev = bpf_map_lookup_elem(&clause_events, &row);
	if (!ev || !ev->is_on)
		return 0;
	ev->pid = pid;
	ev->tid = tid;
	__builtin_memcpy(ev->words, words->v, sizeof(*words));
	return 1;
}

#endif
