/*
 * gzip.h: bytes as a gzip member (RFC 1952), without a name or a time: equal bytes give equal ones.
 */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include "base/strbuf.h"

/* Adds what `in` holds, compressed; false: zlib could not, nothing is added. */
bool gzip_add(struct strbuf *out, const struct strbuf *in);

#endif
