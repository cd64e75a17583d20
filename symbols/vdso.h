/*
 * vdso.h: the kernel's own library (vdso(7)), which is mapped in all processes and is no file.
 * 64-bit processes have the same one: ours.
 */
#ifndef SYMBOLS_VDSO_H
#define SYMBOLS_VDSO_H

#include "symbols/symbols.h"

#define VDSO_LABEL "[vdso]"

/* Ours, as it is mapped, up to the end of its section headers; NULL: we have none. */
const void *vdso_image(size_t *size);
/* The same as a file of its own, to be closed; NULL: there is none, or it cannot be made. */
struct objfile *vdso_open(void);

#endif
