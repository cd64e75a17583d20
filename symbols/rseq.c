/*
 * Restartable sequences (rseq(2)). A breakpoint in one would never let it finish: every stop is a
 * preemption, which sends the thread back to the start (docs/spec/pid-engine.md §2.4). Compilers of
 * such code keep the descriptors in the section __rseq_cs.
 */
#include <stdlib.h>

#include "base/err.h"
#include "symbols/elf_priv.h"

#define MAX_LENGTH ((uint64_t)1 << 20)

struct descriptor { /* linux/rseq.h: struct rseq_cs */
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/* What the loader will write over the descriptors of a file that may be loaded anywhere. */
static void relocate(const struct objfile *o, const struct sections *s, const Elf64_Shdr *sh,
		     char *data)
{
	for (unsigned i = 0; i < s->n; i++) {
		const Elf64_Shdr *rs = &s->sh[i];
		Elf64_Rela *rela;

		if (rs->sh_type != SHT_RELA || !(rs->sh_flags & SHF_ALLOC))
			continue;
		rela = elf_read(o, rs->sh_offset, rs->sh_size, "relocations", NULL);
		for (uint64_t k = 0; rela && k < rs->sh_size / sizeof(*rela); k++) {
			uint64_t at = rela[k].r_offset - sh->sh_addr;

			if (ELF64_R_TYPE(rela[k].r_info) == R_X86_64_RELATIVE && sh->sh_size >= 8 &&
			    at <= sh->sh_size - 8)
				memcpy(data + at, &rela[k].r_addend, 8);
		}
		free(rela);
	}
}

static void read_descriptors(struct objfile_priv *p, const char *data, uint64_t size)
{
	struct descriptor d;

	p->rseqs = arena_alloc(&p->arena, size / sizeof(d) * sizeof(*p->rseqs) + 1);
	for (uint64_t at = 0; at + sizeof(d) <= size; at += sizeof(d)) {
		memcpy(&d, data + at, sizeof(d));
		if (d.start && d.length && d.length <= MAX_LENGTH)
			p->rseqs[p->nrseqs++] = (struct rseq_range){d.start, d.length};
	}
}

static void find_ranges(const struct objfile *o)
{
	struct sections s = {0};
	const Elf64_Shdr *sh;
	char *data = NULL;

	priv(o)->rseqs_read = true;
	if (elf_sections(o, &s, NULL) == 0) {
		sh = elf_section_named(&s, "__rseq_cs");
		if (sh && sh->sh_type == SHT_PROGBITS)
			data = elf_read(o, sh->sh_offset, sh->sh_size, "rseq section", NULL);
		if (data) {
			relocate(o, &s, sh, data);
			read_descriptors(priv(o), data, sh->sh_size);
		}
		free(data);
	}
	elf_sections_release(&s);
}

bool objfile_is_restartable(const struct objfile *o, taddr_t addr)
{
	const struct objfile_priv *p = priv(o);

	if (!p->rseqs_read)
		find_ranges(o);
	for (unsigned i = 0; i < p->nrseqs; i++)
		if (addr - p->rseqs[i].start < p->rseqs[i].length)
			return true;
	return false;
}
