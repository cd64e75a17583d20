#include "symbols/jitelf.h"

#include <elf.h>

struct image {
	const uint8_t *p;
	size_t n;
	Elf64_Ehdr eh;
};

static bool has(const struct image *im, uint64_t off, uint64_t size)
{
	return off <= im->n && size <= im->n - off;
}

static bool section(const struct image *im, unsigned i, Elf64_Shdr *sh)
{
	uint64_t off = im->eh.e_shoff + (uint64_t)i * sizeof(*sh);

	if (i >= im->eh.e_shnum || off < im->eh.e_shoff || !has(im, off, sizeof(*sh)))
		return false;
	memcpy(sh, im->p + off, sizeof(*sh));
	return true;
}

/* Where a symbol's code is, and how long it can be. False: nowhere. */
static bool place(const struct image *im, const Elf64_Sym *sym, taddr_t *addr, uint64_t *size)
{
	Elf64_Shdr sh;
	uint64_t in = sym->st_value;

	if (!section(im, sym->st_shndx, &sh) || !sh.sh_addr)
		return false;
	if (im->eh.e_type != ET_REL)
		in -= sh.sh_addr;
	if (in >= sh.sh_size)
		return false;
	*addr = sh.sh_addr + in;
	*size = MIN(sym->st_size ? sym->st_size : sh.sh_size, sh.sh_size - in);
	return true;
}

static unsigned each_symbol(const struct image *im, const Elf64_Shdr *table,
			    const Elf64_Shdr *strings, jitelf_fn *fn, void *arg)
{
	const char *names = (const char *)im->p + strings->sh_offset;
	unsigned found = 0;
	Elf64_Sym sym;

	for (uint64_t i = 0; i < table->sh_size / sizeof(sym); i++) {
		taddr_t addr;
		uint64_t size;

		memcpy(&sym, im->p + table->sh_offset + i * sizeof(sym), sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_name >= strings->sh_size ||
		    !memchr(names + sym.st_name, '\0', strings->sh_size - sym.st_name) ||
		    !names[sym.st_name] || !place(im, &sym, &addr, &size))
			continue;
		fn(arg, addr, size, names + sym.st_name);
		found++;
	}
	return found;
}

unsigned jitelf_each(const void *image, size_t n, jitelf_fn *fn, void *arg)
{
	struct image im = {.p = image, .n = n};
	Elf64_Shdr sh, strings;

	if (n < sizeof(im.eh))
		return 0;
	memcpy(&im.eh, image, sizeof(im.eh));
	if (memcmp(im.eh.e_ident, ELFMAG, SELFMAG) != 0 || im.eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    im.eh.e_machine != EM_X86_64 || im.eh.e_shentsize != sizeof(sh))
		return 0;
	for (unsigned i = 0; section(&im, i, &sh); i++)
		if (sh.sh_type == SHT_SYMTAB && section(&im, sh.sh_link, &strings) &&
		    has(&im, sh.sh_offset, sh.sh_size) &&
		    has(&im, strings.sh_offset, strings.sh_size))
			return each_symbol(&im, &sh, &strings, fn, arg);
	return 0;
}
