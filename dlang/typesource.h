/*
 * typesource.h: the types and symbols of the traced programs, as the compiler asks for them. The
 * session has one if there is somebody who knows; nothing is read before the first question.
 */
#ifndef DLANG_TYPESOURCE_H
#define DLANG_TYPESOURCE_H

#include "symbols/dwarf/types.h"

struct session;

enum symbol_answer {
	SYMBOL_FOUND,
	SYMBOL_NO_MODULE,  /* the module is not there */
	SYMBOL_UNKNOWN,	   /* the module is there, the symbol is not */
	SYMBOL_AMBIGUOUS,  /* several functions have a variable of that name */
	SYMBOL_OPTIMIZED,  /* the compiler has left no place for it */
	SYMBOL_PER_THREAD, /* each thread has its own, and where it is is not known */
};

struct target_symbol {
	taddr_t addr;		 /* in the target */
	bool is_tls;		 /* each thread has its own: `addr` is added to its %fs:0, or, */
	uint32_t tls_word;	 /* not 0: to the word there of the vector that %fs:8 points to */
	const struct type *type; /* NULL: not known; a function has its function type */
	const char *module;
};

struct typesource {
	/* The definition of "struct s", "foo_t" ...; module NULL: the first that has one. */
	const struct type *(*type)(struct session *, const char *module, const char *name);
	bool (*has_module)(struct session *, const char *module);
	/* Finds the body of a TYPE_FORWARD, in any module. False: there is none. */
	bool (*complete)(struct session *, const struct type *forward);
	/* module: NULL, "lib.so" or "pid123`lib.so". */
	enum symbol_answer (*symbol)(struct session *, const char *module, const char *name,
				     struct target_symbol *);
};

#endif
