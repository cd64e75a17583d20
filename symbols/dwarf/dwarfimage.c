#include "symbols/dwarf/dwarfimage.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/endreq.h"
#include "base/strbuf.h"
#include "symbols/elf_priv.h"

#define MAX_KEPT      4096		    /* sections: each unit of types may have its own */
#define FREE_SIZE     ((uint64_t)256 << 20) /* may be unpacked from anything */
#define MOST_RATIO    32		    /* of all that is unpacked to the file */
#define PADDING	      32
#define LIMIT_SECONDS 60

struct kept {
	const char *name; /* without the z of .zdebug_ */
	const Elf64_Shdr *sh;
	enum packing { PLAIN, ZLIB, ZSTD } packing;
	uint64_t head; /* bytes before what is packed */
	uint64_t size; /* unpacked */
	uint64_t at;   /* in the image */
};

struct reading {
	const struct objfile *o;
	struct sections sections;
	struct kept kept[MAX_KEPT];
	unsigned n;
	uint64_t raw, unpacked; /* all together */
	struct time_limit limit;
	struct strbuf names;
};

/* ---- what there is ---- */

static int damaged(const struct reading *r, const char *name, const char *what, struct err *err)
{
	return err_set(err, -ENOEXEC, "%s: its debug information is not read: %s %s", r->o->path,
		       name, what);
}

/* ELF's own header of a packed section (gABI, "Section Compression"). */
static int read_chdr(struct reading *r, struct kept *k, struct err *err)
{
	Elf64_Chdr ch;

	if (k->sh->sh_size < sizeof(ch) || elf_bytes(r->o, k->sh->sh_offset, &ch, sizeof(ch)))
		return damaged(r, k->name, "has no room for its header", err);
	if (ch.ch_type != ELFCOMPRESS_ZLIB && ch.ch_type != 2 /* ELFCOMPRESS_ZSTD */)
		return damaged(r, k->name, "is packed in a way that is not known", err);
	k->packing = ch.ch_type == ELFCOMPRESS_ZLIB ? ZLIB : ZSTD;
	k->head = sizeof(ch);
	k->size = ch.ch_size;
	return 0;
}

/* "ZLIB" and the size, big end first: how GNU tools did it before ELF said how. */
static int read_zdebug(struct reading *r, struct kept *k, struct err *err)
{
	unsigned char head[12];

	if (k->sh->sh_size < sizeof(head) ||
	    elf_bytes(r->o, k->sh->sh_offset, head, sizeof(head)) || memcmp(head, "ZLIB", 4) != 0)
		return damaged(r, k->name, "has no room for its header", err);
	k->packing = ZLIB;
	k->head = sizeof(head);
	k->size = 0;
	for (unsigned i = 4; i < sizeof(head); i++)
		k->size = k->size << 8 | head[i];
	return 0;
}

static bool is_wanted(const char *name, const Elf64_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_RELA && sh->sh_type != SHT_REL &&
	       (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8));
}

static int keep(struct reading *r, const char *name, const Elf64_Shdr *sh, struct err *err)
{
	uint64_t file = priv(r->o)->size;
	struct kept *k = &r->kept[r->n];
	int e = 0;

	if (r->n == MAX_KEPT)
		return damaged(r, name, "is one of too many sections", err);
	*k = (struct kept){.name = name, .sh = sh, .size = sh->sh_size};
	if (sh->sh_offset > file || sh->sh_size > file - sh->sh_offset)
		return damaged(r, name, "lies outside the file", err);
	if (name[1] == 'z') {
		k->name = arena_printf(&priv(r->o)->arena, ".%s", name + 2);
		e = read_zdebug(r, k, err);
	} else if (sh->sh_flags & SHF_COMPRESSED) {
		e = read_chdr(r, k, err);
	}
	if (e)
		return e;
	r->raw += sh->sh_size;
	if (r->raw > file)
		return damaged(r, name, "is in the file more than once", err);
	if (k->packing == PLAIN)
		k->head = 0;
	else if (k->size > FREE_SIZE + MOST_RATIO * file - r->unpacked)
		return damaged(r, name, "claims to be far larger than what is packed", err);
	else
		r->unpacked += k->size;
	r->n++;
	return 0;
}

static int look_for_sections(struct reading *r, struct err *err)
{
	int e = elf_sections(r->o, &r->sections, err);

	for (unsigned i = 0; i < r->sections.n && !e; i++) {
		const char *name = elf_section_name(&r->sections, i);

		if (is_wanted(name, &r->sections.sh[i]))
			e = keep(r, name, &r->sections.sh[i], err);
	}
	if (!e && !r->n)
		e = err_set(err, -ENODATA, "no debug information");
	return e;
}

/* ---- unpacking ---- */

static bool unzlib(struct reading *r, const uint8_t *in, uint64_t n, uint8_t *out, uint64_t size)
{
	const uInt most = 1 << 20;
	z_stream z = {0};
	int e;

	if (inflateInit(&z) != Z_OK)
		return false;
	do {
		if (!z.avail_in) {
			z.next_in = (Bytef *)(uintptr_t)in;
			z.avail_in = (uInt)MIN(n, most);
			in += z.avail_in;
			n -= z.avail_in;
		}
		if (!z.avail_out) {
			z.next_out = out;
			z.avail_out = (uInt)MIN(size, most);
			out += z.avail_out;
			size -= z.avail_out;
		}
		e = inflate(&z, Z_NO_FLUSH);
	} while (e == Z_OK && !time_limit_is_over(&r->limit));
	inflateEnd(&z);
	return e == Z_STREAM_END && !size && !z.avail_out;
}

