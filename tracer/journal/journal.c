#include "tracer/journal/journal.h"

#include <unistd.h>

#include "base/pulse.h"

#include "tracer/procfs/procfs.h"
#include "base/arena.h"

struct journal *journal_new(struct arena *a)
{
	struct journal *j = ARENA_NEW(a, struct journal);

	j->store.arena = a;
	return j;
}

/* ---- processes ---- */

static struct journal_proc *find(const struct journal *j, pid_t pid)
{
	struct journal_proc *p = j->last;

	if (p && p->pid == pid)
		return p;
	for (p = j->procs; p && p->pid != pid;)
		p = p->next;
	return p;
}

/* NULL: there is no room. */
static struct journal_proc *need(struct journal *j, pid_t pid)
{
	struct journal_proc *p = find(j, pid);

	if (!p && !(p = find(j, 0))) {
		p = arena_try(j->store.arena, sizeof(*p));
		if (!p)
			return NULL;
		p->next = j->procs;
		__atomic_store_n(&j->procs, p, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&p->pid, pid, __ATOMIC_RELEASE);
	j->last = p;
	return p;
}

int32_t journal_add(struct journal *j, pid_t pid, int mem_fd, taddr_t addr, const uint8_t *orig,
		    uint8_t len)
{
	struct journal_row row = {.addr = addr, .len = len};
	struct journal_proc *p = need(j, pid);

	pulse();
	if (!p)
		return -1;
	p->mem_fd = mem_fd;
	memcpy(row.orig, orig, len);
	return rows_add(&p->bkpts, &j->store, &row);
}

void journal_del(struct journal *j, pid_t pid, int32_t row)
{
	struct journal_proc *p = find(j, pid);

	pulse();
	if (p)
		rows_del(&p->bkpts, &j->store, row);
}

void journal_forget(struct journal *j, pid_t pid)
{
	struct journal_proc *p = find(j, pid);

	if (p) {
		rows_clear(&p->bkpts, &j->store);
		rows_clear(&p->detours, &j->store);
		__atomic_store_n(&p->pid, 0, __ATOMIC_RELEASE);
	}
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++)
		if (j->memory[i].pid == pid)
			__atomic_store_n(&j->memory[i].pid, 0, __ATOMIC_RELEASE);
	journal_del_files(j, pid);
}

/* ---- breakpoints ---- */

static bool restore(int mem, const struct journal_row *row)
{
	uint8_t now;

	return pread(mem, &now, 1, (off_t)row->addr) == 1 && now == 0xcc &&
	       pwrite(mem, row->orig, row->len, (off_t)row->addr) == row->len;
}

void journal_lower(int mem, taddr_t addr)
{
	uint16_t now;

	if (pread(mem, &now, sizeof(now), (off_t)addr) != sizeof(now) || !now)
		return;
	now--;
	if (pwrite(mem, &now, sizeof(now), (off_t)addr) < 0)
		return; /* it has ended meanwhile */
}

static void lower_all(const struct journal *j, bool has_fds)
{
	for (uint32_t i = 0; i < JOURNAL_COUNTS; i++) {
		const struct journal_count *c = &j->counts[i];
		int mem;

		if (!c->pid)
			continue;
		mem = has_fds ? c->mem_fd : procfs_open_memory(c->pid);
		journal_lower(mem, c->addr);
		if (!has_fds && mem >= 0)
			close(mem);
	}
}

static unsigned restore_rows(const struct journal_rows *rs, int mem)
{
	const struct journal_row *row;
	unsigned n = 0;

	for (uint32_t i = 0; i < rs->high; i++)
		if ((row = rows_at(rs, i)))
			n += restore(mem, row);
	return n;
}

unsigned journal_restore(const struct journal *j, bool has_fds)
{
	unsigned n = 0;

	for (const struct journal_proc *p = j->procs; p; p = p->next) {
		int mem;

		if (!p->pid || !p->bkpts.high)
			continue;
		mem = has_fds ? p->mem_fd : procfs_open_memory(p->pid);
		n += restore_rows(&p->bkpts, mem);
		if (!has_fds && mem >= 0)
			close(mem);
	}
	lower_all(j, has_fds);
	return n;
}

static bool has_rows(const struct journal_rows *rs)
{
	for (uint32_t i = 0; i < rs->high; i++)
		if (rows_at(rs, i))
			return true;
	return false;
}

