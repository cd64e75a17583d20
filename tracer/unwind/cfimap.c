#include "tracer/unwind/cfimap.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/regfile.h"
#include "tracer/mem.h"

#define CHUNK	  16384ULL /* read at once */
#define IMAGE_MAX (1ULL << 32)
#define PHDRS_MAX 64
#define SHDRS_MAX 4096
#define MEMFD	  "/memfd:"

/* ---- images ---- */

static bool image_open(struct image *im, struct target *t, taddr_t start, taddr_t end)
{
	size_t size = end - start;
	void *p;

	*im = (struct image){.target = t, .start = start, .size = size};
	if (start >= end || size > IMAGE_MAX)
		return false;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return false;
	im->bytes = p;
	im->loaded = xcalloc(size / CHUNK + 1, 1);
	return true;
}

static void image_close(struct image *im)
{
	if (!im->bytes)
		return;
	munmap(im->bytes, im->size);
	free(im->loaded);
	im->bytes = NULL;
}

static bool image_load(struct image *im, size_t chunk)
{
	size_t off = chunk * CHUNK, n = MIN(CHUNK, im->size - off);

	if (!im->loaded[chunk])
		im->loaded[chunk] =
			target_read(im->target, im->start + off, im->bytes + off, n) == (ssize_t)n;
	return im->loaded[chunk];
}

static bool image_has(const struct image *im, taddr_t addr, size_t n)
{
	return im->bytes && addr >= im->start && addr - im->start < im->size &&
	       n <= im->size - (addr - im->start);
}

static const uint8_t *image_bytes(void *arg, taddr_t addr, size_t n)
{
	struct image *im = arg;
	size_t off = addr - im->start;

	if (!n || !image_has(im, addr, n))
		return NULL;
	for (size_t c = off / CHUNK; c <= (off + n - 1) / CHUNK; c++)
		if (!image_load(im, c))
			return NULL;
	return im->bytes + off;
}

/* ---- where a file's tables are ---- */

struct tables {
	taddr_t hdr, frame;
	uint64_t frame_size;
};

static bool get(struct proc *p, taddr_t a, void *buf, size_t n)
{
	return target_read(&p->target, a, buf, n) == (ssize_t)n;
}

/* The first mapping of the file that v belongs to: its ELF header. */
static const struct vma *first_vma(const struct proc *p, const struct vma *v)
{
	const struct vma *first = v;

	while (first > p->maps.v && first[-1].ino == v->ino && !strcmp(first[-1].path, v->path) &&
	       first[-1].offset < first->offset)
		first--;
	return first;
}

