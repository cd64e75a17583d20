/*
 * pid_gdbjit.c: GDB's interface for code made at run time, which LLVM, LuaJIT, Mono, PyPy and
 * others offer: a list of ELF images, one for each piece, and an empty function that is called when
 * the list has changed. A breakpoint of ours there tells of code before it runs.
 */
#include <stdlib.h>

#include "providers/pid/pid_priv.h"
#include "symbols/jitelf.h"

#define REGISTER_CODE "__jit_debug_register_code"
#define DESCRIPTOR    "__jit_debug_descriptor"

#define MAX_IMAGE ((uint64_t)64 << 20)
#define MAX_LIST  100000 /* of a list that may be a ring */

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

struct descriptor { /* as GDB has defined it */
	uint32_t version, action;
	uint64_t relevant, first;
};

struct entry {
	uint64_t next, prev, image, size;
};

static void tell(void *arg, taddr_t addr, uint64_t size, const char *name)
{
	pid_jit_told(arg, addr, size, name);
}

/* What was code there is none any more: a piece without a name. */
static void take_back(void *arg, taddr_t addr, uint64_t size, const char *name UNUSED)
{
	pid_jit_told(arg, addr, size, "");
}

/* The functions of one entry; returns the entry behind it, or 0. */
static taddr_t read_entry(struct pid_proc *pp, taddr_t at, jitelf_fn *fn)
{
	struct target *t = proc_target(pp->proc);
	struct entry e;
	void *image;
	ssize_t n;

	if (!at || target_read(t, at, &e, sizeof(e)) != sizeof(e))
		return 0;
	if (e.size > MAX_IMAGE)
		return e.next;
	image = xmalloc(e.size + 1);
	n = target_read(t, e.image, image, e.size);
	if (n > 0)
		jitelf_each(image, (size_t)n, fn, pp);
	free(image);
	return e.next;
}

static bool read_descriptor(struct pid_proc *pp, const struct module *m, const struct objfile *o,
			    struct descriptor *d)
{
	taddr_t addr;
	uint64_t size;

	return objfile_symbol(o, DESCRIPTOR, &addr, &size) &&
	       target_read(proc_target(pp->proc), addr + m->bias, d, sizeof(*d)) == sizeof(*d) &&
	       d->version == 1;
}

static void changed(struct hit *hit, void *arg)
{
	struct pid_proc *pp = arg;
	struct module *m = modules_at(pp->modules, hit->pc);
	struct objfile *o = m ? module_objfile(m, NULL) : NULL;
	struct descriptor d;

	if (!o || !read_descriptor(pp, m, o, &d))
		return;
	if (d.action == JIT_REGISTER)
		read_entry(pp, d.relevant, tell);
	else if (d.action == JIT_UNREGISTER)
		read_entry(pp, d.relevant, take_back);
	pid_jit_take(pp);
}

void pid_gdbjit_hook(struct pid_proc *pp, const struct module *m, const struct objfile *o)
{
	struct descriptor d;
	struct bkpt *b;
	taddr_t addr;
	uint64_t size;

	if (!objfile_symbol(o, REGISTER_CODE, &addr, &size) || !read_descriptor(pp, m, o, &d))
		return;
	for (unsigned n = 0; d.first && n < MAX_LIST; n++)
		d.first = read_entry(pp, d.first, tell);
	bkpt_add(pp->proc, addr + m->bias, BKPT_ALWAYS, changed, pp, &b, NULL);
}
