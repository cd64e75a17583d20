/*
 * pid_provide.c: which functions a description of the pid provider means, and their probes
 * (docs/spec/pid-engine.md §1.1, §1.2, §1.3, §1.4).
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/stage.h"
#include "base/strbuf.h"
#include "dlang/errtags.h"
#include "providers/pid/pid_functions.h"
#include "tracer/procfs/procfs.h"

#define MAX_NAME 1024 /* of a field; longer ones are refused by the parser */
#define AHEAD	 16   /* functions whose names are fetched before they are asked for */

int pid_fail(int *tag, int which, struct err *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*tag = which;
	err_set(err, -EINVAL, "%s", text);
	return -EINVAL;
}

/*
 * The provider's letters and digits only: "pidx1" and "pid1x" are nobody's; or a pattern of such
 * names: "pid*", or "p*d1", what stands before the digits being one of the letters.
 */
bool pid_is_named_by(const char *prov, const char *letters)
{
	size_t n = strlen(letters), front = strlen(prov);
	char pattern[64];

	if (strncmp(prov, letters, n) == 0 && glob_is_pattern(prov + n))
		return true;
	while (front > 0 && isdigit((unsigned char)prov[front - 1]))
		front--;
	if (!prov[front] || front >= sizeof(pattern))
		return false;
	memcpy(pattern, prov, front);
	pattern[front] = '\0';
	return glob_match(pattern, letters);
}

/* ---- the probe name ---- */

/* Which probes of a function a name means. */
struct wanted {
	bool entry, ret;
	bool one_offset; /* off */
	uint64_t off;
	const char *pattern;  /* all offsets whose text matches; NULL: none */
	bool exact;	      /* the function is named */
	const char *alias_of; /* a pattern, by which code with several names has one; NULL: all */
};

bool pid_parse_offset(const char *s, uint64_t *v)
{
	size_t len = strlen(s);

	if (!len || len > 16 || strspn(s, "0123456789abcdefABCDEF") != len)
		return false;
	*v = strtoull(s, NULL, 16);
	return true;
}

static int parse_name(const struct probe_desc *d, bool all_aliases, struct wanted *w, int *tag,
		      struct err *err)
{
	char name[MAX_NAME];

	w->exact = pid_is_literal(d->func);
	if (!w->exact && !all_aliases)
		w->alias_of = d->func;
	if (!pid_is_literal(d->name)) {
		w->entry = !d->name[0] || glob_match(d->name, "entry");
		w->ret = !d->name[0] || glob_match(d->name, "return");
		w->pattern = d->name;
		return 0;
	}
	glob_unescape(d->name, name, sizeof(name));
	w->entry = !strcmp(name, "entry");
	w->ret = !strcmp(name, "return");
	w->one_offset = !w->entry && !w->ret;
	if (w->one_offset && !pid_parse_offset(name, &w->off))
		return pid_fail(tag, D_PROC_NAME, err, "'%s' is an invalid probe name", d->name);
	return 0;
}

/* Function and probe are named. Of all probes of a function those that cannot be are left out. */
static bool is_exact(const struct wanted *w)
{
	return w->exact && !w->pattern;
}

/* ---- probes ---- */

struct pid_probe *pid_probe_of(struct probe *p, const struct site_ops *ops, enum pid_kind kind)
{
	struct pid_probe *pr = p->arg;

	if (!pr) {
		pr = ARENA_NEW(p->session->arena, struct pid_probe);
		pr->probe = p;
		pr->ops = ops;
		pr->kind = kind;
		p->arg = pr;
	}
	return pr;
}

static struct pid_probe *probe_of(struct session *s, const struct pid_proc *pp,
				  const struct module *m, const char *func, enum pid_kind kind,
				  const char *name)
{
	struct probe *p = probe_create(s, pp->asked->provider, pp->prov, m->name, func, name, NULL);

	return pid_probe_of(p, pp->asked, kind);
}

