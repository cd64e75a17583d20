/*
 * dynvars.h: dynamic variables: self->x, a[k], self->a[k]. One bounded table; when its region is
 * full a store is dropped and counted by the caller.
 *
 * The region holds keys and values only. What we must be able to trust (lengths, chains, free
 * lists) lies beside it, one head per granule, so that no store of a program can harm it.
 * Freestanding.
 */
#ifndef DLANG_RUN_DYNVARS_H
#define DLANG_RUN_DYNVARS_H

#include "base/arena.h"

struct dynvars;

struct dynvar_key {
	uint32_t var; /* id and scope of the variable */
	uint32_t len; /* bytes of the key, a multiple of 8 */
	uint64_t tid; /* and which use of it (tidreuse.h); 0: not thread-local */
	const char *key;
};

/* Room for n variables, none with more than `most` bytes of key and value. Errors: -ENOMEM with the
 * sentence. */
int dynvars_new(struct arena *, uint64_t n, uint64_t most, struct dynvars **, struct err *);
/* The value, aligned to 8, or NULL. It moves never. */
char *dynvars_find(const struct dynvars *, const struct dynvar_key *);
/* The same, made with `size` zero bytes if it is not there (*is_new). NULL: no room. */
char *dynvars_make(struct dynvars *, const struct dynvar_key *, uint64_t size, bool *is_new);
void dynvars_delete(struct dynvars *, const struct dynvar_key *);
/* All of that variable (any key), of that tid or (0) of all. */
void dynvars_forget(struct dynvars *, uint32_t var, uint64_t tid);
/*
 * Takes those of that variable and tid out that have been made since `since` were, in
 * dynvars_nmade(), and shows them before: fn must make none. A few are remembered; behind more of
 * them all are looked through.
 */
typedef void dynvars_fn(void *arg, const struct dynvar_key *, const char *value);
uint64_t dynvars_nmade(const struct dynvars *);
void dynvars_take(struct dynvars *, uint32_t var, uint64_t tid, uint64_t since, dynvars_fn *,
		  void *arg);
/* How many bytes lie between addr and the end of the value it is in; 0: it is in none. */
uint64_t dynvars_room(const struct dynvars *, uint64_t addr);

#endif