unsigned journal_restore_copy(const struct journal *j, pid_t parent, pid_t child)
{
	const struct journal_proc *from = find(j, parent), *own = find(j, child);
	unsigned n = 0;
	int mem;

	if (!from || (own && has_rows(&own->bkpts)) || (mem = procfs_open_memory(child)) < 0)
		return 0;
	n = restore_rows(&from->bkpts, mem);
	close(mem);
	return n;
}

/* Takes a process among those that are listed, unless it is there. */
static unsigned add_pid(pid_t *pids, unsigned n, unsigned max, pid_t pid)
{
	unsigned k = 0;

	while (k < n && pids[k] != pid)
		k++;
	if (pid && k == n && n < max)
		pids[n++] = pid;
	return n;
}

unsigned journal_pids(const struct journal *j, pid_t *pids, unsigned max)
{
	unsigned n = 0;

	for (const struct journal_proc *p = j->procs; p; p = p->next)
		if (has_rows(&p->bkpts))
			n = add_pid(pids, n, max, p->pid);
	for (uint32_t i = 0; i < JOURNAL_COUNTS; i++)
		n = add_pid(pids, n, max, j->counts[i].pid);
	return n;
}

int32_t journal_add_count(struct journal *j, pid_t pid, int mem_fd, taddr_t addr)
{
	for (int32_t i = 0; i < JOURNAL_COUNTS; i++) {
		struct journal_count *c = &j->counts[i];

		if (c->pid)
			continue;
		c->mem_fd = mem_fd;
		c->addr = addr;
		__atomic_store_n(&c->pid, pid, __ATOMIC_RELEASE);
		return i;
	}
	return -1;
}

void journal_del_count(struct journal *j, int32_t i)
{
	pulse();
	__atomic_store_n(&j->counts[i].pid, 0, __ATOMIC_RELEASE);
}

int32_t journal_add_detour(struct journal *j, pid_t pid, taddr_t addr, const uint8_t *orig,
			   const uint8_t *now, uint8_t len)
{
	struct journal_row row = {.addr = addr, .len = len};
	struct journal_proc *p = need(j, pid);

	pulse();
	memcpy(row.orig, orig, len);
	memcpy(row.now, now, len);
	return p ? rows_add(&p->detours, &j->store, &row) : -1;
}

void journal_del_detour(struct journal *j, pid_t pid, int32_t detour)
{
	struct journal_proc *p = find(j, pid);

	pulse();
	if (p)
		rows_del(&p->detours, &j->store, detour);
}

void journal_del_detours(struct journal *j, pid_t pid)
{
	struct journal_proc *p = find(j, pid);

	if (p)
		rows_clear(&p->detours, &j->store);
}

bool journal_share_detours(struct journal *j, pid_t parent, pid_t child)
{
	const struct journal_proc *from = find(j, parent);
	struct journal_proc *to = from ? need(j, child) : NULL;

	if (to)
		rows_share(&to->detours, &from->detours);
	return to || !from;
}

void journal_add_memory(struct journal *j, pid_t pid, taddr_t start, uint64_t size)
{
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++) {
		struct journal_memory *m = &j->memory[i];

		if (m->pid)
			continue;
		m->start = start;
		m->size = size;
		__atomic_store_n(&m->pid, pid, __ATOMIC_RELEASE);
		return;
	}
}

void journal_del_memory(struct journal *j, pid_t pid, taddr_t start)
{
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++)
		if (j->memory[i].pid == pid && j->memory[i].start == start)
			__atomic_store_n(&j->memory[i].pid, 0, __ATOMIC_RELEASE);
}

void journal_add_file(struct journal *j, pid_t pid, const char *path)
{
	for (uint32_t i = 0; i < JOURNAL_FILES; i++) {
		struct journal_file *f = &j->files[i];

		if (f->pid)
			continue;
		snprintf(f->path, sizeof(f->path), "%s", path);
		__atomic_store_n(&f->pid, pid, __ATOMIC_RELEASE);
		return;
	}
}

void journal_del_files(struct journal *j, pid_t pid)
{
	for (uint32_t i = 0; i < JOURNAL_FILES; i++)
		if (j->files[i].pid == pid)
			__atomic_store_n(&j->files[i].pid, 0, __ATOMIC_RELEASE);
}

