#include "symbols/notes.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

const unsigned char *notes_build_id(const unsigned char *notes, size_t size, size_t *len)
{
	size_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= size) {
		Elf64_Nhdr h;
		size_t name, desc;

		memcpy(&h, notes + at, sizeof(h));
		name = at + sizeof(h);
		desc = name + ROUND_UP((size_t)h.n_namesz, 4);
		if (desc + h.n_descsz > size)
			return NULL;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0) {
			*len = h.n_descsz;
			return notes + desc;
		}
		at = desc + ROUND_UP((size_t)h.n_descsz, 4);
	}
	return NULL;
}

size_t kernel_build_id(unsigned char *id, size_t room)
{
	const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	unsigned char notes[4096];
	const ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;
	const unsigned char *found;
	size_t len = 0;

	if (fd >= 0)
		close(fd);
	found = n > 0 ? notes_build_id(notes, (size_t)n, &len) : NULL;
	if (!found || len > room)
		return 0;
	memcpy(id, found, len);
	return len;
}

struct own_id {
	unsigned char *id;
	size_t room, len;
};

/* The program comes first, so nothing else is looked at (dl_iterate_phdr(3)). */
static int find_own_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct own_id *own = arg;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum && !own->len; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		const unsigned char *found =
			p->p_type == PT_NOTE
				? notes_build_id((void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz,
						 &own->len)
				: NULL;

		if (!found || own->len > own->room)
			own->len = 0;
		else
			memcpy(own->id, found, own->len);
	}
	return 1;
}

size_t own_build_id(unsigned char *id, size_t room)
{
	struct own_id own = {.id = id, .room = room};

	dl_iterate_phdr(find_own_id, &own);
	return own.len;
}
