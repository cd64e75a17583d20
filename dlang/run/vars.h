/*
 * vars.h: storage of D variables: global and clause-local slots, and one bounded table of dynamic
 * variables (self->x, a[k], self->a[k]). Engine only. Freestanding below the definitions: no libc,
 * no allocation while tracing.
 */
#ifndef DLANG_RUN_VARS_H
#define DLANG_RUN_VARS_H

#include "base/arena.h"
#include "dlang/difo.h"
#include "dlang/osinfo/tidreuse.h"

struct varslot {
	const char *name;
	const struct type *type;
	uint64_t size; /* bytes of the value; strings strsize + 1 */
	bool is_byref, is_string, is_array, is_signed;
	char *data;			/* globals and this->: the slot */
	bool is_null;			/* a string that was assigned NULL */
	const struct type *const *keys; /* of an array */
	unsigned nkeys;
};

/* A global of all that a source of events keeps where clauses of its own run. */
#define VARS_SHARED 64
struct shared_var {
	struct varslot *slot;
	_Atomic uint64_t *value; /* of it the lowest bytes are the variable's */
	uint64_t taken;
};

struct dynvars; /* the table of dynamic variables */

struct varstore {
	struct arena *arena;
	struct varslot **slots[3]; /* by enum dif_scope, index id - DIF_VAR_USER */
	unsigned nslots[3], room[3];
	char *mem;	     /* made by vars_start: all slots of globals and this->, */
	size_t memsize;	     /* ... so that one comparison says whether an address is in a slot */
	struct dynvars *dyn; /* made by vars_start */
	uint64_t strsize;
	struct tidreuse tidreuse; /* of threads, the owners of self-> */
	struct shared_var shared[VARS_SHARED];
	unsigned nshared;
};

/* NULL: there is none. */
const struct varslot *vars_slot(const struct varstore *, enum dif_scope, unsigned id);
/* It holds one integer or pointer, and is no array. NULL: false. */
bool varslot_is_number(const struct varslot *);

struct varstore *vars_new(struct arena *);
/* Compiler: a variable's type is known. Again with the same id: nothing happens. */
void vars_define(struct varstore *, enum dif_scope, uint16_t id, const char *name,
		 const struct type *, bool is_array);
/* The keys of an array that was defined; they live as long as its type. */
void vars_set_keys(struct varstore *, enum dif_scope, uint16_t id, const struct type *const *keys,
		   unsigned n);
/*
 * Before tracing: gives every slot its memory. dynvarsize is counted as programs know it: a
 * variable takes the largest value of all and, if there are arrays, the largest tuple of keys.
 * Errors: -EINVAL, -ENOMEM, -EFBIG (not one variable) with the sentence.
 */
int vars_start(struct varstore *, uint64_t strsize, uint64_t dynvarsize, struct err *);

/*
 * From now on the value of this global, a number, is what lies there, which others change by atomic
 * operations; it begins as the variable is. False: there are VARS_SHARED of them.
 */
bool vars_share(struct varstore *, uint16_t id, _Atomic uint64_t *value);
/* The variables whose values lie in these n are the engine's own again, as they are now. */
void vars_unshare(struct varstore *, const _Atomic uint64_t *values, unsigned n);
/* Around a firing: shared variables are as they are elsewhere; what the firing has added to each is
 * added there, so that nothing is lost that others add meanwhile. */
void vars_take_shared(struct varstore *);
void vars_give_shared(struct varstore *);

/* self-> variable `id`, with all its keys if it is an array, of a thread or (0) of all: it is 0
 * again. Not during a firing. */
void vars_forget(struct varstore *, uint16_t id, pid_t tid);

#endif
