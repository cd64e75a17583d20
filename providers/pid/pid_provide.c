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
#include "base/strbuf.h"
#include "dlang/errtags.h"
#include "providers/pid/pid_priv.h"
#include "tracer/procfs/procfs.h"

#define MAX_NAME      1024   /* of a field; longer ones are refused by the parser */
#define MAX_SAME_NAME 64     /* functions of one name in one module */
#define MAX_CHOSEN    8	     /* implementations of one indirect function */
#define AHEAD	      16     /* functions whose names are fetched before they are asked for */
#define MAX_SITES     250000 /* a fat-fingered pid$target::: must end in a sentence */

/* A function a description means: where it is, and whose name its probes have. */
struct target_func {
	struct module *mod;
	struct objfile *obj;	 /* of mod */
	const struct func *func; /* NULL: nothing is known but its address */
	taddr_t addr;		 /* link-time */
	const char *name;
	const struct module *home; /* of the name */
	const struct func *ifunc;  /* of the name, when it is an indirect one */
	bool is_resolver;
};

struct target_list {
	struct target_func *v;
	unsigned n, room;
};

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

static bool is_literal(const char *field)
{
	return field[0] && !glob_is_pattern(field);
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

/* ---- the functions ---- */

static void make_room(struct target_list *l, unsigned n)
{
	l->room = l->n + n;
	l->v = xrealloc(l->v, l->room * sizeof(*l->v));
}

static void add_target(struct target_list *l, struct module *m, struct objfile *o,
		       const struct func *f)
{
	if (!module_has(m, f->addr))
		return;
	if (l->n == l->room)
		make_room(l, MAX(l->n, 64));
	l->v[l->n++] = (struct target_func){.mod = m,
					    .obj = o,
					    .func = f,
					    .addr = f->addr,
					    .name = f->name,
					    .home = m,
					    .ifunc = f->is_ifunc ? f : NULL,
					    .is_resolver = f->is_ifunc};
}

static void functions_of(struct module *m, struct objfile *o, const char *pattern,
			 struct target_list *l)
{
	const struct func *found[MAX_SAME_NAME];
	char name[MAX_NAME];
	unsigned n;

	if (is_literal(pattern)) {
		glob_unescape(pattern, name, sizeof(name));
		n = objfile_find(o, name, found, MAX_SAME_NAME);
		for (unsigned i = 0; i < MIN(n, MAX_SAME_NAME); i++)
			add_target(l, m, o, found[i]);
		for (unsigned i = 0; !n && i < o->nfuncs; i++)
			if (objfile_demangled_matches(o, &o->funcs[i], name))
				add_target(l, m, o, &o->funcs[i]);
		return;
	}
	if (!pattern[0]) {
		make_room(l, o->nfuncs);
		will_fill(l->v + l->n, o->nfuncs * sizeof(*l->v));
	}
	for (unsigned i = 0; i < o->nfuncs; i++) {
		if (pattern[0] && i + AHEAD < o->nfuncs)
			__builtin_prefetch(o->funcs[i + AHEAD].name);
		if (pid_func_matches(o, &o->funcs[i], pattern))
			add_target(l, m, o, &o->funcs[i]);
	}
}

static bool has_names(const struct objfile *o)
{
	for (unsigned i = 0; i < o->nfuncs; i++)
		if (!o->funcs[i].is_cfi)
			return true;
	return false;
}

static int no_such_function(const struct probe_desc *d, struct module *m, int *tag, struct err *err)
{
	const struct objfile *o = module_objfile(m, NULL);
	struct nearest near;
	struct strbuf hint;
	char func[256];

	glob_unescape(d->func, func, sizeof(func));
	nearest_init(&near, func);
	strbuf_init(&hint);
	strbuf_adds(&hint, "; ");
	if (o)
		objfile_suggest(o, &near);
	if (!nearest_say(&near, &hint) && o && !has_names(o))
		strbuf_adds(&hint, "it is stripped: its functions are called sub_<address>");
	strbuf_cut(&hint, hint.len > 2 ? hint.len : 0);
	nearest_release(&near);
	pid_fail(tag, D_PROC_FUNC, err, "failed to lookup '%s' in module '%s'%s", func, d->mod,
		 hint.s);
	strbuf_release(&hint);
	return -EINVAL;
}

/* ---- the probe name ---- */

/* Which probes of a function a name means. */
struct wanted {
	bool entry, ret;
	bool one_offset; /* off */
	uint64_t off;
	const char *pattern;  /* all offsets whose text matches; NULL: none */
	bool exact;	      /* the function is named: what cannot be is an error */
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

static int parse_name(const struct probe_desc *d, const struct site_ops *ops, bool all_aliases,
		      struct wanted *w, int *tag, struct err *err)
{
	char name[MAX_NAME];

	w->exact = is_literal(d->func);
	if (!w->exact && !all_aliases)
		w->alias_of = d->func;
	if (!is_literal(d->name)) {
		w->entry = !d->name[0] || glob_match(d->name, "entry");
		w->ret = !d->name[0] || glob_match(d->name, "return");
		w->pattern = ops->is_functions_only ? NULL : d->name;
		return 0;
	}
	glob_unescape(d->name, name, sizeof(name));
	w->entry = !strcmp(name, "entry");
	w->ret = !strcmp(name, "return");
	w->one_offset = !w->entry && !w->ret;
	if (w->one_offset && ops->is_functions_only)
		return pid_fail(tag, D_PROC_NAME, err,
				"'%s' is an invalid probe name: %s has entry and return", d->name,
				ops->letters);
	if (w->one_offset && !pid_parse_offset(name, &w->off))
		return pid_fail(tag, D_PROC_NAME, err, "'%s' is an invalid probe name", d->name);
	return 0;
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

	if (pp->nsites == MAX_SITES)
		return pid_fail(tag, D_PROC_CREATEFAIL, err,
				"failed to create probe for '%s': more than %u pid probes",
				pr->probe->func, MAX_SITES);
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
		r = add_offset(s, pp, t, offs[i], w->exact && w->one_offset, tag, err);
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

static int add_probes(struct session *s, struct pid_proc *pp, const struct target_func *t,
		      const struct wanted *w, int *tag, struct err *err)
{
	const struct retsite *rets;
	struct pid_probe *pr;
	bool decoded;
	int r = 0;

	if (w->entry) {
		pr = probe_of(s, pp, t->home, t->name, PID_ENTRY, "entry");
		r = add_site(pp, pr, t, 0, w->exact, tag, err);
	}
	if (r || !t->func)
		return r;
	/* what has no such sites never returns */
	if (w->ret && objfile_retsites(t->obj, t->func, &rets, &decoded)) {
		pr = probe_of(s, pp, t->home, t->name, PID_RETURN, "return");
		r = add_site(pp, pr, t, 0, w->exact, tag, err);
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
	struct module *m = modules_at(pp->modules, chosen);
	struct target_func t = *ifunc;

	t.is_resolver = false;
	t.func = NULL;
	t.mod = m ? m : ifunc->mod; /* the vdso is no file */
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
	taddr_t chosen[MAX_CHOSEN];
	unsigned n = pid_ifunc_chosen(pp, t->mod, t->func, chosen, MAX_CHOSEN - 1), nall;
	struct wanted at_resolver = {.entry = w->entry, .ret = w->ret, .exact = w->exact};
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

static int absolute_address(struct session *s, struct pid_proc *pp, const struct probe_desc *d,
			    int *tag, struct err *err)
{
	struct module *program = modules_program(pp->modules), **m;
	unsigned n = d->mod[0] ? pid_match_modules(pp, d->mod, &m) : 0;
	uint64_t addr;

	if (!program || (d->mod[0] && n == 0))
		return 0;
	if (pp->pw->rematching && !is_new_copy(pp, program))
		return 0;
	if (d->mod[0] && (n != 1 || m[0] != program))
		return pid_fail(tag, D_PROC_LIB, err, "%s", only_program);
	if (!is_literal(d->name))
		return pid_fail(tag, D_PROC_NAME, err,
				"only individual addresses may be specified with the '-' function");
	if (!pid_parse_offset(d->name, &addr))
		return pid_fail(tag, D_PROC_NAME, err, "'%s' is an invalid probe name", d->name);
	return add_absolute(s, pp, program, d, addr, tag, err);
}

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
	taddr_t chosen[MAX_CHOSEN];

	for (unsigned i = 0; i < l->n; i++) {
		const struct target_func *t = &l->v[i];
		unsigned n =
			t->ifunc ? pid_ifunc_chosen(pp, t->mod, t->func, chosen, MAX_CHOSEN) : 0;

		for (unsigned k = 0; k < n; k++)
			pid_alias_add(pp, chosen[k], t->func);
	}
}

/* Those that are followed have the names of the process they come from: their probes are its. */
static void prov_name(const struct pid_proc *pp, const struct site_ops *ops, char *out, size_t size)
{
	snprintf(out, size, "%s%s", ops->letters, pp->digits);
}

static int provide_in(struct session *s, struct pid_proc *pp, const struct site_ops *ops,
		      const struct probe_desc *d, int *tag, struct err *err)
{
	const struct pid_world *pw = pp->pw;
	bool lenient = pw->rematching || opt_on(&s->options, OPT_ZDEFS) || pp->root ||
		       glob_is_pattern(d->prov);
	struct target_list l = {0};
	struct wanted w = {0};
	struct module **mods;
	unsigned n;
	int r = 0;

	pp->asked = ops;
	prov_name(pp, ops, pp->prov, sizeof(pp->prov));
	if (proc_is_32bit(pp->proc))
		return lenient ? 0
			       : pid_fail(tag, D_PROC_GRAB, err,
					  "failed to grab process %d: process %d is a 32-bit "
					  "program",
					  pp->pid, pp->pid);
	if (!pp->modules->list && !lenient && procfs_check(err) < 0)
		return pid_fail(tag, D_PROC_GRAB, err, "failed to grab process %d: %s", pp->pid,
				err->text);
	if (!pp->modules->list && !lenient)
		return pid_fail(tag, D_PROC_GRAB, err,
				"failed to grab process %d: its memory may not be looked at: its "
				"program cannot be read, or is a set-id one; run as root",
				pp->pid);
	if (!strcmp(d->func, "-") && !ops->is_functions_only)
		return absolute_address(s, pp, d, tag, err);
	n = pid_match_modules(pp, d->mod, &mods);
	if (!n && !ops->is_functions_only && pid_jit_means(d))
		return pid_jit_provide(s, pp, d, tag, err);
	for (unsigned i = 0; i < n && !r; i++) {
		const char *trouble;
		struct objfile *o;
		struct err why;

		if (!is_looked_at(pw, mods[i]))
			continue;
		o = module_objfile(mods[i], &why);
		trouble = o ? objfile_trouble(o) : NULL;
		if (trouble)
			session_message(s, MSG_ERR, false, "%s", trouble);
		if (o)
			functions_of(mods[i], o, d->func, &l);
		else if (is_literal(d->mod) && !lenient)
			r = pid_fail(tag, D_PROC_CREATEFAIL, err,
				     "failed to create probes in module '%s': %s", d->mod,
				     why.text);
	}
	if (!r && n && !l.n && is_literal(d->func) && is_literal(d->mod) && !lenient)
		r = no_such_function(d, mods[0], tag, err);
	if (!r && l.n)
		r = parse_name(d, ops, pid_all_aliases(s), &w, tag, err);
	if (!r && w.alias_of && !pw->answer)
		learn_aliases(pp, &l);
	probes_expect(s, r ? 0 : l.n);
	for (unsigned i = 0; i < l.n && !r; i++) {
		/* functions come by address, their names are anywhere in memory */
		if (i + AHEAD < l.n)
			__builtin_prefetch(l.v[i + AHEAD].name);
		r = add_target_probes(s, pp, &l.v[i], &w, tag, err);
	}
	free(l.v);
	return r;
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

	if (!d)
		return 0;
	sites_use(pw, ops);
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
