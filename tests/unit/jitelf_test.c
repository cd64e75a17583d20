#include "symbols/jitelf.h"

#include <elf.h>
#include <stddef.h>

#include "tests/unit/test.h"

struct image {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4];
	Elf64_Sym sym[3];
	char strings[16];
};

static struct image valid(void)
{
	struct image im = {.strings = "\0first\0second"};

	memcpy(im.eh.e_ident, ELFMAG, SELFMAG);
	im.eh.e_ident[EI_CLASS] = ELFCLASS64;
	im.eh.e_type = ET_REL;
	im.eh.e_machine = EM_X86_64;
	im.eh.e_shoff = offsetof(struct image, sh);
	im.eh.e_shentsize = sizeof(Elf64_Shdr);
	im.eh.e_shnum = 4;
	im.sh[1] = (Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_addr = 0x1000, .sh_size = 0x100};
	im.sh[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
				.sh_offset = offsetof(struct image, sym),
				.sh_size = sizeof(im.sym),
				.sh_link = 3};
	im.sh[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct image, strings),
				.sh_size = sizeof(im.strings)};
	im.sym[1] = (Elf64_Sym){.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_size = 16};
	im.sym[2] = (Elf64_Sym){.st_name = 7, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x20};
	return im;
}

static char seen[256];

static void note(void *arg UNUSED, taddr_t addr, uint64_t size, const char *name)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof(seen) - n, "%s@%" PRIx64 "+%" PRIx64 " ", name, addr, size);
}

static const char *functions(const struct image *im, size_t n)
{
	seen[0] = '\0';
	jitelf_each(im, n, note, NULL);
	return seen;
}

TEST(functions_are_where_their_section_was_put)
{
	struct image im = valid();

	CHECK_STR(functions(&im, sizeof(im)), "first@1000+10 second@1020+e0 ");
}

TEST(a_program_has_addresses)
{
	struct image im = valid();

	im.eh.e_type = ET_EXEC;
	im.sym[1].st_value = 0x1010;
	im.sym[2].st_value = 0x20; /* outside of its section */
	CHECK_STR(functions(&im, sizeof(im)), "first@1010+10 ");
}

TEST(damaged_images_have_no_functions)
{
	struct image im = valid();

	for (size_t n = 0; n < sizeof(im); n++)
		CHECK_STR(functions(&im, n), "");
	im.sh[3].sh_offset = UINT64_MAX;
	CHECK_STR(functions(&im, sizeof(im)), "");
	im = valid();
	im.sh[2].sh_link = 99;
	CHECK_STR(functions(&im, sizeof(im)), "");
	im = valid();
	im.eh.e_shoff = UINT64_MAX - 8;
	CHECK_STR(functions(&im, sizeof(im)), "");
	im = valid();
	memset(im.strings, 'x', sizeof(im.strings));
	CHECK_STR(functions(&im, sizeof(im)), "");
	im = valid();
	im.sym[1].st_shndx = im.sym[2].st_shndx = 0xfff0;
	CHECK_STR(functions(&im, sizeof(im)), "");
}

TEST_MAIN();
