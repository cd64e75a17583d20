/*
 * elf_priv.h: what elf.c, which reads files, and funcs.c, which answers questions about them, share
 * of an objfile. Everything here has been checked against the file.
 */
#ifndef SYMBOLS_ELF_PRIV_H
#define SYMBOLS_ELF_PRIV_H

#include <elf.h>

#include "base/err.h"
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
	uint32_t next;	   /* the next of the same name, or NO_SYM */
	uint32_t name_sum; /* of the name: to tell names apart without looking at them */
	uint8_t type, bind;
	uint8_t underscores; /* that the name begins with */
	bool is_odd;	     /* the name has a '.' or an '@', or is _init or _fini */
	bool is_dollar;	     /* it begins with one */
	bool hidden;	     /* an old version of the name (foo@V1 beside foo@@V2) */
	bool code;	     /* lies in an executable segment */
	bool is_part;	     /* as in struct func */
};

struct sites {
	const struct retsite *site;
	unsigned n;
	bool done, decoded;
};

struct rseq_range {
	taddr_t start;
	uint64_t length;
};

/* Pieces of the file that were read last, each at the place that its number gives. */
#define ELF_PIECE  8192U
#define ELF_PIECES 8
struct elf_pieces {
	uint64_t number[ELF_PIECES]; /* + 1; 0: none */
	uint8_t bytes[ELF_PIECES][ELF_PIECE];
};

struct objfile_priv {
	int fd;
	int root; /* regfile.h: of the process that brought the file */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr hdr_frame; /* PT_GNU_EH_FRAME; p_type 0: none */
	Elf64_Phdr dynamic;   /* PT_DYNAMIC; the same */
	bool loaded;	      /* symbols were read, or could not be: */
	int load_code;
	const char *load_text;
	struct segment *segs;
	unsigned nsegs;
	struct elf_pieces *pieces; /* NULL: not needed yet */
	char *strings[3];	   /* of .symtab, .dynsym and a separate debug file */
	bool is_debug;		   /* itself a debug file: its segments have no bytes */
	bool has_notes;		   /* a program header tells where they are */
	struct sym *syms;
	uint32_t nsyms, room;
	uint32_t nbuilt;     /* of them are in the function table, where they belong */
	struct strmap names; /* name → the first of its symbols; built at the first search */
	struct func *funcs;
	uint32_t *func_syms;	/* the symbol behind each function */
	taddr_t *reach;		/* how far the functions up to each one extend */
	struct sites *sites;	/* per function, at the first search */
	const char **demangled; /* per function, as far as asked for; not_mangled: it is not */
	struct rseq_range *rseqs;
	unsigned nrseqs;
	bool rseqs_read;
	struct fnwords *fnwords; /* NULL: not asked for yet */
	struct othersym *others; /* the same; by address */
	unsigned nothers;
	const struct sdt_note *sdt; /* sdt.h */
	unsigned nsdt;
	bool sdt_read;
	struct gosyms *go; /* gosyms.c; with go_read; NULL: no Go program */
	bool go_read;
	struct arena arena;  /* names, sites */
	char *own_path;	     /* of the file, below root, as it is */
	const char *trouble; /* why a debug file is not used; NULL: nothing was wrong */
	bool is_trouble_told;
};

static inline struct objfile_priv *priv(const struct objfile *o)
{
	return o->priv;
}

struct sections {
	Elf64_Shdr *sh;
	unsigned n;
	char *names; /* may be NULL */
	uint64_t names_size;
};

/* elf.c: what the readers of its special cases need. Errors as objfile_load. */
int elf_sections(const struct objfile *, struct sections *, struct err *);
void elf_sections_release(struct sections *);
const Elf64_Shdr *elf_section_named(const struct sections *, const char *name);
const char *elf_section_name(const struct sections *, unsigned i);	    /* "": it has none */
int elf_bytes(const struct objfile *, uint64_t off, void *buf, uint64_t n); /* all, or an error */
/* A part of the file in memory, one zero byte behind it; the caller frees. NULL: err is set. */
void *elf_read(const struct objfile *, uint64_t off, uint64_t size, const char *what, struct err *);
/* Adds symbols whose names, in strings of size bytes, stay valid as long as the objfile. */
void elf_add_symbols(struct objfile *, const Elf64_Sym *, uint64_t n, const char *strings,
		     uint64_t size, const uint16_t *versions, uint64_t nversions);
/* The first table of a type in `from` (.symtab or .dynsym) is added to `to`, if there is one. */
int elf_add_table(struct objfile *to, const struct objfile *from, const struct sections *,
		  uint32_t type, char **strings, struct err *);
/* Opens a file of debug information: its symbol tables are there, its code is not. */
int elf_open_debug(int fd, const char *path, struct objfile **, struct err *);
void elf_set_path(struct objfile *, const char *path); /* copied */

/* The one that has an address; NULL: none. */
const struct segment *elf_segment_at(const struct objfile *, taddr_t);
struct sym *elf_new_sym(struct objfile_priv *); /* pointers to others do not outlive it */
/* It has a name now: what that tells. */
void elf_name_sym(struct objfile_priv *, struct sym *);

/* cfifuncs.c */
/* .eh_frame, found by its section or its header. eh->data NULL: there is none; the caller frees it.
 * Errors as objfile_load. */
struct ehframe;
int elf_frames(const struct objfile *, const struct sections *, struct ehframe *, struct err *);
/* Adds the functions it has that are not known otherwise. */
int cfifuncs_add(struct objfile *, const struct sections *, struct err *);

/* dynsym.c: the dynamic symbols as the loader finds them, for files without a section table. */
void dynsym_add(struct objfile *, char **strings);

/* The last function that starts at or before addr, or NULL. */
const struct func *objfile_before(const struct objfile *, taddr_t addr);

/* Which of two names of one address is the better one (docs/spec/pid-engine.md §1.3); < 0: a. */
int sym_prefer(const struct sym *a, const struct sym *b);

/* gosyms.c: the functions of a Go program, from its table of them; its names stay valid. */
void gosyms_add(struct objfile *, const struct sections *);
struct gosyms;
void gosyms_free(struct gosyms *);

/* fnwords.c */
void fnwords_free(struct fnwords *);
/* Of which function the loader puts the address into the word; NULL: of none, or it has no name.
 * The name, as linkers write it, lives as long as the file. */
const char *fnword_name(struct objfile *, taddr_t at);

/* pltstubs.c */
bool elf_is_plt(const struct sections *, unsigned i);
/* The stubs through which the file calls functions: fn gets each one's address and size, and the
 * function's name, which lives as long as the file. */
typedef void pltstub_fn(void *arg, taddr_t at, uint64_t size, const char *name);
void pltstubs_each(struct objfile *, pltstub_fn *, void *arg);

/* debugfile.c: the symbols of the separate debug file, if there is one. */
void debugfile_add_symbols(struct objfile *, const struct sections *);
/* What several debug files share (dwz): the file that .gnu_debugaltlink of one of them names. NULL:
 * there is none, or it is not that build's (objfile_trouble). */
struct objfile *debugfile_alt(const struct objfile *debug);

static inline bool sym_is_function(const struct sym *s)
{
	return s->code && (s->type == STT_FUNC || s->type == STT_GNU_IFUNC);
}

/* Makes the function table from the function symbols that have a size; again when some were added.
 */
void funcs_build(struct objfile *);

#endif
