#include "journal.h"

#include <unistd.h>

#include "procfs.h"
#include "tracer.h"

struct journal *journal_new(struct arena *a)
{
	struct journal *j = ARENA_NEW(a, struct journal);

	j->room = JOURNAL_MAX;
	return j;
}

int32_t journal_add(struct journal *j, pid_t pid, int mem_fd, taddr_t addr, const uint8_t *orig,
		    uint8_t len)
{
	uint32_t i = j->hint;
	struct journal_entry *e;

	while (i < j->high && j->e[i].pid)
		i++;
	if (i == j->room)
		return -1;
	j->hint = i + 1;
	e = &j->e[i];
	e->len = len;
	memcpy(e->orig, orig, len);
	e->mem_fd = mem_fd;
	e->addr = addr;
	__atomic_store_n(&e->pid, pid, __ATOMIC_RELEASE);
	if (i == j->high)
		__atomic_store_n(&j->high, i + 1, __ATOMIC_RELEASE);
	return (int32_t)i;
}

void journal_del(struct journal *j, int32_t i)
{
	__atomic_store_n(&j->e[i].pid, 0, __ATOMIC_RELEASE);
	j->hint = MIN(j->hint, (uint32_t)i);
}

void journal_forget(struct journal *j, pid_t pid)
{
	for (uint32_t i = 0; i < j->high; i++)
		if (j->e[i].pid == pid)
			journal_del(j, (int32_t)i);
	for (uint32_t i = 0; i < j->jumps_high; i++)
		if (j->jumps[i].pid == pid)
			journal_del_jump(j, (int32_t)i);
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++)
		if (j->memory[i].pid == pid)
			__atomic_store_n(&j->memory[i].pid, 0, __ATOMIC_RELEASE);
}

static bool restore(int mem, const struct journal_entry *e)
{
	uint8_t now;

	return pread(mem, &now, 1, (off_t)e->addr) == 1 && now == 0xcc &&
	       pwrite(mem, e->orig, e->len, (off_t)e->addr) == e->len;
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

unsigned journal_restore(const struct journal *j, bool has_fds)
{
	unsigned n = 0;
	pid_t pid = 0;
	int mem = -1;

	for (uint32_t i = 0; i < j->high; i++) {
		const struct journal_entry *e = &j->e[i];

		if (!e->pid)
			continue;
		if (!has_fds && e->pid != pid) {
			if (mem >= 0)
				close(mem);
			pid = e->pid;
			mem = procfs_open_memory(pid);
		}
		n += restore(has_fds ? e->mem_fd : mem, e);
	}
	if (mem >= 0)
		close(mem);
	lower_all(j, has_fds);
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

	for (uint32_t i = 0; i < j->high; i++)
		n = add_pid(pids, n, max, j->e[i].pid);
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
	__atomic_store_n(&j->counts[i].pid, 0, __ATOMIC_RELEASE);
}

int32_t journal_add_jump(struct journal *j, pid_t pid, taddr_t addr, const uint8_t *orig,
			 const uint8_t *now, uint8_t len)
{
	uint32_t i = j->jumps_hint;
	struct journal_jump *e;

	while (i < j->jumps_high && j->jumps[i].pid)
		i++;
	if (i == JOURNAL_JUMPS)
		return -1;
	j->jumps_hint = i + 1;
	e = &j->jumps[i];
	e->len = len;
	e->addr = addr;
	memcpy(e->orig, orig, len);
	memcpy(e->now, now, len);
	__atomic_store_n(&e->pid, pid, __ATOMIC_RELEASE);
	if (i == j->jumps_high)
		__atomic_store_n(&j->jumps_high, i + 1, __ATOMIC_RELEASE);
	return (int32_t)i;
}

void journal_del_jump(struct journal *j, int32_t i)
{
	__atomic_store_n(&j->jumps[i].pid, 0, __ATOMIC_RELEASE);
	j->jumps_hint = MIN(j->jumps_hint, (uint32_t)i);
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

/* The nearer of two above `after`; 0 stands for none. */
static pid_t nearer(pid_t next, pid_t pid, pid_t after)
{
	return pid > after && (!next || pid < next) ? pid : next;
}

pid_t journal_next_changed(const struct journal *j, pid_t after)
{
	pid_t next = 0;

	for (uint32_t i = 0; i < j->jumps_high; i++)
		next = nearer(next, j->jumps[i].pid, after);
	for (uint32_t i = 0; i < JOURNAL_MEMORY; i++)
		next = nearer(next, j->memory[i].pid, after);
	return next;
}

void journal_restore_jumps(const struct journal *j, pid_t pid, int mem_fd)
{
	for (uint32_t i = 0; i < j->jumps_high; i++) {
		const struct journal_jump *e = &j->jumps[i];
		uint8_t now[sizeof(e->now)];

		if (e->pid != pid || e->len > sizeof(now) ||
		    pread(mem_fd, now, e->len, (off_t)e->addr) != e->len ||
		    memcmp(now, e->now, e->len) != 0)
			continue;
		if (pwrite(mem_fd, e->orig, e->len, (off_t)e->addr) < 0)
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
