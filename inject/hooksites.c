/* hooksites.c: numbers of cells and sites, and what the target reads of them. */
#include "inject/hooks_priv.h"

#include <cpuid.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#include "inject/stacktab.h"
#include "tracer/procfs/procfs.h"
#include "tracer/unwind/ustack.h"

#define ASK_NS	     5000000U
#define CELLS_MAX    (1U << 24)
#define LATER_RULES  (256U << 10)  /* of libraries that come later */
#define BYTES_A_RULE 8		   /* of code: fewer than have ever been seen */
#define WAIT_TICKS   3000000000ULL /* about a second */

void numbers_give_back(struct numbers *free_ones, uint32_t number)
{
	if (free_ones->n == free_ones->room) {
		free_ones->room = MAX(2 * free_ones->room, 64U);
		free_ones->v = xrealloc(free_ones->v, free_ones->room * sizeof(*free_ones->v));
	}
	free_ones->v[free_ones->n++] = number;
}

bool hooks_may_have_cells(const struct hooks *h, uint32_t n)
{
	return n <= (h->is_selfclaim ? h->site.cells_room : CELLS_MAX) - h->site.ncells;
}

int hooks_new_cell(struct hooks *h, uint32_t *cell, struct err *err)
{
	if (h->site.free_cells.n) {
		*cell = h->site.free_cells.v[--h->site.free_cells.n];
		for (unsigned i = 1; i < h->blocks.high; i++)
			if (hooks_cell_at(h, i, *cell))
				*hooks_cell_at(h, i, *cell) = 0;
		return 0;
	}
	if (!hooks_may_have_cells(h, 1))
		return err_set(err, -ENOSPC, "no counter is left");
	*cell = h->site.ncells++;
	return 0;
}

uint64_t hooks_cell(const struct hooks *h, uint32_t cell)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->blocks.high; i++) {
		const uint64_t *at = hooks_cell_at(h, i, cell);

		n += at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;
	}
	return n;
}

void hooks_cells(const struct hooks *h, uint32_t first, uint32_t n, uint64_t *sums)
{
	memset(sums, 0, n * sizeof(*sums));
	for (unsigned i = 1; i < h->blocks.high; i++) {
		const uint64_t *at = hooks_cell_at(h, i, first);
		uint32_t room = h->blocks.v[i].room;

		for (uint32_t k = 0; at && k < MIN(n, room - first); k++)
			sums[k] += __atomic_load_n(&at[k], __ATOMIC_RELAXED);
	}
}

unsigned hooks_nblocks(const struct hooks *h)
{
	return h->blocks.high;
}

unsigned hooks_block_of_tid(const struct hooks *h, pid_t tid)
{
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid == tid)
			return i;
	return 0;
}

uint64_t *hooks_cell_of(const struct hooks *h, pid_t tid, uint32_t cell)
{
	unsigned block = hooks_block_of_tid(h, tid);

	return block ? hooks_cell_at(h, block, cell) : NULL;
}

/* Cells side by side for the next ones of a thread. Errors: -ENOSPC. */
static int take_own_cells(struct hooks *h)
{
	uint32_t first = h->site.ncells, most = h->is_selfclaim ? h->site.cells_room : CELLS_MAX;
	struct hook_cells *last = h->site.nown ? &h->site.own[h->site.nown - 1] : NULL;
	bool goes_on = last && last->first + last->n == first;

	if (most - first < HOOKS_OWN_CHUNK || (!goes_on && h->site.nown == HOOK_OWN_RANGES))
		return -ENOSPC;
	if (!goes_on) {
		last = &h->site.own[h->site.nown++];
		*last = (struct hook_cells){.first = first};
	}
	last->n += HOOKS_OWN_CHUNK;
	h->site.ncells += HOOKS_OWN_CHUNK;
	h->site.own_left = HOOKS_OWN_CHUNK;
	return 0;
}

int hooks_own_cell(struct hooks *h, bool is_tid, uint32_t *cell, struct err *err)
{
	const struct hook_cells *last;

	if (is_tid && h->site.has_tid_cell) {
		*cell = h->site.tid_cell;
		return 0;
	}
	if (!h->site.own_left && take_own_cells(h))
		return err_set(err, -ENOSPC, "too many thread-local variables");
	last = &h->site.own[h->site.nown - 1];
	*cell = last->first + last->n - h->site.own_left--;
	if (is_tid) {
		h->site.tid_cell = *cell;
		h->site.has_tid_cell = true;
	}
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (hooks_cell_at(h, i, *cell))
			*hooks_cell_at(h, i, *cell) =
				is_tid ? (uint64_t)h->blocks.owners[i].tid : 0;
	return 0;
}

int hooks_map_sites(struct hooks *h, struct err *err)
{
	int map = hooks_map(h, h->site.room * sizeof(struct hook_site), PROT_READ, err);

	if (map < 0)
		return map;
	h->site.map = (unsigned)map;
	HOOKS_SET_WHERE(h, sites, h->mem.maps[map].at);
	return 0;
}

int hooks_new_site(struct hooks *h, uint32_t *number, struct err *err)
{
	if (h->site.free_sites.n) {
		*number = h->site.free_sites.v[--h->site.free_sites.n];
		return 0;
	}
	if (h->site.n == h->site.room)
		return err_set(err, -ENOSPC, "no room for another probe is left");
	if (!h->site.map && hooks_map_sites(h, err))
		return -ENOMEM;
	*number = h->site.n++;
	return 0;
}

