#include "inject/x86/tlsword.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/*
 * glibc: the last word of __glibc_unused2, 512 bytes kept for the layout's sake (tcbhead_t in
 * sysdeps/x86_64/nptl/tls.h). musl: sysinfo, which only i386 has a use for (struct pthread in
 * src/internal/pthread_impl.h); a new thread inherits it. The number: struct
 * pthread of both.
 */
static const struct tlsword of_glibc = {.word = 0x278, .self = 0x10, .tid = 0x2d0};
static const struct tlsword of_musl = {.word = 0x20, .self = 0, .tid = 0x30};

/* Symbols that only one of them has: shared, and linked into a program. */
static const struct {
	const char *symbol;
	const struct tlsword *tls;
	const char *refusal;
} marks[] = {
	{"runtime.main", NULL, "a program of Go moves its stacks, and has threads of its own kind"},
	{"gnu_get_libc_version", &of_glibc, NULL},
	{"__libc_setup_tls", &of_glibc, NULL},
	{"__dls2b", &of_musl, NULL},
	{"__init_tp", &of_musl, NULL},
};

static bool find_mark(const struct objfile *o, unsigned i)
{
	uint64_t size;
	taddr_t addr;

	return objfile_symbol(o, marks[i].symbol, &addr, &size);
}

/* A stripped program with glibc in it: the name of its tunables is left. */
static bool is_static_glibc(const struct objfile *o)
{
	static const char word[] = "glibc.malloc.";
	struct stat st;
	bool found;
	void *p;

	if (o->has_interp || fstat(objfile_fd(o), &st) < 0 || !st.st_size)
		return false;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, objfile_fd(o), 0);
	if (p == MAP_FAILED)
		return false;
	found = memmem(p, (size_t)st.st_size, word, strlen(word)) != NULL;
	munmap(p, (size_t)st.st_size);
	return found;
}

/* The program, its C library, and the loader, which is the C library of musl. */
static bool may_hold_libc(const struct module *m)
{
	return !m->gone &&
	       (m->is_program || !strncmp(m->name, "libc.", 5) || !strncmp(m->name, "ld-musl", 7));
}

int tlsword_find(const struct modules *ms, struct tlsword *out, struct err *err)
{
	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
		for (struct module *m = ms->list; m; m = m->next) {
			const struct objfile *o = may_hold_libc(m) ? module_objfile(m, NULL) : NULL;

			if (!o || !find_mark(o, i))
				continue;
			if (marks[i].refusal)
				return err_set(err, -EINVAL, "%s", marks[i].refusal);
			*out = *marks[i].tls;
			return 0;
		}
	for (struct module *m = ms->list; m; m = m->next) {
		const struct objfile *o = m->is_program ? module_objfile(m, NULL) : NULL;

		if (!o || !is_static_glibc(o))
			continue;
		*out = of_glibc;
		return 0;
	}
	return err_set(err, -ENOENT,
		       "its C library is neither glibc nor musl, or cannot be recognised");
}
