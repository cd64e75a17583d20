/*
 * syscalls.h: the system calls of x86-64, and what the kernel says of their arguments.
 */
#ifndef PROVIDERS_SYSTEM_SYSCALLS_H
#define PROVIDERS_SYSTEM_SYSCALLS_H

#include "dlang/provider.h"
#include "providers/kernel/tracefs/tracefs.h"

/* Calls are known by their numbers for 64-bit programs; those that only 32-bit programs make, by
 * theirs and SYSCALL_ONLY_32. */
#define SYSCALL_ONLY_32 512
#define SYSCALL_MAX_NR	1024 /* all are below */

/* The one that a 32-bit program means, or "int $0x80"; -1: none. */
int syscall_of_32(unsigned nr);

const char *syscall_name(unsigned nr); /* NULL: none has this number */

/* The format of its entry tracepoint, with the arguments as fields; NULL: not known. The first
 * field, the number, is no argument. */
const struct tpformat *syscall_format(struct tracefs *, unsigned nr);
/* That of its exit; the result is its field "ret". */
const struct tpformat *syscall_exit_format(struct tracefs *, unsigned nr);
unsigned syscall_nargs(const struct tpformat *);
const struct tpfield *syscall_arg(const struct tpformat *, unsigned n);

#endif
