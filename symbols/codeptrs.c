/*
 * codeptrs.c: the addresses that the data of a file keep, as the loader knows them: relative
 * relocations (DT_RELA, DT_RELR); in a program that is not relocated any word may be one.
 */
#include <stdlib.h>

#include "symbols/elf_priv.h"

#define BLOCK 8192 /* bytes read at a time */

struct relocations {
	taddr_t rela, relr;
	uint64_t relasz, relrsz;
};

static void find_relocations(const struct objfile *o, struct relocations *r)
{
	const Elf64_Phdr *ph = &priv(o)->dynamic;
	Elf64_Dyn dyn;

	for (uint64_t at = 0; at + sizeof(dyn) <= ph->p_filesz; at += sizeof(dyn)) {
		if (objfile_bytes(o, ph->p_vaddr + at, &dyn, sizeof(dyn)) != sizeof(dyn) ||
		    dyn.d_tag == DT_NULL)
			return;
		if (dyn.d_tag == DT_RELA)
			r->rela = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_RELASZ)
			r->relasz = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_RELR)
			r->relr = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_RELRSZ)
			r->relrsz = dyn.d_un.d_val;
	}
}

static void read_rela(const struct objfile *o, const struct relocations *r, objfile_pointer_fn *fn,
		      void *arg)
{
	Elf64_Rela rela[BLOCK / sizeof(Elf64_Rela)];

	for (uint64_t at = 0; at + sizeof(*rela) <= r->relasz;) {
		size_t n = objfile_bytes(o, r->rela + at, rela, MIN(sizeof(rela), r->relasz - at)) /
			   sizeof(*rela);

		for (size_t i = 0; i < n; i++)
			if (ELF64_R_TYPE(rela[i].r_info) == R_X86_64_RELATIVE)
				fn(arg, (taddr_t)rela[i].r_addend);
		if (!n)
			return;
		at += n * sizeof(*rela);
	}
}

static void pointer_at(const struct objfile *o, taddr_t at, objfile_pointer_fn *fn, void *arg)
{
	uint64_t word;

	if (objfile_bytes(o, at, &word, sizeof(word)) == sizeof(word))
		fn(arg, word);
}

/* An even entry is an address, an odd one a bitmap of the 63 words behind the last. */
static void read_relr(const struct objfile *o, const struct relocations *r, objfile_pointer_fn *fn,
		      void *arg)
{
	taddr_t where = 0;
	uint64_t entry;

	for (uint64_t at = 0; at + sizeof(entry) <= r->relrsz; at += sizeof(entry)) {
		if (objfile_bytes(o, r->relr + at, &entry, sizeof(entry)) != sizeof(entry))
			return;
		if (!(entry & 1)) {
			pointer_at(o, entry, fn, arg);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 0; bit < 63; bit++)
			if (entry >> (bit + 1) & 1)
				pointer_at(o, where + bit * 8ULL, fn, arg);
		where += 63 * 8ULL;
	}
}

static void read_words(const struct objfile *o, const struct segment *seg, objfile_pointer_fn *fn,
		       void *arg)
{
	uint64_t words[BLOCK / 8];

	for (uint64_t at = 0; at < seg->filesz; at += sizeof(words)) {
		size_t n = objfile_bytes(o, seg->addr + at, words,
					 MIN(sizeof(words), seg->filesz - at)) /
			   8;

		for (size_t i = 0; i < n; i++)
			fn(arg, words[i]);
	}
}

void objfile_pointers(const struct objfile *o, objfile_pointer_fn *fn, void *arg)
{
	const struct objfile_priv *p = priv(o);
	struct relocations r = {0};

	find_relocations(o, &r);
	read_rela(o, &r, fn, arg);
	read_relr(o, &r, fn, arg);
	for (unsigned i = 0; o->is_exec && i < p->nsegs; i++)
		read_words(o, &p->segs[i], fn, arg);
}
