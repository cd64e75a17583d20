#include "vmmap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"

#define GIB	  (1ULL << 30)
#define LOWEST	  0x10000ULL /* vm.mmap_min_addr */
#define HIGHEST	  0x7ffffffff000ULL
#define FAR_BELOW GIB			   /* leaves room for the mappings a program makes next */
#define REACH	  (2 * GIB - 0x4000000ULL) /* a rel32, less the size of a module */

static void vmmap_clear(struct vmmap *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].path);
	m->n = 0;
}

void vmmap_release(struct vmmap *m)
{
	vmmap_clear(m);
	free(m->v);
	memset(m, 0, sizeof(*m));
}

/* START-END PERMS OFFSET DEV INODE [PATH] */
static bool parse_line(char *line, struct vma *v)
{
	char *at, *perms;

	memset(v, 0, sizeof(*v));
	line[strcspn(line, "\n")] = '\0';
	v->start = strtoull(line, &at, 16);
	if (*at != '-')
		return false;
	v->end = strtoull(at + 1, &perms, 16);
	if (strlen(perms) < 6)
		return false;
	perms++;
	v->read = perms[0] == 'r';
	v->write = perms[1] == 'w';
	v->exec = perms[2] == 'x';
	v->shared = perms[3] == 's';
	v->offset = strtoull(perms + 4, &at, 16);
	at += strspn(at, " ");
	at += strcspn(at, " ");
	v->ino = strtoull(at, &at, 10);
	at += strspn(at, " ");
	v->vdso = !strcmp(at, "[vdso]");
	v->path = xstrdup(at);
	return true;
}

int vmmap_read(struct vmmap *m, pid_t tid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	struct vma v;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	vmmap_clear(m);
	while (getline(&line, &room, f) > 0) {
		if (!parse_line(line, &v))
			continue;
		if (m->n == m->room) {
			m->room = m->room ? m->room * 2 : 64;
			m->v = xrealloc(m->v, m->room * sizeof(*m->v));
		}
		m->v[m->n++] = v;
	}
	free(line);
	fclose(f);
	return 0;
}

const struct vma *vmmap_at(const struct vmmap *m, taddr_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < m->v[mid].start)
			hi = mid;
		else if (addr >= m->v[mid].end)
			lo = mid + 1;
		else
			return &m->v[mid];
	}
	return NULL;
}

/* A place of `size` in the free range [start, end), 0: too small. */
static taddr_t place_in(taddr_t start, taddr_t end, uint64_t size, bool below)
{
	const uint64_t guard = 0x10000; /* a stray write past a neighbour must not land here */

	if (end - start < size + 2 * guard || end < start)
		return 0;
	if (!below)
		return end - guard - size; /* the heap grows up from the other end */
	if (end - start > FAR_BELOW + size + guard)
		return end - FAR_BELOW - size;
	return end - guard - size;
}

taddr_t vmmap_gap(const struct vmmap *m, taddr_t near, uint64_t size)
{
	taddr_t best = 0, lo = near > REACH ? near - REACH : LOWEST;
	taddr_t hi = near < HIGHEST - REACH ? near + REACH : HIGHEST;

	lo = MAX(lo, LOWEST);
	/* The nearest gap below that has room, else the nearest above. */
	for (size_t i = 0; i <= m->n; i++) {
		taddr_t start = i ? m->v[i - 1].end : LOWEST;
		taddr_t end = i < m->n ? m->v[i].start : HIGHEST;
		taddr_t at;

		start = MAX(start, lo);
		end = MIN(end, hi);
		if (start >= end)
			continue;
		at = place_in(start, end, size, end <= near);
		if (!at)
			continue;
		if (end <= near || !best)
			best = at;
		if (end > near)
			break;
	}
	return best & ~0xfffULL;
}

taddr_t vmmap_low_gap(const struct vmmap *m, taddr_t limit, uint64_t size)
{
	taddr_t best = 0;

	for (size_t i = 0; i <= m->n; i++) {
		taddr_t start = i ? MAX(m->v[i - 1].end, LOWEST) : LOWEST;
		taddr_t end = i < m->n ? m->v[i].start : HIGHEST;
		taddr_t at;

		if (start >= limit)
			break;
		at = place_in(start, MIN(end, limit), size, false);
		if (at)
			best = at;
	}
	return best & ~0xfffULL;
}
