/*
 * kallsyms.h: names of kernel code, from /proc/kallsyms. Read at the first question; where the
 * kernel hides its addresses from this user (kernel.kptr_restrict) nothing has a name.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include "symbols/symbols.h"

struct kallsyms;

struct kallsyms *kallsyms_new(const char *path); /* NULL: /proc/kallsyms */
void kallsyms_free(struct kallsyms *);
/* From another file, the machine's own (NULL), or (""): there are no names. slide: the kernel was
 * so much above what the file says, modulo 2^64; where modules were then it does not tell. Before
 * the first question. */
void kallsyms_use(struct kallsyms *, const char *path, uint64_t slide);
/* object is "vmlinux" or the module. Never fails: what is not known stays NULL. */
void kallsyms_lookup(struct kallsyms *, uint64_t addr, struct symname *);
/* The address of a function; 0: there is none of that name, or addresses are hidden. */
uint64_t kallsyms_address(struct kallsyms *, const char *name);

#endif
