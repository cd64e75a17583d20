/*
 * fsgather.h: many files that are closed at once, whose clauses run in the kernel: as many as the
 * map of events has places for, then the clauses of all of these, then the program again:
 *
 *     on_gone ── gathers ──► clauses of each ── there are more ──► on_gone ...
 *
 * A chain of programs has no more than 33 members.
 */
#ifndef BPF_FSGATHER_H
#define BPF_FSGATHER_H

#include "providers/kernel/bpf/fs/fskept.h"

enum { MOST_ROUNDS = 15 };
enum { FINDS_NO_ROOM = 100 }; /* of what becomes of an operation (fsjudge.h) */

/* First of all in a program that ends with RUN_GATHERED(). Returns the descriptor that is to be
 * the first: this one, or where the program has stopped and been called again. */
static __always_inline __u32 begin_gathering(void *events, __u32 first)
{
	struct fs_scratch *s;
	__u32 zero = 0;

	if (!is_kept(FS_CLEANUP))
		return first;
	begin_kept(events);
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s)
		return first;
	s->ngathered = 0;
	s->rounds = s->goes_on ? s->rounds + 1 : 0;
	first = s->goes_on ? s->resumes_at : first;
	s->goes_on = 0;
	return first;
}

/* The program has found no room for the file of this descriptor. */
static __always_inline void go_on_later(__u32 fd)
{
	__u32 zero = 0;
	struct fs_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s)
		return;
	s->goes_on = 1;
	s->resumes_at = fd;
}

/* Returns what becomes of the close. */
static __always_inline int gather(void *events, struct file___fs *f, __u32 flags)
{
	struct fs_scratch *s = keep(FS_CLEANUP, f);
	struct bpf_clause_event *ev;
	int is_all;
	__u32 at;
	__u64 id;

	if (!s)
		return IS_RECORD;
	at = s->ngathered;
	ev = bpf_map_lookup_elem(events, &at);
	if (!ev && s->rounds < MOST_ROUNDS)
		return FINDS_NO_ROOM;
	if (!ev) {
		count_lost();
		return IS_COUNTED;
	}
	s->rec.flags |= flags;
	is_all = is_told_to_clauses(s);
	id = bpf_get_current_pid_tgid();
	ev->rows = s->told;
	ev->pid = id >> 32;
	ev->tid = (__u32)id;
	__builtin_memcpy(ev->words, s->words, sizeof(s->words));
	s->ngathered = at + 1;
	return is_all ? IS_COUNTED : IS_RECORD;
}

/* Whether there is anything. */
static __always_inline int has_gathered(void *events)
{
	struct bpf_clause_event *ev;
	struct fs_scratch *s;
	__u32 zero = 0;

	if (!is_kept(FS_CLEANUP))
		return 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	ev = bpf_map_lookup_elem(events, &zero);
	if (!s || !ev || !s->ngathered)
		return 0;
	ev->is_taken = s->ngathered;
	ev->goes_on = s->goes_on;
	return 1;
}

#define RUN_GATHERED(ctx, name)                                                                    \
	do {                                                                                       \
		if (has_gathered(&name##_event))                                                   \
			RUN_CLAUSES(ctx, name);                                                    \
	} while (0)

#endif
