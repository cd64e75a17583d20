#include "providers/pid/pid_functions.h"

#include <errno.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "dlang/errtags.h"

#define MAX_NAME      1024 /* of a field; longer ones are refused by the parser */
#define MAX_SAME_NAME 64   /* functions of one name in one module */
#define AHEAD	      16   /* functions whose names are fetched before they are asked for */

bool pid_is_literal(const char *field)
{
	return field[0] && !glob_is_pattern(field);
}

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

void pid_functions_of(struct module *m, struct objfile *o, const char *pattern,
		      struct target_list *l)
{
	const struct func *found[MAX_SAME_NAME];
	char name[MAX_NAME];
	unsigned n;

	if (pid_is_literal(pattern)) {
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

int pid_no_such_function(const struct probe_desc *d, struct module *m, int *tag, struct err *err)
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
