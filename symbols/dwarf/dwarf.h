/*
 * dwarf.h: what the debug information of a file says: parameters of functions, variables, types.
 * Types are made in the graph of types.h when they are asked for, never before; a structure is a
 * TYPE_FORWARD of known size until dwarf_complete() gives it its members. Sizes, offsets and widths
 * are those of the file; members that do not lie within their structure are left out.
 *
 * The file is hostile input: what makes no sense is not there. Private to one process.
 */
#ifndef SYMBOLS_DWARF_DWARF_H
#define SYMBOLS_DWARF_DWARF_H

#include "symbols/symbols.h"
#include "symbols/dwarf/types.h"

struct dwarf;	    /* the debug information of one file */
struct dwarf_types; /* the types of all files: equal ones have one pointer */

struct dwarf_types *dwarf_types_new(struct types *);
void dwarf_types_free(struct dwarf_types *); /* after its files; the types stay */

/*
 * Reads from a descriptor (which it keeps and closes, on failure too). Nothing is looked at before
 * the first question. `module` is what its types say they are from. Errors: -ENODATA "no debug
 * information", others: there is, but it is damaged, or claims what nobody reads.
 */
int dwarf_open(int fd, const char *module, struct dwarf_types *, struct dwarf **, struct err *);
/* Where the file lies: names in it are looked for from there, below the root (regfile.h, which
 * stays the caller's). Before the first question; else they are ours, and there is no package. */
void dwarf_set_place(struct dwarf *, const char *path, int root);
void dwarf_close(struct dwarf *);
/* Who is told, once, in a sentence, what is there and cannot be used. */
void dwarf_on_trouble(struct dwarf *, void (*fn)(void *arg, const char *text), void *arg);

/* Where a parameter is when the function begins, as far as the file says it. */
enum dwarf_place {
	DWARF_NOT_SAID,
	DWARF_REGS,    /* regs[0]; of what is larger than 8 bytes the rest is in regs[1] */
	DWARF_ADDRESS, /* its address is passed, if nregs is 1 in regs[0] */
	DWARF_CONST,   /* always the same value: it need not be passed */
};
struct dwarf_param {
	const char *name; /* NULL: none */
	const struct type *type;
	bool is_result; /* Go lists what it returns behind what is passed */
	enum dwarf_place place;
	unsigned nregs, regs[2]; /* DWARF's numbers (psABI figure 3.36) */
};

struct dwarf_func {
	const struct type *result; /* void too */
	const struct dwarf_param *params;
	unsigned nparams;
	bool varargs;
	bool is_go, is_go_regabi; /* Go, and its calling convention with registers (1.17) */
	bool is_rust;		  /* its calling convention for structures is not the psABI's */
	bool is_llvm; /* a compiler that changes how local functions are called and does not say so
		       * in their names */
};

/* The function that begins at a link-time address. False: nothing is said of it. */
bool dwarf_function(struct dwarf *, taddr_t addr, struct dwarf_func *);

struct dwarf_var {
	const struct type *type;
	taddr_t addr;  /* link-time */
	bool has_addr; /* else it was only declared here, or */
	bool is_gone;  /* the compiler has found no use for its place */
	bool is_tls;   /* one per thread: `addr`, if it has one, is where in its file's block */
};

/* A variable of file scope. Of several that one whose address is `addr` (0: any). */
bool dwarf_variable(struct dwarf *, const char *name, taddr_t addr, struct dwarf_var *);
/* A static variable of a function; *is_only = false: there are several, in different places. */
bool dwarf_static(struct dwarf *, const char *name, struct dwarf_var *, bool *is_only);

/* "struct foo", "union u", "enum e", "foo_t", in C++ "foo"; NULL: no definition here. */
const struct type *dwarf_type(struct dwarf *, const char *name);

/* Gives a structure of some file its members. False: there is no definition. */
bool dwarf_complete(struct dwarf_types *, const struct type *forward);

/* A C++ class that is passed by its address (it has a constructor or destructor of its own). */
bool dwarf_is_by_address(const struct dwarf_types *, const struct type *);

#endif
