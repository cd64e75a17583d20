/*
 * dwarfstructs.c: entries of structures and enumerations. Of a structure, the members are read when
 * somebody asks for them: a file has thousands, and a program looks at few.
 */
#include <stdlib.h>

#include "symbols/dwarf/dwarf_priv.h"

#define MAX_ENTRIES 20000 /* looked at to find out how a class is passed */

/* A structure until its members are asked for. */
struct lazy {
	struct type type; /* TYPE_FORWARD; body when complete */
	struct dwarf *d;
	Dwarf_Die die;
	bool has_definition, is_by_address, is_busy;
};

static bool complete(struct lazy *, unsigned depth);

static uint64_t key_of(const void *p)
{
	return (uintptr_t)p;
}

static struct lazy *lazy_of(const struct dwarf_types *dt, const struct type *t)
{
	return hash_get(&dt->lazy, key_of(t));
}

/* What stands in a structure by value is complete with it. */
const struct type *dwarf_complete_value(struct dwarf *d, const struct type *t, unsigned depth)
{
	const struct type *plain = type_resolve(t);
	struct lazy *l;

	while (plain->kind == TYPE_ARRAY)
		plain = type_resolve(plain->ref);
	l = plain->kind == TYPE_FORWARD ? lazy_of(d->dt, plain) : NULL;
	if (l)
		complete(l, depth);
	return t;
}

/* ---- structures ---- */

static enum type_kind kind_of(int tag)
{
	return tag == DW_TAG_union_type		? TYPE_UNION
	       : tag == DW_TAG_enumeration_type ? TYPE_ENUM
						: TYPE_STRUCT;
}

static const char *full_name(struct dwarf *d, enum type_kind kind, const char *tag)
{
	if (!tag)
		return NULL;
	return arena_printf(&d->arena, "%s %s",
			    kind == TYPE_UNION	? "union"
			    : kind == TYPE_ENUM ? "enum"
						: "struct",
			    tag);
}

/* As dwarf_decl_file, which ends the process where a file has no table of its sources. */
static const char *source_file(Dwarf_Die *die)
{
	Dwarf_Files *files;
	Dwarf_Die unit;
	uint64_t index;
	size_t n;

	if (!dwarf_number(die, DW_AT_decl_file, &index) ||
	    !dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &n) != 0 || index >= n)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

/*
 * The same text for the same definition read from another unit or file: name, size and place. One
 * without a name needs the file it stands in as well.
 */
static const char *identity(struct dwarf *d, Dwarf_Die *die, const char *name)
{
	uint64_t size = 0, line = 0, column = 0;
	const char *file = name ? "" : source_file(die);

	dwarf_number(die, DW_AT_byte_size, &size);
	dwarf_number(die, DW_AT_decl_line, &line);
	dwarf_number(die, DW_AT_decl_column, &column);
	if (!line || !file)
		return NULL;
	return arena_printf(d->dt->types->arena, "%s %d|%s|%llu|%llu|%llu", name ? name : "",
			    dwarf_tag(die), file, (unsigned long long)size,
			    (unsigned long long)line, (unsigned long long)column);
}

/* Where there are scopes, the same name in another one is another type. */
static bool find_same_name(struct dwarf *d, Dwarf_Die *die, Dwarf_Die *other)
{
	const char *name = dwarf_names_tags(die) ? dwarf_scoped_name(d, die) : NULL;

	return name && *name ? dwarf_find_scoped(d, name, other)
			     : dwarf_find_tag(d, dwarf_name(d, die), other);
}

/* A mere declaration is replaced by the definition, if this file has one. */
static bool find_definition(struct dwarf *d, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	Dwarf_Attribute a;
	Dwarf_Die other;
	bool flag;

	if (!dwarf_attr(die, DW_AT_declaration, &a) || dwarf_formflag(&a, &flag) != 0 || !flag)
		return true;
	if (!dwarf_name(d, die) || !find_same_name(d, die, &other) ||
	    kind_of(dwarf_tag(&other)) != kind_of(tag))
		return false;
	*die = other;
	return true;
}

