/*
 * ELF files: their bytes, headers and symbols. Read with pread, section by section, not mapped: a
 * file that shrinks under us must not be a SIGBUS. Every number from the file is checked where it
 * is read; what passes is kept in our own structures and needs no second look.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/err.h"
#include "base/regfile.h"
#include "symbols/elf_priv.h"
#include "symbols/notes.h"

#define MAX_TABLE    ((uint64_t)1 << 30) /* of one section we read */
#define MAX_PHDRS    512
#define MAX_TLS	     ((uint64_t)1 << 30)
#define MAX_SECTIONS (1u << 20)
#define ROOM_MOST    ((uint64_t)1 << 20) /* symbols, on the word of a table alone */

/* ---- bytes of the file ---- */

static int read_at(const struct objfile *o, void *buf, uint64_t n, uint64_t off)
{
	const struct objfile_priv *p = priv(o);
	char *to = buf;

	if (off > p->size || n > p->size - off)
		return -ENOEXEC;
	while (n) {
		ssize_t got = pread(p->fd, to, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENOEXEC;
		to += got;
		off += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 0;
}

int elf_bytes(const struct objfile *o, uint64_t off, void *buf, uint64_t n)
{
	return read_at(o, buf, n, off);
}

/* NULL: it cannot be read. */
static const uint8_t *piece(const struct objfile *o, uint64_t number)
{
	struct objfile_priv *p = priv(o);
	unsigned at = (unsigned)(number % ELF_PIECES);
	uint64_t off = number * ELF_PIECE;

	if (!p->pieces)
		p->pieces = xcalloc(1, sizeof(*p->pieces));
	if (p->pieces->number[at] != number + 1) {
		p->pieces->number[at] = 0;
		if (read_at(o, p->pieces->bytes[at], MIN(ELF_PIECE, p->size - off), off))
			return NULL;
		p->pieces->number[at] = number + 1;
	}
	return p->pieces->bytes[at];
}

/* As read_at. Functions are read one by one, and words of tables: a call for each takes as long as
 * all that is done with them. */
static int read_piecewise(const struct objfile *o, void *buf, uint64_t n, uint64_t off)
{
	uint8_t *to = buf;

	if (n > ELF_PIECE || off > priv(o)->size || n > priv(o)->size - off)
		return read_at(o, buf, n, off);
	while (n) {
		uint64_t in = off % ELF_PIECE, len = MIN(n, ELF_PIECE - in);
		const uint8_t *from = piece(o, off / ELF_PIECE);

		if (!from)
			return read_at(o, to, n, off);
		memcpy(to, from + in, len);
		to += len;
		off += len;
		n -= len;
	}
	return 0;
}

const struct segment *elf_segment_at(const struct objfile *o, taddr_t addr)
{
	const struct objfile_priv *p = priv(o);

	for (unsigned i = 0; i < p->nsegs; i++)
		if (addr >= p->segs[i].addr && addr - p->segs[i].addr < p->segs[i].memsz)
			return &p->segs[i];
	return NULL;
}

size_t objfile_bytes(const struct objfile *o, taddr_t addr, void *buf, size_t n)
{
	const struct segment *s = elf_segment_at(o, addr);
	uint64_t in;

	if (!s || addr - s->addr >= s->filesz)
		return 0;
	in = addr - s->addr;
	n = MIN(n, s->filesz - in);
	return read_piecewise(o, buf, n, s->off + in) ? 0 : n;
}

bool objfile_bias(const struct objfile *o, uint64_t file_off, taddr_t start, bool exec,
		  taddr_t *bias)
{
	const struct objfile_priv *p = priv(o);

	for (unsigned i = 0; i < p->nsegs; i++) {
		const struct segment *s = &p->segs[i];
		uint64_t from = s->off / PAGE * PAGE;

		if (s->exec != exec || file_off < from || file_off >= s->off + s->filesz)
			continue;
		*bias = start - (s->addr - s->off + file_off);
		return true;
	}
	return false;
}

bool objfile_code(const struct objfile *o, unsigned i, uint64_t *at, uint64_t *len, uint64_t *off)
{
	const struct objfile_priv *p = priv(o);
	taddr_t first = UINT64_MAX;

	for (unsigned k = 0; k < p->nsegs; k++)
		first = MIN(first, p->segs[k].addr / PAGE * PAGE);
	for (unsigned k = 0; k < p->nsegs; k++) {
		const struct segment *s = &p->segs[k];

		if (!s->exec || i-- > 0)
			continue;
		*off = s->off / PAGE * PAGE;
		*at = s->addr / PAGE * PAGE - first;
		*len = ROUND_UP(s->off - *off + s->filesz, PAGE);
		return true;
	}
	return false;
}

/* A section or segment in memory, one zero byte behind it. NULL: err is set. */
void *elf_read(const struct objfile *o, uint64_t off, uint64_t size, const char *what,
	       struct err *err)
{
	char *buf;
	int r;

	if (size > MAX_TABLE || off > priv(o)->size || size > priv(o)->size - off) {
		err_set(err, -ENOEXEC, "%s is damaged: its %s lies outside the file", o->path,
			what);
		return NULL;
	}
	buf = xmalloc(size + 1);
	will_fill(buf, size);
	r = read_at(o, buf, size, off);
	if (r) {
		free(buf);
		err_set(err, r, "cannot read the %s of %s", what, o->path);
		return NULL;
	}
	buf[size] = '\0';
	return buf;
}

/* ---- program headers ---- */

static int read_header(struct objfile *o, Elf64_Ehdr *eh, struct err *err)
{
	bool is_debug =
		priv(o)->is_debug; /* split units are objects, what dwz makes has no segments */

	memset(eh, 0, sizeof(*eh));
	if (priv(o)->size < sizeof(*eh) || read_at(o, eh, sizeof(*eh), 0)) {
		char magic[SELFMAG];

		if (read_at(o, magic, sizeof(magic), 0) || memcmp(magic, ELFMAG, SELFMAG) != 0)
			return err_set(err, -ENOEXEC, "%s is not an ELF file", o->path);
		return err_set(err, -ENOEXEC, "%s is damaged: it ends within its header", o->path);
	}
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, -ENOEXEC, "%s is not an ELF file", o->path);
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh->e_machine != EM_X86_64)
		return err_set(err, -ENOEXEC, "%s is not an x86-64 program", o->path);
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN && !is_debug)
		return err_set(err, -ENOEXEC, "%s is neither a program nor a shared library",
			       o->path);
	if (is_debug && !eh->e_phnum)
		return 0;
	if (!eh->e_phnum || eh->e_phnum > MAX_PHDRS || eh->e_phentsize != sizeof(Elf64_Phdr))
		return err_set(err, -ENOEXEC, "%s is damaged: it has no valid program headers",
			       o->path);
	o->is_exec = eh->e_type == ET_EXEC;
	o->entry = eh->e_entry;
	return 0;
}