struct pid_site *pid_link_site(struct pid_proc *pp, struct pid_probe *pr,
			       const struct pid_site *what)
{
	struct pid_site *site = xcalloc(1, sizeof(*site));

	site->probe = pr;
	site->proc = pp;
	site->mod = what->mod;
	site->func = what->func;
	site->addr = what->addr;
	site->ifunc = what->ifunc;
	site->is_resolver = what->is_resolver;
	site->usdt = what->usdt;
	site->code = what->code;
	site->code_addr = what->code_addr;
	site->code_size = what->code_size;
	site->next = pr->sites;
	pr->sites = site;
	site->next_in_proc = pp->sites;
	pp->sites = site;
	pp->nsites++;
	if (pr->ops->linked)
		pr->ops->linked(site);
	return site;
}

int pid_new_site(struct pid_proc *pp, struct pid_probe *pr, const struct pid_site *what, int *tag,
		 struct err *err)
{
	struct pid_site *site;
	int r = 0;

	if (pp->nsites >= pid_sites_max(pr->kind))
		return pid_fail(tag, D_PROC_CREATEFAIL, err,
				"failed to create probe for '%s': more than %u pid probes",
				pr->probe->func, pid_sites_max(pr->kind));
	site = pid_link_site(pp, pr, what);
	if (pr->probe->enabled)
		r = pr->ops->arm(site, err);
	if (r)
		*tag = D_PROC_CREATEFAIL;
	return r;
}

static struct pid_site *site_at(const struct pid_probe *pr, const struct pid_site *what)
{
	for (struct pid_site *site = pr->sites; site; site = site->next)
		if (site->addr == what->addr && site->mod == what->mod)
			return site;
	return NULL;
}

static int add_site(struct pid_proc *pp, struct pid_probe *pr, const struct target_func *t,
		    uint64_t off, bool exact, int *tag, struct err *err)
{
	struct pid_site what = {.mod = t->mod,
				.func = t->func,
				.addr = t->addr + off,
				.ifunc = t->ifunc,
				.is_resolver = t->is_resolver};
	int r = 0;

	pr->exact |= exact;
	if (site_at(pr, &what))
		return 0;
	if (exact && pr->kind != PID_RETURN && !t->is_resolver && !pp->pw->rematching) {
		what.probe = pr;
		what.proc = pp;
		r = pid_check(&what, err);
		if (r)
			*tag = D_PROC_CREATEFAIL;
	}
	return r ? r : pid_new_site(pp, pr, &what, tag, err);
}

int pid_add_jit_site(struct session *s, struct pid_proc *pp, const struct jit_probe *p,
		     const struct pid_site *what, int *tag, struct err *err)
{
	struct pid_probe *pr = probe_of(s, pp, what->mod, p->function, p->kind, p->name);

	pr->is_jit = true;
	return site_at(pr, what) ? 0 : pid_new_site(pp, pr, what, tag, err);
}

static int add_offset(struct session *s, struct pid_proc *pp, const struct target_func *t,
		      uint64_t off, bool exact, int *tag, struct err *err)
{
	char name[24];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	return add_site(pp, probe_of(s, pp, t->home, t->name, PID_OFFSET, name), t, off, exact, tag,
			err);
}

/*
 * The instructions a name means. In a function that does not decode to its end what looks like an
 * instruction may be data: nothing is patched there.
 */
static int add_offsets(struct session *s, struct pid_proc *pp, const struct target_func *t,
		       const struct wanted *w, int *tag, struct err *err)
{
	uint32_t *offs = NULL;
	bool decoded, found = false;
	unsigned n;
	int r = 0;

	if (w->one_offset && w->off >= t->func->size)
		return w->exact ? pid_fail(tag, D_PROC_OFF, err,
					   "offset 0x%llx outside of function '%s'",
					   (unsigned long long)w->off, t->name)
				: 0;
	n = objfile_insns(t->obj, t->func, &offs, &decoded);
	for (unsigned i = 0; i < n && decoded && !r; i++) {
		char text[24];

		snprintf(text, sizeof(text), "%x", offs[i]);
		if (w->one_offset ? offs[i] != w->off
				  : w->pattern[0] && !glob_match(w->pattern, text))
			continue;
		found = true;
		r = add_offset(s, pp, t, offs[i], is_exact(w), tag, err);
	}
	free(offs);
	if (r || found || !w->exact)
		return r;
	if (!decoded)
		return pid_fail(
			tag, D_PROC_CREATEFAIL, err,
			"failed to create offset probes in '%s': its code cannot be decoded",
			t->name);
	return w->one_offset ? pid_fail(tag, D_PROC_ALIGN, err,
					"offset 0x%llx is not aligned on an instruction",
					(unsigned long long)w->off)
			     : 0;
}

