/*
 * fsjudge.h: what of the start of an operation filters and counts ask for, and what becomes of it:
 * nothing, a count, or a record. Asked as soon as the answer is known: where a file is costs the
 * most.
 */
#ifndef BPF_FSJUDGE_H
#define BPF_FSJUDGE_H

#include "providers/kernel/bpf/fsrec.h"
#define COUNT_WORDS FS_WORDS
#include "providers/kernel/bpf/count.h"
#include "providers/kernel/bpf/fs/fs.h"
#include "providers/kernel/bpf/known.h"

#define KNOWN_NUMBERS (BIT(FS_WORD_ROW + 1) - 1)
/* What an open finds out only when it is done. */
#define KNOWN_LATER (BIT(FS_WORD_AFLAGS) | BIT(FS_WORD_SFLAGS) | BIT(FS_WORD_FS))

static __always_inline __u32 is_asked(__u32 what)
{
	return (wants.filter_asks | wants.counts.words) & what;
}

/* The numbers of a call may be enough. */
static __always_inline int numbers_tell(void)
{
	return wants.filter_asks & KNOWN_NUMBERS ||
	       (wants.counts.n && !(wants.counts.words & ~KNOWN_NUMBERS));
}

/* The numbers that the record has. */
static __always_inline void know_numbers(struct fs_scratch *s)
{
	struct bpf_known *k = &s->known;
	const struct bpf_fs *r = &s->rec;

	k->words[FS_WORD_OFFSET] = r->offset;
	k->words[FS_WORD_BYTES] = r->bytes_asked;
	k->words[FS_WORD_OFLAGS] = r->oflags;
	k->words[FS_WORD_CFLAGS] = r->cflags;
	k->words[FS_WORD_AFLAGS] = r->mode;
	k->words[FS_WORD_SFLAGS] = r->sharing;
	k->words[FS_WORD_ROW] = r->row;
	k->known = k->whole = KNOWN_NUMBERS;
}

/* Of a file that is in a folder the name there; those of mounted ones are found on the way. */
static __always_inline void know_name(struct bpf_known *k, struct file___fs *file)
{
	struct file___fs *f = AT(struct file___fs, file);
	struct dentry___fs *d = GET(f, f_path.dentry);
	struct vfsmount___fs *mnt = GET(f, f_path.mnt);
	__u64 *to = k->words + FS_WORD_NAME, name[3] = {0, 0, 0};
	int is_nameless = d == GET(d, d_parent);

	if (d == GET(mnt, mnt_root) || (is_nameless && magic_of(file) != ANON_INODES))
		return;
	if (is_asked(BIT(FS_WORD_TAIL))) /* "anon_inode:..." is like no path */
		know_tail(k, FS_WORD_TAIL, (const char *)GET(d, d_name.name), GET(d, d_name.len));
	if (is_nameless)
		return;
	bpf_probe_read_kernel_str(name, 17, GET(d, d_name.name));
	to[0] = name[0];
	to[1] = name[1];
	know_text(k, FS_WORD_NAME, !(name[1] >> 56));
}

/* Of a start whose numbers are in the record. (These are verified once, not where they are called:
 * they are not static.) */
__noinline int fs_know_file(struct fs_scratch *s, __u64 file)
{
	struct file___fs *f = AT(struct file___fs, file);
	struct inode___fs *inode = GET(f, f_inode);
	struct bpf_known *k;
	__u64 *fs;

	if (!s)
		return 0;
	k = &s->known;
	fs = k->words + FS_WORD_FS;

	if (is_asked(BIT(FS_WORD_AFLAGS)))
		s->rec.mode = GET(inode, i_mode);
	if (is_asked(BIT(FS_WORD_SFLAGS)))
		s->rec.sharing = sharing_of(inode);
	know_numbers(s);
	if (is_asked(BIT(FS_WORD_FS))) {
		fs[0] = fs[1] = 0;
		bpf_probe_read_kernel_str(fs, 16, BPF_CORE_READ(inode, i_sb, s_type, name));
		know_text(k, FS_WORD_FS, 1);
	}
	if (is_asked(BIT(FS_WORD_NAME) | BIT(FS_WORD_TAIL)))
		know_name(k, (void *)file);
	return 0;
}

