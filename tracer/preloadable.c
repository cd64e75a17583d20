#include "tracer/preloadable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/execgate.h"

#define PHDRS_MAX 128

static int refuse(const char *path, const char *why, struct err *err)
{
	return err_set(err, -ENOTSUP, "%s does not load the hook library: %s", path, why);
}

/* The kernel gives it other rights than ours: the loader obeys no variable then (ld.so(8)). */
static bool is_privileged(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || geteuid() == 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static bool has_interpreter(int fd, const Elf64_Ehdr *eh)
{
	Elf64_Phdr ph;

	for (unsigned i = 0; i < MIN(eh->e_phnum, PHDRS_MAX); i++)
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh->e_phoff + i * sizeof(ph))) ==
			    sizeof(ph) &&
		    ph.p_type == PT_INTERP)
			return true;
	return false;
}

static int look_at_elf(const char *path, int fd, const Elf64_Ehdr *eh, struct err *err)
{
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_machine != EM_X86_64)
		return refuse(path, "it is no program for x86-64", err);
	if (!has_interpreter(fd, eh))
		return refuse(path, "it is statically linked", err);
	if (is_privileged(fd))
		return refuse(path,
			      "it runs with other rights than ours (setuid, setgid or file "
			      "capabilities)",
			      err);
	return 0;
}

bool script_interpreter(const char *head, char *path, size_t size)
{
	const char *from = head + 2;
	size_t n;

	if (head[0] != '#' || head[1] != '!')
		return false;
	from += strspn(from, " \t");
	n = strcspn(from, " \t\n");
	return n && snprintf(path, size, "%.*s", (int)n, from) < (int)size;
}

int preloadable(const char *program, struct err *err)
{
	char path[PATH_MAX];
	int r = 0;

	if (gate_find(program, path, sizeof(path)))
		return 0;
	for (unsigned i = 0; i < SCRIPTS_MAX; i++) {
		union {
			char text[256];
			Elf64_Ehdr eh;
		} head = {{0}};
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool is_elf;

		if (fd < 0) /* it may be executed all the same */
			return 0;
		(void)!read(fd, head.text, sizeof(head) - 1);
		is_elf = memcmp(head.text, ELFMAG, SELFMAG) == 0;
		if (is_elf)
			r = look_at_elf(path, fd, &head.eh, err);
		close(fd);
		if (is_elf || !script_interpreter(head.text, path, sizeof(path)))
			return r;
	}
	return 0;
}