/* The same one for each process that maps the file. */
static struct pid_probe *probe_of_function(struct session *s, struct pid_proc *pp,
					   const struct target_func *t, enum pid_kind kind,
					   const char *name)
{
	struct pid_probe **known = pid_known_probe(pp->pw, t, kind);
	struct pid_probe *pr = known ? *known : NULL;

	if (pr && pr->ops == pp->asked && !strcmp(pr->probe->prov, pp->prov) &&
	    !strcmp(pr->probe->mod, t->home->name))
		return pr;
	pr = probe_of(s, pp, t->home, t->name, kind, name);
	if (known)
		*known = pr;
	return pr;
}

static int add_probes(struct session *s, struct pid_proc *pp, const struct target_func *t,
		      const struct wanted *w, int *tag, struct err *err)
{
	const struct retsite *rets;
	struct pid_probe *pr;
	bool exact = is_exact(w), decoded;
	int r = 0;

	if (w->entry) {
		pr = probe_of_function(s, pp, t, PID_ENTRY, "entry");
		r = add_site(pp, pr, t, 0, exact, tag, err);
	}
	if (r || !t->func)
		return r;
	/* what has no such sites never returns */
	if (w->ret && objfile_retsites(t->obj, t->func, &rets, &decoded)) {
		pr = probe_of_function(s, pp, t, PID_RETURN, "return");
		r = add_site(pp, pr, t, 0, exact, tag, err);
	}
	if (!r && (w->one_offset || w->pattern))
		r = add_offsets(s, pp, t, w, tag, err);
	return r;
}

/* ---- indirect functions ---- */

/*
 * A pattern means each piece of code once, by one of its names. Returns how many are left of what
 * the function has chosen. What another name has brought a probe to, before this answer, keeps it.
 */
static unsigned leave_aliases(struct pid_proc *pp, const struct target_func *t, const char *pattern,
			      taddr_t *chosen, unsigned n)
{
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++) {
		pid_alias_add(pp, chosen[i], t->func);
		if (pid_is_preferred(pp, chosen[i], pattern, t->name) &&
		    !(pp->pw->answer && pid_has_probe(pp, chosen[i], pattern, t->name)))
			chosen[left++] = chosen[i];
	}
	return left;
}

/* What an indirect function has chosen: its code has the probes, under the name it was asked by. */
static int add_chosen(struct session *s, struct pid_proc *pp, const struct target_func *ifunc,
		      taddr_t chosen, const struct wanted *w, int *tag, struct err *err)
{
	struct module *m = pid_code_at(pp, chosen);
	struct target_func t = *ifunc;

	t.is_resolver = false;
	t.func = NULL;
	t.mod = m ? m : ifunc->mod; /* a vdso that we do not know is no module */
	t.obj = m ? module_objfile(m, NULL) : NULL;
	t.addr = chosen - t.mod->bias;
	if (t.obj)
		t.func = objfile_at(t.obj, t.addr);
	if (t.func && t.func->addr != t.addr)
		t.func = NULL;
	return add_probes(s, pp, &t, w, tag, err);
}

/*
 * The name stands for what is called by it, not for the resolver that the loader asks once; but
 * that one is listened to, for what it has not yet answered. Which offsets there are is known
 * after that: a single one is believed to be right until then.
 */
