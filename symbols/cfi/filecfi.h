/*
 * filecfi.h: call frame information of a file that a process has mapped, when the process itself
 * cannot be read any more. Nothing in the file is trusted.
 */
#ifndef SYMBOLS_CFI_FILECFI_H
#define SYMBOLS_CFI_FILECFI_H

#include "symbols/cfi/cfi.h"

struct filecfi;

/* Never NULL: a file that cannot be read, or has no such information, has no rows. Takes the
 * descriptor; one below 0: the file could not be opened. */
struct filecfi *filecfi_new(int fd);
void filecfi_free(struct filecfi *);

/* The row for the code at this offset in the file. As cfi_row(). */
int filecfi_row(const struct filecfi *, uint64_t file_off, struct cfi_row *);
/* Are there bytes of the file to be had? */
bool filecfi_is_open(const struct filecfi *);
/* n bytes of the file; false: it does not have them. */
bool filecfi_code(const struct filecfi *, uint64_t file_off, void *buf, size_t n);

#endif
