/*
 * The dynamic symbols by way of the dynamic section, as the loader finds them: a program needs no
 * section table to run, and some packers take it away. How many symbols there are is only said by
 * the hash tables.
 */
#include <stdlib.h>

#include "symbols/elf_priv.h"

#define MAX_SYMBOLS (1u << 22)
#define MAX_STRINGS (1u << 28)

struct dynamic {
	taddr_t symtab, strtab, hash, gnu_hash, versym;
	uint64_t strsize;
};

static void read_dynamic(const struct objfile *o, struct dynamic *d)
{
	const Elf64_Phdr *ph = &priv(o)->dynamic;
	uint64_t n = MIN(ph->p_filesz, 1u << 20) / sizeof(Elf64_Dyn);
	Elf64_Dyn dyn;

	for (uint64_t i = 0; i < n; i++) {
		if (objfile_bytes(o, ph->p_vaddr + i * sizeof(dyn), &dyn, sizeof(dyn)) !=
			    sizeof(dyn) ||
		    dyn.d_tag == DT_NULL)
			return;
		switch (dyn.d_tag) {
		case DT_SYMTAB:
			d->symtab = dyn.d_un.d_ptr;
			break;
		case DT_STRTAB:
			d->strtab = dyn.d_un.d_ptr;
			break;
		case DT_STRSZ:
			d->strsize = dyn.d_un.d_val;
			break;
		case DT_HASH:
			d->hash = dyn.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			d->gnu_hash = dyn.d_un.d_ptr;
			break;
		case DT_VERSYM:
			d->versym = dyn.d_un.d_ptr;
			break;
		default: /* of no interest here */
			break;
		}
	}
}

static uint32_t word_at(const struct objfile *o, taddr_t addr)
{
	uint32_t v = 0;

	return objfile_bytes(o, addr, &v, sizeof(v)) == sizeof(v) ? v : 0;
}

/* The chain of the highest bucket ends with the last symbol. */
static uint64_t count_gnu(const struct objfile *o, taddr_t table)
{
	uint32_t nbuckets = word_at(o, table), first = word_at(o, table + 4);
	taddr_t buckets = table + 16 + 8 * (taddr_t)word_at(o, table + 8);
	uint32_t last = 0;

	for (uint32_t i = 0; i < MIN(nbuckets, MAX_SYMBOLS); i++)
		last = MAX(last, word_at(o, buckets + 4 * (taddr_t)i));
	if (last < first)
		return first;
	for (; last < MAX_SYMBOLS; last++) {
		taddr_t chain = buckets + 4 * ((taddr_t)nbuckets + last - first);

		if (word_at(o, chain) & 1)
			break;
	}
	return last + 1;
}

/* Memory of the file at addr, n bytes at most; *n becomes what is there. The caller frees. */
static char *read_memory(const struct objfile *o, taddr_t addr, uint64_t *n)
{
	char *buf = xmalloc(*n + 1);

	*n = objfile_bytes(o, addr, buf, *n);
	buf[*n] = '\0';
	return buf;
}

void dynsym_add(struct objfile *o, char **strings)
{
	struct dynamic d = {0};
	uint64_t nsyms, nversions;
	Elf64_Sym *sym;
	uint16_t *versions;

	read_dynamic(o, &d);
	if (!d.symtab || !d.strtab || d.strsize > MAX_STRINGS)
		return;
	nsyms = d.hash ? word_at(o, d.hash + 4) : d.gnu_hash ? count_gnu(o, d.gnu_hash) : 0;
	nsyms = MIN(nsyms, MAX_SYMBOLS);
	nversions = d.versym ? nsyms * sizeof(*versions) : 0;
	nsyms *= sizeof(*sym);
	sym = (Elf64_Sym *)(void *)read_memory(o, d.symtab, &nsyms);
	versions = (uint16_t *)(void *)read_memory(o, d.versym, &nversions);
	*strings = read_memory(o, d.strtab, &d.strsize);
	elf_add_symbols(o, sym, nsyms / sizeof(*sym), *strings, d.strsize, versions,
			nversions / sizeof(*versions));
	free(sym);
	free(versions);
}
