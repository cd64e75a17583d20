#include "dlang/parse/stability.h"

#include "dlang/parse/provdecl.h"

struct attr attr_amin(const struct session *s)
{
	struct attr least = {STABILITY_INTERNAL, STABILITY_INTERNAL, CLASS_UNKNOWN};

	if (opt_on(&s->options, OPT_AMIN))
		attr_parse(s->options.text[OPT_AMIN], &least);
	return least;
}

static bool is_plain(const char *field)
{
	return *field && !strpbrk(field, "*?[\\");
}

static const struct provattrs attrs_unknown = {
	{STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON},
	{STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON},
	{STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON},
	{STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON},
	{STABILITY_UNSTABLE, STABILITY_UNSTABLE, CLASS_COMMON},
};

/* By its name, else one that makes providers of such names and says how stable they are: what a
 * recording has of them does not. */
static const struct provider *find_provider(const struct session *s, const char *name)
{
	for (unsigned i = 0; i < s->nproviders; i++)
		if (strcmp(s->providers[i]->name, name) == 0)
			return s->providers[i];
	for (unsigned i = 0; i < s->nproviders; i++)
		if (s->providers[i]->attrs && s->providers[i]->on_demand &&
		    s->providers[i]->on_demand(name))
			return s->providers[i];
	return NULL;
}

const struct provattrs *attrs_of_provider(const struct session *s, const char *prov)
{
	const struct prov_decl *decl = is_plain(prov) ? prov_decl_find(s, prov) : NULL;
	const struct provider *p;

	if (decl)
		return &decl->attrs;
	p = is_plain(prov) ? find_provider(s, prov) : NULL;
	return p && p->attrs ? p->attrs : &attrs_unknown;
}

struct attr attr_of_desc(const struct session *s, const struct probe_desc *d)
{
	const struct provattrs *pa = attrs_of_provider(s, d->prov);
	struct attr a = pa->provider;

	if (is_plain(d->mod))
		a = attr_weaker(a, pa->module);
	if (is_plain(d->func))
		a = attr_weaker(a, pa->function);
	if (is_plain(d->name))
		a = attr_weaker(a, pa->name);
	return a;
}

struct attr attr_of_args(const struct session *s, const struct probe_desc *d)
{
	return attrs_of_provider(s, d->prov)->args;
}