static int add_ifunc(struct session *s, struct pid_proc *pp, const struct target_func *t,
		     const struct wanted *w, int *tag, struct err *err)
{
	const struct pid_answer *answer = pp->pw->answer;
	taddr_t chosen[PID_CHOSEN_MAX];
	unsigned n = pid_ifunc_chosen(pp, t->mod, t->func, chosen, PID_CHOSEN_MAX - 1), nall;
	struct wanted at_resolver = {.entry = w->entry, .ret = w->ret, .exact = is_exact(w)};
	char name[24];
	int r;

	if (answer)
		chosen[n++] = answer->chosen;
	nall = n;
	n = w->alias_of ? leave_aliases(pp, t, w->alias_of, chosen, n) : n;
	if (nall && !n)
		return 0;
	r = add_probes(s, pp, t, &at_resolver, tag, err);
	if (!r && w->one_offset && !n) {
		snprintf(name, sizeof(name), "%llx", (unsigned long long)w->off);
		r = add_site(pp, probe_of(s, pp, t->home, t->name, PID_OFFSET, name), t, 0,
			     w->exact, tag, err);
	}
	for (unsigned i = 0; i < n && !r; i++)
		r = add_chosen(s, pp, t, chosen[i], w, tag, err);
	return r;
}

/* ---- addresses ---- */

/* One description in one process. */
struct providing {
	struct session *session;
	struct pid_proc *proc;
	const struct site_ops *ops;
	const struct probe_desc *desc;
	bool is_lenient; /* what cannot be is no error */
	int *tag;
	struct err *err;
};

static const char only_program[] = "only the a.out module is valid with the '-' function";

/*
 * The function '-': the name is an absolute address, of the running process or as in the program's
 * file. One within an instruction would be the end of the process: it is refused.
 */
static int add_absolute(struct session *s, struct pid_proc *pp, struct module *program,
			const struct probe_desc *d, uint64_t addr, int *tag, struct err *err)
{
	struct module *there = modules_at(pp->modules, addr), *m = there ? there : program;
	bool is_elsewhere = !there && bkpt_check(pp->proc, addr, NULL) == 0; /* in no file */
	struct objfile *o = module_objfile(m, err);
	struct target_func t = {.mod = m};
	taddr_t at = there || is_elsewhere ? addr - m->bias : addr;
	uint32_t *offs = NULL;
	unsigned n;
	bool decoded, found;
	const struct func *f;

	if (d->mod[0] && m != program)
		return pid_fail(tag, D_PROC_LIB, err, "%s", only_program);
	if (!o) {
		*tag = D_PROC_CREATEFAIL;
		return err->code;
	}
	f = is_elsewhere ? NULL : objfile_at(o, at);
	n = f ? objfile_insns(o, f, &offs, &decoded) : 0;
	found = !f || !decoded;
	for (unsigned i = 0; i < n && !found; i++)
		found = f->addr + offs[i] == at;
	free(offs);
	if (!found)
		return pid_fail(tag, D_PROC_ALIGN, err,
				"address 0x%llx is not aligned on an instruction",
				(unsigned long long)addr);
	t.func = f;
	t.addr = at;
	return add_site(pp, probe_of(s, pp, m, "-", PID_OFFSET, d->name), &t, 0, true, tag, err);
}

/* An address is one of the program that ran when it was written down: a fork runs it too. */
static bool is_new_copy(const struct pid_proc *pp, const struct module *program)
{
	const struct module *of_root = pp->root ? modules_program(pp->root->modules) : NULL;

	return program->fresh && of_root && of_root->dev == program->dev &&
	       of_root->ino == program->ino && of_root->bias == program->bias;
}

static bool is_address(const struct providing *p)
{
	return !strcmp(p->desc->func, "-");
}

static int provide_address(struct providing *p)
{
	struct pid_proc *pp = p->proc;
	const struct probe_desc *d = p->desc;
	struct module *program = modules_program(pp->modules), **m;
	unsigned n = d->mod[0] ? pid_match_modules(pp, d->mod, &m) : 0;
	uint64_t addr;

	if (!program || (d->mod[0] && n == 0))
		return 0;
	if (pp->pw->rematching && !is_new_copy(pp, program))
		return 0;
	if (d->mod[0] && (n != 1 || m[0] != program))
		return pid_fail(p->tag, D_PROC_LIB, p->err, "%s", only_program);
	if (!pid_is_literal(d->name))
		return pid_fail(p->tag, D_PROC_NAME, p->err,
				"only individual addresses may be specified with the '-' function");
	if (!pid_parse_offset(d->name, &addr))
		return pid_fail(p->tag, D_PROC_NAME, p->err, "'%s' is an invalid probe name",
				d->name);
	return add_absolute(p->session, pp, program, d, addr, p->tag, p->err);
}

