/*
 * codepages.h: code of a process as it was when hooks began to be added, a page at a time:
 * functions that are hooked together lie side by side. What is replaced is compared once more when
 * it is written (detours.h).
 */
#ifndef INJECT_CODEPAGES_H
#define INJECT_CODEPAGES_H

#include "tracer/tracer.h"

struct codepages;

/* *pages: NULL before the first. False: not all of it can be read. */
bool codepages_read(struct codepages **pages, struct proc *, taddr_t, void *buf, size_t n);
/* It may have changed by the next time. */
void codepages_forget(struct codepages **pages);

#endif
