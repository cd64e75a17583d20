/*
 * strbuf.h: growable text. Invariant: s is always a C string of len bytes, never NULL after init.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>

#include "base/base.h"

struct strbuf {
	char *s;
	size_t len, room;
};

void strbuf_init(struct strbuf *);
void strbuf_release(struct strbuf *);
void strbuf_clear(struct strbuf *);	      /* empties, keeps the memory */
void strbuf_cut(struct strbuf *, size_t len); /* to its first len bytes */
void strbuf_add(struct strbuf *, const void *p, size_t n);
void strbuf_addc(struct strbuf *, char c);
void strbuf_adds(struct strbuf *, const char *s);
void strbuf_addr(struct strbuf *, const char *s, size_t width); /* flush right, width in columns */
void strbuf_addf(struct strbuf *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* The text of a cell, in quotes where it has to be (RFC 4180). */
void strbuf_add_csv(struct strbuf *, const char *text, size_t n);
/* The same between tabs: with \t, \n, \r and \\ for what divides cells and lines. */
void strbuf_add_tsv(struct strbuf *, const char *text, size_t n);
char *strbuf_detach(struct strbuf *); /* the caller frees; the strbuf is as after init, and is to be
					 released still */

#endif