/* Its library is loaded only when something is packed so: nothing else of ours needs it. */
static bool unzstd(const uint8_t *in, uint64_t n, uint8_t *out, uint64_t size)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	size_t (*decompress)(void *to, size_t room, const void *from, size_t len);

	if (!lib)
		return false;
	*(void **)&decompress = dlsym(lib, "ZSTD_decompress");
	return decompress && decompress(out, size, in, n) == size; /* errors are no sizes */
}

static int fill(struct reading *r, const struct kept *k, uint8_t *image, struct err *err)
{
	uint64_t n = k->sh->sh_size - k->head;
	uint8_t *packed;
	bool is_right;

	if (k->packing == PLAIN)
		return elf_bytes(r->o, k->sh->sh_offset, image + k->at, n)
			       ? damaged(r, k->name, "cannot be read", err)
			       : 0;
	packed = malloc(n + 1);
	is_right = packed && !elf_bytes(r->o, k->sh->sh_offset + k->head, packed, n) &&
		   (k->packing == ZLIB ? unzlib(r, packed, n, image + k->at, k->size)
				       : unzstd(packed, n, image + k->at, k->size));
	free(packed);
	return is_right ? 0
	       : k->packing == ZSTD
		       ? damaged(r, k->name,
				 "is packed with zstd and damaged, or libzstd is missing", err)
		       : damaged(r, k->name, "is not what its header says when it is unpacked",
				 err);
}

/* ---- the file in memory ---- */

/* A table of texts ends with one: the zero behind it is taken in. */
static uint64_t shown_size(const struct kept *k, const uint8_t *image)
{
	bool is_text = strstr(k->name, "_str") && !strstr(k->name, "_str_offsets");

	return k->size + (is_text && k->size && image[k->at + k->size - 1]);
}

static void write_tables(struct reading *r, uint8_t *image, uint64_t names_at, uint64_t table_at)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)image;
	Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(image + table_at);
	uint32_t name = 1;

	*eh = (Elf64_Ehdr){.e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_shoff = table_at,
			   .e_ehsize = sizeof(*eh),
			   .e_shentsize = sizeof(*sh),
			   .e_shnum = (Elf64_Half)(r->n + 2),
			   .e_shstrndx = (Elf64_Half)(r->n + 1)};
	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
	for (unsigned i = 0; i < r->n; i++) {
		const struct kept *k = &r->kept[i];

		sh[i + 1] = (Elf64_Shdr){.sh_name = name,
					 .sh_type = SHT_PROGBITS,
					 .sh_offset = k->at,
					 .sh_size = shown_size(k, image),
					 .sh_addralign = 1};
		name += (uint32_t)strlen(k->name) + 1;
	}
	sh[r->n + 1] = (Elf64_Shdr){.sh_name = name,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = names_at,
				    .sh_size = r->names.len,
				    .sh_addralign = 1};
	memcpy(image + names_at, r->names.s, r->names.len);
}

static int put_together(struct reading *r, struct dwarfimage *out, struct err *err)
{
	uint64_t at = sizeof(Elf64_Ehdr), names_at, table_at;
	uint8_t *image;
	int e = 0;

	strbuf_addc(&r->names, '\0');
	for (unsigned i = 0; i < r->n; i++) {
		r->kept[i].at = at;
		at = ROUND_UP(at + r->kept[i].size + PADDING, 8);
		strbuf_add(&r->names, r->kept[i].name, strlen(r->kept[i].name) + 1);
	}
	strbuf_add(&r->names, ".shstrtab", sizeof(".shstrtab"));
	names_at = at;
	table_at = ROUND_UP(names_at + r->names.len, 8);
	at = table_at + (r->n + 2) * sizeof(Elf64_Shdr);
	image = calloc(1, at); /* untouched pages of it cost nothing */
	if (!image)
		return err_set(err, -ENOMEM, "%s: no memory for its debug information", r->o->path);
	for (unsigned i = 0; i < r->n && !e; i++)
		e = time_limit_is_over(&r->limit)
			    ? damaged(r, r->kept[i].name, "takes too long", err)
			    : fill(r, &r->kept[i], image, err);
	if (e) {
		free(image);
		return e;
	}
	write_tables(r, image, names_at, table_at);
	elf_version(EV_CURRENT);
	out->bytes = (char *)image;
	out->size = at;
	out->elf = elf_memory(out->bytes, at);
	return 0;
}

int dwarfimage_read(const struct objfile *o, struct dwarfimage *out, struct err *err)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	int e;

	*out = (struct dwarfimage){0};
	r->o = o;
	strbuf_init(&r->names);
	time_limit_begin(&r->limit, LIMIT_SECONDS);
	e = look_for_sections(r, err);
	if (!e)
		e = put_together(r, out, err);
	strbuf_release(&r->names);
	elf_sections_release(&r->sections);
	free(r);
	return e;
}

void dwarfimage_release(struct dwarfimage *image)
{
	elf_end(image->elf);
	free(image->bytes);
	*image = (struct dwarfimage){0};
}
