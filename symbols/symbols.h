/*
 * symbols.h: what an address or a name means. Reads files and memory, never ptrace.
 *
 * Three layers:
 *
 *   struct objfile  one ELF file, opened once by device and inode: functions, return sites, CFI
 *                   functions. Private memory of the process that opened it.
 *   struct aspace   one address space of the target (a new one at exec): its mapped ranges over
 *                   time. Lives in the shared arena; the engine writes, both halves read.
 *   struct symres   the front's resolver: (aspace, pc, time) → object`function+offset. Private.
 *
 * A function known only from .eh_frame is called sub_<hex offset of its start in the file's address
 * space, no 0x>. Symbol rules: docs/spec/pid-engine.md §1.3.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include "base/arena.h"
#include "base/nearest.h"

/* ---- objfile ---- */

struct func {
	taddr_t addr; /* link-time address; add the module's bias */
	uint64_t size;
	const char *name; /* canonical name: the preferred alias */
	uint8_t is_ifunc; /* addr is the resolver */
	uint8_t is_cfi;	  /* from .eh_frame only */
	uint8_t is_local; /* no other file can call it by its name */
	uint8_t is_part;  /* is_cfi, and begins within a frame: something stands apart (.cold) */
	uint8_t no_glob;  /* _init, _fini, versions, .cold and the like: not for patterns */
};

struct objfile {
	const char *path, *name; /* path as mapped, cleaned; its basename */
	uint64_t dev, ino;
	bool is_exec;	 /* ET_EXEC: bias 0 */
	bool has_interp; /* dynamically linked */
	taddr_t entry;	 /* e_entry, link-time */
	taddr_t end;	 /* of what is loaded, with zeroed memory behind it, link-time */
	/* the block of its per-thread variables, with alignment; the executable's ends at %fs:0 */
	uint64_t tls_size;
	taddr_t tls_addr; /* of its first values, link-time */
	const char *soname;
	unsigned nfuncs; /* sorted by addr, one per (addr, size, is_ifunc) */
	const struct func *funcs;
	unsigned char buildid[20];
	unsigned buildid_len;
	void *priv;
};

/*
 * Opens an ELF file from a descriptor (which it keeps and closes). Only x86-64 is accepted.
 * Errors: -ENOEXEC "PATH is not an ELF file" (or "... is not an x86-64 program", truncated, ...),
 * -errno of reading. Nothing in the file is trusted.
 */
int objfile_open(int fd, const char *path, struct objfile **, struct err *);
/*
 * The same in two steps: the headers now (all that objfile_bias and objfile_bytes need), the
 * symbols when they are asked for. objfile_load may be called again: it answers as the first time.
 */
int objfile_open_headers(int fd, const char *path, struct objfile **, struct err *);
int objfile_load(struct objfile *, struct err *);
void objfile_close(struct objfile *);

/* The function that covers a link-time address, or NULL. */
const struct func *objfile_at(const struct objfile *, taddr_t addr);

/* Exact name, aliases included: any symbol of that name, local ones too. Then *out is the canonical
 * function at its address. Returns how many different addresses have it (0: none); fills ≤ max. */
unsigned objfile_find(const struct objfile *, const char *name, const struct func **out,
		      unsigned max);

/*
 * The function's name as its author wrote it, for C++ and Rust, with parameters; NULL: it is as it
 * stands. Belongs to the objfile.
 */
const char *objfile_demangled(struct objfile *, const struct func *);
/* Does a pattern, or a text without wildcards, mean the demangled name, with or without its
 * parameters? */
bool objfile_demangled_matches(struct objfile *, const struct func *, const char *pattern);

/* Address of any symbol (data too); false: none. */
bool objfile_symbol(const struct objfile *, const char *name, taddr_t *addr, uint64_t *size);
/*
 * What an address in no function lies in, demangled, and where that begins: a variable, or code
 * that has a name but no size. The name lives as long as the file. NULL: none is known.
 */
const char *objfile_other_at(struct objfile *, taddr_t addr, taddr_t *start);

/*
 * Where code of a Go program comes from, by the table of its runtime, which stripped programs have,
 * too. The name lives as long as the file. False: not known, or no Go program.
 */
bool objfile_go_line(const struct objfile *, taddr_t pc, const char **file, unsigned *line);

/* It is a Go program, by that table; its headers are enough. */
bool objfile_is_go(const struct objfile *);

/* Bytes of the file image at a link-time address; returns how many were there. */
size_t objfile_bytes(const struct objfile *, taddr_t addr, void *buf, size_t n);

/*
 * The bias of a mapping of this file: file offset file_off is mapped at `start`, executable or not.
 * false: no segment of the file lies there.
 */
bool objfile_bias(const struct objfile *, uint64_t file_off, taddr_t start, bool exec,
		  taddr_t *bias);

/*
 * The i-th of its executable segments, in whole pages, as it would be mapped: so many bytes of the
 * file from `off` on, `at` bytes behind where the first of its segments lies. False: there are
 * fewer.
 */
