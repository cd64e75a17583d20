/*
 * arena.h: a bump allocator with one lifetime, and strings interned in it.
 *
 * Two kinds. A private arena takes blocks from malloc and gives all of them back in
 * arena_release. The shared arena is one MAP_SHARED mapping, made before the fork of front and
 * engine and found at the same address in both (ARCHITECTURE.md, Two halves and an arena): it never
 * grows or moves, pointers into it may be published to the other half, and after the fork only the
 * engine allocates from it.
 *
 * Memory is zeroed and aligned to 16 bytes. Nothing is freed singly; what was allocated last can be
 * given back.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/err.h"

struct arena {
	char *base, *next, *end;    /* the current block, or the whole shared mapping */
	char *filled;		    /* up to where the shared one has its pages */
	struct arena_block *blocks; /* private arenas only */
	bool shared;
};

void arena_init(struct arena *); /* private; takes no memory until the first allocation */
void arena_release(struct arena *);

/*
 * The shared arena: reserves `size` bytes of address space (64 GiB in use; halved until the system
 * allows it, never below 64 MiB) with MAP_NORESERVE, not dumped in cores.
 * Errors: -ENOMEM with the sentence.
 */
int arena_init_shared(struct arena *, size_t size, struct err *);

void *arena_alloc(struct arena *, size_t n); /* dies when memory ends */
void *arena_try(struct arena *, size_t n);   /* NULL when the shared mapping is full */
char *arena_strdup(struct arena *, const char *s);
char *arena_strndup(struct arena *, const char *s, size_t n);
char *arena_printf(struct arena *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void *arena_memdup(struct arena *, const void *p, size_t n);
/* Private arenas: all that was allocated since *mark was copied from the arena is given back. */
void arena_return(struct arena *, const struct arena *mark);
bool arena_owns(const struct arena *, const void *p); /* shared arenas only: is p inside it? */

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

/*
 * Interned strings: equal text, equal pointer. The strings live in the arena given at init; the
 * index is private memory of the process that interns (the engine).
 */
struct intern {
	struct arena *arena;
	struct intern_slot {
		const char *s; /* NULL: free */
		uint64_t hash;
	} * slots;
	size_t nslots, n;
};

void intern_init(struct intern *, struct arena *);
void intern_release(struct intern *); /* the strings stay valid as long as the arena */
const char *intern_str(struct intern *, const char *s);
void intern_expect(struct intern *, size_t n); /* a hint: so many new ones will come */
const char *intern_find(const struct intern *, const char *s); /* NULL: never interned */

#endif
