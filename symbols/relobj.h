/*
 * relobj.h: object files as compilers write them: which functions they call that are elsewhere; and
 * how one is written, section by section.
 */
#ifndef SYMBOLS_RELOBJ_H
#define SYMBOLS_RELOBJ_H

#include <elf.h>

#include "base/err.h"
#include "base/strbuf.h"

/*
 * Calls fn for each name that the object file does not define. Errors: "failed to open PATH:
 * reason", "PATH is not an object file", "can't mix 32-bit and 64-bit object files".
 */
int relobj_undefined(const char *path, void (*fn)(void *arg, const char *name), void *arg,
		     struct err *);

/* An object being written. Numbers of sections and symbols count from 1. */
struct relobj;
struct relobj *relobj_new(void);
void relobj_free(struct relobj *);
/* A section that is filled through the buffer returned; it stays valid. */
struct strbuf *relobj_section(struct relobj *, const char *name, uint32_t type, uint64_t flags,
			      uint64_t align, unsigned *number);
/* The section that is made next, with SHF_GROUP, is one with those of other objects that have the
 * same signature. */
void relobj_comdat(struct relobj *, const char *signature);
unsigned relobj_symbol(struct relobj *, const char *name, unsigned char bind, unsigned char type,
		       unsigned char visibility, unsigned section, uint64_t value, uint64_t size);
void relobj_reloc(struct relobj *, unsigned section, uint64_t off, unsigned symbol, uint32_t type,
		  int64_t addend);
/* All of it, as a file for x86-64. */
void relobj_write(struct relobj *, struct strbuf *out);

#endif