/* Does C++ copy or destroy it by a function of the class itself, as this entry says? */
static bool is_own_copy(struct dwarf *d, Dwarf_Die *function, const char *class_name)
{
	const char *name = dwarf_name(d, function);
	Dwarf_Die param, to;
	int tag;

	if (!name || dwarf_hasattr(function, DW_AT_artificial) ||
	    dwarf_hasattr(function, DW_AT_defaulted))
		return false;
	if (name[0] == '~')
		return true;
	if (!class_name || strcmp(name, class_name) != 0 || dwarf_child(function, &param) != 0)
		return false;
	if (!dwarf_next(&param) || !dwarf_follow(d, &param, DW_AT_type, &to))
		return false; /* the first parameter is `this` */
	tag = dwarf_tag(&to);
	if ((tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type) ||
	    !dwarf_follow(d, &to, DW_AT_type, &to))
		return false;
	if (dwarf_tag(&to) == DW_TAG_const_type && !dwarf_follow(d, &to, DW_AT_type, &to))
		return false;
	return dwarf_name(d, &to) && strcmp(dwarf_name(d, &to), class_name) == 0;
}

/*
 * A C++ class that the ABI passes by its address: it, a base or a member has a copy constructor or
 * destructor of its own, or virtual functions. Compilers that say so in DWARF 5 are believed.
 */
