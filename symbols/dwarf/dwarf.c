/*
 * dwarf.c: entries of file scope by name and by address. The index is made at the first question,
 * in one pass over the entries directly below each unit and namespace.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanname.h"
#include "base/err.h"
#include "base/regfile.h"
#include "symbols/dwarf/dwarf_priv.h"
#include "symbols/elf_priv.h"

#define MAX_NAMESPACES 16 /* of one another */
#define MAX_BLOCKS     64 /* the same, in a function */
#define MAX_PARAMS     64
#define LIMIT_SECONDS  120 /* for one pass over all entries */

static int open_image(struct dwarf *d, struct err *err)
{
	Dwarf_CU *cu = NULL;
	int r = dwarfimage_read(d->file, &d->image, err);

	d->dw = r || !d->image.elf ? NULL : dwarf_begin_elf(d->image.elf, DWARF_C_READ, NULL);
	if (!r && (!d->dw || dwarf_get_units(d->dw, cu, &cu, NULL, NULL, NULL, NULL) != 0))
		r = err_set(err, -ENODATA, "no debug information");
	return r;
}

static void close_image(struct dwarf *d)
{
	if (d->alt)
		dwarf_end(d->alt);
	if (d->dw)
		dwarf_end(d->dw);
	dwarfimage_release(&d->alt_image);
	dwarfimage_release(&d->image);
	objfile_close(d->file);
	free(d);
}

int dwarf_open(int fd, const char *module, struct dwarf_types *dt, struct dwarf **out,
	       struct err *err)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));
	int r;

	if (elf_open_debug(fd, module, &d->file, NULL)) {
		free(d);
		return err_set(err, -ENODATA, "no debug information");
	}
	r = open_image(d, err);
	if (r) {
		close_image(d);
		return r;
	}
	d->dt = dt;
	arena_init(&d->arena);
	d->module = arena_strdup(dt->types->arena, module);
	strmap_init(&d->tags);
	strmap_init(&d->names);
	strmap_init(&d->vars);
	strmap_init(&d->statics);
	strmap_init(&d->scoped);
	hash_init(&d->signatures);
	*out = d;
	return 0;
}

void dwarf_close(struct dwarf *d)
{
	strmap_release(&d->tags);
	strmap_release(&d->names);
	strmap_release(&d->vars);
	strmap_release(&d->statics);
	strmap_release(&d->scoped);
	hash_release(&d->signatures);
	free(d->funcs);
	dwarf_split_close(d);
	arena_release(&d->arena);
	close_image(d);
}

/* ---- other files ---- */

void dwarf_set_place(struct dwarf *d, const char *path, int root)
{
	elf_set_path(d->file, path);
	objfile_set_root(d->file, fileroot_dup(root), path);
}

void dwarf_on_trouble(struct dwarf *d, void (*fn)(void *arg, const char *text), void *arg)
{
	d->on_trouble = fn;
	d->on_trouble_arg = arg;
}

/* The first one is enough: more of a hostile file would be a flood. */
static void trouble(struct dwarf *d, const char *text)
{
	if (d->on_trouble && !d->is_trouble_told)
		d->on_trouble(d->on_trouble_arg, text);
	d->is_trouble_told = true;
}

bool dwarf_read_file(struct dwarf *d, const char *path, struct dwarfimage *image)
{
	int fd = regfile_open(objfile_root(d->file), path, REGFILE_FOLLOW);
	struct err err = {0};
	struct objfile *o;
	bool is_read;

	if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR)
		trouble(d, arena_printf(&d->arena, "%s is not read: %s",
					name_cleaned(&d->arena, path), regfile_why(fd)));
	if (fd < 0)
		return false;
	if (elf_open_debug(fd, path, &o, &err))
		o = NULL;
	is_read = o && dwarfimage_read(o, image, &err) == 0;
	if (!is_read)
		trouble(d, arena_strdup(&d->arena, err.text));
	objfile_close(o);
	return is_read;
}

/* libdw would open what the file names, whatever it is: it never sees the name. */
static void need_alt(struct dwarf *d)
{
	struct objfile *o = d->alt_tried ? NULL : debugfile_alt(d->file);
	const char *why;

	if (!d->alt_tried && !o && (why = objfile_trouble(d->file)))
		trouble(d, why);
	d->alt_tried = true;
	if (!o)
		return;
	if (dwarfimage_read(o, &d->alt_image, NULL) == 0 && d->alt_image.elf)
		d->alt = dwarf_begin_elf(d->alt_image.elf, DWARF_C_READ, NULL);
	if (d->alt)
		dwarf_setalt(d->dw, d->alt);
	objfile_close(o);
}