/* ---- functions of modules ---- */

static bool is_looked_at(const struct pid_world *pw, const struct module *m)
{
	if (pw->answer)
		return m == pw->answer->mod;
	return !pw->rematching || m->fresh;
}

static int add_target_probes(struct session *s, struct pid_proc *pp, const struct target_func *t,
			     const struct wanted *w, int *tag, struct err *err)
{
	const struct pid_answer *answer = pp->pw->answer;

	if (answer && t->ifunc != answer->ifunc)
		return 0;
	pid_serve(pp->pw);
	if (t->ifunc)
		return add_ifunc(s, pp, t, w, tag, err);
	if (w->alias_of && !pid_has_one_name(pp, t->mod, t->func) &&
	    !pid_is_preferred(pp, t->addr + t->mod->bias, w->alias_of, t->name))
		return 0;
	return add_probes(s, pp, t, w, tag, err);
}

/* Which code indirect functions have chosen: it has their names, too. */
static void learn_aliases(struct pid_proc *pp, const struct target_list *l)
{
	taddr_t chosen[PID_CHOSEN_MAX];

	for (unsigned i = 0; i < l->n; i++) {
		const struct target_func *t = &l->v[i];
		unsigned n = t->ifunc
				     ? pid_ifunc_chosen(pp, t->mod, t->func, chosen, PID_CHOSEN_MAX)
				     : 0;

		for (unsigned k = 0; k < n; k++)
			pid_alias_add(pp, chosen[k], t->func);
	}
}

/* Those that are followed have the names of the process they come from: their probes are its. */
static void prov_name(const struct pid_proc *pp, const struct site_ops *ops, char *out, size_t size)
{
	snprintf(out, size, "%s%s", ops->letters, pp->digits);
}

static int collect_functions(struct providing *p, struct module **mods, unsigned n,
			     struct target_list *l)
{
	const struct probe_desc *d = p->desc;

	for (unsigned i = 0; i < n; i++) {
		const char *trouble;
		struct objfile *o;
		struct err why;

		if (!is_looked_at(p->proc->pw, mods[i]))
			continue;
		stage_reach(i, n, intern_str(&p->session->engine->intern, mods[i]->name));
		o = module_objfile(mods[i], &why);
		trouble = o ? objfile_trouble(o) : NULL;
		if (trouble)
			session_message(p->session, MSG_ERR, false, "%s", trouble);
		if (o)
			pid_functions_of(mods[i], o, d->func, l);
		else if (pid_is_literal(d->mod) && !p->is_lenient)
			return pid_fail(p->tag, D_PROC_CREATEFAIL, p->err,
					"failed to create probes in module '%s': %s", d->mod,
					why.text);
	}
	return 0;
}

static int add_functions(struct providing *p, const struct target_list *l)
{
	struct session *s = p->session;
	struct wanted w = {0};
	int r = parse_name(p->desc, pid_all_aliases(s), &w, p->tag, p->err);

	if (r)
		return r;
	if (w.alias_of && !p->proc->pw->answer)
		learn_aliases(p->proc, l);
	probes_expect(s, l->n);
	stage_begin(STAGE_PROBES, l->n);
	for (unsigned i = 0; i < l->n && !r; i++) {
		/* functions come by address, their names are anywhere in memory */
		if (i + AHEAD < l->n)
			__builtin_prefetch(l->v[i + AHEAD].name);
		r = add_target_probes(s, p->proc, &l->v[i], &w, p->tag, p->err);
		if (!r && i % SESSION_LOOK_EVERY == 0)
			r = session_give_up(s, p->err);
		stage_step();
	}
	stage_end();
	return r;
}