/* The last part of the text that a call has brought. */
static __always_inline void know_last_part(struct fs_scratch *s, __u32 from, __u32 len)
{
	__u64 *to = s->known.words + FS_WORD_NAME;
	__u32 at, n = last_part(s, from, len, &at);

	if (!n)
		return;
	to[0] = to[1] = 0;
	if (n < 16)
		bpf_probe_read_kernel(to, n, s->rec.bytes + at);
	know_text(&s->known, FS_WORD_NAME, n < 16);
	if (is_asked(BIT(FS_WORD_TAIL)))
		know_tail(&s->known, FS_WORD_TAIL, s->rec.bytes + at, n);
}

/* Of a call with a path, when all of its record has been put together. */
__noinline int fs_know_path(struct fs_scratch *s, __u32 opens)
{
	struct bpf_known *k;
	__u32 len, end;
	__u64 *fs;

	if (!s)
		return 0;
	k = &s->known;
	fs = k->words + FS_WORD_FS;
	len = s->rec.text;
	end = s->used - s->rec.text2;
	know_numbers(s);
	if (s->rec.flags & BPF_FS_FILE) {
		fs[0] = fs[1] = 0;
		bpf_probe_read_kernel_str(fs, 16, s->rec.fs);
		know_text(k, FS_WORD_FS, 1);
	} else if (is_asked(BIT(FS_WORD_NAME) | BIT(FS_WORD_TAIL)) && len > 1 &&
		   len < BPF_FS_PATH && end >= len) {
		know_last_part(s, end - len, len - 1);
	}
	if (opens && wants.rows & 1U << FS_DONE)
		k->known &= ~KNOWN_LATER;
	return 0;
}

/* Where the file system is mounted, from the last part on. */
static __always_inline void know_mount(struct fs_scratch *s)
{
	__u64 *to = s->known.words + FS_WORD_MOUNT, n;
	__u32 from = s->rec.mounted, len = s->rec.way - from;

	if (s->rec.flags & (BPF_FS_ANON | BPF_FS_TEXT) || !(s->rec.flags & BPF_FS_FILE) ||
	    from > BPF_FS_BYTES)
		return;
	to[0] = to[1] = 0;
	n = len;
	asm volatile("%0 &= 15" : "+r"(n)); /* Linux 6.1 does not see it by the comparison */
	if (len < 16)
		bpf_probe_read_kernel(to, n, s->rec.bytes + from);
	know_text(&s->known, FS_WORD_MOUNT, len < 16);
}

/* ---- the judgement ---- */

enum { IS_NOTHING, IS_COUNTED, IS_RECORD };

/* By what is known by now; a count is made once. */
__noinline int fs_judge(struct fs_scratch *s, __u32 of_row)
{
	__u32 row = of_row % BPF_COUNT_ROWS,
	      rows = wants.rows & (1U << row | (row == FS_CLEANUP ? 1U << FS_CLOSE : 0));
	struct task_struct *task = bpf_get_current_task_btf();
	int verdict = FILTER_PASSES;

	if (!s || s->is_judged)
		return IS_RECORD;
	if (wants.filter_asks)
		verdict = filter_known(&wants.filter, task, &s->known);
	if (verdict == FILTER_STOPS)
		return IS_NOTHING;
	if (verdict == FILTER_IS_OPEN || wants.counts.words & ~s->known.whole)
		return IS_RECORD;
	s->is_judged = 1;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 2; i++, row = FS_CLOSE) /* in the code once, for the stack's sake */
		if (rows & 1U << row && !(s->counted & 1U << row) &&
		    count_known(&wants, row, task, &s->known))
			s->counted |= 1U << row;
	return rows && !(rows & ~s->counted) && !(wants.rows & 1U << FS_DONE) ? IS_COUNTED
									      : IS_RECORD;
}

#endif
