/*
 * prov_vminfo.c: what virtual memory does (docs/spec/providers.md §5.3), seen by
 * providers/kernel/bpf/vminfo.bpf.c.
 */
#include <linux/perf_event.h>

#include "providers/providers.h"
#include "providers/system/numbers/faultmode.h"
#include "providers/system/numbers/faultsamples.h"
#include "providers/system/numbers/numprov.h"

#define FAULTS "on_user_fault on_kernel_fault "

/* clang-format off */
static const struct bpf_probe_row rows[VM_NROWS] = {
	[VM_AS_FAULT] = {"as_fault", FAULTS "on_hard on_soft", 1},
	[VM_MAJ_FAULT] = {"maj_fault", FAULTS "on_hard", 1},
	[VM_MIN_FAULT] = {"min_fault", FAULTS "on_soft", 1},
	[VM_ZFOD] = {"zfod", FAULTS "on_soft", 1},
	[VM_COW_FAULT] = {"cow_fault", FAULTS "on_soft", 1},
	[VM_PROT_FAULT] = {"prot_fault", FAULTS "on_signal", 1},
	[VM_PGREC] = {"pgrec", FAULTS "on_soft", 1},
	[VM_ANONPGIN] = {"anonpgin", FAULTS "on_hard", 1},
	[VM_EXECPGIN] = {"execpgin", FAULTS "on_hard", 1},
	[VM_FSPGIN] = {"fspgin", FAULTS "on_hard", 1},
	[VM_PGIN] = {"pgin", "on_queued", 1},
	[VM_PGOUT] = {"pgout", "on_queued", 1},
	[VM_PGPGIN] = {"pgpgin", "on_queued", 1},
	[VM_PGPGOUT] = {"pgpgout", "on_queued", 1},
	[VM_SCAN] = {"scan", "on_scan", 1},
	[VM_REV] = {"rev", "on_scanner", 1},
	[VM_PGRRUN] = {"pgrrun", "on_scanner", 1},
	[VM_DFREE] = {"dfree", "on_shrunk", 1},
	[VM_SWAPIN] = {"swapin", FAULTS "on_hard", 1},
	[VM_SWAPOUT] = {"swapout", "on_swapped_out", 1},
	[VM_PGSWAPIN] = {"pgswapin", FAULTS "on_hard", 1},
	[VM_PGSWAPOUT] = {"pgswapout", "on_swapped_out", 1},
};
/* clang-format on */

#define ROW(row) (1U << (row))
#define HARD_ROWS                                                                                  \
	(ROW(VM_MAJ_FAULT) | ROW(VM_ANONPGIN) | ROW(VM_EXECPGIN) | ROW(VM_FSPGIN) |                \
	 ROW(VM_SWAPIN) | ROW(VM_PGSWAPIN))
#define AT_END_ROWS (HARD_ROWS | ROW(VM_AS_FAULT) | ROW(VM_MIN_FAULT))
static const struct fault_rows fault_rows = {
	.all = AT_END_ROWS | ROW(VM_ZFOD) | ROW(VM_COW_FAULT) | ROW(VM_PROT_FAULT) | ROW(VM_PGREC),
	.by_page = ROW(VM_ZFOD) | ROW(VM_COW_FAULT) | ROW(VM_PGREC),
	.at_begin = ROW(VM_COW_FAULT),
	.at_end = AT_END_ROWS,
};

#define PAGES (ROW(VM_PGPGIN) | ROW(VM_PGPGOUT))
static const struct event_row clause_rows[] = {
	{ROW(VM_COW_FAULT), "page_fault_user", "begun_clauses", true},
	{AT_END_ROWS | ROW(VM_ZFOD) | ROW(VM_COW_FAULT) | ROW(VM_PGREC), NULL, "ended_clauses",
	 true},
	{ROW(VM_PROT_FAULT), "signal_generate", "signal_clauses", true},
	{ROW(VM_PGIN) | ROW(VM_PGOUT) | PAGES, "block_bio_queue", "queue_clauses", true},
	{ROW(VM_SCAN), "mm_vmscan_lru_isolate", "scan_clauses", true},
	{ROW(VM_REV) | ROW(VM_PGRRUN), "mm_vmscan_kswapd_wake", "scanner_clauses", true},
	{ROW(VM_DFREE), "mm_vmscan_lru_shrink_inactive", "shrink_clauses", true},
	{ROW(VM_SWAPOUT) | ROW(VM_PGSWAPOUT), "mm_vmscan_write_folio", "swap_clauses", true},
};
/* What of a request is told of at once: how many there are, how many pages. */
static const struct bpf_word clause_words[] = {{.rows = PAGES, .word = 1, .arg = 0, .size = 8}};

/* Where no program may be loaded into the kernel: which of perf's samples a row is. */
static const unsigned kinds[VM_NROWS] = {
	[VM_AS_FAULT] = FAULTS_HARD | FAULTS_SOFT,
	[VM_MAJ_FAULT] = FAULTS_HARD,
	[VM_MIN_FAULT] = FAULTS_SOFT,
};

static void fill_one(void *arg UNUSED, const struct perf_sample *sm UNUSED, struct event *ev)
{
	ev->args[0] = 1;
}

/* The reason why BPF cannot stays in err where nothing else can either. */
static int use_samples(struct probe *p, const struct err *err)
{
	const unsigned kind = kinds[bpf_probes_row(p)];

	return kind && faultsamples_add(p, kind, NULL, fill_one, NULL) == 0 ? 0 : err->code;
}

static int vminfo_enable(struct probe *p, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	int rc;

	if (bpf_probes_are_recorded(p)) {
		faultsamples_lack(p, kinds[bpf_probes_row(p)], err);
		return use_samples(p, err);
	}
	rc = numprov_enable(p, BPF_KIND_VM, clause_rows, ARRAY_SIZE(clause_rows), err);
	if (rc < 0)
		return use_samples(p, err);
	bpf_at_event(bp->bpf, "on_hard", PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	bpf_at_event(bp->bpf, "on_soft", PERF_COUNT_SW_PAGE_FAULTS_MIN);
	return 0;
}

static void prepare(void *arg)
{
	faultmode_choose(arg, &fault_rows);
}

static int vminfo_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			  struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_vminfo,
		.object = "vminfo",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
		.clause_words = clause_words,
		.nclause_words = ARRAY_SIZE(clause_words),
		.prepare = prepare,
		.without_bpf = 1U << VM_AS_FAULT | 1U << VM_MAJ_FAULT | 1U << VM_MIN_FAULT,
	};

	if (!d)
		numprov_create(s, &what);
	return 0;
}

const struct provider prov_vminfo = {
	.name = "vminfo",
	.is_of_kernel = true,
	.provide = vminfo_provide,
	.enable = vminfo_enable,
	.argtypes = bpf_probes_argtypes,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
