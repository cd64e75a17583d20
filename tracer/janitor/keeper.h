/*
 * keeper.h: words in memory that targets share with us, by which they know that the thread of ours
 * that traces them is there. The kernel changes them when that thread ends, however it does, and
 * before the targets go on without it: they are robust futexes (set_robust_list(2);
 * Documentation/locking/robust-futex-ABI.rst).
 */
#ifndef TRACER_JANITOR_KEEPER_H
#define TRACER_JANITOR_KEEPER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The word at that distance, the same for all, in a page that is mapped shared gets the calling
 * thread's number. Returns what keeper_remove needs; 0: there is no room or another thread has
 * called before, and the word is as it was. The page may be unmapped meanwhile.
 */
unsigned keeper_add(void *page, size_t off);
void keeper_remove(unsigned); /* of 0: does nothing. The word is as it was. */

/* That process, a copy by fork of this program whose memory may be written, is about to end: all
 * its words become 0, earlier than the kernel would do it. */
void keeper_end(pid_t);

#endif
