/*
 * cleanname.h: names that a traced program has chosen (of symbols, files, probes, types, threads),
 *as they are known to everybody here. They go to terminals, logs and other programs: what would act
 * there instead of being seen becomes an escape,
 *
 *	\xNN	a control byte, or a byte that is no UTF-8
 *	\uNNNN	U+0080 to U+009F; what turns the direction of text round; U+2028, U+2029
 *
 * and the rest stays, UTF-8 included. Cleaned where the name comes in, so that the name that is
 * listed is the one that is matched, aggregated and printed; what a file is opened by stays as it
 *is. Texts that D copies (copyinstr, execname) are no names: they are printed as they are.
 */
#ifndef BASE_CLEANNAME_H
#define BASE_CLEANNAME_H

#include "base/arena.h"
#include "base/strbuf.h"

#define NAME_MOST 1024 /* bytes of a name that has to be cleaned; the rest is "..." */

bool name_is_clean(const char *name, size_t n);
void name_clean(struct strbuf *out, const char *name, size_t n);
/* The name itself, or a copy in the arena. */
const char *name_cleaned(struct arena *, const char *name);
/* The same of a text of several lines, which it keeps: a message. The caller frees. */
char *text_cleaned(const char *text);

#endif
