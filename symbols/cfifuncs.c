/* The functions that only the call frame information of a file knows: it is stripped, or they are
 * written in assembly and say no size. */
#include <errno.h>
#include <stdlib.h>

#include "symbols/cfi/ehframe.h"
#include "symbols/elf_priv.h"

/* What the walk over .eh_frame needs: candidates are checked against the functions known before. */
struct cfi_walk {
	struct objfile *o;
	struct hash sizeless; /* address → symbol index + 1 of functions of size 0 */
	struct {
		taddr_t start, end;
	} plt[8]; /* stubs have FDEs too, but are no functions */
	unsigned nplt;
	unsigned next; /* the function that is expected: FDEs mostly come in their order */
};

static void find_plts(struct cfi_walk *w, const struct sections *s)
{
	for (unsigned i = 0; i < s->n && w->nplt < ARRAY_SIZE(w->plt); i++) {
		if (!elf_is_plt(s, i))
			continue;
		w->plt[w->nplt].start = s->sh[i].sh_addr;
		w->plt[w->nplt++].end = s->sh[i].sh_addr + s->sh[i].sh_size;
	}
}

static bool in_plt(const struct cfi_walk *w, taddr_t addr)
{
	for (unsigned i = 0; i < w->nplt; i++)
		if (addr >= w->plt[i].start && addr < w->plt[i].end)
			return true;
	return false;
}

static bool is_known(struct cfi_walk *w, taddr_t start)
{
	const struct objfile *o = w->o;
	const struct func *f;

	if (w->next < o->nfuncs && o->funcs[w->next].addr == start) {
		w->next++;
		return true;
	}
	f = objfile_at(o, start);
	if (f)
		w->next = (unsigned)(f - o->funcs) + 1;
	return f;
}

static void cfi_function(void *arg, const struct eh_fde *fde)
{
	taddr_t start = fde->start;
	uint64_t size = fde->size;
	struct cfi_walk *w = arg;
	struct objfile_priv *p = priv(w->o);
	const struct segment *seg;
	uintptr_t named;
	struct sym *s;

	if (is_known(w, start))
		return;
	seg = elf_segment_at(w->o, start);
	if (!seg || !seg->exec || in_plt(w, start))
		return;
	size = MIN(size, seg->addr + seg->memsz - start);
	named = (uintptr_t)hash_get(&w->sizeless, start);
	s = elf_new_sym(p);
	if (named) { /* written in assembly: the name is the symbol's, the size the FDE's */
		*s = p->syms[named - 1];
		s->size = size;
		return;
	}
	s->name = arena_printf(&p->arena, "sub_%llx", (unsigned long long)start);
	elf_name_sym(p, s);
	s->addr = start;
	s->size = size;
	s->type = STT_FUNC;
	s->bind = BIND_CFI;
	s->is_part = ehframe_is_framed(fde);
	s->code = true;
}

int elf_frames(const struct objfile *o, const struct sections *s, struct ehframe *eh,
	       struct err *err)
{
	const Elf64_Phdr *hdr = &priv(o)->hdr_frame;
	uint8_t head[64];
	const struct segment *seg;
	size_t n;

	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(elf_section_name(s, i), ".eh_frame") != 0 ||
		    s->sh[i].sh_type == SHT_NOBITS)
			continue;
		eh->data = elf_read(o, s->sh[i].sh_offset, s->sh[i].sh_size, ".eh_frame", err);
		eh->size = s->sh[i].sh_size;
		eh->addr = s->sh[i].sh_addr;
		eh->is_section = true;
		return eh->data ? 0 : err ? err->code : -ENOEXEC;
	}
	n = hdr->p_type == PT_GNU_EH_FRAME ? objfile_bytes(o, hdr->p_vaddr, head, sizeof(head)) : 0;
	if (!n || ehframe_hdr_find(head, n, hdr->p_vaddr, &eh->addr))
		return 0;
	seg = elf_segment_at(o, eh->addr);
	if (!seg || eh->addr - seg->addr >= seg->filesz)
		return 0;
	eh->size = seg->filesz - (eh->addr - seg->addr);
	eh->data = elf_read(o, seg->off + (eh->addr - seg->addr), eh->size, ".eh_frame", err);
	return eh->data ? 0 : err ? err->code : -ENOEXEC;
}

int cfifuncs_add(struct objfile *o, const struct sections *s, struct err *err)
{
	struct objfile_priv *p = priv(o);
	struct cfi_walk w = {.o = o};
	struct ehframe eh = {0};
	int r = elf_frames(o, s, &eh, err);

	if (r || !eh.data)
		return r;
	find_plts(&w, s);
	hash_init(&w.sizeless);
	for (uint32_t i = 0; i < p->nsyms; i++)
		if (sym_is_function(&p->syms[i]) && !p->syms[i].size)
			hash_put(&w.sizeless, p->syms[i].addr, (void *)(uintptr_t)(i + 1));
	ehframe_each(&eh, cfi_function, &w);
	hash_release(&w.sizeless);
	free((void *)(uintptr_t)eh.data);
	funcs_build(o);
	return 0;
}
