/*
 * fskept.h: operations whose clauses run in the kernel: their numbers are put together while a
 * program looks at a call, which ends with the clauses of all that it has found.
 */
#ifndef BPF_FSKEPT_H
#define BPF_FSKEPT_H

#include "providers/kernel/bpf/fs/fsjudge.h" /* how many words there are: first */

#include "providers/kernel/bpf/clauses.h"
#include "providers/kernel/bpf/fs/fscall.h"
#include "providers/kernel/bpf/fs/fsintern.h"
#include "providers/kernel/bpf/fs/fsring.h"

/* First of all in a program that ends with RUN_KEPT(). */
static __always_inline void begin_kept(void *events)
{
	struct bpf_clause_event *ev;
	struct fs_scratch *s;
	__u32 zero = 0;

	if (!wants.clauses)
		return;
	s = bpf_map_lookup_elem(&scratch, &zero);
	ev = bpf_map_lookup_elem(events, &zero);
	if (!s)
		return;
	s->told = 0;
	s->kept = ev && ev->is_on ? wants.clauses : 0;
}

/* A close is of two rows. */
static __always_inline __u32 rows_of(__u32 row)
{
	return 1U << (row & 31) | (row == FS_CLEANUP ? 1U << FS_CLOSE : 0);
}

static __always_inline int is_kept(__u32 row)
{
	return (wants.clauses & rows_of(row)) != 0;
}

/* NULL: it is not kept. Else its record, in which its numbers are to be. */
static __always_inline struct fs_scratch *keep(__u32 row, struct file___fs *f)
{
	struct fs_scratch *s;

	if (!is_kept(row))
		return 0;
	s = begin_details();
	if (!s || !(s->kept & rows_of(row)))
		return 0;
	s->rec.row = row;
	if (f)
		put_open(&s->rec, f);
	else
		s->rec.flags |= BPF_FS_NO_FILE;
	if (f && wants.interned & rows_of(row))
		put_place(s, f);
	return s;
}

/* Its record is complete. Returns whether nobody else has to be told. */
static __always_inline int is_told_to_clauses(struct fs_scratch *s)
{
	const struct bpf_fs *r = &s->rec;
	__u64 *to = s->words + (r->row == FS_WRITE ? FS_CLAUSE_WRITE : 0);

	__u32 rows = rows_of(r->row), told = rows & s->kept;

	s->told |= told;
	to[FS_WORD_OFFSET] = r->offset;
	to[FS_WORD_BYTES] = r->bytes_asked;
	to[FS_WORD_OFLAGS] = r->oflags;
	to[FS_WORD_CFLAGS] = r->cflags;
	to[FS_WORD_ROW] = r->row;
	if (r->row == FS_CLEANUP)
		to[FS_CLAUSE_MAPPED] = (r->flags & BPF_FS_MAPPED) != 0;
	if (wants.interned & rows)
		fs_intern(s, r->row == FS_WRITE);
	return !(wants.rows & rows & ~told);
}

/* A path of nothing means the descriptor. */
static __always_inline void put_meant(struct fs_scratch *s, __u64 path, __u32 dirfd,
				      __u32 is_kernel)
{
	struct file___fs *f = 0;

	if (!path || !first_of(path, is_kernel))
		f = fs_file_of(dirfd);
	if (f)
		put_open(&s->rec, f);
}

/* An operation that is a system call. These return whether nobody else has to be told. */
static __noinline int keep_call(__u32 row, struct file___fs *f, const struct bpf_fs_op *op,
				struct pt_regs *regs, __u32 flags)
{
	struct fs_scratch *s = keep(row, f);

	if (!s)
		return 0;
	s->rec.flags |= flags;
	if (op->path != FS_OP_NONE && !(op->flags & (FS_OP_OPENS | FS_OP_MAKES)))
		put_meant(s, fs_arg(regs, op->path),
			  op->dirfd == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd),
			  0);
	put_numbers(&s->rec, op, regs);
	return is_told_to_clauses(s);
}

/* What has been found goes to its clauses; returns whether there is any. */
static __always_inline int told_of(void *events)
{
	struct bpf_clause_event *ev;
	struct fs_scratch *s;
	__u32 zero = 0;
	__u64 id;

	if (!wants.clauses)
		return 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s || !s->told)
		return 0;
	ev = begin_clauses(events, &wants, s->told);
	if (!ev)
		return 0;
	id = bpf_get_current_pid_tgid();
	ev->pid = id >> 32;
	ev->tid = (__u32)id;
	__builtin_memcpy(ev->words, s->words, sizeof(s->words));
	return 1;
}

/* At the end of the program: `name` is its CLAUSE_PROGRAM(). */
#define RUN_KEPT(ctx, name)                                                                        \
	do {                                                                                       \
		if (told_of(&name##_event))                                                        \
			RUN_CLAUSES(ctx, name);                                                    \
	} while (0)

#endif