static int add_segment(struct objfile *o, const Elf64_Phdr *ph, struct err *err)
{
	struct objfile_priv *p = priv(o);

	if (p->is_debug)
		return 0;
	if (ph->p_filesz > ph->p_memsz || ph->p_vaddr + ph->p_memsz < ph->p_vaddr ||
	    ph->p_offset > p->size || ph->p_filesz > p->size - ph->p_offset)
		return err_set(err, -ENOEXEC,
			       "%s is damaged: a segment lies outside the file; is it truncated?",
			       o->path);
	p->segs[p->nsegs++] = (struct segment){.addr = ph->p_vaddr,
					       .off = ph->p_offset,
					       .filesz = ph->p_filesz,
					       .memsz = ph->p_memsz,
					       .exec = ph->p_flags & PF_X};
	o->end = MAX(o->end, ph->p_vaddr + ph->p_memsz);
	return 0;
}

static void read_buildid(struct objfile *o, uint64_t off, uint64_t size)
{
	const unsigned char *id;
	unsigned char *notes;
	size_t len;

	if (o->buildid_len || size > 64 << 10)
		return;
	notes = elf_read(o, off, size, "notes", NULL);
	id = notes ? notes_build_id(notes, size, &len) : NULL;
	if (id) {
		o->buildid_len = (unsigned)MIN(len, sizeof(o->buildid));
		memcpy(o->buildid, id, o->buildid_len);
	}
	free(notes);
}

