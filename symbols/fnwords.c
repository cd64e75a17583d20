/*
 * Words that the loader fills with addresses of functions: the global offset table and pointers in
 * data (System V ABI x86-64, relocations). They tell which implementation an indirect function has
 * chosen in a process that runs. Others tell where per-thread variables are.
 */
#include <stdlib.h>

#include "symbols/elf_priv.h"

#define MAX_RELOCATIONS ((uint64_t)1 << 26) /* bytes of one table */
#define MAX_STRINGS	((uint64_t)1 << 28)

struct fnword {
	taddr_t at;
	const char *name; /* NULL: what its resolver chooses */
	taddr_t resolver;
	uint32_t next; /* of the same name or resolver; NO_SYM: none */
};

struct fnwords {
	struct fnword *v;
	uint32_t n, room;
	struct strmap by_name;	 /* → index + 1 of the last */
	struct hash by_resolver; /* the same */
	struct hash by_place;	 /* address → index + 1; made when it is asked for */
	struct objfile_tls tls;	 /* at 0: none */
	char *strings;
};

struct tables {
	taddr_t symtab, strtab, rela, jmprel;
	uint64_t strsize, relasize, relatives, jmpsize;
};

static void read_tables(const struct objfile *o, struct tables *t)
{
	const Elf64_Phdr *ph = &priv(o)->dynamic;
	uint64_t n = MIN(ph->p_filesz, 1u << 20) / sizeof(Elf64_Dyn);
	Elf64_Dyn d;

	for (uint64_t i = 0;
	     i < n && objfile_bytes(o, ph->p_vaddr + i * sizeof(d), &d, sizeof(d)) == sizeof(d);
	     i++) {
		const struct {
			int64_t tag;
			uint64_t *to;
		} wanted[] = {
			{DT_SYMTAB, &t->symtab},   {DT_STRTAB, &t->strtab},
			{DT_STRSZ, &t->strsize},   {DT_RELA, &t->rela},
			{DT_RELASZ, &t->relasize}, {DT_RELACOUNT, &t->relatives},
			{DT_JMPREL, &t->jmprel},   {DT_PLTRELSZ, &t->jmpsize},
		};

		if (d.d_tag == DT_NULL)
			return;
		for (unsigned k = 0; k < ARRAY_SIZE(wanted); k++)
			if (wanted[k].tag == d.d_tag)
				*wanted[k].to = d.d_un.d_val;
	}
}

/* Returns its index + 1. */
static uintptr_t add_word(struct fnwords *w, taddr_t at, const char *name, taddr_t resolver,
			  uintptr_t first)
{
	if (w->n == w->room) {
		w->room = w->room ? w->room * 2 : 64;
		w->v = xrealloc(w->v, w->room * sizeof(*w->v));
	}
	w->v[w->n] = (struct fnword){.at = at,
				     .name = name,
				     .resolver = resolver,
				     .next = first ? (uint32_t)first - 1 : NO_SYM};
	return ++w->n;
}

static bool read_symbol(const struct objfile *o, const struct tables *t, uint64_t i, Elf64_Sym *s)
{
	return t->symtab &&
	       objfile_bytes(o, t->symtab + i * sizeof(*s), s, sizeof(*s)) == sizeof(*s);
}

static const char *symbol_name(const struct objfile *o, const struct tables *t, uint64_t i)
{
	Elf64_Sym s;

	if (!read_symbol(o, t, i, &s) || s.st_name >= t->strsize)
		return "";
	return priv(o)->fnwords->strings + s.st_name;
}

/* One that tells the place itself is better than the number of the module. */
static void add_tls(struct objfile *o, const struct tables *t, const Elf64_Rela *r, bool is_offset)
{
	struct objfile_tls *tls = &priv(o)->fnwords->tls;
	uint64_t i = ELF64_R_SYM(r->r_info);
	Elf64_Sym s = {0};

	/* a variable of another file lies in that one's block */
	if (tls->is_offset || (i && (!read_symbol(o, t, i, &s) || s.st_shndx == SHN_UNDEF)))
		return;
	*tls = (struct objfile_tls){.at = r->r_offset, .is_offset = is_offset};
	if (is_offset)
		tls->less = s.st_value + (uint64_t)r->r_addend;
	if (ELF64_R_TYPE(r->r_info) == R_X86_64_TLSDESC)
		tls->at += 8; /* behind the function */
}

static void add_relocation(struct objfile *o, const struct tables *t, const Elf64_Rela *r)
{
	struct fnwords *w = priv(o)->fnwords;
	taddr_t resolver = (taddr_t)r->r_addend;
	const char *name;

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_IRELATIVE:
		if (resolver)
			hash_put(&w->by_resolver, resolver,
				 (void *)add_word(w, r->r_offset, NULL, resolver,
						  (uintptr_t)hash_get(&w->by_resolver, resolver)));
		break;
	case R_X86_64_64:
		if (r->r_addend)
			break;
		/* fall through */
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		name = symbol_name(o, t, ELF64_R_SYM(r->r_info));
		if (name[0])
			strmap_put(&w->by_name, name,
				   (void *)add_word(w, r->r_offset, name, 0,
						    (uintptr_t)strmap_get(&w->by_name, name)));
		break;
	case R_X86_64_TPOFF64:
	case R_X86_64_TLSDESC:
		add_tls(o, t, r, true);
		break;
	case R_X86_64_DTPMOD64:
		add_tls(o, t, r, false);
		break;
	default: /* no address of a function */
		break;
	}
}

