/*
 * modules.h: the files mapped in a process, from /proc. A module is one mapping of one file: the
 * same file mapped twice (dlmopen) is two. Identity is device, inode and bias, never the path:
 * files are deleted and replaced, and the process may live in another mount namespace.
 *
 * Modules stay until modules_free; what is unmapped is only marked gone.
 */
#ifndef SYMBOLS_MODULES_H
#define SYMBOLS_MODULES_H

#include "symbols/symbols.h"

/* ELF files opened once by device and inode, for all processes. */
struct objcache;
struct objcache *objcache_new(void);
void objcache_free(struct objcache *); /* after every struct modules that uses it */
/* What maps call by another path lies there: it is opened there, and has the name that maps have.
 */
void objcache_lies(struct objcache *, uint64_t dev, uint64_t ino, const char *here);
const char *objcache_here(const struct objcache *, uint64_t dev, uint64_t ino); /* NULL: nothing */

struct module {
	struct module *next;
	const char *path; /* as mapped, without " (deleted)" */
	const char *name; /* its basename, cleaned: what probemod says */
	uint64_t dev, ino;
	taddr_t start, end; /* of its executable ranges: lowest and highest */
	taddr_t bias;	    /* address - bias = link-time address */
	bool is_program;    /* a.out */
	bool gone;
	bool fresh; /* set when found; the owner clears it */
	struct objcache_file *file;
};

/* A part of a file may be mapped a second time, elsewhere: that is a module which has little of it.
 */
static inline bool module_has(const struct module *m, taddr_t link_addr)
{
	return link_addr + m->bias >= m->start && link_addr + m->bias < m->end;
}

struct modules {
	struct module *list, **tail; /* in order of discovery */
	struct objcache *cache;
	struct maprange *ranges; /* of the last refresh, by address */
	unsigned nranges;
	struct maprange *recorded; /* as told to the aspaces */
	unsigned nrecorded;
	struct arena arena;
	struct intern names; /* of special mappings */
	struct module *vdso; /* NULL: nobody has asked */
};

struct modules *modules_new(struct objcache *);
void modules_free(struct modules *);

/*
 * Reads what is mapped now, through any live thread of the process. Errors: -ESRCH and others of
 * reading /proc, with the sentence; the list is then as before.
 */
int modules_refresh(struct modules *, pid_t tid, struct err *);
/* The same of a process that may be gone: what has been told of it, as lines of /proc/PID/maps. */
void modules_told(struct modules *, pid_t, const char *maps);

/*
 * The modules a description's module field means (docs/spec/pid-engine.md §1.2): exact path, else
 * basename, else the basename's initial part up to a '.', else `a.out`; a pattern is tried on path
 * and basename;
 * "" is all. Only mapped ones. Fills at most max, returns how many there are.
 */
unsigned modules_match(const struct modules *, const char *pattern, struct module **out,
		       unsigned max);
/* The mapped module that has addr in an executable range, or NULL. */
struct module *modules_at(const struct modules *, taddr_t addr);
struct module *modules_program(const struct modules *); /* a.out; NULL: not known */

/*
 * The kernel's own library, mapped at `start`, as a module that is in no list; it stays. `bytes`:
 * what the process has there; NULL: it has what its parent had, which was asked for there. Returns
 * NULL where that is not what we have (vdso.h), and on no memory.
 */
struct module *modules_vdso(struct modules *, taddr_t start, const void *bytes, size_t n);
/*
 * The module's file with its symbols. NULL: err says why (unreadable, replaced since, not an ELF
 * file, a module that somebody made up for code outside of files). Belongs to the cache.
 */
struct objfile *module_objfile(struct module *, struct err *);
struct objfile *module_headers(const struct module *); /* without its symbols; NULL: none */

/* The same without its symbols, for what needs none of them: NULL if it cannot be read. */
struct objfile *module_headers(const struct module *);

/* Tells an address space what changed since the last call: ranges that came and went, new files. */
void modules_record(struct modules *, struct aspaces *, uint32_t aspace, uint64_t now_ns);

#endif
