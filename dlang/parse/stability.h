/*
 * stability.h: stability attributes (d-language.md §16.5): names, data and dependency class of what
 * a program uses, compared component by component.
 */
#ifndef DLANG_PARSE_STABILITY_H
#define DLANG_PARSE_STABILITY_H

#include "base/strbuf.h"
#include "dlang/session.h"

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

/* The least that a program may use: option amin. */
struct attr attr_amin(const struct session *);

/* Of a provider, as it was declared or as it says itself; else all is Unstable/Unstable/Common. */
const struct provattrs *attrs_of_provider(const struct session *, const char *prov);
/* Of a description: of its provider and of each field that is given as plain text. */
struct attr attr_of_desc(const struct session *, const struct probe_desc *);
/* Of the arguments of its probes. */
struct attr attr_of_args(const struct session *, const struct probe_desc *);

#endif
