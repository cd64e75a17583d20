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

const struct provattrs *attrs_of_provider(const struct session *s, const char *prov)
{
	const struct prov_decl *decl = is_plain(prov) ? prov_decl_find(s, prov) : NULL;

	if (decl)
		return &decl->attrs;
	for (unsigned i = 0; i < s->nproviders && is_plain(prov); i++) {
		const struct provider *p = s->providers[i];

		if (strcmp(p->name, prov) == 0 || (p->on_demand && p->on_demand(prov)))
			return p->attrs ? p->attrs : &attrs_unknown;
	}
	return &attrs_unknown;
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
