/*
 * dwarfimage.h: the debug sections of a file, checked, unpacked and put into a file in memory that
 * has nothing else: what libdw and libelf get to see. They believe sections, unpack what a header
 * promises, run over the end of a text, and open files that a name leads to. Here:
 *
 *   - sections lie within the file and are not in it twice; what is read is a copy;
 *   - packed ones (zlib, the older .zdebug_, zstd where libzstd is installed) are unpacked by us,
 * to the size they said or not at all; all together to no more than MAX_PACKED says;
 *   - behind every section are zeros: a text ends, whatever is in it;
 *   - nothing in it names another file (.gnu_debugaltlink: debugfile.c).
 */
#ifndef SYMBOLS_DWARF_DWARFIMAGE_H
#define SYMBOLS_DWARF_DWARFIMAGE_H

#include <elfutils/libdw.h>

#include "symbols/symbols.h"

struct dwarfimage {
	char *bytes;
	uint64_t size;
	Elf *elf;
};

/* Takes no descriptor: reads from the objfile. Errors: -ENODATA "no debug information", or the
 * sentence why it is not read. */
int dwarfimage_read(const struct objfile *, struct dwarfimage *, struct err *);
void dwarfimage_release(struct dwarfimage *);

#endif
