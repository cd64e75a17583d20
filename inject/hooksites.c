/* hooksites.c: numbers of cells and sites, and what the target reads of them. */
#include "inject/hooksint.h"

#include <cpuid.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "inject/stacktab.h"
#include "tracer/procfs.h"

#define ASK_NS	       5000000U
#define PATIENCE_TICKS 3000000000ULL /* about a second */

void numbers_give_back(struct numbers *free_ones, uint32_t number)
{
	if (free_ones->n == free_ones->room) {
		free_ones->room = MAX(2 * free_ones->room, 64U);
		free_ones->v = xrealloc(free_ones->v, free_ones->room * sizeof(*free_ones->v));
	}
	free_ones->v[free_ones->n++] = number;
}

int hooks_new_cell(struct hooks *h, uint32_t *cell, struct err *err)
{
	if (h->free_cells.n) {
		*cell = h->free_cells.v[--h->free_cells.n];
		for (unsigned i = 1; i < h->high; i++)
			hooks_cells(h, i)[*cell] = 0;
		return 0;
	}
	if (h->ncells == h->cells_room)
		return err_set(err, -ENOSPC, "no counter is left");
	*cell = h->ncells++;
	return 0;
}

uint64_t hooks_cell(const struct hooks *h, uint32_t cell)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->high; i++)
		n += __atomic_load_n(&hooks_cells(h, i)[cell], __ATOMIC_RELAXED);
	return n;
}

unsigned hooks_nblocks(const struct hooks *h)
{
	return h->high;
}

uint64_t *hooks_cells_of(const struct hooks *h, pid_t tid)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i].tid == tid)
			return hooks_cells(h, i);
	return NULL;
}

int hooks_own_cell(struct hooks *h, bool is_tid, uint32_t *cell, struct err *err)
{
	int r;

	if (is_tid && h->has_tid_cell) {
		*cell = h->own[0];
		return 0;
	}
	if (h->nown == HOOK_OWN_CELLS)
		return err_set(err, -ENOSPC, "too many thread-local variables");
	r = hooks_new_cell(h, cell, err);
	if (r)
		return r;
	h->own[h->nown++] = *cell;
	if (is_tid) {
		h->own[h->nown - 1] = h->own[0];
		h->own[0] = *cell;
		h->has_tid_cell = true;
	}
	for (unsigned i = 1; i < h->high; i++)
		hooks_cells(h, i)[*cell] = is_tid ? (uint64_t)h->owners[i].tid : 0;
	return 0;
}

int hooks_new_site(struct hooks *h, uint32_t *number, struct err *err)
{
	if (h->free_sites.n) {
		*number = h->free_sites.v[--h->free_sites.n];
		return 0;
	}
	if (h->nsites == h->sites_room)
		return err_set(err, -ENOSPC, "no place for another probe is left");
	*number = h->nsites++;
	return 0;
}

void hooks_set_site(struct hooks *h, uint32_t number, const struct hook_site *site)
{
	h->sites[number] = *site;
	((struct hook_site *)(h->memory + SITES_OFF))[number] = *site;
}

void hooks_need_stacks(struct hooks *h)
{
	const struct stacktab_room room = {.shared = (void *)h->memory,
					   .starts = (void *)(h->memory + h->starts_off),
					   .rules = (void *)(h->memory + h->rules_off),
					   .nrules = RULES_MAX,
					   .lists = h->memory + h->lists_off,
					   .lists_size = LISTS_SIZE};

	if (!h->stacktab)
		h->stacktab = stacktab_new(&room);
	stacktab_update(h->stacktab, h->proc);
}

int hooks_mem(struct hooks *h, const struct hook_mem *mem, unsigned n, uint16_t *first,
	      struct err *err)
{
	struct hook_mem *rows = (void *)(h->memory + h->mem_off);

	for (uint32_t i = 0; i + n <= h->nmem; i++)
		if (!memcmp(rows + i, mem, n * sizeof(*mem))) {
			*first = (uint16_t)i;
			return 0;
		}
	if (n > MEM_ROWS - h->nmem)
		return err_set(err, -ENOSPC, "too many pieces of memory are asked for");
	memcpy(rows + h->nmem, mem, n * sizeof(*mem));
	*first = (uint16_t)h->nmem;
	h->nmem += n;
	return 0;
}

static bool has_filter(pid_t pid)
{
	uint64_t mode;

	return !procfs_status(pid, "Seccomp", 10, &mode) || mode;
}

/*
 * What forbids ptrace is often a filter, which we are under as well: the program has none of its
 * own, and what is allowed to us is to it.
 */
static bool is_ours(const struct hooks *h)
{
	uint64_t ours, theirs;
	char to, from = 0;
	struct iovec a = {&to, 1}, b = {&from, 1};

	return procfs_status(getpid(), "Seccomp_filters", 10, &ours) &&
	       procfs_status(proc_pid(h->proc), "Seccomp_filters", 10, &theirs) && ours == theirs &&
	       process_vm_readv(getpid(), &a, 1, &b, 1, 0) == 1;
}

bool hooks_may_call(struct hooks *h)
{
	struct hook_shared *sh = (void *)h->memory;
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
	if (now_ns - h->asked_ns < ASK_NS)
		return sh->may_call;
	h->asked_ns = now_ns;
	sh->may_call = !has_filter(proc_pid(h->proc)) || (h->is_door && is_ours(h));
	return sh->may_call;
}

/* CPUID: Intel SDM 2A, leaf 7. */
static bool has_rdpid(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_RDPID);
}

void hooks_record(struct hooks *h, bool waits)
{
	const uint64_t args[6] = {h->rings_at, MIN(h->rings_left, FIRST_LAP), MADV_POPULATE_WRITE};
	struct hook_shared *sh = (void *)h->memory;
	const uint64_t none[6] = {0};
	int64_t got;

	sh->patience = waits ? PATIENCE_TICKS : 0;
	sh->has_rdpid = has_rdpid();
	sh->is_recording = 1;
	if (!proc_syscall(h->proc, SYS_getpid, none, &got))
		sh->pid = (uint32_t)got;
	proc_syscall(h->proc, SYS_madvise, args, &got);
}
