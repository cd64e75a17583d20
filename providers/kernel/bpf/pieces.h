/*
 * pieces.h: the kernel's memory as clauses follow it from curthread (struct bpf_pieces): read when
 * the event happens, in a record before the event's. Included by kernel.h.
 */
#ifndef BPF_PIECES_H
#define BPF_PIECES_H

/* What is read for each object of the run; the engine makes and shares it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_PIECE_SETS);
	__type(key, __u32);
	__type(value, struct bpf_pieces);
} pieces SEC(".maps");

enum bpf_func_id___pieces { BPF_FUNC_loop___pieces = 181 }; /* since Linux 5.17 */

struct filling {
	struct bpf_captured *c;
	const struct bpf_pieces *p;
	__u64 is_current; /* memory of the process is read of the current thread alone */
};

/* room is a constant: half of what is behind c->bytes. Each step is verified once: unrolled, all of
 * it is too much for Linux 6.1. True: that was the last. */
static __always_inline long fill_piece(const struct filling *f, __u32 i, __u64 room)
{
	struct bpf_captured *c = f->c;
	const struct bpf_piece *m;
	__u64 at, len, from;
	char *to;
	long rc;

	if (i >= BPF_PIECES || i >= f->p->n)
		return 1;
	m = &f->p->v[i];
	at = m->at & (room - 8);
	len = m->len;
	from = m->off;
	if (len > room)
		return 0;
	if (m->base == BPF_PIECE_THREAD) {
		from += c->thread;
	} else if (m->base != BPF_PIECE_ABSOLUTE) {
		if (!(c->got & 1U << (m->base & 31)))
			return 0;
		from += *(__u64 *)(c->bytes + (m->base_at & (room - 8)));
	}
	to = c->bytes + at;
	if ((__s64)from < 0)
		rc = m->is_string ? bpf_probe_read_kernel_str(to, len, (void *)from)
				  : bpf_probe_read_kernel(to, len, (void *)from);
	else if (f->is_current)
		rc = m->is_string ? bpf_probe_read_user_str(to, len, (void *)from)
				  : bpf_probe_read_user(to, len, (void *)from);
	else
		return 0;
	if (rc >= 0)
		c->got |= 1U << (i & 31);
	return 0;
}

static long fill_few(__u32 i, struct filling *f)
{
	return fill_piece(f, i, BPF_PIECE_FEW);
}

static long fill_some(__u32 i, struct filling *f)
{
	return fill_piece(f, i, BPF_PIECE_SOME);
}

static long fill_many(__u32 i, struct filling *f)
{
	return fill_piece(f, i, BPF_PIECE_MANY);
}

#define PUT_PIECES(room, fill)                                                                     \
	do {                                                                                       \
		f.c = reserve_at(__builtin_offsetof(struct bpf_captured, bytes) + 2 * (room),      \
				 BPF_KIND_PIECES, time_ns);                                        \
		if (!f.c)                                                                          \
			return NO_ROOM;                                                            \
		time_ns = f.c->head.time_ns;                                                       \
		f.c->head.pid = BPF_CORE_READ(t, tgid);                                            \
		f.c->head.tid = BPF_CORE_READ(t, pid);                                             \
		f.c->set = set;                                                                    \
		f.c->got = 0;                                                                      \
		f.c->thread = (__u64)t;                                                            \
		bpf_loop(BPF_PIECES, fill, &f, 0);                                                 \
		if (BPF_CORE_READ(t, start_time) != start_ns)                                      \
			f.c->got = 0; /* it has gone meanwhile, and its memory is another's */     \
		submit(f.c);                                                                       \
	} while (0)

/* A record of the time that is returned; NO_ROOM. */
static __noinline __u64 put_set(struct task_struct *t, __u32 set, __u64 time_ns)
{
	const struct bpf_pieces *p = bpf_map_lookup_elem(&pieces, &set);

	__u64 start_ns = BPF_CORE_READ(t, start_time);
	struct filling f = {.p = p, .is_current = t == bpf_get_current_task_btf()};

	if (!p || !bpf_core_enum_value_exists(enum bpf_func_id___pieces, BPF_FUNC_loop___pieces))
		return time_ns;
	if (p->room <= BPF_PIECE_FEW)
		PUT_PIECES(BPF_PIECE_FEW, fill_few);
	else if (p->room <= BPF_PIECE_SOME)
		PUT_PIECES(BPF_PIECE_SOME, fill_some);
	else
		PUT_PIECES(BPF_PIECE_MANY, fill_many);
	return time_ns;
}

/* Of thread t, for a record of it which follows: as put_stacks. */
static __always_inline __u64 put_pieces(struct task_struct *t, __u64 wanted, __u64 time_ns)
{
	return wanted & BPF_WANT_PIECES ? put_set(t, wanted >> BPF_WANT_SET, time_ns) : time_ns;
}

#endif
