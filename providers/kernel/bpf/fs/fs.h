/*
 * fs.h: records of operations on files (struct bpf_fs), for the fsinfo and reg providers.
 */
#ifndef BPF_FS_H
#define BPF_FS_H

#include "providers/kernel/bpf/fs/fsplace.h"
#include "providers/kernel/bpf/known.h"

/* The engine and its watchdog. */
static __always_inline int is_own(void)
{
	__u32 pid = current_pid();

	return pid == who.own[0] || pid == who.own[1];
}

/* A bit for each of eight bytes that is a slash. */
static __always_inline __u32 slashes(__u64 eight)
{
	const __u64 low = 0x7f7f7f7f7f7f7f7fULL, v = eight ^ 0x2f2f2f2f2f2f2f2fULL;
	__u64 differ = ((v & low) + low) | v | low; /* the top bit of each that is none */

	return (~differ >> 7) * 0x0102040810204080ULL >> 56;
}

/* The last part of the `len` bytes of a text at `from` in the record: how long it is, and where it
 * begins; of one of more than 16 bytes the last 17. 0: it ends with a slash, or with "/.". */
static __always_inline __u32 last_part(const struct fs_scratch *s, __u32 from, __u32 len, __u32 *at)
{
	__u32 take = len > 17 ? 17 : len, start; /* start: a bit for each slash, then the last */
	const char *bytes = s->rec.bytes;

	*at = from + len - take;
	if (!len || *at > BPF_FS_BYTES + BPF_FS_PATH - 32)
		return 0;
	bytes += *at;
	start = slashes(*(const __u64 *)bytes) | slashes(*(const __u64 *)(bytes + 8)) << 8 |
		(bytes[16] == '/') << 16;
	start &= (1U << take) - 1;
	start = log2_of(2 * (__u64)start | 1);
	if (start >= take || (start + 1 == take && s->rec.bytes[*at + start] == '.'))
		return 0;
	*at += start;
	return take - start;
}

/* The last characters of a path's last part, as many as a word of a filter has room for: what ends
 * otherwise is another path. */
enum { TAIL = BPF_TEXT_ROOM - 1 };

static __always_inline void know_tail(struct bpf_known *k, __u32 word, const char *name, __u32 n)
{
	__u64 *to = k->words + word, size = n > TAIL ? TAIL : n, skipped = n - size;

	if (!n || n > BPF_FS_PART)
		return;
	asm volatile("%0 &= 15" : "+r"(size)); /* Linux 6.1 does not see it by comparisons */
	asm volatile("%0 &= 255" : "+r"(skipped));
	to[0] = to[1] = 0;
	bpf_probe_read_kernel(to, size, name + skipped);
	know_text(k, word, 1);
}

/* linux/bpf.h */
struct bpf_dynptr {
	__u64 words[2];
} __attribute__((aligned(8)));

static __always_inline struct fs_scratch *begin_details(void)
{
	__u32 zero = 0;
	struct fs_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct bpf_fs *r;

	if (!s)
		return 0;
	r = &s->rec;
	r->flags = 0;
	r->result = 0;
	r->offset = r->bytes_asked = r->ino = 0;
	r->oflags = r->mode = r->mntns = r->nmounts = 0;
	r->cflags = r->way = r->mounted = r->way2 = r->text = r->text2 = 0;
	r->value = r->newvalue = 0;
	r->sharing = 7;
	r->fs[0] = '\0';
	s->used = s->is_judged = 0;
	s->counted = s->told & (1U << FS_CLEANUP | 1U << FS_CLOSE); /* which are one record */
	return s;
}

/* The scratch record with what it uses, in the name of a thread (as bpf_get_current_pid_tgid()). */
static __always_inline void hand_over_as(struct fs_scratch *s, __u32 kind, __u64 id, __u64 time_ns)
{
	__u32 size = offsetof(struct bpf_fs, bytes) + s->used;
	struct bpf_dynptr room;

	if (time_ns == NO_ROOM)
		return;
	if (size > sizeof(s->rec))
		size = sizeof(s->rec);
	if (bpf_ringbuf_reserve_dynptr(&ring, size, 0, &room)) {
		bpf_ringbuf_discard_dynptr(&room, BPF_RB_NO_WAKEUP);
		count_lost();
		return;
	}
	s->rec.head.time_ns = time_ns ? time_ns : bpf_ktime_get_ns();
	s->rec.head.kind = kind;
	s->rec.head.counted = s->counted;
	s->rec.head.cpu = bpf_get_smp_processor_id();
	s->rec.head.pid = (__u32)(id >> 32);
	s->rec.head.tid = (__u32)id;
	bpf_dynptr_write(&room, 0, &s->rec, size, 0);
	bpf_ringbuf_submit_dynptr(&room, BPF_RB_NO_WAKEUP);
}

static __always_inline void hand_over(struct fs_scratch *s, __u32 kind, __u64 time_ns)
{
	hand_over_as(s, kind, bpf_get_current_pid_tgid(), time_ns);
}

struct bpf_fs_short {
	struct bpf_head head;
	unsigned int row, flags;
	unsigned long long irp;
	long long result;
};

/* One without details. */
static __always_inline void hand_over_short(__u32 kind, __u32 row, __u32 flags, __u64 irp,
					    __s64 result, __u32 counted, __u64 time_ns)
{
	struct bpf_fs_short *r;

	if (time_ns == NO_ROOM)
		return;
	r = reserve_at(sizeof(*r), kind, time_ns);
	if (!r)
		return;
	r->head.counted = counted;
	r->row = row;
	r->flags = flags;
	r->irp = irp;
	r->result = result;
	submit(r);
}

#endif
