/*
 * attr.h: stability attributes (docs/spec/d-language.md §16.5): names, data and dependency class of
 * what a program uses, compared component by component.
 */
#ifndef DLANG_ATTR_H
#define DLANG_ATTR_H

#include "base/strbuf.h"
#include "dlang/provider.h"

#define ATTR_TEXT 40 /* "Obsolete/Obsolete/Platform" and more */

extern const struct attr attr_max;     /* nothing was used yet */
extern const struct attr attr_stable;  /* constants, built-ins, the program's own names */
extern const struct attr attr_private; /* external symbols */

struct attr attr_weaker(struct attr, struct attr);
bool attr_is_less(struct attr, struct attr least); /* in any component */
bool attr_parse(const char *text, struct attr *);  /* "Evolving/Unstable/Common" */
char *attr_text(struct attr, char buf[ATTR_TEXT]);
/* The four lines under "TITLE Attributes". */
void attr_print(struct strbuf *, const char *title, struct attr);

#endif
