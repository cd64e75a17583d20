#include "providers/livespace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "base/hash.h"
#include "symbols/modules.h"

/* Mappings that cannot be found are not looked for more often than this. */
#define AGAIN_NS 10000000U

struct livespace {
	struct target target;
	struct world *world;
	struct modules *modules; /* NULL: not read yet */
	uint64_t read_ns;
};

struct livespaces {
	struct world *world;
	struct objcache *cache;
	struct hash by_pid;
};

struct livespaces *livespaces_new(struct world *w)
{
	struct livespaces *ls = xcalloc(1, sizeof(*ls));

	ls->world = w;
	ls->cache = objcache_new();
	hash_init(&ls->by_pid);
	return ls;
}

static void free_space(struct livespace *l)
{
	if (l && l->modules)
		modules_free(l->modules);
	free(l);
}

void livespaces_free(struct livespaces *ls)
{
	struct livespace *l;

	if (!ls)
		return;
	for (size_t i = 0; (l = hash_each(&ls->by_pid, &i, NULL));)
		free_space(l);
	hash_release(&ls->by_pid);
	objcache_free(ls->cache);
	free(ls);
}

static struct target *traced(const struct world *w, pid_t pid)
{
	for (unsigned i = 0; i < w->nprocs; i++)
		if (w->procs[i].proc && proc_pid(w->procs[i].proc) == pid)
			return proc_target(w->procs[i].proc);
	return NULL;
}

/* By the page: one call that meets an unmapped page may read nothing at all. */
static ssize_t read_memory(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct livespace *l = t->priv;
	struct target *as_traced = traced(l->world, t->pid);
	const size_t page = 4096;
	size_t got = 0;

	if (as_traced) /* hides breakpoints */
		return target_read(as_traced, addr, buf, n);
	while (got < n) {
		size_t part = MIN(n - got, page - (addr + got) % page);
		struct iovec to = {(char *)buf + got, part};
		struct iovec from = {(void *)(uintptr_t)(addr + got), part};

		if (process_vm_readv(t->pid, &to, 1, &from, 1, 0) != (ssize_t)part)
			break;
		got += part;
	}
	return got || !n ? (ssize_t)got : -EFAULT;
}

/* Only a process that we were pointed at is written to. */
static ssize_t write_memory(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	const struct livespace *l = t->priv;
	struct target *as_traced = traced(l->world, t->pid);

	return as_traced ? target_write(as_traced, addr, buf, n) : -EPERM;
}

static struct livespace *get(struct livespaces *ls, pid_t pid)
{
	struct livespace *l = hash_get(&ls->by_pid, (uint64_t)pid);

	if (l)
		return l;
	l = xcalloc(1, sizeof(*l));
	l->world = ls->world;
	l->target = (struct target){
		.pid = pid, .read = read_memory, .write = write_memory, .priv = l};
	hash_put(&ls->by_pid, (uint64_t)pid, l);
	return l;
}

struct target *livespace_of(struct livespaces *ls, pid_t pid)
{
	return &get(ls, pid)->target;
}

static bool are_known(const struct aspaces *as, uint32_t aspace, const taddr_t *pcs, unsigned n)
{
	struct aspace_range r;

	for (unsigned i = 0; i < n; i++)
		if (pcs[i] && !aspace_at(as, aspace, pcs[i], UINT64_MAX, &r))
			return false;
	return true;
}

void livespace_know(struct livespaces *ls, pid_t pid, const taddr_t *pcs, unsigned npcs,
		    uint64_t time_ns)
{
	struct livespace *l = get(ls, pid);
	struct session *s = ls->world->session;

	if (!s->aspaces || !pid)
		return;
	if (!l->modules) {
		l->modules = modules_new(ls->cache);
		l->target.aspace = aspace_new(s->aspaces, pid, time_ns);
	} else if (are_known(s->aspaces, l->target.aspace, pcs, npcs) ||
		   session_now(s) - l->read_ns < AGAIN_NS) {
		return;
	}
	l->read_ns = session_now(s);
	if (modules_refresh(l->modules, pid, NULL) == 0)
		modules_record(l->modules, s->aspaces, l->target.aspace, time_ns);
}

void livespace_forget(struct livespaces *ls, pid_t pid)
{
	free_space(hash_del(&ls->by_pid, (uint64_t)pid));
}
