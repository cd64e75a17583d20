/*
 * types.h: the C type graph, shared by the D compiler and, later, DWARF and BTF readers.
 *
 * Types are immutable once complete, live in the arena given at init and are compared by pointer
 * after type_resolve(); the graph interns pointers, arrays and qualifiers, so equal types have one
 * pointer. Layout is the x86-64 SysV one, and of D's own types that of 32 bits where it is asked
 * for (types_set_ilp32). D's own types (string, stack, symbol addresses) are kinds of their own, so
 * that no other room needs to know their names.
 */
#ifndef SYMBOLS_DWARF_TYPES_H
#define SYMBOLS_DWARF_TYPES_H

#include "base/arena.h"
#include "base/hash.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INT, /* integers, char and _Bool included */
	TYPE_FLOAT,
	TYPE_POINTER,  /* ref */
	TYPE_ARRAY,    /* ref, nelems */
	TYPE_FUNCTION, /* ref = result, params */
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_FORWARD, /* struct/union/enum tag without a body; see type_complete() */
	TYPE_TYPEDEF, /* ref */
	TYPE_CONST,   /* ref */
	TYPE_VOLATILE,
	TYPE_RESTRICT,
	/* D's own */
	TYPE_STRING,   /* by reference, `strsize` characters */
	TYPE_STACK,    /* result of stack() and ustack() */
	TYPE_SYMADDR,  /* result of sym(), func(), mod() */
	TYPE_USYMADDR, /* result of usym(), ufunc(), umod(), uaddr() */
	TYPE_DYN,      /* "<DYN>": a value without representation (aggregations, translated) */
	TYPE_NKINDS
};

struct type_member {
	const char *name; /* "" for an anonymous struct/union or padding bit-field */
	const struct type *type;
	uint64_t bit_offset; /* from the start of the struct */
	uint8_t bits;	     /* width of a bit-field, 0: not one */
	/* of a structure with a tag: which it must have for this member to be there */
	bool is_variant, is_other; /* is_other: none that is another member's */
	uint64_t tag;
};

struct type_enumr {
	const char *name;
	int64_t value;
};

struct type {
	enum type_kind kind;
	const char *name;	/* "int", "struct s", "pid_t"; NULL for pointers, arrays, ... */
	const char *module;	/* "D" for types of the program, "C" for built-in ones */
	uint64_t size;		/* bytes; 0: incomplete or void or function */
	uint64_t align;		/* structs and unions; see type_align() */
	const struct type *ref; /* see kinds */
	uint64_t nelems;	/* arrays */
	unsigned depth; /* of pointers, arrays and functions; whoever builds types bounds it */
	uint8_t bits;	/* integers and floats */
	bool is_signed, is_char, is_bool;
	bool is_complex;  /* floats: two of half the size */
	bool is_vector;	  /* arrays: in one vector register, and aligned so */
	bool is_userland; /* pointers: `userland` qualified */
	bool varargs;	  /* functions */
	bool is_kernel;	  /* structs and unions of the running kernel: so is what has the type */
	unsigned nmembers, nenumrs, nparams;
	const struct type_member *members;
	const struct type_member *tag; /* structs: says which variants are there; NULL: none */
	const struct type_enumr *enumrs;
	const struct type *const *params;
	enum type_kind forward; /* TYPE_FORWARD: what the tag will be */
	/* TYPE_FORWARD completed later: the body; use type_complete(). The only late-bound field.
	 */
	const struct type *body;
};

struct types {
	struct arena *arena;
	struct intern *intern;
	struct strmap names; /* "int", "struct s", "uint64_t" → struct type */
	struct hash derived; /* pointers, arrays and qualified types, by content */
	struct hash taken;   /* members and enumerators of what is built by a type_builder */
	const struct type *t_void, *t_char, *t_schar, *t_uchar, *t_short, *t_ushort, *t_int,
		*t_uint, *t_long, *t_ulong, *t_llong, *t_ullong, *t_bool, *t_float, *t_double,
		*t_ldouble, *t_string, *t_stack, *t_symaddr, *t_usymaddr, *t_dyn, *t_voidptr,
		*t_charptr;
	/* also under their names: int8_t ... uint64_t, size_t, pid_t, ... (docs/spec/d-language.md
	 * §3.1) */
	const struct type *t_int64, *t_uint64, *t_uint32, *t_uintptr;
	const struct type *t_word, *t_uword; /* long with 64 bits, whatever the model: a register */
	uint8_t pointer_size;		     /* of pointers that a D program declares */
};

