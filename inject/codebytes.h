/*
 * codebytes.h: the bytes of a process's code where detours stand or are to stand: read many pages
 * at a time, and kept between the look at them and the write.
 */
#ifndef INJECT_CODEBYTES_H
#define INJECT_CODEBYTES_H

#include "inject/detours.h"

/* Pages that follow each other, from the first byte of the first detour in them on. */
struct stretch {
	size_t n, len;	/* detours, bytes */
	uint8_t *bytes; /* NULL: not read, or not kept */
};

/* Detours are by address: v[0] is the first of the stretch. */
void stretch_read(struct proc *, struct stretch *, const struct detour *v);
/* Of v[0..n) the first ones. Where not all of a stretch is to be had, a page is read alone. */
struct stretch stretch_next(struct proc *, const struct detour *v, size_t n);
/* How many of v[0..n) begin in the page of the first. */
size_t codebytes_run(const struct detour *v, size_t n);

/* What was read of the code while it was looked at, until it is written: nobody changes it. */
struct codebytes {
	struct stretch *v;
	size_t n, room, kept;
};

void codebytes_keep(struct codebytes *, struct stretch); /* takes its bytes */
void codebytes_release(struct codebytes *);

/* What of it must be as in the file. */
static inline size_t detour_size(const struct detour *j)
{
	return j->window ? j->window_size : j->len;
}

#endif
