/*
 * detourorder.h: lists of detours in the order of their addresses (detours.h).
 */
#ifndef INJECT_DETOURORDER_H
#define INJECT_DETOURORDER_H

#include "inject/detours.h"

/* Fast where they are in order file by file. */
void detours_sort(struct detour *, size_t n);
/* Those that are there (DETOUR_ON) come to the front, in the order that they have among each other,
 * as have the others. Returns how many are. */
size_t detours_part(struct detour *, size_t n);
/* Of [lo, hi), which is in order, the first that begins at `addr` or behind it; hi: none. */
size_t detours_from(const struct detour *, size_t lo, size_t hi, taddr_t addr);

#endif
