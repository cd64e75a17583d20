#include "symbols/cfi/filecfi.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/regfile.h"

#define MAX_LOADS 16
#define MAX_BYTES ((uint64_t)512 << 20) /* of a segment with the tables */

struct filecfi {
	int fd; /* -1: there is none */
	struct load {
		uint64_t off, vaddr, size;
	} loads[MAX_LOADS];
	unsigned nloads;
	taddr_t hdr;	/* .eh_frame_hdr; 0: none */
	uint8_t *bytes; /* of the segment that it lies in */
	const struct load *tables;
	struct cfi cfi;
	bool has_rows;
};

static const uint8_t *bytes_at(void *arg, taddr_t addr, size_t n)
{
	const struct filecfi *f = arg;
	const struct load *l = f->tables;

	if (addr < l->vaddr || addr - l->vaddr > l->size || n > l->size - (addr - l->vaddr))
		return NULL;
	return f->bytes + (addr - l->vaddr);
}

static bool read_all(int fd, void *buf, size_t n, uint64_t off)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = pread(fd, (char *)buf + got, n - got, (off_t)(off + got));

		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

/* What is mapped from where (ELF-64, "Program Header"). */
static void read_segments(struct filecfi *f, int fd)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_all(fd, &eh, sizeof(eh), 0) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(ph))
		return;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!read_all(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)))
			return;
		if (ph.p_type == PT_GNU_EH_FRAME)
			f->hdr = ph.p_vaddr;
		if (ph.p_type == PT_LOAD && f->nloads < MAX_LOADS)
			f->loads[f->nloads++] = (struct load){ph.p_offset, ph.p_vaddr, ph.p_filesz};
	}
}

static void read_tables(struct filecfi *f, int fd)
{
	for (unsigned i = 0; f->hdr && i < f->nloads; i++)
		if (f->hdr >= f->loads[i].vaddr && f->hdr - f->loads[i].vaddr < f->loads[i].size)
			f->tables = &f->loads[i];
	if (!f->tables || f->tables->size > MAX_BYTES)
		return;
	f->bytes = malloc(f->tables->size);
	if (f->bytes && read_all(fd, f->bytes, f->tables->size, f->tables->off))
		f->has_rows = cfi_open(&f->cfi, bytes_at, f, f->hdr, 0, 0) == 0;
}

struct filecfi *filecfi_new(int fd)
{
	struct filecfi *f = xcalloc(1, sizeof(*f));

	f->fd = fd < 0 ? -1 : fd;
	if (fd >= 0 && regfile_check(fd) == 0) {
		read_segments(f, fd);
		read_tables(f, fd);
	}
	return f;
}

void filecfi_free(struct filecfi *f)
{
	if (!f)
		return;
	if (f->has_rows)
		cfi_close(&f->cfi);
	if (f->fd >= 0)
		close(f->fd);
	free(f->bytes);
	free(f);
}

bool filecfi_is_open(const struct filecfi *f)
{
	return f->fd >= 0;
}

bool filecfi_code(const struct filecfi *f, uint64_t file_off, void *buf, size_t n)
{
	return f->fd >= 0 && read_all(f->fd, buf, n, file_off);
}

int filecfi_row(const struct filecfi *f, uint64_t file_off, struct cfi_row *row)
{
	for (unsigned i = 0; f->has_rows && i < f->nloads; i++) {
		const struct load *l = &f->loads[i];

		if (file_off >= l->off && file_off - l->off < l->size)
			return cfi_row(&f->cfi, file_off - l->off + l->vaddr, row);
	}
	return -ENOENT;
}
