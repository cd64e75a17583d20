/*
 * syscalls.h: the system calls of x86-64, and what the kernel says of their arguments.
 */
#ifndef PROVIDERS_SYSCALLS_H
#define PROVIDERS_SYSCALLS_H

#include "dlang/provider.h"
#include "providers/tracefs.h"

#define SYSCALL_MAX_NR 512 /* numbers in the table are below */

const char *syscall_name(unsigned nr); /* NULL: none has this number */

/* The format of its entry tracepoint, with the arguments as fields; NULL: not known. The first
 * field, the number, is no argument. */
const struct tpformat *syscall_format(struct tracefs *, unsigned nr);
unsigned syscall_nargs(const struct tpformat *);
const struct tpfield *syscall_arg(const struct tpformat *, unsigned n);

#endif
