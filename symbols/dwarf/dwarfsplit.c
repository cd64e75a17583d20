/*
 * dwarfsplit.c: split units (DWARF 5 §7.3.2): of a .dwo file, whose type units may have sections of
 * their own, as gcc writes with -fdebug-types-section, and packages (.dwp, §7.3.5; the older GNU
 *form is version 2). libdw reads the simple ones only, and from whatever a name leads to. What
 *belongs to one unit is put together as the file of a program that has nothing else:
 *
 *	.debug_info      all sections of that name, or the unit and the type units beside it
 *	.debug_addr      that of the program, from where the unit's part begins
 *	the others       as they are, or the unit's part of them
 */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "symbols/dwarf/dwarf_priv.h"

#define MAX_UNITS (1U << 20)	      /* of a package */
#define MAX_BYTES ((uint64_t)4 << 30) /* of all that is put together */

enum part { INFO, TYPES, ABBREV, LINE, LOC, LOCLISTS, STR_OFFSETS, RNGLISTS, STR, ADDR, NPARTS };

static const char *const part_names[NPARTS] = {
	[INFO] = ".debug_info",
	[TYPES] = ".debug_types",
	[ABBREV] = ".debug_abbrev",
	[LINE] = ".debug_line",
	[LOC] = ".debug_loc",
	[LOCLISTS] = ".debug_loclists",
	[STR_OFFSETS] = ".debug_str_offsets",
	[RNGLISTS] = ".debug_rnglists",
	[STR] = ".debug_str",
	[ADDR] = ".debug_addr",
};

/* One that was put together. */
struct dwarf_split {
	struct dwarf_split *next;
	uint64_t id;
	struct strbuf image;
	Elf *elf;
	Dwarf *dw;
};

struct bytes {
	const uint8_t *p;
	size_t n;
};

/* ---- sections ---- */

static struct bytes section_bytes(Elf_Scn *scn)
{
	const Elf_Data *data;
	GElf_Shdr sh;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return (struct bytes){0};
	data = elf_rawdata(scn, NULL);
	return data && data->d_buf ? (struct bytes){data->d_buf, data->d_size} : (struct bytes){0};
}

typedef void section_fn(void *arg, const char *name, Elf_Scn *);

static void each_section(Elf *elf, section_fn *fn, void *arg)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name)
			fn(arg, name, scn);
	}
}

struct wanted {
	const char *name;
	struct bytes found;
};

static void if_wanted(void *arg, const char *name, Elf_Scn *scn)
{
	struct wanted *w = arg;

	if (!w->found.p && strcmp(name, w->name) == 0)
		w->found = section_bytes(scn);
}

static struct bytes section_named(Elf *elf, const char *name)
{
	struct wanted w = {.name = name};

	each_section(elf, if_wanted, &w);
	return w.found;
}

/* ---- a file of its own ---- */

#define PADDING 32

static void build(struct strbuf *image, const struct strbuf parts[NPARTS])
{
	Elf64_Ehdr header = {.e_type = ET_EXEC,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(header),
			     .e_shentsize = sizeof(Elf64_Shdr),
			     .e_shnum = NPARTS + 2,
			     .e_shstrndx = NPARTS + 1};
	Elf64_Shdr table[NPARTS + 2] = {0};
	struct strbuf names;

	strbuf_init(&names);
	strbuf_addc(&names, '\0');
	strbuf_add(image, &header, sizeof(header));
	for (unsigned i = 0; i <= NPARTS; i++) {
		const char *name = i < NPARTS ? part_names[i] : ".shstrtab";
		Elf64_Shdr *sh = &table[i + 1];

		sh->sh_name = (Elf64_Word)names.len;
		strbuf_add(&names, name, strlen(name) + 1);
		sh->sh_type = i < NPARTS ? SHT_PROGBITS : SHT_STRTAB;
		sh->sh_addralign = 1;
		sh->sh_offset = image->len;
		sh->sh_size = i < NPARTS ? parts[i].len : names.len;
		strbuf_add(image, i < NPARTS ? parts[i].s : names.s, sh->sh_size);
		for (unsigned k = 0; k < PADDING; k++) /* where every text ends */
			strbuf_addc(image, '\0');
		sh->sh_size += i == STR;
	}
	while (image->len % 8)
		strbuf_addc(image, '\0');
	header.e_shoff = image->len;
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	strbuf_add(image, table, sizeof(table));
	memcpy(image->s, &header, sizeof(header));
	strbuf_release(&names);
}

static void split_free(struct dwarf_split *s)
{
	if (s->dw)
		dwarf_end(s->dw);
	elf_end(s->elf);
	strbuf_release(&s->image);
	free(s);
}

/* A file of another build has another number. */
static bool has_unit(Dwarf *dw, uint64_t id)
{
	Dwarf_CU *cu = NULL;
	uint64_t there;
	uint8_t kind;

	while (dwarf_get_units(dw, cu, &cu, NULL, &kind, NULL, NULL) == 0)
		if (kind == DW_UT_split_compile &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &there, NULL, NULL) == 0 &&
		    there == id)
			return true;
	return false;
}

