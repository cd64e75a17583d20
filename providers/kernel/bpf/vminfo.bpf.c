/*
 * vminfo.bpf.c: what virtual memory does: faults, pages that are read, written, looked for.
 */
#include "providers/kernel/bpf/numbers.h"

#define TIMED_ROWS 0
#include "providers/kernel/bpf/faults.h"

enum { AREA_EXEC = 4, PAGE_BITS = 12 };

#define ROW(row) (1U << (row))

/* One for each way in which something is told, as the tracepoints have different arguments. */
CLAUSE_PROGRAM(begun_clauses); /* of faults */
CLAUSE_PROGRAM(ended_clauses);
CLAUSE_PROGRAM(signal_clauses);
CLAUSE_PROGRAM(queue_clauses);
CLAUSE_PROGRAM(scan_clauses);
CLAUSE_PROGRAM(scanner_clauses);
CLAUSE_PROGRAM(shrink_clauses);
CLAUSE_PROGRAM(swap_clauses);

/* If it is one of these. What happens at once is told in the order of the rows, as clauses are. */
static __always_inline void tell(void *ctx, __u32 rows, unsigned int row, __u64 n)
{
	if (rows & wants.rows & ROW(row))
		put_numbers(ctx, &wants, BPF_KIND_VM, row, n, 0, 0, 0, 0);
}

/* The rows whose clauses are to be run, at the end of the program; of some n1 is what is told. */
static __always_inline __u32 tell_clauses_of(void *events, __u32 rows, __u64 n0, __u64 n1)
{
	const struct count_words words = {.v = {n0, n1}};

	return tell_own_clauses(events, &wants, rows, &words);
}

/* ---- faults ---- */

static __always_inline __u32 hard_rows(const struct area *a)
{
	__u32 rows = ROW(VM_AS_FAULT) | ROW(VM_MAJ_FAULT);

	if (!a->is_found)
		return rows;
	if (a->ops)
		return rows | (a->flags & AREA_EXEC ? ROW(VM_EXECPGIN) : ROW(VM_FSPGIN));
	return rows | ROW(VM_ANONPGIN) | ROW(VM_SWAPIN) | ROW(VM_PGSWAPIN);
}

static __always_inline __u32 rows_of(enum fault_class is, const struct fault *f,
				     const struct area *a)
{
	if (is == FAULT_NO_ACCESS)
		return f->is_forbidden ? ROW(VM_PROT_FAULT) : 0;
	if (is == FAULT_HARD)
		return hard_rows(a);
	return ROW(VM_AS_FAULT) | ROW(VM_MIN_FAULT) |
	       (is == FAULT_TRANSITION			? ROW(VM_PGREC)
		: is == FAULT_ZERO || is == FAULT_GUARD ? ROW(VM_ZFOD)
		: is == FAULT_COPY			? ROW(VM_COW_FAULT)
							: 0);
}

static __always_inline void fault_is(void *ctx, enum fault_teller by, enum fault_class is,
				     struct fault *f, struct area *a)
{
	void *events = by == TOLD_AT_BEGIN ? (void *)&begun_clauses_event
		       : by == TOLD_AT_END ? (void *)&ended_clauses_event
					   : (void *)&signal_clauses_event;
	__u32 rows = rows_of(is, f, a) & wants.rows;
	__u32 told = tell_clauses_of(events, rows, 1, 0);

	rows &= ~told;
	tell(ctx, rows, VM_AS_FAULT, 1);
	tell(ctx, rows, VM_MAJ_FAULT, 1);
	tell(ctx, rows, VM_MIN_FAULT, 1);
	tell(ctx, rows, VM_ZFOD, 1);
	tell(ctx, rows, VM_COW_FAULT, 1);
	tell(ctx, rows, VM_PROT_FAULT, 1);
	tell(ctx, rows, VM_PGREC, 1);
	tell(ctx, rows, VM_ANONPGIN, 1);
	tell(ctx, rows, VM_EXECPGIN, 1);
	tell(ctx, rows, VM_FSPGIN, 1);
	tell(ctx, rows, VM_SWAPIN, 1);
	tell(ctx, rows, VM_PGSWAPIN, 1);
	if (told && by == TOLD_AT_BEGIN)
		RUN_CLAUSES(ctx, begun_clauses);
	if (told && by == TOLD_AT_END)
		RUN_CLAUSES(ctx, ended_clauses);
	if (told && by == TOLD_BY_SIGNAL)
		RUN_CLAUSES(ctx, signal_clauses);
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
	__u32 rows =
		(op == OP_READ ? ROW(VM_PGIN) | ROW(VM_PGPGIN) : ROW(VM_PGOUT) | ROW(VM_PGPGOUT)) &
		wants.rows;
	__u32 told;

	if (!pages || op > OP_WRITE || !current_passes(&wants.filter))
		return 0;
	told = tell_clauses_of(&queue_clauses_event, rows, 1, pages);
	rows &= ~told;
	tell(ctx, rows, VM_PGIN, 1);
	tell(ctx, rows, VM_PGOUT, 1);
	tell(ctx, rows, VM_PGPGIN, pages);
	tell(ctx, rows, VM_PGPGOUT, pages);
	if (told)
		RUN_CLAUSES(ctx, queue_clauses);
	return 0;
}

/* ---- what looks for pages to take away ---- */

/* Rows that count the same, in their order: as records, but those whose clauses are to be run. */
static __always_inline __u32 tell_same(void *ctx, void *events, unsigned int first,
				       unsigned int second, __u64 n)
{
	__u32 rows = (ROW(first) | ROW(second)) & wants.rows, told;

	if (!n || !current_passes(&wants.filter))
		return 0;
	told = tell_clauses_of(events, rows, n, 0);
	tell(ctx, rows & ~told, first, n);
	if (second != first)
		tell(ctx, rows & ~told, second, n);
	return told;
}

SEC("tp_btf/mm_vmscan_lru_isolate")
int BPF_PROG(on_scan, int zone, int order, unsigned long nr_requested, unsigned long nr_scanned)
{
	if (tell_same(ctx, &scan_clauses_event, VM_SCAN, VM_SCAN, nr_scanned))
		RUN_CLAUSES(ctx, scan_clauses);
	return 0;
}

SEC("tp_btf/mm_vmscan_kswapd_wake")
int BPF_PROG(on_scanner, int nid)
{
	if (tell_same(ctx, &scanner_clauses_event, VM_REV, VM_PGRRUN, 1))
		RUN_CLAUSES(ctx, scanner_clauses);
	return 0;
}

SEC("tp_btf/mm_vmscan_lru_shrink_inactive")
int BPF_PROG(on_shrunk, int nid, unsigned long nr_scanned, unsigned long nr_reclaimed)
{
	if (tell_same(ctx, &shrink_clauses_event, VM_DFREE, VM_DFREE, nr_reclaimed))
		RUN_CLAUSES(ctx, shrink_clauses);
	return 0;
}

SEC("tp_btf/mm_vmscan_write_folio")
int BPF_PROG(on_swapped_out, void *folio)
{
	if (tell_same(ctx, &swap_clauses_event, VM_SWAPOUT, VM_PGSWAPOUT, 1))
		RUN_CLAUSES(ctx, swap_clauses);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
