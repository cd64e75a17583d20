#include "symbols/vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

const void *vdso_image(size_t *size)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(const void *)image;

	if (image)
		*size = (size_t)(eh->e_shoff + (uint64_t)eh->e_shnum * eh->e_shentsize);
	return image;
}

struct objfile *vdso_open(void)
{
	struct objfile *o;
	size_t size;
	const void *image = vdso_image(&size);
	int fd = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return NULL;
	if (write(fd, image, size) != (ssize_t)size) {
		close(fd);
		return NULL;
	}
	return objfile_open(fd, VDSO_LABEL, &o, NULL) ? NULL : o;
}