/* Fills in the types of docs/spec/d-language.md §3.1. `strsize` is the size of t_string. */
void types_init(struct types *, struct arena *, struct intern *, uint64_t strsize);
/* Is it one of those typedefs? */
bool type_is_predefined(const struct type *);
/*
 * The data model of 32 bits (System V ABI, Intel386 supplement, chapter 3): long and pointers that
 * the program declares have 4 bytes. Before any other type is made.
 */
void types_set_ilp32(struct types *);
void types_release(struct types *); /* indexes only; types live with the arena */
/* Option strsize changed; types that hold a string already keep their layout. */
void types_set_strsize(struct types *, uint64_t strsize);

/*
 * By written name, blanks normalised ("unsigned long", "struct s", "pid_t", "char *"); else NULL.
 * A name may say its container: "D`foo_t", "C`int", "struct D`s".
 */
const struct type *types_lookup(struct types *, const char *name);

const struct type *type_pointer(struct types *, const struct type *ref);
/* One of the traced program or of the kernel: 8 bytes in either model. */
const struct type *type_target_pointer(struct types *, const struct type *ref);
const struct type *type_userland(struct types *, const struct type *pointer);
const struct type *type_array(struct types *, const struct type *ref, uint64_t nelems);
const struct type *type_vector(struct types *, const struct type *ref, uint64_t nelems);
const struct type *type_qualified(struct types *, enum type_kind qual, const struct type *ref);
const struct type *type_function(struct types *, const struct type *result,
				 const struct type *const *params, unsigned nparams, bool varargs);
/* New named types. The caller has checked that the name is free (types_lookup). */
const struct type *type_typedef(struct types *, const char *name, const struct type *ref);
const struct type *type_forward(struct types *, enum type_kind kind, const char *tag);
/* A declared tag turned out to be this complete type. */
void type_complete(const struct type *forward, const struct type *body);

/*
 * A struct, union or enum being built. type_add_member computes offsets as members come; bits > 0
 * makes a bit-field. Errors: -EEXIST for a second member of that name. type_finish publishes it
 * under "struct TAG" (tag NULL: anonymous) and completes an earlier forward declaration.
 */
struct type_builder;
struct type_builder *type_begin(struct types *, enum type_kind kind, const char *tag);
int type_add_member(struct type_builder *, const char *name, const struct type *, unsigned bits);
int type_add_enumr(struct type_builder *, const char *name, int64_t value);
const struct type *type_finish(struct type_builder *);

/* The size in bytes of a complete type; 0: incomplete, void or a function. */
uint64_t type_size(const struct type *);
uint64_t type_align(const struct type *); /* at least 1 */

/* Strips typedefs and qualifiers; follows completed forwards. Never NULL for a non-NULL type. */
const struct type *type_resolve(const struct type *);
const struct type *type_strip_quals(const struct type *); /* qualifiers only, typedefs stay */

/* Is a member there in the structure (its bytes)? Only variants may not be. */
bool type_has_member(const struct type *, const struct type_member *, const char *bytes);

bool type_is_integer(const struct type *); /* also enum */
bool type_is_scalar(const struct type *);  /* integer, enum, pointer */
bool type_is_pointer(const struct type *);
bool type_is_in_kernel(const struct type *pointer); /* leads to a structure of the kernel */
bool type_is_float(const struct type *);
bool type_is_sou(const struct type *); /* struct or union */
/* Numbers that stand for stacks: the names of their types. */
#define USTACKID_TYPE "ustackid_t"
#define STACKID_TYPE  "stackid_t"
bool type_is_named(const struct type *, const char *name); /* it, or what it is a typedef of */
bool type_is_string(const struct type *);		   /* D string */
bool type_is_strcompat(const struct type *);		   /* string, char *, char[] */
/* string, array, struct, union, stack; a float of more than 8 bytes */
bool type_is_byref(const struct type *);
bool type_is_signed(const struct type *);
bool type_same(const struct type *, const struct type *); /* after type_resolve */

/* Member by name; anonymous structs and unions are transparent and their offset is added. */
bool type_member(const struct type *sou, const char *name, struct type_member *out);

/* The name a person would write: "int", "struct s *", "char [4]", "int (*)(int)". Returns buf. */
char *type_name(const struct type *, char *buf, size_t size);

#endif
