/*
 * pf.bpf.c: page faults by their kinds, and address space that processes ask for and give back.
 */
#include "providers/kernel/bpf/clauses.h"

#define ROW(row)   (1U << (row))
#define TIMED_ROWS (ROW(PF_HARDFLT) | ROW(PF_HP_FLT))
#include "providers/kernel/bpf/faults.h"

struct qstr___pf {
	const unsigned char *name;
} KERNEL;

struct dentry {
	struct dentry *d_parent;
	struct qstr___pf d_name;
} KERNEL;

struct vfsmount {
	struct dentry *mnt_root;
} KERNEL;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} KERNEL;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} KERNEL;

struct file {
	struct path f_path;
} KERNEL;

CLAUSE_PROGRAM(begun_clauses); /* of faults, one for each way in which they are told */
CLAUSE_PROGRAM(ended_clauses);
CLAUSE_PROGRAM(signal_clauses);
CLAUSE_PROGRAM(return_clauses); /* of address space */

/* ---- records ---- */

/* long_one: with room for a path. Both are constants. */
static __always_inline struct bpf_pf *begin(void *ctx, unsigned int row, int long_one,
					    __u64 time_ns)
{
	struct bpf_pf *r;

	time_ns = put_own_stacks(ctx, wants.stacks, time_ns);
	if (time_ns == NO_ROOM)
		return 0;
	r = long_one ? reserve_at(sizeof(*r), BPF_KIND_PF, time_ns)
		     : reserve_at(BPF_PF_SHORT, BPF_KIND_PF, time_ns);
	if (!r)
		return 0;
	r->row = row;
	r->nparts = 0;
	r->args[3] = r->args[4] = 0;
	return r;
}

static __always_inline void put_fault(void *ctx, unsigned int row, const struct fault *f,
				      const struct count_words *words, __u64 time_ns)
{
	struct bpf_pf *r;

	if (count_passed(&wants, row, bpf_get_current_task_btf(), words))
		return;
	r = begin(ctx, row, 0, time_ns);
	if (!r)
		return;
	r->args[0] = f->addr;
	r->args[1] = f->pc;
	r->args[2] = f->is_kernel;
	submit(r);
}

/* Where a mount begins, its place in the one it is mounted on. */
static __always_inline void cross(struct dentry **d, struct mount **m)
{
	struct mount *above;

	if (*d != BPF_CORE_READ(*m, mnt.mnt_root))
		return;
	above = BPF_CORE_READ(*m, mnt_parent);
	if (above == *m)
		return;
	*d = BPF_CORE_READ(*m, mnt_mountpoint);
	*m = above;
}

static __always_inline void fill_path(struct bpf_pf *r, struct file *f)
{
	struct dentry *d = BPF_CORE_READ(f, f_path.dentry), *parent;
	struct vfsmount *in = BPF_CORE_READ(f, f_path.mnt);
	struct mount *m = (void *)in - bpf_core_field_offset(struct mount, mnt);

	for (int i = 0; i < BPF_PF_PARTS; i++) {
		cross(&d, &m);
		cross(&d, &m); /* one on top of the other */
		parent = BPF_CORE_READ(d, d_parent);
		if (parent == d)
			return;
		bpf_probe_read_kernel_str(r->parts[i], BPF_PF_NAME, BPF_CORE_READ(d, d_name.name));
		r->nparts = i + 1;
		d = parent;
	}
}

enum { PAGE_BITS = 12 };

static __always_inline void put_hard(void *ctx, const struct fault *f, const struct area *a)
{
	struct bpf_pf *r = begin(ctx, PF_HARDFLT, 1, 0);
	struct vm_area_struct *area;
	struct file *file;

	if (!r)
		return;
	r->args[0] = 0;
	r->args[1] = f->addr;
	r->args[2] = (r->head.time_ns - f->start_ns) / 1000;
	if (a->is_found) {
		area = (void *)a->addr;
		file = BPF_CORE_READ(area, vm_file);
		r->args[3] = BPF_CORE_READ(area, vm_pgoff);
		r->args[3] = (r->args[3] << PAGE_BITS) + (f->addr - a->start);
		if (file)
			fill_path(r, file);
	}
	r->args[4] = r->head.tid;
	submit(r);
}

/* Does not come back where clauses are to run. */
static __always_inline void run_clauses(void *ctx, enum fault_teller by, unsigned int row,
					const struct count_words *words)
{
	if (by == TOLD_AT_BEGIN && tell_own_clauses(&begun_clauses_event, &wants, ROW(row), words))
		RUN_CLAUSES(ctx, begun_clauses);
	if (by == TOLD_AT_END && tell_own_clauses(&ended_clauses_event, &wants, ROW(row), words))
		RUN_CLAUSES(ctx, ended_clauses);
	if (by == TOLD_BY_SIGNAL &&
	    tell_own_clauses(&signal_clauses_event, &wants, ROW(row), words))
		RUN_CLAUSES(ctx, signal_clauses);
}

static __always_inline void fault_is(void *ctx, enum fault_teller by, enum fault_class is,
				     struct fault *f, struct area *a)
{
	const struct count_words words = {.v = {f->addr, f->pc, f->is_kernel}};
	unsigned int row = is == FAULT_TRANSITION  ? PF_TRANS_FLT
			   : is == FAULT_ZERO	   ? PF_DZERO_FLT
			   : is == FAULT_COPY	   ? PF_COW_FLT
			   : is == FAULT_GUARD	   ? PF_GP_FLT
			   : is == FAULT_NO_ACCESS ? PF_AV_FLT
						   : PF_NROWS;

