/*
 * dwarfint.h: what dwarf.c, which finds entries, and dwarftypes.c, which makes types of them,
 * share.
 */
#ifndef SYMBOLS_DWARFINT_H
#define SYMBOLS_DWARFINT_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbols/dwarf.h"

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
	Elf *elf;
	Dwarf *dw;
	int fd;
	struct arena arena;
	bool indexed, has_statics;
	struct strmap tags, names, vars; /* → struct dwent */
	struct strmap statics;		 /* the same, of functions; with has_statics */
	struct dwtext {			 /* sections that texts were found in last */
		const char *start, *end;
	} texts[4];
	unsigned ntexts;
	struct dwent *funcs; /* by address */
	unsigned nfuncs, funcs_room;
};

/* dwarf.c: as dwarf_formstring and dwarf_diename; what does not end within its section is none. */
const char *dwarf_text(struct dwarf *, Dwarf_Attribute *);
const char *dwarf_name(struct dwarf *, Dwarf_Die *);
/* The definition of a tag in this file. */
bool dwarf_find_tag(struct dwarf *, const char *tag, Dwarf_Die *);

/* dwarftypes.c: the type an entry is of; void if it is of none. */
const struct type *dwarf_type_of(struct dwarf *, Dwarf_Die *);
const struct type *dwarf_type_from(struct dwarf *, Dwarf_Die *);

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