static void read_soname(struct objfile *o, const Elf64_Phdr *ph)
{
	Elf64_Dyn *dyn;
	taddr_t strings = 0;
	uint64_t soname = 0;
	char name[256];
	size_t n;

	if (ph->p_filesz > 1 << 20)
		return;
	dyn = elf_read(o, ph->p_offset, ph->p_filesz, "dynamic section", NULL);
	for (size_t i = 0; dyn && i < ph->p_filesz / sizeof(*dyn) && dyn[i].d_tag; i++) {
		if (dyn[i].d_tag == DT_STRTAB)
			strings = dyn[i].d_un.d_ptr;
		else if (dyn[i].d_tag == DT_SONAME)
			soname = dyn[i].d_un.d_val;
	}
	free(dyn);
	if (!soname || !strings)
		return;
	n = objfile_bytes(o, strings + soname, name, sizeof(name) - 1);
	name[n] = '\0';
	if (name[0])
		o->soname = arena_strdup(&priv(o)->arena, name);
}

static void read_tls(struct objfile *o, const Elf64_Phdr *ph)
{
	if (ph->p_memsz > MAX_TLS || ph->p_align > MAX_TLS)
		return;
	o->tls_size = ROUND_UP(ph->p_memsz, MAX(1, ph->p_align));
	o->tls_addr = ph->p_vaddr;
}

static int read_segments(struct objfile *o, const Elf64_Ehdr *eh, Elf64_Phdr *hdr_frame,
			 struct err *err)
{
	struct objfile_priv *p = priv(o);
	Elf64_Phdr *ph =
		elf_read(o, eh->e_phoff, eh->e_phnum * sizeof(*ph), "program header table", err);
	int r = 0;

	if (!ph)
		return err ? err->code : -ENOEXEC;
	p->segs = xcalloc(eh->e_phnum, sizeof(*p->segs));
	for (unsigned i = 0; i < eh->e_phnum && !r; i++) {
		if (ph[i].p_type == PT_LOAD)
			r = add_segment(o, &ph[i], err);
		else if (ph[i].p_type == PT_INTERP)
			o->has_interp = true;
		else if (ph[i].p_type == PT_GNU_EH_FRAME)
			*hdr_frame = ph[i];
		else if (ph[i].p_type == PT_DYNAMIC)
			p->dynamic = ph[i];
		else if (ph[i].p_type == PT_TLS)
			read_tls(o, &ph[i]);
	}
	for (unsigned i = 0; i < eh->e_phnum && !r; i++) {
		if (p->is_debug)
			continue;
		if (ph[i].p_type == PT_NOTE) {
			p->has_notes = true;
			read_buildid(o, ph[i].p_offset, ph[i].p_filesz);
		} else if (ph[i].p_type == PT_DYNAMIC)
			read_soname(o, &ph[i]);
	}
	free(ph);
	if (!r && !p->nsegs && !p->is_debug)
		r = err_set(err, -ENOEXEC, "%s is damaged: nothing in it is loaded", o->path);
	return r;
}

/* ---- sections and symbols ---- */

