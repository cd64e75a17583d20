/*
 * fs.h: records of operations on files (struct bpf_fs), for the fsinfo and reg providers.
 */
#ifndef BPF_FS_H
#define BPF_FS_H

#include "providers/kernel/bpf/fsplace.h"

/* In this order: the engine fills them as one structure. */
const volatile struct bpf_wants wants = {0};
const volatile struct bpf_fs_who who = {0};

/* The engine and its watchdog. */
static __always_inline int is_own(void)
{
	__u32 pid = current_pid();

	return pid == who.own[0] || pid == who.own[1];
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
	r->oflags = r->mode = r->device = r->magic = r->mntns = 0;
	r->cflags = r->way = r->mounted = r->way2 = r->text = r->text2 = 0;
	r->value = r->newvalue = 0;
	r->sharing = 7;
	r->fs[0] = '\0';
	s->used = s->counted = s->is_judged = 0;
	return s;
}

/* The scratch record with what it uses, in the name of a thread (as bpf_get_current_pid_tgid()). */
static __always_inline void hand_over_as(struct fs_scratch *s, __u32 kind, __u64 id, __u64 time_ns)
{
	__u32 size = offsetof(struct bpf_fs, bytes) + s->used;
	struct bpf_dynptr room;

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
	struct bpf_fs_short *r = reserve_at(sizeof(*r), kind, time_ns);

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
