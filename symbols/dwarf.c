/*
 * dwarf.c: entries of file scope by name and by address. The index is made at the first question,
 * in one pass over the entries directly below each unit and namespace.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/dwarfint.h"

#define MAX_NAMESPACES 16 /* of one another */
#define MAX_PARAMS     64

int dwarf_open(int fd, const char *module, struct dwarf_types *dt, struct dwarf **out,
	       struct err *err)
{
	Elf *elf; /* read, not mapped: a file that shrinks must not be a SIGBUS */
	Dwarf *dw;
	Dwarf_CU *cu = NULL;
	struct dwarf *d;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	dw = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dw || dwarf_get_units(dw, cu, &cu, NULL, NULL, NULL, NULL) != 0) {
		if (dw)
			dwarf_end(dw);
		elf_end(elf);
		close(fd);
		return err_set(err, -ENODATA, "no debug information");
	}
	d = xcalloc(1, sizeof(*d));
	d->dt = dt;
	d->elf = elf;
	d->dw = dw;
	d->fd = fd;
	arena_init(&d->arena);
	d->module = arena_strdup(dt->types->arena, module);
	strmap_init(&d->tags);
	strmap_init(&d->names);
	strmap_init(&d->vars);
	*out = d;
	return 0;
}

void dwarf_close(struct dwarf *d)
{
	strmap_release(&d->tags);
	strmap_release(&d->names);
	strmap_release(&d->vars);
	free(d->funcs);
	dwarf_end(d->dw);
	elf_end(d->elf);
	close(d->fd);
	arena_release(&d->arena);
	free(d);
}

/* ---- the index ---- */

static bool has_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	bool flag;

	return dwarf_attr(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

static struct dwent *add_entry(struct dwarf *d, struct strmap *map, const char *name,
			       Dwarf_Die *die)
{
	struct dwent *e = ARENA_NEW(&d->arena, struct dwent), *first = strmap_get(map, name);

	e->off = dwarf_dieoffset(die);
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
	const char *name = dwarf_diename(die);

	if (name && !strmap_get(map, name) && is_definition(die))
		add_entry(d, map, name, die);
}

static void locate(struct dwent *e, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &a) || dwarf_getlocation(&a, &ops, &n) != 0)
		return;
	if (n == 1 && ops[0].atom == DW_OP_addr) {
		e->addr = ops[0].number;
		e->has_addr = true;
	} else if (n == 1 && (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index)) {
		Dwarf_Attribute addr;

		e->has_addr = dwarf_getlocation_attr(&a, ops, &addr) == 0 &&
			      dwarf_formaddr(&addr, &e->addr) == 0;
	} else if (n > 1) {
		e->is_tls = ops[n - 1].atom == DW_OP_form_tls_address ||
			    ops[n - 1].atom == DW_OP_GNU_push_tls_address;
	}
}

static void add_variable(struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_name, &a))
		name = dwarf_formstring(&a);
	if (name)
		locate(add_entry(d, &d->vars, name, die), die);
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
	*e = (struct dwent){.off = dwarf_dieoffset(die), .addr = addr, .has_addr = true};
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
	} while (dwarf_next(&die));
}

static int by_addr(const void *a, const void *b)
{
	const struct dwent *x = a, *y = b;

	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1)
				  : (x->off < y->off ? -1 : x->off > y->off);
}

static void need_index(struct dwarf *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, child;

	if (d->indexed)
		return;
	d->indexed = true;
	while (dwarf_get_units(d->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		if (dwarf_tag(&unit) != DW_TAG_type_unit && dwarf_child(&unit, &child) == 0)
			index_entries(d, child, 0);
	if (d->nfuncs)
		qsort(d->funcs, d->nfuncs, sizeof(*d->funcs), by_addr);
}

static bool entry_die(struct dwarf *d, const struct dwent *e, Dwarf_Die *die)
{
	return e && dwarf_offdie(d->dw, e->off, die);
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

static int entry_register(Dwarf_Die *param, taddr_t entry)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(param, DW_AT_location, &a) ||
	    dwarf_getlocation_addr(&a, entry, &ops, &n, 1) != 1 || n != 1)
		return -1;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return ops[0].atom - DW_OP_reg0;
	return -1;
}

static const char *integrated_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_name, &a) ? dwarf_formstring(&a) : NULL;
}

bool dwarf_function(struct dwarf *d, taddr_t addr, struct dwarf_func *f)
{
	struct dwarf_param params[MAX_PARAMS];
	Dwarf_Die die, child;

	need_index(d);
	if (!entry_die(d, function_at(d, addr), &die))
		return false;
	memset(f, 0, sizeof(*f));
	f->result = dwarf_type_of(d, &die);
	if (dwarf_child(&die, &child) == 0) {
		do {
			f->varargs |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (f->nparams == MAX_PARAMS)
				return false;
			params[f->nparams++] = (struct dwarf_param){
				integrated_name(&child),
				dwarf_type_of(d, &child),
				entry_register(&child, addr),
			};
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

bool dwarf_variable(struct dwarf *d, const char *name, taddr_t addr, struct dwarf_var *v)
{
	const struct dwent *e;
	Dwarf_Die die;

	need_index(d);
	e = best_variable(strmap_get(&d->vars, name), addr);
	if (!entry_die(d, e, &die))
		return false;
	v->type = dwarf_type_of(d, &die);
	v->addr = e->addr;
	v->has_addr = e->has_addr;
	v->is_tls = e->is_tls;
	return v->type->kind != TYPE_VOID;
}

bool dwarf_find_tag(struct dwarf *d, const char *tag, Dwarf_Die *die)
{
	need_index(d);
	return entry_die(d, strmap_get(&d->tags, tag), die);
}

/* The word before a tag must be what the tag is. */
static bool is_kind(Dwarf_Die *die, const char *name, size_t len)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_union_type:
		return len == 5 && memcmp(name, "union", 5) == 0;
	case DW_TAG_enumeration_type:
		return len == 4 && memcmp(name, "enum", 4) == 0;
	default:
		return len == 6 && memcmp(name, "struct", 6) == 0;
	}
}

const struct type *dwarf_type(struct dwarf *d, const char *name)
{
	const char *blank = strchr(name, ' ');
	Dwarf_Die die;

	need_index(d);
	if (!blank)
		return entry_die(d, strmap_get(&d->names, name), &die) ? dwarf_type_from(d, &die)
								       : NULL;
	if (!dwarf_find_tag(d, blank + 1, &die) || !is_kind(&die, name, (size_t)(blank - name)))
		return NULL;
	return dwarf_type_from(d, &die);
}
