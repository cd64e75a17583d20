/* notes.h: the build-id among ELF notes (elf(5)): the note "GNU" of type NT_GNU_BUILD_ID. */
#ifndef SYMBOLS_NOTES_H
#define SYMBOLS_NOTES_H

#include <stddef.h>

/* Points into the notes, and *len says how long it is; NULL: there is none, or what is before it is
 * damaged. */
const unsigned char *notes_build_id(const unsigned char *notes, size_t size, size_t *len);
/* The running kernel's. Returns its length; 0: it is not known, or longer than `room`. */
size_t kernel_build_id(unsigned char *id, size_t room);
/* That of the program that calls it, likewise. */
size_t own_build_id(unsigned char *id, size_t room);

#endif
