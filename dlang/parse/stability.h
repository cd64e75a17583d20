/*
 * stability.h: what providers and descriptions promise, and the least a program may use.
 */
#ifndef DLANG_PARSE_STABILITY_H
#define DLANG_PARSE_STABILITY_H

#include "dlang/attr.h"
#include "dlang/session.h"

/* The least that a program may use: option amin. */
struct attr attr_amin(const struct session *);

/* Of a provider, as it was declared or as it says itself; else all is Unstable/Unstable/Common. */
const struct provattrs *attrs_of_provider(const struct session *, const char *prov);
/* Of a description: of its provider and of each field that is given as plain text. */
struct attr attr_of_desc(const struct session *, const struct probe_desc *);
/* Of the arguments of its probes. */
struct attr attr_of_args(const struct session *, const struct probe_desc *);

#endif
