/*
 * aggsame.h: rows that print the same are one row: a function of several processes, or one whose
 * code was made anew elsewhere. Keys stay what they are in the store, as long as names may still
 * come (a runtime may write them when its program ends); what is printed is a view of them.
 */
#ifndef DLANG_PRINT_AGGSAME_H
#define DLANG_PRINT_AGGSAME_H

#include "dlang/print/aggstore.h"
#include "dlang/print/printval.h"

struct aggsame;

struct aggsame *aggsame_new(const struct printer *);
void aggsame_free(struct aggsame *);
/*
 * What is to be printed of a copy: itself, or, where its keys hold addresses of processes, one that
 * lives as long as the aggsame. Equal rows of several copies have equal keys.
 */
struct aggcopy *aggsame_view(struct aggsame *, struct aggcopy *);
/* Makes a copy as its view is, for good: rows are about to be counted. */
void aggsame_settle(const struct printer *, struct aggcopy *);

#endif