static void add_relocations(struct objfile *o, const struct tables *t, const Elf64_Rela *r,
			    uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		add_relocation(o, t, &r[i]);
}

/* A table in memory: skip entries at its beginning are of no interest. */
static void read_table(struct objfile *o, const struct tables *t, taddr_t at, uint64_t size,
		       uint64_t skip)
{
	uint64_t n = MIN(size, MAX_RELOCATIONS) / sizeof(Elf64_Rela);
	Elf64_Rela *r;

	if (!at || skip >= n)
		return;
	at += skip * sizeof(*r);
	n -= skip;
	r = xcalloc(n, sizeof(*r));
	add_relocations(o, t, r, objfile_bytes(o, at, r, n * sizeof(*r)) / sizeof(*r));
	free(r);
}

/* A static program has no dynamic section: it finds the table by symbols of its linker. */
static void read_sections(struct objfile *o, const struct tables *t)
{
	struct sections s = {0};

	if (elf_sections(o, &s, NULL) == 0)
		for (unsigned i = 0; i < s.n; i++) {
			Elf64_Rela *r;

			if (s.sh[i].sh_type != SHT_RELA || !(s.sh[i].sh_flags & SHF_ALLOC))
				continue;
			r = elf_read(o, s.sh[i].sh_offset, s.sh[i].sh_size, "relocations", NULL);
			if (r)
				add_relocations(o, t, r, s.sh[i].sh_size / sizeof(*r));
			free(r);
		}
	elf_sections_release(&s);
}

static void read_words(struct objfile *o)
{
	struct fnwords *w = xcalloc(1, sizeof(*w));
	struct tables t = {0};

	priv(o)->fnwords = w;
	strmap_init(&w->by_name);
	hash_init(&w->by_resolver);
	hash_init(&w->by_place);
	read_tables(o, &t);
	t.strsize = MIN(t.strsize, MAX_STRINGS);
	w->strings = xcalloc(1, t.strsize + 1);
	t.strsize = objfile_bytes(o, t.strtab, w->strings, t.strsize);
	read_table(o, &t, t.rela, t.relasize, t.relatives);
	read_table(o, &t, t.jmprel, t.jmpsize, 0);
	if (!t.rela && !t.jmprel)
		read_sections(o, &t);
}

void objfile_each_fnword(struct objfile *o, const char *name, taddr_t resolver, fnword_fn *fn,
			 void *arg)
{
	const struct fnwords *w;
	uintptr_t first;

	if (!priv(o)->fnwords)
		read_words(o);
	w = priv(o)->fnwords;
	first = (uintptr_t)(name ? strmap_get(&w->by_name, name)
				 : hash_get(&w->by_resolver, resolver));
	for (uint32_t i = first ? (uint32_t)first - 1 : NO_SYM; i != NO_SYM; i = w->v[i].next) {
		uint64_t in_file = 0;

		objfile_bytes(o, w->v[i].at, &in_file, sizeof(in_file));
		fn(arg, w->v[i].at, in_file);
	}
}

static void place_words(struct fnwords *w)
{
	hash_expect(&w->by_place, w->n);
	for (uint32_t i = 0; i < w->n; i++)
		hash_put(&w->by_place, w->v[i].at, (void *)(uintptr_t)(i + 1));
}

/* The indirect function whose resolver is there: several may have one. */
static const char *name_of_resolver(const struct objfile *o, taddr_t at)
{
	const struct func *f = objfile_before(o, at);

	while (f && f->addr == at && !f->is_ifunc && f > o->funcs)
		f--;
	return f && f->addr == at && f->is_ifunc ? f->name : NULL;
}

const char *fnword_name(struct objfile *o, taddr_t at)
{
	const struct fnword *word;
	struct fnwords *w;
	uintptr_t n;

	if (!priv(o)->fnwords)
		read_words(o);
	w = priv(o)->fnwords;
	if (!w->by_place.n)
		place_words(w);
	n = (uintptr_t)hash_get(&w->by_place, at);
	if (!n)
		return NULL;
	word = &w->v[n - 1];
	return word->name ? word->name : name_of_resolver(o, word->resolver);
}

bool objfile_tls_word(struct objfile *o, struct objfile_tls *out)
{
	if (!priv(o)->fnwords)
		read_words(o);
	*out = priv(o)->fnwords->tls;
	return out->at != 0;
}

void fnwords_free(struct fnwords *w)
{
	if (!w)
		return;
	strmap_release(&w->by_name);
	hash_release(&w->by_resolver);
	hash_release(&w->by_place);
	free(w->strings);
	free(w->v);
	free(w);
}
