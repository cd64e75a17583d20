/*
 * guard.h: memory that is shared with somebody who may take its pages away, or whose pages the
 * kernel may be unable to give: touching it may be a fault. Such a page is replaced by an empty one
 * of our own, so that who is reading or writing goes on, and the fault is counted, so that it can
 * be looked at later.
 *
 * The list is one per process by nature, as dispositions of signals are (fatal.h). Used by one
 * thread.
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include "base/base.h"

/* [start, start + size) is mapped, readable and writable. nfaults outlives the entry. */
void guard_add(void *start, size_t size, volatile uint32_t *nfaults);
void guard_remove(const void *start); /* before it is unmapped */
/* Of a signal handler, for the address of a fault. False: it is in no such memory, or there is no
 * page to be had. */
bool guard_replace(const void *addr);

#endif
