/*
 * regfile.h: opening files whose names a traced program, or a file that it brought, has chosen:
 * mapped files, separate debug files, split units, maps of generated code. Such a name may lead
 * anywhere, and to something else at the next look. So:
 *
 *   - what the name leads to is held (O_PATH, which opens nothing), looked at, and only then
 * opened, through what is held: never a FIFO, a device or a socket, and never what took its place
 * since;
 *   - a name of another process is looked up below that process's root and cannot leave it; no name
 *     leads through the links of /proc that stand for descriptors;
 *   - a file must not claim much more than it has on disk (sparse), or more than REGFILE_MOST;
 *   - opening never waits (for a lease).
 *
 * Descriptors are new, for reading, close-on-exec, the caller's. A file may still change and shrink
 * while it is read: that is the reader's to check. Errors are negative: regfile_why has the words.
 */
#ifndef BASE_REGFILE_H
#define BASE_REGFILE_H

#include <fcntl.h>
#include <sys/types.h>

#include "base/base.h"

#define REGFILE_MOST ((uint64_t)16 << 30)

/* Names are ours, or of a process: its root directory. */
#define FILEROOT_OURS AT_FDCWD
/*
 * A descriptor of the root of a thread's process, the caller's. FILEROOT_OURS: it has the same root
 * and mounts as we, or is gone, or may not be asked. *path (NULL: none) is a name that /proc shows
 * of it; after that it is the one below that root. It shows what lies outside, too: that is ours
 * then.
 */
int fileroot_of(pid_t tid, const char **path);
int fileroot_dup(int root);
void fileroot_close(int root);

enum regfile_links { REGFILE_FOLLOW, REGFILE_NO_LINK /* the name itself must be the file */ };

int regfile_open(int root, const char *path, enum regfile_links);
/* A link that the kernel made, not by a name that somebody chose: /proc/PID/exe and the like. */
int regfile_open_link(const char *proc_link);

/*
 * The file of a mapping [start, end) of a process, whatever became of its name: the one with that
 * inode (devices differ: btrfs and overlayfs show another one in maps than in stat). -ESTALE: the
 * name leads to another file now.
 */
int regfile_open_mapped(pid_t tid, taddr_t start, taddr_t end, const char *path, uint64_t ino);

/* Is what is open already a file to be read? 0, -EINVAL: not a regular file, -EFBIG: its size. */
int regfile_check(int fd);
/* The reason of a code from here, as part of a sentence. */
const char *regfile_why(int code);

/* For tests: as if the kernel had no openat2 (before Linux 5.6). */
void regfile_without_openat2(bool);

#endif
