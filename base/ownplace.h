/*
 * ownplace.h: folders that come along with the command, found from where it lies itself: the tree
 * it was built in, or where it was installed.
 */
#ifndef BASE_OWNPLACE_H
#define BASE_OWNPLACE_H

#include "base/base.h"

/* The first of these names, each relative to the folder of this program, that is a folder. NULL:
 * none. The caller frees. */
char *own_place(const char *const *places, unsigned n);

#endif