static Dwarf *put_together(struct dwarf *d, uint64_t id, const struct strbuf parts[NPARTS])
{
	struct dwarf_split *s;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < NPARTS; i++)
		bytes += parts[i].len;
	if (bytes > MAX_BYTES - d->split_bytes)
		return NULL;
	d->split_bytes += bytes;
	s = xcalloc(1, sizeof(*s));
	s->id = id;
	strbuf_init(&s->image);
	build(&s->image, parts);
	s->elf = elf_memory(s->image.s, s->image.len);
	s->dw = s->elf ? dwarf_begin_elf(s->elf, DWARF_C_READ, NULL) : NULL;
	if (!s->dw || !has_unit(s->dw, id)) {
		split_free(s);
		return NULL;
	}
	s->next = d->splits;
	d->splits = s;
	return s->dw;
}

/* The addresses of a unit are in the program, from a place on that its skeleton tells. */
static void add_addresses(struct dwarf *d, Dwarf_Die *skeleton, struct strbuf *part)
{
	struct bytes all = section_named(dwarf_getelf(d->dw), part_names[ADDR]);
	Dwarf_Attribute a;
	Dwarf_Word base = 0;

	if (dwarf_attr(skeleton, DW_AT_addr_base, &a) ||
	    dwarf_attr(skeleton, DW_AT_GNU_addr_base, &a))
		dwarf_formudata(&a, &base);
	if (base < all.n)
		strbuf_add(part, all.p + base, all.n - base);
}

/* ---- .dwo ---- */

static enum part part_of(const char *name)
{
	size_t n = strlen(name);
	enum part i = 0;

	n -= n > 4 && strcmp(name + n - 4, ".dwo") == 0 ? 4 : n;
	while (i < NPARTS && (strlen(part_names[i]) != n || memcmp(part_names[i], name, n) != 0))
		i++;
	return i;
}

static void add_section(void *arg, const char *name, Elf_Scn *scn)
{
	struct strbuf *parts = arg;
	enum part part = part_of(name);
	struct bytes b = part < NPARTS ? section_bytes(scn) : (struct bytes){0};

	if (b.p && (!parts[part].len || part == INFO || part == TYPES))
		strbuf_add(&parts[part], b.p, b.n);
}

/* ---- .dwp ---- */

/* .debug_cu_index or .debug_tu_index: rows of units, columns of sections. */
struct index {
	uint32_t version, ncols, nunits, nslots;
	const uint8_t *ids, *slots, *columns, *offsets, *sizes;
};

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool read_index(struct bytes b, struct index *x)
{
	uint64_t need;

	memset(x, 0, sizeof(*x));
	if (b.n < 16)
		return false;
	x->version = u32(b.p) & 0xffff; /* of version 5 it has 2 bytes, and 2 of padding */
	x->ncols = u32(b.p + 4);
	x->nunits = u32(b.p + 8);
	x->nslots = u32(b.p + 12);
	if ((x->version != 2 && x->version != 5) || x->ncols > 16 || x->nunits > MAX_UNITS ||
	    x->nslots > 4 * MAX_UNITS)
		return false;
	need = 16 + 12ULL * x->nslots + 4ULL * x->ncols * (1 + 2ULL * x->nunits);
	if (b.n < need)
		return false;
	x->ids = b.p + 16;
	x->slots = x->ids + 8ULL * x->nslots;
	x->columns = x->slots + 4ULL * x->nslots;
	x->offsets = x->columns + 4ULL * x->ncols;
	x->sizes = x->offsets + 4ULL * x->ncols * x->nunits;
	return true;
}

/* The row of a unit, from 0; -1: it is not in the package. */
static int64_t find_row(const struct index *x, uint64_t id)
{
	for (uint32_t i = 0; i < x->nslots; i++) {
		uint32_t row = u32(x->slots + 4ULL * i);
		uint64_t there;

		memcpy(&there, x->ids + 8ULL * i, sizeof(there));
		if (there == id && row && row <= x->nunits)
			return row - 1;
	}
	return -1;
}

/* What a column is about (DWARF 5 table 7.1, and that of version 2). */
static enum part column_part(const struct index *x, uint32_t col)
{
	static const uint8_t parts[2][9] = {
		{NPARTS, INFO, TYPES, ABBREV, LINE, LOC, STR_OFFSETS, NPARTS, NPARTS},
		{NPARTS, INFO, NPARTS, ABBREV, LINE, LOCLISTS, STR_OFFSETS, NPARTS, RNGLISTS},
	};
	uint32_t id = u32(x->columns + 4ULL * col);

	return id < ARRAY_SIZE(parts[0]) ? parts[x->version == 5][id] : NPARTS;
}

