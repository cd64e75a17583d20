/*
 * fsintern.h: files as keys of aggregations that are kept in the kernel: what texts of a record are
 * made of is kept once, and two words that follow from it stand for it. The engine makes the texts
 * (fs_record_set()).
 */
#ifndef BPF_FSINTERN_H
#define BPF_FSINTERN_H

#include "providers/kernel/bpf/fs/fsplace.h"

enum { IS_THERE = 17 }; /* EEXIST */

struct file_words {
	__u64 v[2];
};

/* The engine gives them their size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct file_words));
	__uint(value_size, BPF_FS_USUAL);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct file_words));
	__uint(value_size, sizeof(struct bpf_fs));
} long_files SEC(".maps");

/* Odd, and as many ones as zeros: from the golden ratio. */
#define MIX 0x9e3779b97f4a7c15ULL

/* A product passes on what differs to higher bits alone: they become the lower ones. */
static __always_inline void mix(struct file_words *w, __u64 by)
{
	__u64 a = (w->v[0] ^ by) * MIX, b = (w->v[1] + by) * MIX;

	w->v[0] = a << 29 | a >> 35;
	w->v[1] = b << 41 | b >> 23;
}

/* Of what is no text of the record: all that decides what its texts are. */
static __always_inline void mix_numbers(struct file_words *w, const struct bpf_fs *r)
{
	const __u64 *fs = (const __u64 *)r->fs;

	mix(w, (__u64)r->flags << 32 | (r->mode & TYPE_MASK));
	mix(w, (__u64)r->mntns << 32 | r->nmounts);
	mix(w, (__u64)r->way << 48 | (__u64)r->mounted << 32 | (__u64)r->way2 << 16 | r->text);
	mix(w, (__u64)r->text2 << 32);
	if (r->flags & BPF_FS_ANON)
		mix(w, r->ino);
	if (r->flags & BPF_FS_FILE) {
		mix(w, fs[0]);
		mix(w, fs[1]);
	}
}

struct mixing {
	struct file_words w;
	const struct fs_scratch *s;
};

static long mix_one(__u32 i, void *arg)
{
	struct mixing *m = arg;

	if (i >= sizeof(m->s->rec.bytes) / 8)
		return 1;
	mix(&m->w, *(const __u64 *)(m->s->rec.bytes + 8UL * i));
	return 0;
}

static __always_inline void mix_texts(struct mixing *m, struct fs_scratch *s)
{
	__u32 used = s->used;

	if (used > sizeof(s->rec.bytes) - 8)
		return;
	*(__u64 *)(s->rec.bytes + used) = 0; /* what is behind them in the last word */
	bpf_loop((used + 7) / 8, mix_one, m, 0);
}

/* False: there is no room for one more. */
static __always_inline int keep_file(const struct file_words *w, __u32 used)
{
	void *map = offsetof(struct bpf_fs, bytes) + used <= BPF_FS_USUAL ? (void *)&files
									  : (void *)&long_files;
	__u64 id = bpf_get_current_pid_tgid();
	struct fs_scratch *s;
	__u32 zero = 0;
	long rc;

	if (bpf_map_lookup_elem(map, w))
		return 1;
	s = bpf_map_lookup_elem(&scratch, &zero); /* Linux 6.1 takes the value from no argument */
	if (!s)
		return 0;
	s->rec.head.time_ns = bpf_ktime_get_ns();
	s->rec.head.pid = (__u32)(id >> 32);
	s->rec.head.tid = (__u32)id;
	rc = bpf_map_update_elem(map, w, &s->rec, BPF_NOEXIST);
	return !rc || rc == -IS_THERE; /* another CPU was faster */
}

/* To the words of the event: zeros, if there is no room. (Verified once, not where it is called: it
 * is not static.) */
__noinline int fs_intern(struct fs_scratch *s, __u32 is_write)
{
	struct mixing m = {{{MIX, ~MIX}}, s};
	__u64 *to;

	if (!s)
		return 0;
	to = s->words + (is_write ? FS_CLAUSE_WRITE : 0) + FS_CLAUSE_FILE;
	mix_numbers(&m.w, &s->rec);
	mix_texts(&m, s);
	m.w.v[0] |= 1;
	m.w.v[1] |= 1;
	if (!keep_file(&m.w, s->used))
		m.w.v[0] = m.w.v[1] = 0;
	to[0] = m.w.v[0];
	to[1] = m.w.v[1];
	return 0;
}

#endif