/* From the program headers in memory. */
static bool read_headers(struct proc *p, const struct vma *first, taddr_t *bias, taddr_t *hdr)
{
	bool has_bias = false;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	*hdr = *bias = 0;
	if (first->offset || !get(p, first->start, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < MIN(eh.e_phnum, PHDRS_MAX); i++) {
		if (!get(p, first->start + eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return false;
		if (ph.p_type == PT_LOAD && !has_bias) {
			*bias = first->start - (ph.p_vaddr & ~(PAGE - 1));
			has_bias = true;
		}
		if (ph.p_type == PT_GNU_EH_FRAME)
			*hdr = ph.p_vaddr;
	}
	if (*hdr)
		*hdr += *bias;
	return has_bias;
}

static int open_file(const struct proc *p, const struct vma *v)
{
	return regfile_open_mapped(p->pid, v->start, v->end, v->path, v->ino);
}

static bool file_bytes(int fd, uint64_t off, void *buf, size_t n)
{
	return pread(fd, buf, n, (off_t)off) == (ssize_t)n;
}

/* .eh_frame by the section headers of the file: for programs linked without .eh_frame_hdr. */
static void find_section(const struct proc *p, const struct vma *v, taddr_t bias, struct tables *t)
{
	int fd = v->ino ? open_file(p, v) : -1;
	Elf64_Shdr names, sh;
	Elf64_Ehdr eh;
	char name[10];

	if (fd < 0)
		return;
	if (file_bytes(fd, 0, &eh, sizeof(eh)) && eh.e_shentsize == sizeof(sh) &&
	    file_bytes(fd, eh.e_shoff + eh.e_shstrndx * sizeof(sh), &names, sizeof(names)))
		for (unsigned i = 0; i < MIN(eh.e_shnum, SHDRS_MAX) && !t->frame; i++) {
			if (!file_bytes(fd, eh.e_shoff + i * sizeof(sh), &sh, sizeof(sh)))
				break;
			if (!(sh.sh_flags & SHF_ALLOC) ||
			    !file_bytes(fd, names.sh_offset + sh.sh_name, name, sizeof(name)) ||
			    memcmp(name, ".eh_frame", sizeof(name)) != 0)
				continue;
			t->frame = bias + sh.sh_addr;
			t->frame_size = sh.sh_size;
		}
	close(fd);
}

/* ---- modules ---- */

/* The mappings that the tables lie in. */
static bool open_tables(struct cfimod *m, struct proc *p, const struct tables *t)
{
	const struct vma *hdr = t->hdr ? vmmap_at(&p->maps, t->hdr) : NULL;
	const struct vma *frame = t->frame ? vmmap_at(&p->maps, t->frame) : hdr;

	if (!hdr)
		hdr = frame;
	if (!hdr || !frame)
		return false;
	return image_open(&m->im, &p->target, MIN(hdr->start, frame->start),
			  MAX(hdr->end, frame->end)) &&
	       !cfi_open(&m->cfi, image_bytes, &m->im, t->hdr, t->frame, t->frame_size);
}

static struct cfimod *module_new(struct proc *p, const struct vma *v)
{
	struct cfimod *m = xcalloc(1, sizeof(*m));
	struct tables t = {0};
	taddr_t bias;

	m->vma = *v;
	m->vma.path = NULL;
	m->is_file = v->ino && strncmp(v->path, MEMFD, strlen(MEMFD)) != 0;
	if (read_headers(p, first_vma(p, v), &bias, &t.hdr)) {
		if (!t.hdr)
			find_section(p, v, bias, &t);
		m->has_cfi = open_tables(m, p, &t);
	}
	if (!m->has_cfi)
		image_close(&m->im);
	return m;
}

const struct cfimod *cfimap_at(struct cfimap *map, taddr_t pc)
{
	const struct vma *v;

	for (size_t i = 0; i < map->n; i++)
		if (pc >= map->v[i]->vma.start && pc < map->v[i]->vma.end)
			return map->v[i];
	v = vmmap_at(&map->proc->maps, pc);
	if (!v || !v->exec)
		return NULL;
	if (map->n == map->room) {
		map->room = map->room ? map->room * 2 : 16;
		map->v = xrealloc(map->v, map->room * sizeof(struct cfimod *));
	}
	map->v[map->n] = module_new(map->proc, v);
	return map->v[map->n++];
}

bool cfimap_holds(const struct cfimap *map)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct vma *was = &map->v[i]->vma;
		const struct vma *is = vmmap_at(&map->proc->maps, was->start);

		if (!is || is->start != was->start || is->end != was->end || is->ino != was->ino ||
		    is->offset != was->offset || is->exec != was->exec)
			return false;
	}
	return true;
}

bool cfimap_word(const struct cfimap *map, taddr_t addr, uint64_t *v)
{
	for (size_t i = 0; i < map->n; i++) {
		const uint8_t *p = image_bytes(&map->v[i]->im, addr, 8);

		if (!p)
			continue;
		memcpy(v, p, 8);
		return true;
	}
	return false;
}

void cfimap_init(struct cfimap *map, struct proc *p)
{
	*map = (struct cfimap){.proc = p};
}

void cfimap_release(struct cfimap *map)
{
	for (size_t i = 0; i < map->n; i++) {
		cfi_close(&map->v[i]->cfi);
		image_close(&map->v[i]->im);
		free(map->v[i]);
	}
	free(map->v);
	cfimap_init(map, map->proc);
}
