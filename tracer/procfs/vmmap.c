#include "tracer/procfs/vmmap.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/procfile.h"
#include "base/strbuf.h"

#define GIB	  (1ULL << 30)
#define LOWEST	  0x10000ULL /* vm.mmap_min_addr */
#define HIGHEST	  0x7ffffffff000ULL
#define FAR_BELOW GIB /* leaves room for the mappings a program makes next */
/* Libraries that are larger than a huge page begin at a multiple of its size: others lie so much
 * nearer to them, or farther away. */
#define LONELY		(8ULL << 20)
#define LONELY_NEAREST	(512ULL << 20)
#define LONELY_FARTHEST (1536ULL << 20)
#define LONELY_STEP	(23ULL << 20)
#define REACH		(2 * GIB - 0x4000000ULL) /* a rel32, less the size of a module */

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

static void vmmap_add(struct vmmap *m, const struct procmap *line)
{
	if (m->n == m->room) {
		m->room = m->room ? m->room * 2 : 64;
		m->v = xrealloc(m->v, m->room * sizeof(*m->v));
	}
	m->v[m->n++] = (struct vma){
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.ino = line->ino,
		.dev_major = line->dev_major,
		.dev_minor = line->dev_minor,
		.is_copy = line->is_copy,
		.read = line->read,
		.write = line->write,
		.exec = line->exec,
		.shared = line->shared,
		.vdso = !strcmp(line->path, "[vdso]"),
		.path = *line->path ? xstrdup(line->path) : no_path,
	};
}

int vmmap_read(struct vmmap *m, pid_t tid)
{
	struct procmap line;
	struct strbuf text;
	char *at;
	int r;

	strbuf_init(&text);
	r = procfile_slurp(tid, "maps", &text);
	at = text.s;
	if (!r)
		vmmap_clear(m);
	while (!r && procmap_next(&at, &line))
		vmmap_add(m, &line);
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

static bool is_lonely(const struct vmmap *m, taddr_t start, taddr_t end)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) { /* the first that ends behind where it begins */
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[mid].end > start)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo == m->n || m->v[lo].start >= end;
}

taddr_t vmmap_lonely_gap(const struct vmmap *m, taddr_t near, uint64_t size)
{
	near &= ~0xfffULL;
	for (uint64_t far = LONELY_NEAREST; far + size <= LONELY_FARTHEST; far += LONELY_STEP) {
		taddr_t below = near - far, above = near + far;

		if (below > LOWEST + LONELY && below < near &&
		    is_lonely(m, below - LONELY, below + size + LONELY))
			return below;
		if (above < HIGHEST - size - LONELY &&
		    is_lonely(m, above - LONELY, above + size + LONELY))
			return above;
	}
	return 0;
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
