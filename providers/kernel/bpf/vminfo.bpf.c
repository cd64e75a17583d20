/*
 * vminfo.bpf.c: what virtual memory does: faults, pages that are read, written, looked for.
 */
#include "providers/kernel/bpf/numbers.h"

#define TIMED_ROWS 0
#include "providers/kernel/bpf/faults.h"

enum { AREA_EXEC = 4, PAGE_BITS = 12 };

static __always_inline void tell(void *ctx, unsigned int row, __u64 n)
{
	if (wants.rows & 1U << row && n)
		put_numbers(ctx, &wants, BPF_KIND_VM, row, n, 0, 0, 0, 0);
}

static __always_inline void tell_asked(void *ctx, unsigned int row, __u64 n)
{
	if (current_passes(&wants.filter))
		tell(ctx, row, n);
}

/* ---- faults ---- */

static __always_inline void tell_hard(void *ctx, const struct area *a)
{
	tell(ctx, VM_MAJ_FAULT, 1);
	if (!a->is_found)
		return;
	if (!a->ops) {
		tell(ctx, VM_ANONPGIN, 1);
		tell(ctx, VM_SWAPIN, 1);
		tell(ctx, VM_PGSWAPIN, 1);
	} else {
		tell(ctx, a->flags & AREA_EXEC ? VM_EXECPGIN : VM_FSPGIN, 1);
	}
}

static __always_inline void fault_is(void *ctx, enum fault_teller by, enum fault_class is,
				     struct fault *f, struct area *a)
{
	if (is == FAULT_NO_ACCESS) {
		if (f->is_forbidden)
			tell(ctx, VM_PROT_FAULT, 1);
		return;
	}
	tell(ctx, VM_AS_FAULT, 1);
	if (is == FAULT_HARD)
		tell_hard(ctx, a);
	else
		tell(ctx, VM_MIN_FAULT, 1);
	if (is == FAULT_TRANSITION)
		tell(ctx, VM_PGREC, 1);
	else if (is == FAULT_ZERO || is == FAULT_GUARD)
		tell(ctx, VM_ZFOD, 1);
	else if (is == FAULT_COPY)
		tell(ctx, VM_COW_FAULT, 1);
}

/* ---- pages from and to disks ---- */

struct bio {
	unsigned int bi_opf;
	struct {
		unsigned int bi_size;
	} bi_iter;
} KERNEL;

enum { OP_MASK = 0xff, OP_READ = 0, OP_WRITE = 1 };

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queued, struct bio *bio)
{
	__u32 op = BPF_CORE_READ(bio, bi_opf) & OP_MASK;
	__u64 pages = ((__u64)BPF_CORE_READ(bio, bi_iter.bi_size) + 4095) >> PAGE_BITS;

	if (!pages || op > OP_WRITE || !current_passes(&wants.filter))
		return 0;
	tell(ctx, op == OP_READ ? VM_PGIN : VM_PGOUT, 1);
	tell(ctx, op == OP_READ ? VM_PGPGIN : VM_PGPGOUT, pages);
	return 0;
}

/* ---- what looks for pages to take away ---- */

SEC("tp_btf/mm_vmscan_lru_isolate")
int BPF_PROG(on_scan, int zone, int order, unsigned long nr_requested, unsigned long nr_scanned)
{
	tell_asked(ctx, VM_SCAN, nr_scanned);
	return 0;
}

SEC("tp_btf/mm_vmscan_kswapd_wake")
int BPF_PROG(on_scanner, int nid)
{
	tell_asked(ctx, VM_PGRRUN, 1);
	tell_asked(ctx, VM_REV, 1);
	return 0;
}

SEC("tp_btf/mm_vmscan_lru_shrink_inactive")
int BPF_PROG(on_shrunk, int nid, unsigned long nr_scanned, unsigned long nr_reclaimed)
{
	tell_asked(ctx, VM_DFREE, nr_reclaimed);
	return 0;
}

SEC("tp_btf/mm_vmscan_write_folio")
int BPF_PROG(on_swapped_out, void *folio)
{
	tell_asked(ctx, VM_SWAPOUT, 1);
	tell_asked(ctx, VM_PGSWAPOUT, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
