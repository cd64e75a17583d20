/*
 * elfint.h: what elf.c, which reads files, and funcs.c, which answers questions about them, share
 * of an objfile. Everything here has been checked against the file.
 */
#ifndef SYMBOLS_ELFINT_H
#define SYMBOLS_ELFINT_H

#include <elf.h>

#include "base/hash.h"
#include "symbols/symbols.h"

#define NO_SYM	 UINT32_MAX
#define BIND_CFI STB_NUM /* none of ELF's: the function is from CFI */

struct segment {
	taddr_t addr;
	uint64_t off, filesz, memsz;
	bool exec;
};

struct sym {
	const char *name;
	taddr_t addr;
	uint64_t size;
	uint32_t next; /* the next of the same name, or NO_SYM */
	uint8_t type, bind;
	bool hidden; /* an old version of the name (foo@V1 beside foo@@V2) */
	bool code;   /* lies in an executable segment */
};

struct sites {
	const struct retsite *site;
	unsigned n;
	bool done, decoded;
};

struct objfile_priv {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr hdr_frame; /* PT_GNU_EH_FRAME; p_type 0: none */
	bool loaded;	      /* symbols were read, or could not be: */
	int load_code;
	const char *load_text;
	struct segment *segs;
	unsigned nsegs;
	char *strings[2]; /* of .symtab and .dynsym */
	struct sym *syms;
	uint32_t nsyms, room;
	uint32_t nbuilt;     /* of them are in the function table, where they belong */
	struct strmap names; /* name → the first of its symbols; built at the first search */
	struct func *funcs;
	uint32_t *func_syms; /* the symbol behind each function */
	taddr_t *reach;	     /* how far the functions up to each one extend */
	struct sites *sites; /* per function, at the first search */
	struct arena arena;  /* names, sites */
	char *path;
};

static inline struct objfile_priv *priv(const struct objfile *o)
{
	return o->priv;
}

static inline bool sym_is_function(const struct sym *s)
{
	return s->code && (s->type == STT_FUNC || s->type == STT_GNU_IFUNC);
}

/* Makes the function table from the function symbols that have a size; again when some were added.
 */
void funcs_build(struct objfile *);

#endif
