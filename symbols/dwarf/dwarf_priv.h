/*
 * dwarf_priv.h: what dwarf.c, which finds entries, and dwarftypes.c, which makes types of them,
 * share.
 */
#ifndef SYMBOLS_DWARF_DWARF_PRIV_H
#define SYMBOLS_DWARF_DWARF_PRIV_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/endreq.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarfimage.h"

struct dwarf_types {
	struct types *types;
	struct hash by_die; /* address of an entry → type */
	struct hash lazy;   /* address of a TYPE_FORWARD → struct lazy */
	struct strmap tags; /* name, size and place of a definition → type */
	const struct type *t_int128, *t_uint128, *t_method;
};

/* A variable, a function or a type of file scope. */
struct dwent {
	struct dwent *next; /* of the same name */
	Dwarf_Die die;
	taddr_t addr;
	bool has_addr, is_tls;
};

struct dwarf {
	struct dwarf_types *dt;
	const char *module;
	struct objfile *file; /* and where names in it are looked for */
	struct dwarfimage image, alt_image;
	Dwarf *dw, *alt; /* alt: what several files share (dwz); with alt_tried */
	bool alt_tried;
	uint64_t nseen; /* entries in this pass: no more than there are bytes */
	struct time_limit limit;
	bool is_trouble_told;
	void (*on_trouble)(void *arg, const char *text);
	void *on_trouble_arg;
	struct arena arena;
	bool indexed, has_statics, has_scoped;
	struct strmap tags, names, vars; /* → struct dwent */
	struct strmap statics;		 /* the same, of functions; with has_statics */
	struct strmap scoped;		 /* types by their names with scopes; with has_scoped */
	struct dwarf_split *splits;	 /* dwarfsplit.c's: units put together, and the .dwp */
	struct hash signatures; /* of their type units → Dwarf_Die; with has_signatures */
	struct dwarfimage package;
	uint64_t split_bytes; /* of all that was put together */
	bool package_tried, has_signatures;
	struct dwent *funcs; /* by address */
	unsigned nfuncs, funcs_room;
};

/* dwarf.c: as dwarf_diename. */
const char *dwarf_name(struct dwarf *, Dwarf_Die *);
/* The definition of a tag in this file. */
bool dwarf_find_tag(struct dwarf *, const char *tag, Dwarf_Die *);

/* Is it of a language where the tag of a structure is a name by itself? */
bool dwarf_names_tags(Dwarf_Die *);
/* Calls fn with the first entry of each unit, at depth 0. */
typedef void dwarf_index_fn(struct dwarf *, Dwarf_Die first, unsigned depth);
void dwarf_index_units(struct dwarf *, dwarf_index_fn *);
/* The next entry beside this one, in such a pass: false, too, when the file makes it endless. */
bool dwarf_next_seen(struct dwarf *, Dwarf_Die *);
struct dwent *dwarf_add_entry(struct dwarf *, struct strmap *, const char *name, Dwarf_Die *);

/* dwarflocation.c: the address of a variable, into its entry, if it has one. */
void dwarf_locate(struct dwent *, Dwarf_Die *variable);
/* Where a parameter of the function that begins at `entry` is then: its place, nregs and regs. */
void dwarf_find_param(Dwarf_Die *, taddr_t entry, struct dwarf_param *);
/* Where in its structure a member begins, of an attribute that is no number. False: it has no fixed
 * place. */
bool dwarf_member_offset(Dwarf_Attribute *, uint64_t *bytes);

/*
 * dwarfsplit.c: the units that a skeleton stands for, from the package beside the file or from its
 * .dwo file (path; NULL: there is none). Owned by the struct dwarf. NULL: they are not there.
 */
Dwarf *dwarf_split_units(struct dwarf *, const char *path, uint64_t id, Dwarf_Die *skeleton);
/* dwarf.c: the sections of a file whose name stands in this one. False: it is not there. */
bool dwarf_read_file(struct dwarf *, const char *path, struct dwarfimage *);
/* A type unit of another split unit, by the signature that an attribute holds. */
bool dwarf_split_type(struct dwarf *, const Dwarf_Attribute *, Dwarf_Die *);
void dwarf_split_close(struct dwarf *);

/* dwarfscope.c: the definition of "ns::Widget", "Widget::Part", "Box<int>". */
bool dwarf_find_scoped(struct dwarf *, const char *name, Dwarf_Die *);
/* The name of an entry with those of its scopes; NULL: they are not known. */
const char *dwarf_scoped_name(struct dwarf *, Dwarf_Die *);
/* The variable "ns::count", "Widget::count"; NULL: none. The index of names is there. */
const struct dwent *dwarf_scoped_variables(struct dwarf *, const char *name);

#define MAX_DEPTH 64 /* of types within types */

/* dwarftypes.c: the type an entry is of; void if it is of none. */
const struct type *dwarf_type_of(struct dwarf *, Dwarf_Die *);
const struct type *dwarf_type_from(struct dwarf *, Dwarf_Die *);
/* The same for the part of a type that is being made, at that depth. */
const struct type *dwarf_referenced(struct dwarf *, Dwarf_Die *, unsigned depth);
struct type *dwarf_new_type(const struct dwarf *, enum type_kind, const char *name);
const struct type *dwarf_bytes_type(struct dwarf *, uint64_t size); /* of what D has no type for */
/* An unsigned number of an entry. False: it has no such attribute. */
bool dwarf_number(Dwarf_Die *, unsigned name, uint64_t *v);
/* The entry that an attribute leads to; what is only a signature, to the type unit it stands for.
 */
bool dwarf_follow(struct dwarf *, Dwarf_Die *, unsigned name, Dwarf_Die *to);

/* dwarfstructs.c */
const struct type *dwarf_structure(struct dwarf *, Dwarf_Die *);
const struct type *dwarf_enumeration(struct dwarf *, Dwarf_Die *, unsigned depth);
/* What stands somewhere by value is complete with it. Returns the type. */
const struct type *dwarf_complete_value(struct dwarf *, const struct type *, unsigned depth);

/* The next entry beside this one. False: none, or the file leads backwards. */
static inline bool dwarf_next(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || dwarf_dieoffset(&next) <= before)
		return false;
	*die = next;
	return true;
}

#endif