int elf_sections(const struct objfile *o, struct sections *s, struct err *err)
{
	const Elf64_Ehdr *eh = &priv(o)->header;
	Elf64_Shdr first;
	uint64_t n = eh->e_shnum, names = eh->e_shstrndx;

	if (!eh->e_shoff)
		return 0; /* stripped of it: legal */
	if (eh->e_shentsize != sizeof(Elf64_Shdr) || read_at(o, &first, sizeof(first), eh->e_shoff))
		return err_set(err, -ENOEXEC,
			       "%s is damaged: its section table lies outside the file; is it "
			       "truncated?",
			       o->path);
	if (n == 0)
		n = first.sh_size; /* ELF: more than 0xff00 sections */
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (n > MAX_SECTIONS)
		return err_set(err, -ENOEXEC, "%s is damaged: it claims %llu sections", o->path,
			       (unsigned long long)n);
	s->sh = elf_read(o, eh->e_shoff, n * sizeof(*s->sh), "section table", err);
	if (!s->sh)
		return err ? err->code : -ENOEXEC;
	s->n = (unsigned)n;
	if (names && names < n && s->sh[names].sh_type == SHT_STRTAB) {
		s->names_size = s->sh[names].sh_size;
		s->names = elf_read(o, s->sh[names].sh_offset, s->names_size,
				    "table of section names", err);
		if (!s->names)
			return err ? err->code : -ENOEXEC;
	}
	return 0;
}

const char *elf_section_name(const struct sections *s, unsigned i)
{
	return s->names && s->sh[i].sh_name < s->names_size ? s->names + s->sh[i].sh_name : "";
}

const Elf64_Shdr *elf_section_named(const struct sections *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (strcmp(elf_section_name(s, i), name) == 0)
			return &s->sh[i];
	return NULL;
}

void elf_sections_release(struct sections *s)
{
	free(s->sh);
	free(s->names);
}

static void make_room(struct objfile_priv *p, uint64_t n)
{
	if (p->room - p->nsyms >= n)
		return;
	p->room = p->nsyms + (uint32_t)n;
	p->syms = xrealloc(p->syms, p->room * sizeof(*p->syms));
	will_fill(p->syms + p->nsyms, n * sizeof(*p->syms));
}

struct sym *elf_new_sym(struct objfile_priv *p)
{
	if (p->nsyms == p->room)
		make_room(p, MAX(p->room, 256));
	p->syms[p->nsyms] = (struct sym){.next = NO_SYM};
	return &p->syms[p->nsyms++];
}

static bool symbol_wanted(const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return s->st_name && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_COMMON &&
	       s->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
		type == STT_NOTYPE);
}

/*
 * What is asked of names again and again, while this one is at hand: later they are looked at in
 * the order of addresses, each a miss of every cache. .symtab has no table of versions: the linker
 * writes them into the names, foo@V1 and foo@@V2.
 */
void elf_name_sym(struct objfile_priv *p, struct sym *s)
{
	size_t len, nlow;
	const char *at;

	s->name = name_cleaned(&p->arena, s->name);
	len = strlen(s->name);
	nlow = strspn(s->name, "_");
	at = memchr(s->name, '@', len);

	s->name_sum = (uint32_t)hash_bytes(s->name, len);
	s->underscores = (uint8_t)MIN(nlow, UINT8_MAX);
	s->is_dollar = s->name[0] == '$';
	s->is_odd = at || memchr(s->name, '.', len) || !strcmp(s->name, "_init") ||
		    !strcmp(s->name, "_fini");
	s->hidden |= at && at[1] != '@';
}

void elf_add_symbols(struct objfile *o, const Elf64_Sym *sym, uint64_t n, const char *strings,
		     uint64_t size, const uint16_t *versions, uint64_t nversions)
{
	make_room(priv(o), MIN(n, ROOM_MOST));
	for (uint64_t i = 0; i < n; i++) {
		const struct segment *seg;
		struct sym *out;

		if (!symbol_wanted(&sym[i]) || sym[i].st_name >= size)
			continue;
		seg = elf_segment_at(o, sym[i].st_value);
		if (!seg || !strings[sym[i].st_name])
			continue;
		out = elf_new_sym(priv(o));
		out->name = strings + sym[i].st_name;
		out->addr = sym[i].st_value;
		out->size = MIN(sym[i].st_size, seg->addr + seg->memsz - out->addr);
		out->type = ELF64_ST_TYPE(sym[i].st_info);
		out->bind = ELF64_ST_BIND(sym[i].st_info);
		out->code = seg->exec;
		out->hidden = i < nversions && versions[i] & 0x8000;
		elf_name_sym(priv(o), out);
	}
}

