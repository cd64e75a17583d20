#include "inject/codebytes.h"

#include <stdlib.h>

#define STRETCH	 262144U     /* bytes that are read at once */
#define KEPT_MAX (16U << 20) /* of what has been read until it is written */

/* How many of v[0..n) begin in the page of the first. */
size_t codebytes_run(const struct detour *v, size_t n)
{
	size_t end = 1;

	while (end < n && v[end].addr / PAGE == v[0].addr / PAGE)
		end++;
	return end;
}

/* The same, in its page and those right behind it. */
static size_t stretch_of(const struct detour *v, size_t n)
{
	size_t end = 1;

	while (end < n && v[end].addr / PAGE <= v[end - 1].addr / PAGE + 1 &&
	       v[end].addr - v[0].addr < STRETCH - RELOC_WINDOW_MAX)
		end++;
	return end;
}

void stretch_read(struct proc *p, struct stretch *s, const struct detour *v)
{
	s->len = 0;
	for (size_t i = 0; i < s->n; i++)
		s->len = MAX(s->len, v[i].addr - v[0].addr + detour_size(&v[i]));
	s->bytes = xrealloc(s->bytes, s->len);
	if (proc_read_code(p, v[0].addr, s->bytes, s->len) == (ssize_t)s->len)
		return;
	free(s->bytes);
	s->bytes = NULL;
}

/* Where not all of a stretch is to be had, a page is read alone. */
struct stretch stretch_next(struct proc *p, const struct detour *v, size_t n)
{
	struct stretch s = {.n = stretch_of(v, n)};

	stretch_read(p, &s, v);
	if (s.bytes)
		return s;
	s.n = codebytes_run(v, n);
	stretch_read(p, &s, v);
	return s;
}

void codebytes_keep(struct codebytes *c, struct stretch s)
{
	if (c->kept + s.len > KEPT_MAX) {
		free(s.bytes);
		s.bytes = NULL;
	}
	c->kept += s.bytes ? s.len : 0;
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		c->v = xrealloc(c->v, c->room * sizeof(*c->v));
	}
	c->v[c->n++] = s;
}

void codebytes_release(struct codebytes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].bytes);
	free(c->v);
}
