/*
 * emitrecord.h: an event that a clause has emitted as a record of a tracepoint: what its format
 * says, and its bytes.
 */
#ifndef PROVIDERS_REWRITE_EMITRECORD_H
#define PROVIDERS_REWRITE_EMITRECORD_H

#include "base/strbuf.h"
#include "dlang/rewrite.h"

#define EMITRECORD_SYSTEM "dtrace" /* whose tracepoints they are */
#define EMITRECORD_MAX	  65000	   /* bytes of a record's RAW */

/* The name that it has there: a word of letters, digits and '_'. */
void emitrecord_name(const struct emission *, struct strbuf *);
/* What stands behind the number in its format. */
void emitrecord_format(const struct emission *, struct strbuf *);
/* The bytes, of the event whose format has that number; 0: they are more than EMITRECORD_MAX. */
size_t emitrecord_raw(const struct emitted *, uint32_t number, char out[static EMITRECORD_MAX]);

#endif