static const Elf64_Shdr *section_of_type(const struct sections *s, uint32_t type)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->sh[i].sh_type == type)
			return &s->sh[i];
	return NULL;
}

int elf_add_table(struct objfile *to, const struct objfile *from, const struct sections *s,
		  uint32_t type, char **strings, struct err *err)
{
	const Elf64_Shdr *sh = section_of_type(s, type), *str, *ver;
	uint16_t *versions = NULL;
	Elf64_Sym *sym;

	if (!sh)
		return 0;
	if (sh->sh_link >= s->n || s->sh[sh->sh_link].sh_type != SHT_STRTAB)
		return err_set(err, -ENOEXEC, "%s is damaged: a symbol table has no names",
			       from->path);
	str = &s->sh[sh->sh_link];
	ver = type == SHT_DYNSYM ? section_of_type(s, SHT_GNU_versym) : NULL;
	*strings = elf_read(from, str->sh_offset, str->sh_size, "table of symbol names", err);
	sym = *strings ? elf_read(from, sh->sh_offset, sh->sh_size, "symbol table", err) : NULL;
	if (sym && ver)
		versions = elf_read(from, ver->sh_offset, ver->sh_size, "version table", err);
	if (!sym || (ver && !versions)) {
		free(sym);
		return err ? err->code : -ENOEXEC;
	}
	elf_add_symbols(to, sym, sh->sh_size / sizeof(*sym), *strings, str->sh_size, versions,
			ver ? ver->sh_size / sizeof(*versions) : 0);
	free(versions);
	free(sym);
	return 0;
}

static int read_all_symbols(struct objfile *o, const struct sections *s, struct err *err)
{
	char **strings = priv(o)->strings;
	int r = elf_add_table(o, o, s, SHT_SYMTAB, &strings[0], err);

	if (!r)
		r = elf_add_table(o, o, s, SHT_DYNSYM, &strings[1], err);
	if (!r && !strings[1])
		dynsym_add(o, &strings[1]);
	if (!r && !strings[0])
		debugfile_add_symbols(o, s);
	if (!r && !strings[0] && !strings[2])
		gosyms_add(o, s);
	return r;
}

/* ---- opening ---- */

static int load_headers(struct objfile *o, struct err *err)
{
	struct objfile_priv *p = priv(o);
	int r = read_header(o, &p->header, err);

	return r || !p->header.e_phnum ? r : read_segments(o, &p->header, &p->hdr_frame, err);
}

static int load_symbols(struct objfile *o, struct err *err)
{
	struct sections s = {0};
	int r = elf_sections(o, &s, err);

	if (!r)
		r = read_all_symbols(o, &s, err);
	if (!r) {
		funcs_build(o);
		r = cfifuncs_add(o, &s, err);
	}
	elf_sections_release(&s);
	return r;
}

static int open_headers(int fd, const char *path, bool is_debug, struct objfile **out,
			struct err *err)
{
	struct objfile *o = xcalloc(1, sizeof(*o));
	struct objfile_priv *p = xcalloc(1, sizeof(*p));
	struct stat st;
	int r = 0;

	o->priv = p;
	p->fd = fd;
	p->root = FILEROOT_OURS;
	p->is_debug = is_debug;
	arena_init(&p->arena);
	elf_set_path(o, path);
	if (fstat(fd, &st))
		r = err_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = err_set(err, -ENOEXEC, "%s is not an ELF file", path);
	else if (regfile_check(fd))
		r = err_set(err, -EFBIG, "%s is not read: %s", path, regfile_why(-EFBIG));
	if (!r) {
		p->size = (uint64_t)st.st_size;
		o->dev = st.st_dev;
		o->ino = st.st_ino;
		r = load_headers(o, err);
	}
	if (r) {
		objfile_close(o);
		return r;
	}
	*out = o;
	return 0;
}