static bool is_nontrivial(struct dwarf *d, Dwarf_Die *die, unsigned depth, unsigned *budget)
{
	uint64_t convention = 0;
	Dwarf_Die child, of;

	if (dwarf_number(die, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference;
	if (depth > MAX_DEPTH || dwarf_child(die, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *name = dwarf_name(d, &child);

		if (tag == DW_TAG_subprogram && (dwarf_hasattr(&child, DW_AT_virtuality) ||
						 is_own_copy(d, &child, dwarf_name(d, die))))
			return true;
		if (tag == DW_TAG_member && name && strncmp(name, "_vptr", 5) == 0)
			return true;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_declaration) ||
		    !dwarf_follow(d, &child, DW_AT_type, &of))
			continue;
		while (dwarf_tag(&of) == DW_TAG_typedef && (*budget)-- > 1 &&
		       dwarf_follow(d, &of, DW_AT_type, &of))
			;
		if ((dwarf_tag(&of) == DW_TAG_class_type ||
		     dwarf_tag(&of) == DW_TAG_structure_type) &&
		    is_nontrivial(d, &of, depth + 1, budget))
			return true;
	} while (--*budget > 1 && *budget <= MAX_ENTRIES && dwarf_next(&child));
	return false;
}

const struct type *dwarf_structure(struct dwarf *d, Dwarf_Die *die)
{
	const char *name = full_name(d, kind_of(dwarf_tag(die)), dwarf_name(d, die)), *id;
	bool is_defined = find_definition(d, die);
	const struct type *known;
	unsigned budget = MAX_ENTRIES;
	struct lazy *l;

	id = is_defined ? identity(d, die, name) : NULL;
	known = id ? strmap_get(&d->dt->tags, id) : NULL;
	if (known)
		return known;
	l = ARENA_NEW(d->dt->types->arena, struct lazy);
	l->type.kind = TYPE_FORWARD;
	l->type.forward = kind_of(dwarf_tag(die));
	l->type.name = name ? intern_str(d->dt->types->intern, name) : NULL;
	l->type.module = d->module;
	l->d = d;
	l->die = *die;
	l->has_definition = is_defined;
	if (is_defined)
		dwarf_number(die, DW_AT_byte_size, &l->type.size);
	l->is_by_address = is_defined && is_nontrivial(d, die, 0, &budget);
	hash_put(&d->dt->lazy, key_of(&l->type), l);
	if (id)
		strmap_put(&d->dt->tags, id, &l->type);
	return &l->type;
}

/* Where a member begins, in bits. False: it has no fixed place, or is one of the class. */
static bool member_place(Dwarf_Die *die, uint64_t bits, uint64_t size, uint64_t *at)
{
	uint64_t bytes = 0, from_top, unit = size;
	Dwarf_Attribute a;
	bool flag;

	if (dwarf_attr(die, DW_AT_declaration, &a) && dwarf_formflag(&a, &flag) == 0 && flag)
		return false;
	if (dwarf_number(die, DW_AT_data_bit_offset, at))
		return true;
	if (dwarf_attr(die, DW_AT_data_member_location, &a) &&
	    !dwarf_number(die, DW_AT_data_member_location, &bytes) &&
	    !dwarf_member_offset(&a, &bytes))
		return false;
	if (bytes > UINT64_MAX / 16)
		return false;
	*at = bytes * 8;
	if (!bits || !dwarf_number(die, DW_AT_bit_offset, &from_top))
		return true;
	dwarf_number(die, DW_AT_byte_size, &unit); /* DWARF 3: counted from the unit's high end */
	*at += unit * 8 - from_top - bits;
	return unit <= 16 && from_top <= unit * 8 - MIN(bits, unit * 8);
}

/*
 * A bit-field is read as part of one unit of its type, at a multiple of the unit; where a packed
 * one would cross two units, at a byte, and perhaps as a wider type.
 */
static bool fit_unit(struct dwarf *d, struct type_member *m)
{
	uint64_t unit = type_size(m->type) * 8;

	if (!type_is_integer(m->type) || !unit || m->bits > unit)
		return false;
	if (m->bit_offset % unit + m->bits <= unit || m->bit_offset % 8 + m->bits <= unit)
		return true;
	m->type = type_is_signed(m->type) ? d->dt->types->t_long : d->dt->types->t_ulong;
	return m->bit_offset % 8 + m->bits <= 64;
}

static bool read_member(struct dwarf *d, Dwarf_Die *die, uint64_t total, struct type_member *m,
			unsigned depth)
{
	const char *name = dwarf_tag(die) == DW_TAG_inheritance ? NULL : dwarf_name(d, die);
	uint64_t bits = 0, size;

	m->type = dwarf_complete_value(d, dwarf_referenced(d, die, depth), depth + 1);
	m->name = intern_str(d->dt->types->intern, name ? name : "");
	size = type_size(m->type);
	dwarf_number(die, DW_AT_bit_size, &bits);
	if (bits > 64 || !member_place(die, bits, size, &m->bit_offset))
		return false;
	m->bits = (uint8_t)bits;
	if (m->bit_offset > total * 8 || (bits ? bits : size * 8) > total * 8 - m->bit_offset)
		return false;
	return bits ? fit_unit(d, m) : m->bit_offset % 8 == 0;
}

static bool read_variant(struct dwarf *d, Dwarf_Die *die, uint64_t total, struct type_member *m,
			 unsigned depth)
{
	Dwarf_Die child;

	if (dwarf_hasattr(die, DW_AT_discr_list) || dwarf_child(die, &child) != 0 ||
	    dwarf_tag(&child) != DW_TAG_member || !read_member(d, &child, total, m, depth))
		return false;
	m->is_variant = true;
	m->is_other = !dwarf_number(die, DW_AT_discr_value, &m->tag);
	return true;
}

/*
 * An enum of Rust with values in it: a tag, and members that are there when it says so. All are
 * members of the structure; type_has_member() tells which one is there.
 */
static void read_variants(struct dwarf *d, Dwarf_Die *part, struct type *body,
			  struct type_member *list, unsigned room, unsigned depth)
{
	struct type_member tag = {0};
	Dwarf_Die child;
	uint64_t bits;

	if (body->tag || dwarf_child(part, &child) != 0)
		return;
	if (dwarf_follow(d, part, DW_AT_discr, &child) &&
	    read_member(d, &child, body->size, &tag, depth) && type_is_integer(tag.type) &&
	    !tag.bits)
		body->tag = arena_memdup(d->dt->types->arena, &tag, sizeof(tag));
	bits = body->tag ? 8 * type_size(tag.type) : 64;
	dwarf_child(part, &child);
	do {
		struct type_member *m = &list[body->nmembers];

		if (body->nmembers == room || dwarf_tag(&child) != DW_TAG_variant ||
		    !read_variant(d, &child, body->size, m, depth))
			continue;
		if (bits < 64)
			m->tag &= (1ULL << bits) - 1;
		body->nmembers++;
	} while (dwarf_next(&child));
}

static unsigned count_children(Dwarf_Die *die)
{
	Dwarf_Die child;
	unsigned n = 0;

	if (dwarf_child(die, &child) != 0)
		return 0;
	do {
		n++;
		if (dwarf_tag(&child) == DW_TAG_variant_part)
			n += count_children(&child);
	} while (dwarf_next(&child));
	return n;
}

static void read_members(struct dwarf *d, Dwarf_Die *die, struct type *body, unsigned depth)
{
	unsigned room = count_children(die);
	struct type_member *list = arena_alloc(d->dt->types->arena, (room + 1) * sizeof(*list));
	Dwarf_Die child;

	body->members = list;
	body->align = 1;
	if (!room || dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		struct type_member *m = &list[body->nmembers];

		if (tag == DW_TAG_variant_part)
			read_variants(d, &child, body, list, room, depth);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !read_member(d, &child, body->size, m, depth))
			continue;
		body->nmembers++;
		if (m->bit_offset / 8 % type_align(m->type) == 0) /* else it is packed */
			body->align = MAX(body->align, type_align(m->type));
	} while (body->nmembers < room && dwarf_next(&child));
	dwarf_number(die, DW_AT_alignment, &body->align);
	if (!body->align || body->align > 4096 || (body->align & (body->align - 1)))
		body->align = 1;
	while (body->align > 1 && body->size % body->align)
		body->align /= 2;
}

