/*
 * tpcache.h: the provider list: what tracefs says of all tracepoints, kept for those who may not
 * read it. One file for each build of the kernel (ids are constants of a build), written by root:
 * $DTRACE_CACHE or /var/cache/dtrace, then tracepoints-BUILDID. Its text is "system: NAME" and the
 * description of the event as in tracefs, for each.
 */
#ifndef PROVIDERS_KERNEL_TPCACHE_H
#define PROVIDERS_KERNEL_TPCACHE_H

#include "base/err.h"

/* Where the list of this kernel is. False: the kernel does not tell its build. */
bool tpcache_path(char *buf, size_t size);

/* The list as one string, the caller's; NULL: there is none that can be trusted (not of root or of
 * this user). */
char *tpcache_read(void);
/* Errors: why it cannot be written. */
int tpcache_write(const char *text, size_t n, struct err *);

#endif
