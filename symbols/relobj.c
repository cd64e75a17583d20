#include "symbols/relobj.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- reading ---- */

static void each_undefined(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			   void (*fn)(void *arg, const char *name), void *arg)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx != SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name && *name)
			fn(arg, name);
	}
}

static int read_object(Elf *elf, const char *path, void (*fn)(void *arg, const char *name),
		       void *arg, struct err *err)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) || eh.e_type != ET_REL)
		return err_set(err, -ENOEXEC, "%s is not an object file", path);
	if (eh.e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, -ENOEXEC, "can't mix 32-bit and 64-bit object files: %s", path);
	if (eh.e_machine != EM_X86_64)
		return err_set(err, -ENOEXEC, "%s is not for x86-64", path);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			each_undefined(elf, scn, &sh, fn, arg);
	return 0;
}

int relobj_undefined(const char *path, void (*fn)(void *arg, const char *name), void *arg,
		     struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	Elf *elf;

	if (fd < 0)
		return err_set(err, -errno, "failed to open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = elf ? read_object(elf, path, fn, arg, err)
		 : err_set(err, -ENOEXEC, "%s is not an object file", path);
	elf_end(elf);
	close(fd);
	return rc;
}

/* ---- writing ---- */

#define MAX_SECTIONS 32

struct relobj {
	struct section {
		const char *name;
		Elf64_Shdr sh;
		struct strbuf data, relocs;
		char rela[32]; /* the name of the section of its relocations */
	} s[MAX_SECTIONS];     /* [0]: the null section */
	unsigned n;
	struct strbuf symbols, strings;
	unsigned nsymbols, nlocals;
};

static uint32_t add_string(struct strbuf *strings, const char *text)
{
	uint32_t at = (uint32_t)strings->len;

	strbuf_add(strings, text, strlen(text) + 1);
	return at;
}

struct relobj *relobj_new(void)
{
	struct relobj *o = xcalloc(1, sizeof(*o));
	const Elf64_Sym none = {0};

	for (unsigned i = 0; i < MAX_SECTIONS; i++) {
		strbuf_init(&o->s[i].data);
		strbuf_init(&o->s[i].relocs);
	}
	strbuf_init(&o->symbols);
	strbuf_init(&o->strings);
	strbuf_add(&o->symbols, &none, sizeof(none));
	strbuf_add(&o->strings, "", 1);
	o->n = o->nsymbols = 1;
	return o;
}

void relobj_free(struct relobj *o)
{
	for (unsigned i = 0; i < MAX_SECTIONS; i++) {
		strbuf_release(&o->s[i].data);
		strbuf_release(&o->s[i].relocs);
	}
	strbuf_release(&o->symbols);
	strbuf_release(&o->strings);
	free(o);
}

struct strbuf *relobj_section(struct relobj *o, const char *name, uint32_t type, uint64_t flags,
			      uint64_t align, unsigned *number)
{
	struct section *s = &o->s[o->n];

	if (o->n == MAX_SECTIONS)
		die("an object with too many sections");
	s->name = name;
	s->sh = (Elf64_Shdr){.sh_type = type, .sh_flags = flags, .sh_addralign = align};
	if (number)
		*number = o->n;
	o->n++;
	return &s->data;
}

unsigned relobj_symbol(struct relobj *o, const char *name, unsigned char bind, unsigned char type,
		       unsigned char visibility, unsigned section, uint64_t value, uint64_t size)
{
	const Elf64_Sym sym = {
		.st_name = *name ? add_string(&o->strings, name) : 0,
		.st_info = ELF64_ST_INFO(bind, type),
		.st_other = visibility,
		.st_shndx = (uint16_t)section,
		.st_value = value,
		.st_size = size,
	};

	strbuf_add(&o->symbols, &sym, sizeof(sym));
	if (bind == STB_LOCAL)
		o->nlocals = o->nsymbols;
	return o->nsymbols++;
}

void relobj_comdat(struct relobj *o, const char *signature)
{
	const uint32_t words[] = {GRP_COMDAT, o->n + 1};
	unsigned number;

	strbuf_add(relobj_section(o, ".group", SHT_GROUP, 0, 4, &number), words, sizeof(words));
	o->s[number].sh.sh_entsize = sizeof(words[0]);
	/* the signature is a symbol, defined in the group itself */
	o->s[number].sh.sh_info =
		relobj_symbol(o, signature, STB_LOCAL, STT_NOTYPE, STV_DEFAULT, number, 0, 0);
}

void relobj_reloc(struct relobj *o, unsigned section, uint64_t off, unsigned symbol, uint32_t type,
		  int64_t addend)
{
	const Elf64_Rela rela = {off, ELF64_R_INFO((uint64_t)symbol, type), addend};

	strbuf_add(&o->s[section].relocs, &rela, sizeof(rela));
}

/* The tables that follow from the rest. */
static unsigned add_tables(struct relobj *o)
{
	unsigned nsections = o->n, symtab, strtab, shstrtab;

	strbuf_add(relobj_section(o, ".symtab", SHT_SYMTAB, 0, 8, &symtab), o->symbols.s,
		   o->symbols.len);
	strbuf_add(relobj_section(o, ".strtab", SHT_STRTAB, 0, 1, &strtab), o->strings.s,
		   o->strings.len);
	o->s[symtab].sh.sh_link = strtab;
	o->s[symtab].sh.sh_info = o->nlocals + 1;
	o->s[symtab].sh.sh_entsize = sizeof(Elf64_Sym);
	for (unsigned i = 1; i < nsections; i++) {
		unsigned r;

		if (o->s[i].sh.sh_type == SHT_GROUP)
			o->s[i].sh.sh_link = symtab;
		if (!o->s[i].relocs.len)
			continue;
		snprintf(o->s[i].rela, sizeof(o->s[i].rela), ".rela%s", o->s[i].name);
		strbuf_add(relobj_section(o, o->s[i].rela, SHT_RELA, SHF_INFO_LINK, 8, &r),
			   o->s[i].relocs.s, o->s[i].relocs.len);
		o->s[r].sh.sh_link = symtab;
		o->s[r].sh.sh_info = i;
		o->s[r].sh.sh_entsize = sizeof(Elf64_Rela);
	}
	relobj_section(o, ".shstrtab", SHT_STRTAB, 0, 1, &shstrtab);
	strbuf_add(&o->s[shstrtab].data, "", 1);
	for (unsigned i = 1; i < o->n; i++)
		o->s[i].sh.sh_name = add_string(&o->s[shstrtab].data, o->s[i].name);
	return shstrtab;
}

static void pad(struct strbuf *out, uint64_t align)
{
	while (out->len % align)
		strbuf_addc(out, '\0');
}

void relobj_write(struct relobj *o, struct strbuf *out)
{
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	eh.e_shstrndx = (uint16_t)add_tables(o);
	eh.e_shnum = (uint16_t)o->n;
	eh.e_shoff = sizeof(eh);
	for (unsigned i = 1; i < o->n; i++) {
		Elf64_Shdr *sh = &o->s[i].sh;

		sh->sh_offset = ROUND_UP(eh.e_shoff, sh->sh_addralign);
		sh->sh_size = o->s[i].data.len;
		eh.e_shoff = sh->sh_offset + sh->sh_size;
	}
	eh.e_shoff = ROUND_UP(eh.e_shoff, 8);
	strbuf_add(out, &eh, sizeof(eh));
	for (unsigned i = 1; i < o->n; i++) {
		pad(out, o->s[i].sh.sh_addralign);
		strbuf_add(out, o->s[i].data.s, o->s[i].data.len);
	}
	pad(out, 8);
	for (unsigned i = 0; i < o->n; i++)
		strbuf_add(out, &o->s[i].sh, sizeof(o->s[i].sh));
}