	if (is == FAULT_HARD) {
		if (wants.rows & ROW(PF_HP_FLT))
			put_fault(ctx, PF_HP_FLT, f, &words, f->start_ns);
		if (wants.rows & ROW(PF_HARDFLT))
			put_hard(ctx, f, a);
	} else if (row < PF_NROWS && wants.rows & ROW(row)) {
		run_clauses(ctx, by, row, &words);
		put_fault(ctx, row, f, &words, 0);
	}
}

/* ---- address space ---- */

/* Of 64-bit programs, and of 32-bit ones. */
#define NR_MMAP	   9, 192
#define NR_MUNMAP  11, 91
#define NR_BRK	   12, 45
#define NR_MREMAP  25, 163
#define NR_MADVISE 28, 219

enum { MAP_PRIVATE = 2, MAP_ANONYMOUS = 0x20, PROT_RW = 3 };
enum { ADVICE_DONTNEED = 4, ADVICE_DONTNEED_LOCKED = 24 };
enum { BAD_ADDRESS = 4095, PAGE = 4096 };

static __always_inline __u64 pages(__u64 bytes)
{
	return (bytes + PAGE - 1) & -(__u64)PAGE;
}

/* The last that a program does: it does not come back where clauses are to run. */
static __always_inline void put_area(void *ctx, unsigned int row, __u64 addr, __u64 size,
				     __u64 prot, __u64 flags)
{
	struct count_words words = {.v = {addr, 0, size, prot << 16 | (flags & 0xffff)}};
	struct bpf_pf *r;

	if (!size || !(wants.rows & ROW(row)))
		return;
	words.v[1] = current_pid();
	if (tell_own_clauses(&return_clauses_event, &wants, ROW(row), &words))
		RUN_CLAUSES(ctx, return_clauses);
	if (count_passed(&wants, row, bpf_get_current_task_btf(), &words))
		return;
	r = begin(ctx, row, 0, 0);
	if (!r)
		return;
	r->args[0] = addr;
	r->args[1] = r->head.pid;
	r->args[2] = size;
	r->args[3] = words.v[3];
	submit(r);
}

/* PROT_ and MAP_ of an area, as far as it tells. */
static __always_inline __u32 kind_of(__u64 addr)
{
	struct area a;

	find_area(&a, addr);
	if (!a.is_found)
		return 0;
	return (__u32)((a.flags & 7) << 16 | (a.flags & AREA_SHARED ? 1 : MAP_PRIVATE) |
		       (a.ops ? 0 : MAP_ANONYMOUS));
}

static __always_inline __u64 now_brk(void)
{
	struct task_struct___area *t = (void *)bpf_get_current_task_btf();

	return BPF_CORE_READ(t, mm, brk);
}

/* What will be gone when the call is made. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs *regs, long nr)
{
	int is_brk = is_call(nr, NR_BRK);
	struct fault *f;

	if (!is_brk && !is_call(nr, NR_MUNMAP) && !is_call(nr, NR_MREMAP) &&
	    !is_call(nr, NR_MADVISE))
		return 0;
	if (!current_passes(&wants.filter))
		return 0;
	f = own_fault(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!f) {
		count_lost(); /* its return will not be told */
		return 0;
	}
	f->brk = is_brk ? now_brk() : 0;
	f->prot = is_brk ? 0 : kind_of(call_arg(regs, 0));
	return 0;
}

static __always_inline void brk_returns(void *ctx, const struct fault *f, __u64 brk)
{
	__u64 old = pages(f->brk), now = pages(brk);

	if (f->brk && now > old)
		put_area(ctx, PF_VALLOC, old, now - old, PROT_RW, MAP_PRIVATE | MAP_ANONYMOUS);
	else if (f->brk && now < old)
		put_area(ctx, PF_VFREE, now, old - now, PROT_RW, MAP_PRIVATE | MAP_ANONYMOUS);
}

static __always_inline void mremap_returns(void *ctx, const struct fault *f, __u64 addr, __u64 old,
					   __u64 now)
{
	old = pages(old);
	now = pages(now);
	if (now > old)
		put_area(ctx, PF_VALLOC, addr + old, now - old, f->prot >> 16, f->prot);
	else
		put_area(ctx, PF_VFREE, addr + now, old - now, f->prot >> 16, f->prot);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	long nr = regs->orig_ax;
	struct fault *f, of;
	__u64 a0, a1, a2;

	if (!is_call(nr, NR_MMAP) && !is_call(nr, NR_BRK) && !is_call(nr, NR_MUNMAP) &&
	    !is_call(nr, NR_MREMAP) && !is_call(nr, NR_MADVISE))
		return 0;
	if ((__u64)ret >= -(__u64)BAD_ADDRESS || !current_passes(&wants.filter))
		return 0;
	a0 = call_arg(regs, 0);
	a1 = call_arg(regs, 1);
	a2 = call_arg(regs, 2);
	if (is_call(nr, NR_MMAP)) {
		put_area(ctx, PF_VALLOC, ret, pages(a1), a2, call_arg(regs, 3));
		return 0;
	}
	f = own_fault(0);
	if (!f)
		return 0;
	of = *f;
	f->brk = 0;
	if (is_call(nr, NR_BRK))
		brk_returns(ctx, &of, ret);
	else if (is_call(nr, NR_MUNMAP))
		put_area(ctx, PF_VFREE, a0, pages(a1), of.prot >> 16, of.prot);
	else if (is_call(nr, NR_MREMAP))
		mremap_returns(ctx, &of, ret, a1, a2);
	else if (a2 == ADVICE_DONTNEED || a2 == ADVICE_DONTNEED_LOCKED)
		put_area(ctx, PF_VFREE, a0, pages(a1), of.prot >> 16, of.prot | BPF_PF_DONTNEED);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