bool journal_has_file(const struct journal *j, pid_t pid, const char *path)
{
	for (uint32_t i = 0; i < JOURNAL_FILES; i++)
		if (j->files[i].pid == pid && !strcmp(j->files[i].path, path))
			return true;
	return false;
}

/* The nearer of two above `after`; 0 stands for none. */
static pid_t nearer(pid_t next, pid_t pid, pid_t after)
{
	return pid > after && (!next || pid < next) ? pid : next;
}

pid_t journal_next_changed(const struct journal *j, pid_t after)
{
	pid_t next = 0;

	for (const struct journal_proc *p = j->procs; p; p = p->next)
		if (has_rows(&p->detours))
			next = nearer(next, p->pid, after);
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++)
		next = nearer(next, j->memory[i].pid, after);
	for (uint32_t i = 0; i < JOURNAL_FILES; i++)
		next = nearer(next, j->files[i].pid, after);
	return next;
}

#define SHORT_JUMP 0xeb

/* 0: it is no short jump. */
static taddr_t island_of(const struct journal_row *row)
{
	return row && row->len == 2 && row->now[0] == SHORT_JUMP
		       ? row->addr + 2 + (taddr_t)(int64_t)(int8_t)row->now[1]
		       : 0;
}

bool journal_islands(const struct journal *j, pid_t pid, taddr_t *lo, taddr_t *hi)
{
	const struct journal_proc *p = find(j, pid);

	*lo = UINT64_MAX;
	*hi = 0;
	for (uint32_t i = 0; p && i < p->detours.high; i++) {
		taddr_t island = island_of(rows_at(&p->detours, i));

		if (island) {
			*lo = MIN(*lo, island);
			*hi = MAX(*hi, island + 1);
		}
	}
	return *hi != 0;
}

bool journal_is_island(const struct journal *j, pid_t pid, taddr_t at)
{
	const struct journal_proc *p = find(j, pid);

	for (uint32_t i = 0; p && i < p->detours.high; i++)
		if (island_of(rows_at(&p->detours, i)) == at)
			return true;
	return false;
}

void journal_restore_detours(const struct journal *j, pid_t pid, int mem_fd)
{
	const struct journal_proc *p = find(j, pid);

	for (uint32_t i = 0; p && i < p->detours.high; i++) {
		const struct journal_row *row = rows_at(&p->detours, i);
		uint8_t now[sizeof(row->now)];

		if (!row || row->len > sizeof(now) ||
		    pread(mem_fd, now, row->len, (off_t)row->addr) != row->len ||
		    memcmp(now, row->now, row->len) != 0)
			continue;
		if (pwrite(mem_fd, row->orig, row->len, (off_t)row->addr) < 0)
			return; /* it is dying */
	}
}

int32_t journal_add_mask(struct journal *j, pid_t tid, int cpu, const cpu_set_t *own)
{
	for (int32_t i = 0; i < JOURNAL_MASKS; i++) {
		struct journal_mask *m = &j->masks[i];

		if (m->tid)
			continue;
		m->cpu = cpu;
		m->own = *own;
		__atomic_store_n(&m->tid, tid, __ATOMIC_RELEASE);
		return i;
	}
	return -1;
}

void journal_del_mask(struct journal *j, int32_t i)
{
	__atomic_store_n(&j->masks[i].tid, 0, __ATOMIC_RELEASE);
}

void journal_restore_masks(const struct journal *j)
{
	for (int32_t i = 0; i < JOURNAL_MASKS; i++) {
		const struct journal_mask *m = &j->masks[i];
		cpu_set_t now;

		if (m->tid && sched_getaffinity(m->tid, sizeof(now), &now) == 0 &&
		    CPU_COUNT(&now) == 1 && CPU_ISSET((size_t)m->cpu, &now))
			sched_setaffinity(m->tid, sizeof(m->own), &m->own);
	}
}

void journal_begin_call(struct journal *j, const struct journal_call *call)
{
	pid_t tid = call->tid;

	j->call = *call;
	j->call.tid = 0;
	__atomic_store_n(&j->call.tid, tid, __ATOMIC_RELEASE);
}

void journal_end_call(struct journal *j)
{
	__atomic_store_n(&j->call.tid, 0, __ATOMIC_RELEASE);
}

const struct journal_call *journal_call(const struct journal *j)
{
	return __atomic_load_n(&j->call.tid, __ATOMIC_ACQUIRE) ? &j->call : NULL;
}
