/*
 * pid_ifunc.c: indirect functions (STT_GNU_IFUNC of the System V ABI's GNU extension). The symbol
 * is that of a resolver, which the loader asks once, and writes the answer where callers look for
 * it: what has been chosen is read from there, and what is chosen later is told by the resolver.
 */
#include "providers/pid/hookops.h"
#include "providers/pid/pid_priv.h"
#include "symbols/vdso.h"

#define VDSO_MAX (4 * PAGE)

struct looking {
	struct pid_proc *pp;
	const struct module *defines, *in;
	taddr_t resolver; /* in the process */
	taddr_t *chosen;
	unsigned n, max;
};

/* Is it an address in the kernel's own library? Where that is mapped, to *range. */
static bool is_in_vdso(struct pid_proc *pp, taddr_t addr, struct aspace_range *range)
{
	uint32_t aspace = proc_target(pp->proc)->aspace;

	return aspace_at(pp->pw->session->aspaces, aspace, addr, UINT64_MAX, range) &&
	       !range->file && !strcmp(range->label, VDSO_LABEL);
}

struct module *pid_code_at(struct pid_proc *pp, taddr_t addr)
{
	struct module *there = modules_at(pp->modules, addr), *m = pp->modules->vdso;
	struct aspace_range range;
	uint8_t bytes[VDSO_MAX];
	ssize_t n;

	if (there)
		return there;
	if (m)
		return addr >= m->start && addr < m->end ? m : NULL;
	if (!is_in_vdso(pp, addr, &range))
		return NULL;
	n = target_read(proc_target(pp->proc), range.start, bytes,
			MIN(sizeof(bytes), range.end - range.start));
	return n > 0 ? modules_vdso(pp->modules, range.start, bytes, (size_t)n) : NULL;
}

/* Another definition may have come before this one: then callers use code of another module. */
static bool may_be_chosen(const struct looking *l, taddr_t addr)
{
	struct aspace_range range;

	if (addr == l->resolver)
		return false;
	return modules_at(l->pp->modules, addr) == l->defines || is_in_vdso(l->pp, addr, &range);
}

static void look_at_word(void *arg, taddr_t at, uint64_t in_file)
{
	struct looking *l = arg;
	uint64_t now = 0;

	target_read(proc_target(l->pp->proc), l->in->bias + at, &now, sizeof(now));
	/* as in the file, or moved with it: a stub of the linker's, still to be replaced */
	if (now == in_file || now == in_file + l->in->bias || !may_be_chosen(l, now))
		return;
	for (unsigned i = 0; i < l->n; i++)
		if (l->chosen[i] == now)
			return;
	if (l->n < l->max)
		l->chosen[l->n++] = now;
}

unsigned pid_ifunc_chosen(struct pid_proc *pp, const struct module *m, const struct func *f,
			  taddr_t *chosen, unsigned max)
{
	struct looking l = {.pp = pp, .defines = m, .resolver = m->bias + f->addr, .max = max};

	l.chosen = chosen;
	for (l.in = pp->modules->list; l.in; l.in = l.in->next) {
		struct objfile *o = l.in->gone ? NULL : module_headers(l.in);

		if (!o)
			continue;
		objfile_each_fnword(o, f->name, 0, look_at_word, &l);
		if (l.in == m)
			objfile_each_fnword(o, NULL, f->addr, look_at_word, &l);
	}
	return l.n;
}

static bool is_known(const struct pid_site *resolver, taddr_t chosen)
{
	const struct pid_site *site = resolver->probe->sites;

	while (site && (site->is_resolver || site->proc != resolver->proc ||
			site->ifunc != resolver->ifunc || site->addr + site->mod->bias != chosen))
		site = site->next;
	return site;
}

void pid_ifunc_answered(struct hit *hit, void *arg)
{
	const struct pid_site *site = ((const struct pid_bkpt *)arg)->site;
	struct pid_world *pw = site->proc->pw;
	const struct pid_answer answer = {
		.mod = site->mod, .ifunc = site->ifunc, .chosen = hit_regs(hit)->r.rax};

	if (pw->hook_ops)
		pw->hook_ops->show(site->proc, answer.chosen);
	/* a resolver that is called for something else (glibc's __x86_cpu_features) chooses nothing
	 */
	if (!answer.chosen || atomic_load(&pw->session->state) != SESSION_ACTIVE ||
	    is_known(site, answer.chosen))
		return;
	pw->answer = &answer;
	pid_rematch(pw->session, site->proc);
	pw->answer = NULL;
}