bool objfile_code(const struct objfile *, unsigned i, uint64_t *at, uint64_t *len, uint64_t *off);

int objfile_fd(const struct objfile *); /* the descriptor it reads from; stays the objfile's */
/*
 * Names of files are those of the process that brought it: its root (regfile.h), which the objfile
 * keeps and closes, and the name that the file itself has there, which is copied. Before it is
 * loaded; without it names are ours.
 */
void objfile_set_root(struct objfile *, int root, const char *own_path);
int objfile_root(const struct objfile *); /* stays the objfile's, as does the name */
const char *objfile_own_path(const struct objfile *);

/*
 * The separate debug file of a stripped one: by build-id in the debug directories, by
 * .gnu_debuglink, from debuginfod when DEBUGINFOD_URLS is set; for a process with a root of its own
 * below that first. A new descriptor, the caller's; -1: there is none. objfile_load looks there for
 * symbols by itself.
 */
int objfile_debug_fd(const struct objfile *, char **path); /* *path: its name, the caller frees */
/* The program or library of a build-id, as debuginfod has it: a path in its cache, the caller's;
 * NULL: it has none, or DEBUGINFOD_URLS is not set. */
char *objfile_by_debuginfod(const uint8_t *buildid, size_t n);
/* Why a debug file that is there is not used, in a sentence, once; NULL: there is nothing to tell.
 * Belongs to the objfile. */
const char *objfile_trouble(struct objfile *);
/* A directory that is looked at before /usr/lib/debug; for the whole process, before any load. */
void objfile_add_debug_dir(const char *dir);

/* Adds the names of its functions, for "did you mean". */
void objfile_suggest(const struct objfile *, struct nearest *);

/*
 * Where a function returns (docs/spec/pid-engine.md §1.6), by address; then the same of its parts
 * that stand elsewhere (.cold, docs/spec/fpid-engine.md §1.6).
 */
struct retsite {
	int64_t off;  /* from the function's start; negative: in a part before it */
	bool is_jump; /* a direct jmp/jcc that leaves the function (fires when taken) */
};
/* Returns the number of sites; *out is cached in the objfile. *decoded = false when the function
 * does not decode to its end. */
unsigned objfile_retsites(struct objfile *, const struct func *, const struct retsite **out,
			  bool *decoded);

/* The instruction is part of a restartable sequence (rseq): it must not be stopped at. */
bool objfile_is_restartable(const struct objfile *, taddr_t addr);

/*
 * The words of data that the loader makes the address of a function (System V ABI, relocations):
 * of the function that has that name, here or in another file, or, where name is NULL, of the one
 * that the resolver at that address chooses. Calls fn with the word's address and what the file
 * has there.
 */
typedef void fnword_fn(void *arg, taddr_t at, uint64_t in_file);
void objfile_each_fnword(struct objfile *, const char *name, taddr_t resolver, fnword_fn *, void *);

/*
 * A word by which the loader tells where a library's per-thread variables are (System V ABI and ELF
 * Handling For Thread-Local Storage, the relocations). is_offset: minus `less` it is where their
 * block begins, counted from %fs:0; else it is the module's number. False: there is none.
 */
struct objfile_tls {
	taddr_t at;
	uint64_t less;
	bool is_offset;
};
bool objfile_tls_word(struct objfile *, struct objfile_tls *);

/*
 * Addresses that the file keeps: the addends of its relative relocations and, of a program that is
 * not relocated, every word of its data. The labels of computed jumps are among them.
 */
typedef void objfile_pointer_fn(void *arg, taddr_t);
void objfile_pointers(const struct objfile *, objfile_pointer_fn *, void *arg);

/* Where exceptions land: the handlers and clean-ups that the tables of unwinders name. */
void objfile_landing_pads(const struct objfile *, objfile_pointer_fn *, void *arg);

/* Where its instructions start: offsets, ascending. The caller frees *offs. */
unsigned objfile_insns(const struct objfile *, const struct func *, uint32_t **offs, bool *decoded);

/* ---- aspace: shared ---- */

#define ASPACE_NONE 0

struct aspace_file { /* one mapped file, in the arena */
	uint32_t id;
	const char *path, *name; /* the name is cleaned, the path is not */
	uint64_t dev, ino;
};

struct aspace_range {
	taddr_t start, end;
	uint64_t file_off;
	taddr_t bias;		 /* pc - bias = link-time address; valid for files and the vdso */
	uint64_t from_ns, to_ns; /* event time; to_ns == UINT64_MAX: still there */
	const struct aspace_file *file; /* NULL: anonymous or special */
	const char *label;		/* "[vdso]", "[heap]", "jit": code of no file and no name */
	bool is_code;			/* it may be executed */
};

struct aspace_code { /* code outside of files, in the arena */
	taddr_t addr;
	uint64_t size;
	const char *name;
};

struct aspaces; /* all of a session: chunked arrays in the arena, published by count */

struct aspaces *aspaces_new(struct arena *);
/* Engine side. A new space for a process (at launch, attach and exec). Returns its id, never 0. */
uint32_t aspace_new(struct aspaces *, pid_t pid, uint64_t now_ns);
/* The file of a path, device and inode, called as it is mapped; *is_new: the first time it is asked
 * for. */
