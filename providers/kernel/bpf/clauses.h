/*
 * clauses.h: clauses that run here as programs of their own (kprog/eventclauses.h), called at the
 * end of the program that sees the event: bpf_tail_call() does not come back.
 */
#ifndef BPF_CLAUSES_H
#define BPF_CLAUSES_H

#include "providers/kernel/bpf/count.h"

/* For one program that calls, or for several whose tracepoints have the same arguments and that
 * never interrupt each other: the kernel wants programs of one kind in a map, and what is known of
 * an event has one place for each CPU. */
#define CLAUSE_PROGRAM(name) CLAUSE_PROGRAM_OF(name, 1)

/* For a program that tells of several events at once: the engine gives the map places for them,
 * and each is in one from the first on, which says how many there are (is_taken), and whether the
 * program is to be called again (goes_on), by name##_again. */
#define GATHERING_PROGRAM(name)                                                                    \
	CLAUSE_PROGRAM_OF(name, 1);                                                                \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PROG_ARRAY);                                             \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__type(value, __u32);                                                              \
	} name##_again SEC(".maps")

/* For a program that others of its kind may interrupt: each event has a place of its own, whose
 * number the context brings to the clauses' program (cb[0] of struct __sk_buff). */
#define CLAUSE_PLACES		    4
#define PACKET_CLAUSE_PROGRAM(name) CLAUSE_PROGRAM_OF(name, CLAUSE_PLACES)

#define CLAUSE_PROGRAM_OF(name, nplaces)                                                           \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PROG_ARRAY);                                             \
		__uint(max_entries, 1);                                                            \
		__type(key, __u32);                                                                \
		__type(value, __u32);                                                              \
	} name SEC(".maps");                                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, nplaces);                                                      \
		__type(key, __u32);                                                                \
		__type(value, struct bpf_clause_event);                                            \
	} name##_event SEC(".maps")

/* What is to be filled in of an event of these rows: pid, tid, words, and the name if it can be
 * known; NULL: no clauses run. */
static __always_inline struct bpf_clause_event *
begin_clauses(void *events, const volatile struct bpf_wants *wants, __u32 rows)
{
	struct bpf_clause_event *ev;
	__u32 zero = 0;

	rows &= wants->clauses;
	if (!rows)
		return 0;
	ev = bpf_map_lookup_elem(events, &zero);
	if (!ev || !ev->is_on)
		return 0;
	ev->rows = rows;
	ev->name[0] = ev->name[1] = 0;
	return ev;
}

static __always_inline __u32 tell_clauses(void *events, const volatile struct bpf_wants *wants,
					  __u32 rows, __u32 pid, __u32 tid,
					  const struct count_words *words)
{
	struct bpf_clause_event *ev = begin_clauses(events, wants, rows);

	_Static_assert(sizeof(*words) <= sizeof(ev->words), "words");
	if (!ev)
		return 0;
	ev->pid = pid;
	ev->tid = tid;
	if (COUNT_NAME) {
		ev->name[0] = words->v[COUNT_NAME];
		ev->name[1] = words->v[COUNT_NAME + 1];
	}
	__builtin_memcpy(ev->words, words->v, sizeof(*words));
	return ev->rows;
}

/* The same of what the current thread does. */
static __always_inline __u32 tell_own_clauses(void *events, const volatile struct bpf_wants *wants,
					      __u32 rows, const struct count_words *words)
{
	__u64 id;

	if (!(wants->clauses & rows))
		return 0;
	id = bpf_get_current_pid_tgid();
	return tell_clauses(events, wants, rows, id >> 32, (__u32)id, words);
}

/* RUN_CLAUSES() is to follow, at the end of the program, and nobody else has to be told of the
 * event's rows. */
#define BEGIN_CLAUSES(name, wants, rows) begin_clauses(&name##_event, wants, rows)
#define RUN_CLAUSES(ctx, name)		 bpf_tail_call(ctx, &name, 0)

#endif
