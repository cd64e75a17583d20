/*
 * gdbjit ROUNDS: makes a function and tells of it as GDB's interface has it, calls it, takes it
 * back, and uses its memory for another one of which it tells nothing. Its status says whether the
 * results were right.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct entry {
	struct entry *next, *prev;
	const void *image;
	uint64_t size;
};

struct descriptor {
	uint32_t version, action;
	struct entry *relevant, *first;
};

struct descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};
void __jit_debug_register_code(void);

__attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

struct image {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4]; /* none, text, symbols, strings */
	Elf64_Sym sym[2];
	char strings[32];
};

static void describe(struct image *im, const void *code, unsigned size, const char *name)
{
	memset(im, 0, sizeof(*im));
	memcpy(im->eh.e_ident, ELFMAG, SELFMAG);
	im->eh.e_ident[EI_CLASS] = ELFCLASS64;
	im->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	im->eh.e_type = ET_REL;
	im->eh.e_machine = EM_X86_64;
	im->eh.e_shoff = offsetof(struct image, sh);
	im->eh.e_shentsize = sizeof(Elf64_Shdr);
	im->eh.e_shnum = 4;
	im->sh[1].sh_type = SHT_NOBITS;
	im->sh[1].sh_addr = (uintptr_t)code;
	im->sh[1].sh_size = size;
	im->sh[2].sh_type = SHT_SYMTAB;
	im->sh[2].sh_offset = offsetof(struct image, sym);
	im->sh[2].sh_size = sizeof(im->sym);
	im->sh[2].sh_link = 3;
	im->sh[3].sh_type = SHT_STRTAB;
	im->sh[3].sh_offset = offsetof(struct image, strings);
	im->sh[3].sh_size = sizeof(im->strings);
	im->sym[1].st_name = 1;
	im->sym[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	im->sym[1].st_shndx = 1;
	snprintf(im->strings + 1, sizeof(im->strings) - 1, "%s", name);
}

static int call(const void *p, int a, int b)
{
	int (*f)(int, int);

	memcpy(&f, &p, sizeof(f));
	return f(a, b);
}

int main(int argc, char **argv)
{
	static const uint8_t add[] = {0x55, 0x8d, 0x04, 0x37, 0x5d, 0xc3};
	static const uint8_t sub[] = {0x89, 0xf8, 0x29, 0xf0, 0xc3};
	int rounds = argc > 1 ? atoi(argv[1]) : 10, bad = 0;
	static struct image image;
	struct entry entry = {NULL, NULL, &image, sizeof(image)};
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 2;
	memcpy(code, add, sizeof(add));
	describe(&image, code, sizeof(add), "made_add");
	__jit_debug_descriptor = (struct descriptor){1, 1, &entry, &entry};
	__jit_debug_register_code();
	for (int i = 0; i < rounds; i++)
		bad += call(code, i, 3) != i + 3;
	__jit_debug_descriptor = (struct descriptor){1, 2, &entry, NULL};
	__jit_debug_register_code();
	for (unsigned i = 0; i < sizeof(add); i++)
		bad += code[i] != add[i]; /* nothing of a tracer's is left */
	memcpy(code, sub, sizeof(sub));
	for (int i = 0; i < rounds; i++)
		bad += call(code, i, 3) != i - 3;
	printf("made_add %d\n", rounds);
	return bad != 0;
}
