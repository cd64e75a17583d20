/*
 * Stubs of the procedure linkage table (System V ABI x86-64, and its supplement on control-flow
 * enforcement): no symbol is at them. Each jumps through a word that the loader fills, whose
 * relocation says with the address of what. Linkers lay the tables out in several ways, so a stub
 * is known by that jump alone.
 */
#include <stdlib.h>

#include "symbols/elf_priv.h"

#define MAX_STUBS  ((size_t)8 << 20) /* bytes of all tables of a file */
#define SHORT_STUB 8		     /* of .plt.got; all begin at multiples of it */
#define LONG_STUB  16

bool elf_is_plt(const struct sections *s, unsigned i)
{
	const char *name = elf_section_name(s, i);

	return strncmp(name, ".plt", 4) == 0 || strncmp(name, ".iplt", 5) == 0;
}

/* The code is jmp *distance(%rip), behind endbr64 and the prefix bnd, where they are: what it jumps
 * to is called so. NULL: it is something else. */
static const char *stub_at(struct objfile *o, const uint8_t *code, taddr_t at)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *c = code;
	int32_t distance;

	if (!memcmp(c, endbr64, sizeof(endbr64)))
		c += sizeof(endbr64);
	if (*c == 0xf2)
		c++;
	if (c[0] != 0xff || c[1] != 0x25)
		return NULL;
	memcpy(&distance, c + 2, sizeof(distance));
	return fnword_name(o, at + (taddr_t)(c + 6 - code) + (taddr_t)(int64_t)distance);
}

static void stubs_of(struct objfile *o, taddr_t start, size_t size, pltstub_fn *fn, void *arg)
{
	uint8_t *code = xcalloc(1, size + LONG_STUB); /* behind the last, too, one is looked for */

	size = objfile_bytes(o, start, code, size);
	for (size_t i = 0; i < size; i += SHORT_STUB) {
		taddr_t at = start + i;
		const char *name = stub_at(o, code + i, at);
		bool is_short = name && stub_at(o, code + i + SHORT_STUB, at + SHORT_STUB);

		if (name)
			fn(arg, at, MIN(is_short ? SHORT_STUB : LONG_STUB, size - i), name);
	}
	free(code);
}

void pltstubs_each(struct objfile *o, pltstub_fn *fn, void *arg)
{
	struct sections s = {0};
	size_t left = MAX_STUBS;

	if (!elf_sections(o, &s, NULL))
		for (unsigned i = 0; i < s.n && left; i++) {
			const Elf64_Shdr *sh = &s.sh[i];
			size_t size = MIN(sh->sh_size, left);

			if (!elf_is_plt(&s, i) || sh->sh_type != SHT_PROGBITS)
				continue;
			stubs_of(o, sh->sh_addr, size, fn, arg);
			left -= size;
		}
	elf_sections_release(&s);
}
