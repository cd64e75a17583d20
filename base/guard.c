#include "base/guard.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/err.h"

struct guarded {
	char *start;
	size_t size;
	volatile uint32_t *nfaults;
};

static struct {
	struct guarded *v;
	size_t n, room;
} guards;

void guard_add(void *start, size_t size, volatile uint32_t *nfaults)
{
	struct guarded *g;

	if (guards.n == guards.room) {
		guards.room = 2 * guards.room + 8;
		guards.v = xrealloc(guards.v, guards.room * sizeof(*guards.v));
	}
	g = &guards.v[guards.n++];
	g->start = start;
	g->size = size;
	g->nfaults = nfaults;
}

void guard_remove(const void *start)
{
	for (size_t i = 0; i < guards.n; i++)
		if (guards.v[i].start == start) {
			guards.v[i] = guards.v[--guards.n];
			return;
		}
}

bool guard_replace(const void *addr)
{
	for (size_t i = 0; i < guards.n; i++) {
		const struct guarded *g = &guards.v[i];
		size_t off = (size_t)((const char *)addr - g->start);

		if ((const char *)addr < g->start || off >= g->size)
			continue;
		++*g->nfaults;
		return mmap(g->start + off / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
	}
	return false;
}