const struct aspace_file *aspace_file(struct aspaces *, const char *path, const char *mapped,
				      uint64_t dev, uint64_t ino, bool *is_new);
/* Copies the range; its file is from aspace_file, its label is copied, its end is UINT64_MAX. */
void aspace_add(struct aspaces *, uint32_t id, const struct aspace_range *);
/* Ends every range that overlaps [start, end) at now_ns. */
void aspace_del(struct aspaces *, uint32_t id, taddr_t start, taddr_t end, uint64_t now_ns);
/* Engine: code that the program has made in this space, in the order it told; name "": it is gone.
 */
void aspace_add_code(struct aspaces *, uint32_t id, taddr_t addr, uint64_t size, const char *name);
/* Both sides: the i-th of them, or NULL. */
const struct aspace_code *aspace_code(const struct aspaces *, uint32_t id, uint32_t i);
/* The engine hands descriptors of mapped files, and of the root that their names belong to
 * (regfile.h), to the front over this socket (SCM_RIGHTS). -1: none */
void aspaces_set_socket(struct aspaces *, int engine_end, int front_end);
void aspace_send_file(struct aspaces *, const struct aspace_file *, const struct objfile *);
/* The front takes one descriptor that was sent: -1 when there is none. */
struct aspace_sent {
	uint32_t file_id;
	uint32_t own_at; /* where the file's own name below its root begins in its path */
	int root;	 /* the caller's, as the descriptor is */
};
int aspaces_receive_file(struct aspaces *, struct aspace_sent *);
/* Both sides: the space a process had at a time: the newest that began by then. ASPACE_NONE: none.
 */
uint32_t aspace_of(const struct aspaces *, pid_t pid, uint64_t time_ns);
pid_t aspace_pid(const struct aspaces *, uint32_t id); /* 0: there is no such space */
/* What was known of the process when the space was made (jit.h). */
struct jitowner;
const struct jitowner *aspace_owner(const struct aspaces *, uint32_t id);
/* The i-th range of all that there were, or NULL. */
const struct aspace_range *aspace_range(const struct aspaces *, uint32_t id, uint32_t i);
/* The name of a process's program, whose file is mapped first; "": not known. */
const char *aspace_program(const struct aspaces *, pid_t);
/*
 * Both sides: the range that held pc at time_ns (UINT64_MAX: the latest). When none did, the one
 * nearest in time: mappings are noticed later than they are made. NULL: pc was never mapped. Only
 * to_ns of a range can still change.
 */
const struct aspace_range *aspace_find(const struct aspaces *, uint32_t id, taddr_t pc,
				       uint64_t time_ns);
bool aspace_at(const struct aspaces *, uint32_t id, taddr_t pc, uint64_t time_ns,
	       struct aspace_range *out);

/* ---- symres: the front's resolver ---- */

struct symres;
struct symres *symres_new(struct aspaces *);
void symres_free(struct symres *);

struct symname {
	const char *object;   /* basename of the mapped file; NULL: unmapped */
	const char *function; /* NULL: not known */
	uint64_t offset;      /* from the function's start */
	taddr_t start;	      /* address of the function in the target */
	bool is_code;	      /* there is code there, whether it has a name or not */
};
/* As objfile_trouble, of one of the files that names were looked for in. */
const char *symres_trouble(struct symres *);
/* Never fails: what is not known stays NULL. Strings live as long as the symres. */
void symres_lookup(struct symres *, uint32_t aspace, taddr_t pc, uint64_t time_ns,
		   struct symname *);
/*
 * The same for a frame that has called: where its function ends with a call, as of abort(), the
 * address of return lies behind it and may be in no function.
 */
void symres_lookup_caller(struct symres *, uint32_t aspace, taddr_t pc, uint64_t time_ns,
			  struct symname *);

/* The file (or label) that is mapped there and how far pc lies behind the start of that mapping;
 * NULL: nothing that has a name. */
const char *symres_mapping(struct symres *, uint32_t aspace, taddr_t pc, uint64_t time_ns,
			   uint64_t *offset);
/* What an address belongs to, as a whole: the file, or JIT_OBJECT or what else the memory is
 * called; NULL: nothing is there. */
const char *symres_module(struct symres *, uint32_t aspace, taddr_t pc, uint64_t time_ns);
/* The build-id of the file that is mapped there, *n bytes, which live as long as the symres; NULL:
 * none. */
const unsigned char *symres_buildid(struct symres *, uint32_t aspace, taddr_t pc, uint64_t time_ns,
				    unsigned *n);
/* The next look-up asks programs for new names of the code they have made, however recent the last
 * answer is. */
void symres_renew(struct symres *);
/* Code without a name is printed, or that of an interpreter. */
void symres_note(struct symres *, uint32_t aspace, const struct symname *);
/* How the names of what was noted could be had: a line, or false when there is no (other) one. */
bool symres_hint(struct symres *, char *buf, size_t size);

#endif