/* ---- text ---- */

static const char *integrated_text(struct dwarf *d, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	const char *text = dwarf_attr_integrate(die, name, &a) ? dwarf_formstring(&a) : NULL;

	return text ? name_cleaned(&d->arena, text) : NULL;
}

const char *dwarf_name(struct dwarf *d, Dwarf_Die *die)
{
	return integrated_text(d, die, DW_AT_name);
}

/* ---- the index ---- */

static bool has_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	bool flag;

	return dwarf_attr(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

struct dwent *dwarf_add_entry(struct dwarf *d, struct strmap *map, const char *name, Dwarf_Die *die)
{
	struct dwent *e = ARENA_NEW(&d->arena, struct dwent), *first = strmap_get(map, name);

	e->die = *die;
	if (first) {
		e->next = first->next;
		first->next = e;
	} else {
		strmap_put(map, name, e);
	}
	return e;
}

static bool is_definition(Dwarf_Die *die)
{
	return !has_flag(die, DW_AT_declaration);
}

static void add_type(struct dwarf *d, struct strmap *map, Dwarf_Die *die)
{
	const char *name = dwarf_name(d, die);

	if (name && !strmap_get(map, name) && is_definition(die))
		dwarf_add_entry(d, map, name, die);
}

/* A variable of a namespace or class goes by the name of its symbol, too. */
static void add_variable(struct dwarf *d, Dwarf_Die *die)
{
	const char *names[] = {integrated_text(d, die, DW_AT_name),
			       integrated_text(d, die, DW_AT_linkage_name)};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i])
			dwarf_locate(dwarf_add_entry(d, &d->vars, names[i], die), die);
}

static void add_function(struct dwarf *d, Dwarf_Die *die)
{
	struct dwent *e;
	Dwarf_Addr addr;

	if (dwarf_entrypc(die, &addr) != 0)
		return;
	if (d->nfuncs == d->funcs_room) {
		d->funcs_room = d->funcs_room ? 2 * d->funcs_room : 256;
		d->funcs = xrealloc(d->funcs, d->funcs_room * sizeof(*d->funcs));
	}
	e = &d->funcs[d->nfuncs++];
	*e = (struct dwent){.die = *die, .addr = addr, .has_addr = true};
}

/* `first` is an entry below a unit or a namespace. */
static void index_entries(struct dwarf *d, Dwarf_Die first, unsigned depth)
{
	Dwarf_Die die = first, child;

	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			add_type(d, &d->tags, &die);
			break;
		case DW_TAG_typedef:
		case DW_TAG_base_type:
			add_type(d, &d->names, &die);
			break;
		case DW_TAG_variable:
			add_variable(d, &die);
			break;
		case DW_TAG_subprogram:
			add_function(d, &die);
			break;
		case DW_TAG_namespace:
			if (depth < MAX_NAMESPACES && dwarf_child(&die, &child) == 0)
				index_entries(d, child, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_next_seen(d, &die));
}

static void add_static(struct dwarf *d, Dwarf_Die *die)
{
	const char *name = integrated_text(d, die, DW_AT_name);
	struct dwent e = {0};

	dwarf_locate(&e, die);
	if (!name || !e.has_addr)
		return;
	dwarf_locate(dwarf_add_entry(d, &d->statics, name, die), die);
}

/* What lies in functions: at any depth below a unit, but not in types. */
static void index_statics(struct dwarf *d, Dwarf_Die first, unsigned depth)
{
	Dwarf_Die die = first, child;
	bool in_function = depth > 0;

	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			if (in_function)
				add_static(d, &die);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			if (depth < MAX_BLOCKS && dwarf_child(&die, &child) == 0)
				index_statics(d, child, depth + 1);
			break;
		case DW_TAG_namespace:
			if (depth < MAX_BLOCKS && dwarf_child(&die, &child) == 0)
				index_statics(d, child, depth);
			break;
		default:
			break;
		}
	} while (dwarf_next_seen(d, &die));
}

static int by_addr(const void *a, const void *b)
{
	const struct dwent *x = a, *y = b;

	uintptr_t a_at = (uintptr_t)x->die.addr, b_at = (uintptr_t)y->die.addr;

	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : (a_at < b_at ? -1 : a_at > b_at);
}

