/*
 * check.h: what the files of the checker share: check.c (names, types), checkop.c (operators),
 * checkcall.c (functions, arrays, prototypes), fold.c (constants). The rest uses compiler.h.
 */
#ifndef DLANG_PARSE_CHECK_H
#define DLANG_PARSE_CHECK_H

#include "dlang/parse/compiler.h"

struct stmtkind;

/* Room for a type's name in a message. */
#define TYPE_TEXT 256

/* check.c */
/* The type as messages show it; values without one show what their name is ("aggregation"). */
const char *node_type_text(const struct node *, char buf[static TYPE_TEXT]);
void check_list(struct compiler *, struct node **list); /* each node, in place */
/* Size of a value; strings have strsize characters. 0: unknown. */
uint64_t type_bytes(const struct compiler *, const struct type *);
struct node *make_int(struct compiler *, const struct node *at, uint64_t value,
		      const struct type *);
bool node_is_zero(const struct node *);	   /* the integer constant 0 */
bool node_is_dynamic(const struct node *); /* an aggregation or aggregating function */
bool node_is_action(const struct node *);
/* A variable that has no type yet: the second try of a body, or D_VAR_UNDEF. */
void fail_unset(struct compiler *, int line, const char *scope, const char *name) NORETURN;
void fail_no_ids(struct compiler *, int line) NORETURN;

/* A copy of the definition of an inline or of a translated member, where it is used. */
struct node *expand_definition(struct compiler *, const struct node *definition);

/* May a value of the node's type be assigned to the type (docs/spec/d-language.md §3.5)? */
bool check_fits(const struct type *to, const struct node *value);
bool pointers_compatible(const struct type *, const struct type *);
bool type_is_function(const struct type *);
/* The type both integer operands are converted to (docs/spec/d-language.md §3.2). */
const struct type *usual_type(const struct compiler *, const struct type *, const struct type *);
/* An enumerator is an int. */
const struct type *int_type(const struct compiler *, const struct type *);

/* Names: a plain name, or x of self->x and this->x; NULL for any other expression. */
struct node *variable_name(struct node *, enum ident_scope *);
/*
 * The left side of an assignment: a name that is not known yet becomes a variable without type
 * (node->type NULL). Returns the checked node.
 */
struct node *check_target(struct compiler *, struct node *);
/* Gives a variable its type, once. */
void set_variable_type(struct ident *, const struct type *);
/* The enumerator a bare name means beside a value of an enum type, or NULL. */
struct node *check_enumerator(struct compiler *, struct node *name, const struct type *);

/* checkop.c */
struct node *check_op1(struct compiler *, struct node *);
struct node *check_op2(struct compiler *, struct node *);
struct node *check_op3(struct compiler *, struct node *);

/* checkcall.c */
struct node *check_call(struct compiler *, struct node *);
struct node *check_index(struct compiler *, struct node *);
/* Keys of an array or aggregation against those of its first use, which they set. */
void check_keys(struct compiler *, struct ident *, struct node *keys, int line);
/* An associative array element; `make`: it stands left of an assignment. */
struct node *check_element(struct compiler *, struct node *index, bool make);

/* checkscratch.c: a value is assigned to a variable or an element of an array: D_ALLOCA_INCOMPAT.
 */
void check_pointer_source(struct compiler *, const struct node *assignment);
/* Was the pointer made of what alloca() or copyin() gave? */
bool check_is_scratch(const struct node *);

/* checkextern.c */
/* type_resolve, and the body of a declared tag from the traced programs if they have it. */
const struct type *complete_type(struct compiler *, const struct type *);
/* The type of that name ("struct lib.so`s", "foo_t") in the traced programs, or NULL. */
const struct type *target_type(struct compiler *, const char *name);
/* Is the module in front of the last backquote there? */
bool target_has_module(struct compiler *, const char *scoped);
/* A pointer that was read in the target leads there: its type says so. */
void note_userland(struct compiler *, struct node *);
/* An external symbol; `untyped` is its type if it has none (NULL: D_SYM_NOTYPES). */
struct node *check_symbol(struct compiler *, struct node *, const struct type *untyped);
/* The same if it is one; else check_expr. */
struct node *check_untyped_symbol(struct compiler *, struct node *, const struct type *untyped);
/* left.right, where left is a symbol, but no structure: the symbol of the whole name, as Go has
 * them (main.counter). NULL: there is none. */
struct node *check_dotted_symbol(struct compiler *, struct node *);
/* args[index]: the node, or the translation of it */
struct node *check_probe_arg(struct compiler *, struct node *, uint64_t index);
/* args.NAME, as the source of the traced program calls it. */
struct node *check_named_arg(struct compiler *, struct node *);

/* fold.c: the node or the constant it comes to. */
struct node *fold_op1(struct compiler *, struct node *);
struct node *fold_op2(struct compiler *, struct node *);
struct node *fold_cast(struct compiler *, struct node *);

#endif
