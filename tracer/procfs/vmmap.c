#include "tracer/procfs/vmmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"

#define GIB	  (1ULL << 30)
#define LOWEST	  0x10000ULL /* vm.mmap_min_addr */
#define HIGHEST	  0x7ffffffff000ULL
#define FAR_BELOW GIB			   /* leaves room for the mappings a program makes next */
#define REACH	  (2 * GIB - 0x4000000ULL) /* a rel32, less the size of a module */

static char no_path[] = ""; /* that of anonymous memory: a process of many threads has thousands */

static void vmmap_clear(struct vmmap *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].path != no_path)
			free(m->v[i].path);
	m->n = 0;
}

void vmmap_release(struct vmmap *m)
{
	vmmap_clear(m);
	free(m->v);
	memset(m, 0, sizeof(*m));
}

static uint64_t hex(const char **at)
{
	uint64_t v = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

/* START-END PERMS OFFSET DEV INODE [PATH], PERMS being four letters */
static bool parse_line(const char *at, const char *end, struct vma *v)
{
	char *rest;

	memset(v, 0, sizeof(*v));
	v->start = hex(&at);
	if (*at++ != '-')
		return false;
	v->end = hex(&at);
	if (end - at < 6)
		return false;
	v->read = at[1] == 'r';
	v->write = at[2] == 'w';
	v->exec = at[3] == 'x';
	v->shared = at[4] == 's';
	at += 6;
	v->offset = hex(&at);
	at += strspn(at, " ");
	at += strcspn(at, " ");
	v->ino = strtoull(at, &rest, 10);
	at = rest + strspn(rest, " ");
	v->path = no_path;
	if (at < end) {
		v->path = xcalloc((size_t)(end - at) + 1, 1);
		memcpy(v->path, at, (size_t)(end - at));
	}
	v->vdso = !strcmp(v->path, "[vdso]");
	return true;
}

/* The kernel gives a page of it at a time. */
static int slurp(const char *path, struct strbuf *text)
{
	char page[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, page, sizeof(page))) > 0)
		strbuf_add(text, page, (size_t)n);
	close(fd);
	return 0;
}

int vmmap_read(struct vmmap *m, pid_t tid)
{
	struct strbuf text;
	char path[64];
	struct vma v;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	strbuf_init(&text);
	r = slurp(path, &text);
	if (!r)
		vmmap_clear(m);
	for (const char *line = text.s, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (!parse_line(line, end, &v))
			continue;
		if (m->n == m->room) {
			m->room = m->room ? m->room * 2 : 64;
			m->v = xrealloc(m->v, m->room * sizeof(*m->v));
		}
		m->v[m->n++] = v;
	}
	strbuf_release(&text);
	return r;
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