static const char *unit_text(Dwarf_Die *unit, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute a;

	return dwarf_attr(unit, name, &a) || (gnu_name && dwarf_attr(unit, gnu_name, &a))
		       ? dwarf_formstring(&a)
		       : NULL;
}

/* Where a unit that stands in a file of its own says that it is. NULL: it does not. */
static const char *split_path(struct dwarf *d, Dwarf_Die *unit)
{
	const char *name = unit_text(unit, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *dir = unit_text(unit, DW_AT_comp_dir, 0);

	return name && *name != '/' && dir ? arena_printf(&d->arena, "%s/%s", dir, name) : name;
}

/* What stands in a file of its own (DWARF 5 §7.3.2: a split unit) is read from there. libdw must
 * not be asked for it: it opens what it finds by the name. */
static Dwarf *split_file(struct dwarf *d, Dwarf_CU *cu, Dwarf_Die *skeleton)
{
	uint64_t id = 0;

	if (dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) != 0)
		return NULL;
	return dwarf_split_units(d, split_path(d, skeleton), id, skeleton);
}

/*
 * Each entry has a byte, at least. A file whose entries claim each other's places for their
 * children makes a pass over them endless.
 */
bool dwarf_next_seen(struct dwarf *d, Dwarf_Die *die)
{
	if (++d->nseen > d->image.size + d->alt_image.size + d->split_bytes ||
	    time_limit_is_over(&d->limit)) {
		trouble(d, arena_printf(&d->arena,
					"%s: its debug information has no end, or takes too long: "
					"not all of it is known",
					d->file->path));
		return false;
	}
	return dwarf_next(die);
}

static void index_units(struct dwarf *d, Dwarf *dw, bool is_split, dwarf_index_fn *fn)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, child;
	uint8_t kind;

	while (dwarf_get_units(dw, cu, &cu, NULL, &kind, &unit, NULL) == 0) {
		Dwarf *split = NULL;

		if (kind == DW_UT_skeleton && !is_split)
			split = split_file(d, cu, &unit);
		if (split)
			index_units(d, split, true, fn);
		else if (dwarf_child(&unit, &child) == 0)
			fn(d, child, 0);
	}
}

void dwarf_index_units(struct dwarf *d, dwarf_index_fn *fn)
{
	need_alt(d);
	d->nseen = 0;
	time_limit_begin(&d->limit, LIMIT_SECONDS);
	index_units(d, d->dw, false, fn);
	if (d->alt)
		index_units(d, d->alt, true, fn);
}

static void need_index(struct dwarf *d)
{
	if (d->indexed)
		return;
	d->indexed = true;
	dwarf_index_units(d, index_entries);
	if (d->nfuncs)
		qsort(d->funcs, d->nfuncs, sizeof(*d->funcs), by_addr);
}

static bool entry_die(const struct dwent *e, Dwarf_Die *die)
{
	if (e)
		*die = e->die;
	return e;
}

/* ---- questions ---- */