static int provide_functions(struct providing *p)
{
	const struct probe_desc *d = p->desc;
	struct target_list l = {0};
	struct module **mods;
	unsigned n = pid_match_modules(p->proc, d->mod, &mods);
	int r;

	stage_begin(STAGE_SYMBOLS, n);
	r = collect_functions(p, mods, n, &l);
	stage_end();
	if (!r && l.n)
		r = add_functions(p, &l);
	else if (!r && n && pid_is_literal(d->func) && pid_is_literal(d->mod) && !p->is_lenient)
		r = pid_no_such_function(d, mods[0], p->tag, p->err);
	free(l.v);
	return r;
}

/* ---- what a description means ---- */

static bool is_32bit(const struct providing *p)
{
	return proc_is_32bit(p->proc->proc);
}

static int refuse_32bit(struct providing *p)
{
	return p->is_lenient ? 0
			     : pid_fail(p->tag, D_PROC_GRAB, p->err,
					"failed to grab process %d: process %d is a 32-bit program",
					p->proc->pid, p->proc->pid);
}

static bool is_unreadable(const struct providing *p)
{
	return !p->proc->modules->list && !p->is_lenient;
}

static int refuse_unreadable(struct providing *p)
{
	const char *why = "its memory may not be looked at: its program cannot be read, or is a "
			  "set-id one; run as root";

	if (procfs_check(p->err) < 0)
		why = p->err->text;
	else if (!procfs_is_alive(p->proc->pid))
		why = "it has ended";
	return pid_fail(p->tag, D_PROC_GRAB, p->err, "failed to grab process %d: %s", p->proc->pid,
			why);
}

/* A module that there is goes before code of that name that is made at run time. */
static bool is_jit(const struct providing *p)
{
	struct module **mods;

	return !p->ops->is_files_only && pid_jit_means(p->desc) &&
	       !pid_match_modules(p->proc, p->desc->mod, &mods);
}

static int provide_jit(struct providing *p)
{
	p->proc->asked = &pid_site_ops;
	return pid_jit_provide(p->session, p->proc, p->desc, p->tag, p->err);
}

static bool is_any(const struct providing *p UNUSED)
{
	return true;
}

/* The first that applies. */
static const struct {
	bool (*applies)(const struct providing *);
	int (*provide)(struct providing *);
} meanings[] = {
	{is_32bit, refuse_32bit}, {is_unreadable, refuse_unreadable}, {is_address, provide_address},
	{is_jit, provide_jit},	  {is_any, provide_functions},
};

static int provide_in(struct session *s, struct pid_proc *pp, const struct site_ops *ops,
		      const struct probe_desc *d, int *tag, struct err *err)
{
	struct providing p = {.session = s,
			      .proc = pp,
			      .ops = ops,
			      .desc = d,
			      .is_lenient = pp->pw->rematching || opt_on(&s->options, OPT_ZDEFS) ||
					    pp->root || glob_is_pattern(d->prov),
			      .err = err};
	unsigned i = 0;

	p.tag = tag;
	pp->asked = ops;
	prov_name(pp, ops, pp->prov, sizeof(pp->prov));
	while (!meanings[i].applies(&p))
		i++;
	return meanings[i].provide(&p);
}

/* Is it the one that is named, or one of a pattern? */
static bool is_meant(const struct pid_proc *pp, const struct site_ops *ops,
		     const struct pid_proc *named, const char *prov)
{
	char name[32];

	if (named)
		return pp == named || pp->root == named;
	prov_name(pp, ops, name, sizeof(name));
	return glob_match(prov, name);
}

int pid_provide_as(const struct site_ops *ops, struct session *s, const struct probe_desc *d,
		   int *tag, struct err *err)
{
	struct pid_world *pw = pid_world_of(world_of(s));
	struct pid_proc *named = NULL, *pp;
	int r = 0;

	if (!d || world_of(s)->has_hits) /* those of a recording are there */
		return 0;
	pid_use(pw, ops);
	if (!glob_is_pattern(d->prov)) {
		named = pid_find_proc(s, d->prov, tag, err);
		if (!named)
			return -EINVAL;
	}
	for (pp = pw->procs; pp && !r; pp = pp->next)
		if (pp->proc && is_meant(pp, ops, named, d->prov) &&
		    (!pw->rematching || pw->rematching == pp))
			r = provide_in(s, pp, ops, d, tag, err);
	return r;
}