static int read_note_sections(struct objfile *o, struct err *err)
{
	struct sections s = {0};
	int r = elf_sections(o, &s, err);

	for (unsigned i = 0; !r && i < s.n; i++)
		if (s.sh[i].sh_type == SHT_NOTE)
			read_buildid(o, s.sh[i].sh_offset, s.sh[i].sh_size);
	elf_sections_release(&s);
	return r;
}

/* perf inject --jit writes files whose notes only sections tell of. */
int objfile_open_headers(int fd, const char *path, struct objfile **out, struct err *err)
{
	struct err ignored;
	int r = open_headers(fd, path, false, out, err);

	if (r == 0 && !priv(*out)->has_notes)
		read_note_sections(*out, &ignored);
	return r;
}

/* Their notes are found by section: what the program headers say is of the file they belong to. */
int elf_open_debug(int fd, const char *path, struct objfile **out, struct err *err)
{
	int r = open_headers(fd, path, true, out, err);

	if (r)
		return r;
	r = read_note_sections(*out, err);
	if (r)
		objfile_close(*out);
	return r;
}

static void load_once(struct objfile *o, struct objfile_priv *p)
{
	struct err why = {0};

	p->loaded = true;
	if (!load_symbols(o, &why))
		return;
	p->load_code = why.code;
	p->load_text = arena_strdup(&p->arena, why.text);
	o->nfuncs = 0;
	p->nsyms = 0;
}

int objfile_load(struct objfile *o, struct err *err)
{
	struct objfile_priv *p = priv(o);

	if (!p->loaded)
		load_once(o, p);
	return p->load_code ? err_set(err, p->load_code, "%s", p->load_text) : 0;
}

int objfile_open(int fd, const char *path, struct objfile **out, struct err *err)
{
	struct objfile *o;
	int r = objfile_open_headers(fd, path, &o, err);

	if (r)
		return r;
	r = objfile_load(o, err);
	if (r)
		objfile_close(o);
	else
		*out = o;
	return r;
}

void objfile_close(struct objfile *o)
{
	struct objfile_priv *p;

	if (!o)
		return;
	p = priv(o);
	close(p->fd);
	fileroot_close(p->root);
	strmap_release(&p->names);
	arena_release(&p->arena);
	free(p->strings[0]);
	free(p->strings[1]);
	free(p->strings[2]);
	free(p->syms);
	free(p->funcs);
	free(p->func_syms);
	free(p->reach);
	free(p->sites);
	free(p->demangled);
	fnwords_free(p->fnwords);
	gosyms_free(p->go);
	free(p->others);
	free(p->segs);
	free(p->pieces);
	free(p->own_path);
	free(p);
	free(o);
}

void elf_set_path(struct objfile *o, const char *path)
{
	struct objfile_priv *p = priv(o);
	const char *slash;

	free(p->own_path);
	p->own_path = xstrdup(path);
	o->path = arena_strdup(&p->arena, name_cleaned(&p->arena, path));
	slash = strrchr(o->path, '/');
	o->name = slash && slash[1] ? slash + 1 : o->path;
}

int objfile_fd(const struct objfile *o)
{
	return priv(o)->fd;
}

void objfile_set_root(struct objfile *o, int root, const char *own_path)
{
	struct objfile_priv *p = priv(o);
	char *copy = xstrdup(own_path);

	fileroot_close(p->root);
	free(p->own_path);
	p->root = root;
	p->own_path = copy;
}

const char *objfile_own_path(const struct objfile *o)
{
	return priv(o)->own_path;
}

int objfile_root(const struct objfile *o)
{
	return priv(o)->root;
}
