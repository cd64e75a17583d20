#include "tracer/unwind/stackcopy.h"

#define RED_ZONE  128U
#define FIRST_MIN 2048U

/* Up to `end`, and a little more: the next walk may come from a deeper frame. */
static void extend(struct stackcopy *s, size_t end)
{
	size_t want = MIN(ROUND_UP(end, 512U), STACKCOPY_MAX);
	ssize_t n;

	if (want <= s->len)
		return;
	n = target_read(&s->proc->target, s->start + s->len, s->bytes + s->len, want - s->len);
	s->is_short = n != (ssize_t)(want - s->len);
	s->len += n > 0 ? (size_t)n : 0;
}

static void copy_from(struct stackcopy *s, taddr_t start)
{
	s->start = start;
	s->len = 0;
	extend(s, MAX(s->used, FIRST_MIN));
}

void stackcopy_begin(struct stackcopy *s, struct proc *p, taddr_t rsp)
{
	s->proc = p;
	s->is_given = false;
	for (unsigned i = 0; i < STACKCOPY_PAGES; i++)
		s->pages[i].valid = false;
	copy_from(s, rsp - RED_ZONE);
	if (!s->len) /* the page below is a guard */
		copy_from(s, rsp);
}

void stackcopy_given(struct stackcopy *s, struct proc *p, taddr_t rsp, const void *bytes, size_t n)
{
	s->proc = p;
	s->is_given = true;
	s->start = rsp;
	s->len = MIN(n, (size_t)STACKCOPY_MAX);
	memcpy(s->bytes, bytes, s->len);
}

void stackcopy_end(struct stackcopy *s, taddr_t rsp)
{
	if (rsp - s->start <= STACKCOPY_MAX)
		s->used = rsp - s->start;
}

static bool by_page(struct stackcopy *s, taddr_t addr, uint64_t *v)
{
	taddr_t page = addr & ~(taddr_t)(PAGE - 1);
	unsigned i = page / PAGE % STACKCOPY_PAGES;

	if (addr - page > PAGE - 8)
		return target_read(&s->proc->target, addr, v, 8) == 8;
	if (!s->pages[i].valid || s->pages[i].addr != page) {
		s->pages[i].addr = page;
		s->pages[i].valid = target_read(&s->proc->target, page, s->pages[i].bytes, PAGE) ==
				    (ssize_t)PAGE;
	}
	if (!s->pages[i].valid)
		return false;
	memcpy(v, s->pages[i].bytes + (addr - page), 8);
	return true;
}

bool stackcopy_fetch(struct stackcopy *s, taddr_t addr, uint64_t *v)
{
	uint64_t off = addr - s->start;

	if (s->is_given)
		return false;
	if (off > STACKCOPY_MAX - 8)
		return by_page(s, addr, v);
	if (off + 8 > s->len && !s->is_short)
		extend(s, MAX(off + 8, 2 * s->len));
	if (off + 8 > s->len)
		return by_page(s, addr, v);
	memcpy(v, s->bytes + off, 8);
	return true;
}