void hooks_set_site(struct hooks *h, uint32_t number, const struct hook_site *site)
{
	h->site.v[number] = *site;
	((struct hook_site *)(void *)h->mem.maps[h->site.map].ours)[number] = *site;
}

static void add_size(void *arg, const struct code_range *range, const struct cfi *cfi UNUSED)
{
	*(uint64_t *)arg += range->end - range->start;
}

static int map_stacks(struct hooks *h)
{
	uint64_t size = 0;
	struct err why;
	int map;

	proc_each_code(h->proc, add_size, &size);
	h->site.nrules = MIN(size / BYTES_A_RULE + LATER_RULES, RULES_MAX);
	map = hooks_map(h,
			LISTS_SIZE + h->site.nrules * (sizeof(uint32_t) + sizeof(struct hook_rule)),
			PROT_READ, &why);
	if (map >= 0)
		h->site.stacks_map = (unsigned)map;
	return MIN(map, 0);
}

/* Without memory for it stacks are cut off. */
static bool begin_stacks(struct hooks *h)
{
	const struct hookmap *m;
	struct stacktab_room room = {.shared = hooks_shared(h), .lists_size = LISTS_SIZE};
	size_t rules;

	if (!h->site.stacks_map && map_stacks(h))
		return false;
	m = &h->mem.maps[h->site.stacks_map];
	rules = LISTS_SIZE + ROUND_UP(h->site.nrules * sizeof(uint32_t), 64);
	room.lists = m->ours;
	room.distance = m->at - h->mem.maps[0].at;
	room.starts = (void *)(m->ours + LISTS_SIZE);
	room.rules = (void *)(m->ours + rules);
	room.nrules = (uint32_t)((m->size - rules) / sizeof(struct hook_rule));
	room.nrules = MIN(room.nrules, (uint32_t)h->site.nrules);
	HOOKS_SET_WHERE(h, starts, m->at + LISTS_SIZE);
	HOOKS_SET_WHERE(h, rules, m->at + rules);
	h->site.stacktab = stacktab_new(&room);
	return true;
}

void hooks_need_stacks(struct hooks *h)
{
	if (h->site.stacktab || begin_stacks(h))
		stacktab_update(h->site.stacktab, h->proc);
}

bool hooks_know_stack(const struct hooks *h, taddr_t pc)
{
	return h->site.stacktab && stacktab_knows(h->site.stacktab, pc);
}

int hooks_map_mem(struct hooks *h, struct err *err)
{
	int map = h->site.mem_map
			  ? 0
			  : hooks_map(h, MEM_ROWS * sizeof(struct hook_mem), PROT_READ, err);

	if (map > 0) {
		h->site.mem_map = (unsigned)map;
		HOOKS_SET_WHERE(h, mem, h->mem.maps[map].at);
	}
	return MIN(map, 0);
}

int hooks_mem(struct hooks *h, const struct hook_mem *mem, unsigned n, uint16_t *first,
	      struct err *err)
{
	int r = hooks_map_mem(h, err);
	struct hook_mem *rows;

	h->site.reads_memory = true;
	if (r)
		return r;
	rows = (void *)h->mem.maps[h->site.mem_map].ours;
	for (uint32_t i = 0; i + n <= h->site.nmem; i++)
		if (!memcmp(rows + i, mem, n * sizeof(*mem))) {
			*first = (uint16_t)i;
			return 0;
		}
	if (n > MEM_ROWS - h->site.nmem)
		return err_set(err, -ENOSPC, "too much memory is to be captured");
	memcpy(rows + h->site.nmem, mem, n * sizeof(*mem));
	*first = (uint16_t)h->site.nmem;
	h->site.nmem += n;
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
	struct hook_shared *sh = hooks_shared(h);
	uint64_t now_ns = now_mono();

	if (now_ns - h->site.asked_ns < ASK_NS)
		return sh->may_call;
	h->site.asked_ns = now_ns;
	sh->may_call = !has_filter(proc_pid(h->proc)) || (h->is_selfclaim && is_ours(h));
	return sh->may_call;
}

/* CPUID: Intel SDM 2A, leaf 7. */
bool hooks_has_rdpid(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_RDPID);
}

void hooks_wait(struct hooks *h)
{
	hooks_shared(h)->wait_ticks = WAIT_TICKS;
}

void hooks_record(struct hooks *h, bool waits)
{
	struct hook_shared *sh = hooks_shared(h);
	const uint64_t none[6] = {0};
	int64_t got;

	if (waits)
		hooks_wait(h);
	sh->has_rdpid = hooks_has_rdpid();
	sh->is_recording = 1;
	if (!proc_syscall(h->proc, SYS_getpid, none, &got))
		sh->pid = (uint32_t)got;
	for (unsigned i = 0; i < h->mem.nmaps; i++) {
		const struct hookmap *m = &h->mem.maps[i];
		const uint64_t args[6] = {m->at, MIN(m->size, FIRST_LAP), MADV_POPULATE_WRITE};

		if (!m->is_rings)
			continue;
		proc_syscall(h->proc, SYS_madvise, args, &got);
		break; /* the first thread's */
	}
}
