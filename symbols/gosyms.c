/*
 * gosyms.c: functions of Go programs without a symbol table, from the table that their runtime
 * walks stacks by; and files and lines of all Go programs.
 */
#include <stdlib.h>

#include "base/cleanname.h"
#include "base/err.h"
#include "symbols/elf_priv.h"
#include "symbols/gopclntab.h"

struct gosyms {
	struct gopclntab table;
	uint8_t *data;
};

/* Position-independent programs have it among what is relocated. */
static const Elf64_Shdr *find_table(const struct sections *s)
{
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	const Elf64_Shdr *sh = NULL;

	for (unsigned i = 0; i < ARRAY_SIZE(names) && !sh; i++)
		sh = elf_section_named(s, names[i]);
	return sh && sh->sh_type != SHT_NOBITS ? sh : NULL;
}

static struct gosyms *read_table(const struct objfile *o, const struct sections *s)
{
	const Elf64_Shdr *sh = find_table(s), *text = elf_section_named(s, ".text");
	struct gosyms *go;

	if (!sh || !text)
		return NULL;
	go = xcalloc(1, sizeof(*go));
	go->data = elf_read(o, sh->sh_offset, sh->sh_size, "table of Go functions", NULL);
	if (go->data && gopclntab_open(&go->table, go->data, sh->sh_size, text->sh_addr))
		return go;
	gosyms_free(go);
	return NULL;
}

void gosyms_free(struct gosyms *go)
{
	if (!go)
		return;
	free(go->data);
	free(go);
}

static struct gosyms *need_table(const struct objfile *o, const struct sections *s)
{
	struct objfile_priv *p = priv(o);

	if (!p->go_read)
		p->go = read_table(o, s);
	p->go_read = true;
	return p->go;
}

void gosyms_add(struct objfile *o, const struct sections *s)
{
	struct gosyms *go = need_table(o, s);
	Elf64_Sym *syms;
	uint64_t n = 0;

	if (!go)
		return;
	syms = xcalloc(go->table.nfuncs, sizeof(*syms));
	for (uint64_t i = 0; i < go->table.nfuncs; i++) {
		struct gofunc f;

		if (!gopclntab_func(&go->table, i, &f))
			continue;
		syms[n++] = (Elf64_Sym){
			.st_name = (Elf64_Word)(f.name - (const char *)go->data),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SHN_LORESERVE - 1, /* somewhere: it is defined */
			.st_value = f.start,
			.st_size = f.end - f.start,
		};
	}
	elf_add_symbols(o, syms, n, (const char *)go->data, go->table.size, NULL, 0);
	free(syms);
}

/* The function that holds pc: they stand in the order of their addresses. */
static bool find_function(const struct gopclntab *t, taddr_t pc, struct gofunc *f)
{
	uint64_t lo = 0, hi = t->nfuncs;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (!gopclntab_func(t, mid, f))
			return false;
		if (pc >= f->start && pc < f->end)
			return true;
		if (pc < f->start)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

bool objfile_go_line(const struct objfile *o, taddr_t pc, const char **file, unsigned *line)
{
	struct sections s = {0};
	struct gofunc f;

	if (!priv(o)->go_read && elf_sections(o, &s, NULL) == 0)
		need_table(o, &s);
	elf_sections_release(&s);
	if (!priv(o)->go || !find_function(&priv(o)->go->table, pc, &f) ||
	    !gopclntab_line(&priv(o)->go->table, &f, pc, file, line))
		return false;
	*file = name_cleaned(&priv(o)->arena, *file);
	return true;
}

bool objfile_is_go(const struct objfile *o)
{
	struct sections s = {0};
	bool is_go = elf_sections(o, &s, NULL) == 0 && find_table(&s);

	elf_sections_release(&s);
	return is_go;
}