/* The part of a section that a unit has. */
static struct bytes contribution(const struct index *x, const struct bytes all[NPARTS], int64_t row,
				 enum part part)
{
	for (uint32_t col = 0; col < x->ncols; col++) {
		uint64_t at = 4 * ((uint64_t)row * x->ncols + col);
		uint32_t off = u32(x->offsets + at), n = u32(x->sizes + at);

		if (column_part(x, col) == part && off <= all[part].n && n <= all[part].n - off)
			return (struct bytes){all[part].p + off, n};
	}
	return (struct bytes){0};
}

/* Type units that come from the same .dwo share its abbreviations. */
static void add_types(const struct index *x, const struct bytes all[NPARTS], const uint8_t *abbrev,
		      struct strbuf parts[NPARTS])
{
	for (int64_t row = 0; row < x->nunits; row++) {
		if (contribution(x, all, row, ABBREV).p != abbrev)
			continue;
		for (enum part part = INFO; part <= TYPES; part++) {
			struct bytes b = contribution(x, all, row, part);

			if (b.p)
				strbuf_add(&parts[part], b.p, b.n);
		}
	}
}

static bool read_package(Elf *elf, uint64_t id, struct strbuf parts[NPARTS])
{
	struct bytes all[NPARTS], index = section_named(elf, ".debug_cu_index");
	struct index units, types;
	char name[64];
	int64_t row;

	if (!read_index(index, &units) || (row = find_row(&units, id)) < 0)
		return false;
	for (enum part part = 0; part < NPARTS; part++) {
		snprintf(name, sizeof(name), "%s.dwo", part_names[part]);
		all[part] = section_named(elf, name);
	}
	for (enum part part = 0; part < STR; part++) {
		struct bytes b = contribution(&units, all, row, part);

		if (b.p)
			strbuf_add(&parts[part], b.p, b.n);
	}
	strbuf_add(&parts[STR], all[STR].p, all[STR].n);
	if (read_index(section_named(elf, ".debug_tu_index"), &types))
		add_types(&types, all, contribution(&units, all, row, ABBREV).p, parts);
	return true;
}

/* ---- the answers ---- */

static void parts_init(struct strbuf parts[NPARTS])
{
	for (unsigned i = 0; i < NPARTS; i++)
		strbuf_init(&parts[i]);
}

static bool read_dwo(struct dwarf *d, const char *path, struct strbuf parts[NPARTS])
{
	struct dwarfimage image;

	if (!dwarf_read_file(d, path, &image))
		return false;
	each_section(image.elf, add_section, parts);
	dwarfimage_release(&image);
	return true;
}

/* It lies beside the file, by its name. */
static Elf *package_of(struct dwarf *d)
{
	char path[4096];

	if (d->package_tried || !strchr(d->file->path, '/'))
		return d->package.elf;
	d->package_tried = true;
	if (snprintf(path, sizeof(path), "%s.dwp", d->file->path) < (int)sizeof(path))
		dwarf_read_file(d, path, &d->package);
	return d->package.elf;
}

Dwarf *dwarf_split_units(struct dwarf *d, const char *path, uint64_t id, Dwarf_Die *skeleton)
{
	struct strbuf parts[NPARTS];
	Dwarf *dw = NULL;

	for (const struct dwarf_split *s = d->splits; s; s = s->next)
		if (s->id == id)
			return s->dw;
	parts_init(parts);
	if ((package_of(d) && read_package(d->package.elf, id, parts)) ||
	    (path && read_dwo(d, path, parts))) {
		add_addresses(d, skeleton, &parts[ADDR]);
		dw = put_together(d, id, parts);
	}
	for (unsigned i = 0; i < NPARTS; i++)
		strbuf_release(&parts[i]);
	return dw;
}

static void note_signatures(struct dwarf *d, Dwarf *dw)
{
	Dwarf_Die type, *kept;
	Dwarf_CU *cu = NULL;
	uint64_t id;
	uint8_t kind;

	while (dwarf_get_units(dw, cu, &cu, NULL, &kind, NULL, &type) == 0) {
		if ((kind != DW_UT_type && kind != DW_UT_split_type) || !type.addr ||
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) != 0 ||
		    hash_get(&d->signatures, id))
			continue;
		kept = ARENA_NEW(&d->arena, Dwarf_Die);
		*kept = type;
		hash_put(&d->signatures, id, kept);
	}
}

bool dwarf_split_type(struct dwarf *d, const Dwarf_Attribute *a, Dwarf_Die *type)
{
	const Dwarf_Die *found;
	uint64_t id;

	if (a->form != DW_FORM_ref_sig8 || !d->splits)
		return false;
	if (!d->has_signatures)
		for (const struct dwarf_split *s = d->splits; s; s = s->next)
			note_signatures(d, s->dw);
	d->has_signatures = true;
	memcpy(&id, a->valp, sizeof(id));
	found = hash_get(&d->signatures, id);
	if (found)
		*type = *found;
	return found;
}

void dwarf_split_close(struct dwarf *d)
{
	while (d->splits) {
		struct dwarf_split *s = d->splits;

		d->splits = s->next;
		split_free(s);
	}
	dwarfimage_release(&d->package);
}