static const struct dwent *function_at(const struct dwarf *d, taddr_t addr)
{
	unsigned lo = 0, hi = d->nfuncs;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (d->funcs[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->nfuncs && d->funcs[lo].addr == addr ? &d->funcs[lo] : NULL;
}

/* Which rules its compiler follows. */
static void read_compiler(Dwarf_Die *die, struct dwarf_func *f)
{
	Dwarf_Attribute a;
	const char *producer;
	Dwarf_Die unit;

	if (!dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return;
	producer = dwarf_attr(&unit, DW_AT_producer, &a) ? dwarf_formstring(&a) : NULL;
	f->is_rust = dwarf_srclang(&unit) == DW_LANG_Rust;
	f->is_go = dwarf_srclang(&unit) == DW_LANG_Go && producer &&
		   strncmp(producer, "Go cmd/compile", 14) == 0;
	f->is_go_regabi = f->is_go && strstr(producer, "regabi");
	f->is_llvm = producer && (strstr(producer, "clang") || strstr(producer, "LLVM"));
}

static bool is_result(Dwarf_Die *param)
{
	Dwarf_Attribute a;
	bool flag;

	return dwarf_attr_integrate(param, DW_AT_variable_parameter, &a) &&
	       dwarf_formflag(&a, &flag) == 0 && flag;
}

bool dwarf_function(struct dwarf *d, taddr_t addr, struct dwarf_func *f)
{
	struct dwarf_param params[MAX_PARAMS];
	Dwarf_Die die, child;

	need_index(d);
	if (!entry_die(function_at(d, addr), &die))
		return false;
	memset(f, 0, sizeof(*f));
	f->result = dwarf_type_of(d, &die);
	read_compiler(&die, f);
	if (dwarf_child(&die, &child) == 0) {
		do {
			f->varargs |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (f->nparams == MAX_PARAMS)
				return false;
			params[f->nparams] =
				(struct dwarf_param){.name = integrated_text(d, &child, DW_AT_name),
						     .type = dwarf_type_of(d, &child),
						     .is_result = is_result(&child)};
			dwarf_find_param(&child, addr, &params[f->nparams++]);
		} while (dwarf_next(&child));
	}
	f->params = arena_memdup(&d->arena, params, f->nparams * sizeof(*params));
	return true;
}

/* The one at the address; else one with an address, else any. */
static const struct dwent *best_variable(const struct dwent *e, taddr_t addr)
{
	const struct dwent *best = NULL;

	for (; e; e = e->next) {
		if (e->has_addr && e->addr == addr)
			return e;
		if (!best || (!best->has_addr && (e->has_addr || e->is_tls)))
			best = e;
	}
	return best;
}

static bool read_variable(struct dwarf *d, const struct dwent *e, struct dwarf_var *v)
{
	Dwarf_Die die;

	if (!entry_die(e, &die))
		return false;
	v->type = dwarf_type_of(d, &die);
	v->addr = e->addr;
	v->has_addr = e->has_addr;
	v->is_tls = e->is_tls;
	v->is_gone = !e->has_addr && is_definition(&die) && !dwarf_hasattr(&die, DW_AT_location);
	return v->type->kind != TYPE_VOID;
}

bool dwarf_variable(struct dwarf *d, const char *name, taddr_t addr, struct dwarf_var *v)
{
	const struct dwent *e;

	need_index(d);
	e = best_variable(strmap_get(&d->vars, name), addr);
	return read_variable(d, e ? e : dwarf_scoped_variables(d, name), v);
}

bool dwarf_static(struct dwarf *d, const char *name, struct dwarf_var *v, bool *is_only)
{
	const struct dwent *e;

	if (!d->has_statics)
		dwarf_index_units(d, index_statics);
	d->has_statics = true;
	e = strmap_get(&d->statics, name);
	*is_only = true;
	for (const struct dwent *other = e; other; other = other->next)
		*is_only &= other->addr == e->addr;
	return read_variable(d, e, v);
}

bool dwarf_find_tag(struct dwarf *d, const char *tag, Dwarf_Die *die)
{
	need_index(d);
	return entry_die(strmap_get(&d->tags, tag), die);
}

/* The word before a tag must be what the tag is. */
static bool is_kind(Dwarf_Die *die, const char *name, size_t len)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_union_type:
		return len == 5 && memcmp(name, "union", 5) == 0;
	case DW_TAG_enumeration_type:
		return len == 4 && memcmp(name, "enum", 4) == 0;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return len == 6 && memcmp(name, "struct", 6) == 0;
	default:
		return false;
	}
}

bool dwarf_names_tags(Dwarf_Die *die)
{
	static const int of_c[] = {DW_LANG_C, DW_LANG_C89, DW_LANG_C99, DW_LANG_C11};
	Dwarf_Die unit;
	int language;

	if (!dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	language = dwarf_srclang(&unit);
	for (unsigned i = 0; i < ARRAY_SIZE(of_c); i++)
		if (language == of_c[i])
			return false;
	return true;
}

/* A tag by itself; one that C has needs its "struct". */
static bool find_name(struct dwarf *d, const char *name, Dwarf_Die *die)
{
	return entry_die(strmap_get(&d->names, name), die) ||
	       ((dwarf_find_tag(d, name, die) || dwarf_find_scoped(d, name, die)) &&
		(dwarf_names_tags(die) || dwarf_tag(die) == DW_TAG_typedef));
}

const struct type *dwarf_type(struct dwarf *d, const char *name)
{
	const char *blank = strchr(name, ' ');
	Dwarf_Die die;

	need_index(d);
	if (!blank)
		return find_name(d, name, &die) ? dwarf_type_from(d, &die) : NULL;
	if (!dwarf_find_tag(d, blank + 1, &die) && !dwarf_find_scoped(d, blank + 1, &die))
		return NULL;
	return is_kind(&die, name, (size_t)(blank - name)) ? dwarf_type_from(d, &die) : NULL;
}