static bool complete(struct lazy *l, unsigned depth)
{
	struct type *body;

	if (l->type.body)
		return true;
	if (l->is_busy || depth > MAX_DEPTH || !l->has_definition)
		return false;
	l->is_busy = true;
	body = dwarf_new_type(l->d, l->type.forward, l->type.name);
	body->size = l->type.size;
	read_members(l->d, &l->die, body, depth);
	l->is_busy = false;
	l->type.body = body;
	return true;
}

/* ---- enumerations ---- */

static bool read_enumerators(struct dwarf *d, Dwarf_Die *die, struct type *t)
{
	unsigned room = count_children(die);
	struct type_enumr *list = arena_alloc(d->dt->types->arena, (room + 1) * sizeof(*list));
	Dwarf_Attribute a;
	Dwarf_Sword value;
	Dwarf_Die child;

	t->enumrs = list;
	if (!room || dwarf_child(die, &child) != 0)
		return false;
	do {
		const char *name = dwarf_name(d, &child);

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name ||
		    !dwarf_attr(&child, DW_AT_const_value, &a) || dwarf_formsdata(&a, &value) != 0)
			continue;
		list[t->nenumrs++] = (struct type_enumr){
			intern_str(d->dt->types->intern, name),
			t->is_signed
				? value
				: (int64_t)(value & (Dwarf_Sword)(UINT64_MAX >> (64 - t->bits)))};
	} while (t->nenumrs < room && dwarf_next(&child));
	return true;
}

const struct type *dwarf_enumeration(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const char *name = full_name(d, TYPE_ENUM, dwarf_name(d, die)), *id;
	const struct type *base;
	uint64_t size = 4;
	struct type *t;

	find_definition(d, die);
	id = identity(d, die, name);
	t = id ? strmap_get(&d->dt->tags, id) : NULL;
	if (t)
		return t;
	base = type_resolve(dwarf_referenced(d, die, depth));
	dwarf_number(die, DW_AT_byte_size, &size);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return dwarf_bytes_type(d, size);
	t = dwarf_new_type(d, TYPE_ENUM, name);
	t->size = size;
	t->bits = (uint8_t)(size * 8);
	t->is_signed = base->kind != TYPE_INT || base->is_signed;
	read_enumerators(d, die, t);
	if (id)
		strmap_put(&d->dt->tags, id, t);
	return t;
}

/* ---- what is asked of them later ---- */

bool dwarf_complete(struct dwarf_types *dt, const struct type *t)
{
	struct lazy *l = lazy_of(dt, t);

	return l && complete(l, 0);
}

bool dwarf_is_by_address(const struct dwarf_types *dt, const struct type *t)
{
	const struct lazy *l;

	for (;;) { /* as type_resolve, but to the forward declaration */
		if (t->kind == TYPE_TYPEDEF || t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE)
			t = t->ref;
		else
			break;
	}
	l = lazy_of(dt, t);
	return l && l->is_by_address;
}
