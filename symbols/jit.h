/*
 * jit.h: names of code that a program has made itself. Runtimes write a perf map: a file
 * /tmp/perf-PID.map with one line "start size name" in hexadecimal for each piece of code, in the
 * order it was made. Code is freed and its memory used again: the latest line that covers an
 * address holds.
 *
 * The file is another user's word. It is read only if it belongs to the process's user or to root,
 * and it is bounded in size and number of lines.
 */
#ifndef SYMBOLS_JIT_H
#define SYMBOLS_JIT_H

#include <sys/types.h>
#include <time.h>

#include "base/base.h"

#define JIT_OBJECT   "jit" /* what such code has for a module */
#define JIT_NAME_MAX 512

struct jitcode {
	taddr_t addr;
	uint64_t size;
	const char *name; /* as the runtime has it, unprintable characters as '?' */
	bool told;	  /* by jitmap_add, and not yet by the file */
};

struct jitmap;

/* Whose file it must be; as long as the process lives. */
struct jitowner {
	int64_t since; /* when the process began (time()); 0: not known */
	pid_t inner;   /* the pid as the process itself sees it: that of the innermost namespace */
	uid_t uid;
	bool is_alive;
};
void jitowner_find(pid_t, struct jitowner *);

/*
 * From now on processes are those of a recording, `file`, which ended then: their maps lie beside
 * it, or where the runtimes have written them, if that was not later.
 */
void jit_recorded(const char *file, time_t end);

/* Finds nothing yet; never NULL. The file is looked for in the mount namespace of the process. */
struct jitmap *jitmap_new(pid_t);
void jitmap_free(struct jitmap *);
/* What was found out when the process lived: it may write its file at its end. */
void jitmap_owned(struct jitmap *, const struct jitowner *);

/* Reads what the file has more than at the last call. */
void jitmap_poll(struct jitmap *);
/*
 * Adds a piece of code that is known before the file tells it; false: it cannot be one. An empty
 * name says that there is no code any more.
 */
bool jitmap_add(struct jitmap *, taddr_t addr, uint64_t size, const char *name);
/* The same, of one that another reader of the file knows: it is added if it was never here. */
void jitmap_add_missing(struct jitmap *, taddr_t addr, uint64_t size, const char *name);

/* All pieces in the order they came; pointers are valid until the next poll or add. */
unsigned jitmap_count(const struct jitmap *);
const struct jitcode *jitmap_get(const struct jitmap *, unsigned i);
/* The latest piece that covers an address, or NULL. Strings live as long as the jitmap. */
const struct jitcode *jitmap_at(struct jitmap *, taddr_t);

/*
 * The function's name without what the runtime says of its code: "JS:*add /x.js:1:14" of V8 is
 * "add /x.js:1:14" at each of its tiers, "py::Shop.add:/x.py" of CPython "Shop.add /x.py",
 * "int Shop.add(int, int)" of a JVM is "Shop.add", and
 * "int32 [App] Ns.Shop::add(int32)[Tier0]" of .NET "Ns.Shop.add".
 */
void jit_function_name(const char *name, char out[JIT_NAME_MAX]);
/* Does a pattern, or a text without wildcards, mean this code: its name, its function's name, or
 * that up to the first blank? */
bool jit_matches(const char *name, const char *pattern);

#endif
