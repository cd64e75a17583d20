/*
 * cachefile.h: files that are kept from run to run in the user's cache: $XDG_CACHE_HOME/dtrace,
 * else
 * ~/.cache/dtrace (XDG Base Directory Specification). Only files that nobody but this user can have
 * written, in a folder of which the same is true, are read; each is written under another name, and
 * renamed when it is whole, so that several runs may do so at once. What is in them is the caller's
 * to check: they may be old, cut, or of another file system.
 */
#ifndef BASE_CACHE_CACHEFILE_H
#define BASE_CACHE_CACHEFILE_H

#include "base/base.h"

struct iovec;

/* The folder, for reading; with `make` it is made, and what leads to it from the user's own folder.
 * -1: there is none, or others may write to it. The caller closes it. */
int cachefile_folder(bool make);
/*
 * The file of that name (no slash in it), whole, in memory that is the caller's to free: read once,
 * so that nothing of it changes any more. NULL: there is none, it has more than `max` bytes, or
 * others may have written it. It counts as used now.
 */
void *cachefile_read(int folder, const char *name, size_t max, size_t *n);
/* Errors: those of the system, as a negative errno; then what was there before is there still. */
int cachefile_write(int folder, const char *name, const struct iovec *parts, unsigned nparts);
/* The oldest, by when they were last used, are removed until all together have `max` bytes at most;
 * so is what runs that were killed have left half written, an hour ago. */
void cachefile_bound(int folder, size_t max);

#endif
