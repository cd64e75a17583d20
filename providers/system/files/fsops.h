/*
 * fsops.h: the table of fsops.def in the form that BPF programs read (bpf/fs/fs.h).
 */
#ifndef PROVIDERS_SYSTEM_FSOPS_H
#define PROVIDERS_SYSTEM_FSOPS_H

#include "base/err.h"
#include "providers/kernel/bpf/fsrec.h"

/* Fills the maps of an object's programs: what each system call is, as far as its row (enum
 * bpf_fs_row) is among `rows`, and what 32-bit programs call by which number. */
int fsops_fill(int ops_map, int numbers32_map, unsigned rows, struct err *);

/* What a system call is, by the number that those of 64 bits and of 32 bits alone share
 * (syscalls.h); is_second: its other half. NULL: nothing. */
const struct bpf_fs_op *fsops_of(unsigned nr, bool is_second);

/* Rows that a call with a path is among. */
unsigned fsops_with_paths(void);

/* fi_cflags of an open: whether the file is made, or made empty. */
uint32_t fsops_cflags(uint32_t oflags);

#endif
