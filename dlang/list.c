/*
 * list.c: -l and -lv (dtrace-command.md §3).
 */
#include "base/strbuf.h"
#include "dlang/session.h"

static const char *const stab_names[] = {
	[STAB_INTERNAL] = "Internal", [STAB_PRIVATE] = "Private",   [STAB_OBSOLETE] = "Obsolete",
	[STAB_EXTERNAL] = "External", [STAB_UNSTABLE] = "Unstable", [STAB_EVOLVING] = "Evolving",
	[STAB_STABLE] = "Stable",     [STAB_STANDARD] = "Standard",
};
static const char *const class_names[] = {
	[CLASS_UNKNOWN] = "Unknown", [CLASS_CPU] = "CPU", [CLASS_PLATFORM] = "Platform",
	[CLASS_GROUP] = "Group",     [CLASS_ISA] = "ISA", [CLASS_COMMON] = "Common",
};

/* What providers have that say nothing of themselves. */
#define UNSTABLE                                                                                   \
	{                                                                                          \
		STAB_UNSTABLE, STAB_UNSTABLE, CLASS_COMMON                                         \
	}
static const struct provattrs unstable = {UNSTABLE, UNSTABLE, UNSTABLE, UNSTABLE, UNSTABLE};

static struct attr weaker(struct attr a, struct attr b)
{
	return (struct attr){MIN(a.names, b.names), MIN(a.data, b.data),
			     MIN(a.depclass, b.depclass)};
}

static struct attr probe_attr(const struct probe *p, const struct provattrs *pa)
{
	struct attr a = weaker(pa->provider, pa->name);

	if (p->mod[0])
		a = weaker(a, pa->module);
	if (p->func[0])
		a = weaker(a, pa->function);
	return a;
}

static void add_attr(struct strbuf *out, const char *title, struct attr a)
{
	strbuf_addf(out,
		    "\n\t%s Attributes\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n"
		    "\t\tDependency Class: %s\n",
		    title, stab_names[a.names], stab_names[a.data], class_names[a.depclass]);
}

/* Lines go to the front by the block: one message each would wake it for every probe. */
struct list {
	struct session *s;
	bool is_verbose;
	struct strbuf text;
};

#define LIST_BLOCK 32768

static void flush_list(struct list *l)
{
	if (l->text.len)
		session_message(l->s, MSG_OUT, false, "%s", l->text.s);
	strbuf_clear(&l->text);
}

static void add_args(struct strbuf *out, struct probe *p)
{
	struct probe_args args = {0};
	char text[256];

	strbuf_adds(out, "\n\tArgument Types\n");
	if (p->provider->argtypes)
		p->provider->argtypes(p, &args);
	for (unsigned i = 0; i < args.n; i++)
		strbuf_addf(out, "\t\targs[%u]: %s\n", i,
			    type_name(args.v[i].type, text, sizeof(text)));
	strbuf_adds(out, args.n ? "\n" : "\t\tNone\n\n");
}

static void list_probe(struct list *l, struct probe *p)
{
	const struct provattrs *pa = p->provider->attrs ? p->provider->attrs : &unstable;

	strbuf_addf(&l->text, "%5u %10s %17s %33s %s\n", p->id, p->prov, p->mod, p->func, p->name);
	if (l->is_verbose) {
		add_attr(&l->text, "Probe Description", probe_attr(p, pa));
		add_attr(&l->text, "Argument", pa->args);
		add_args(&l->text, p);
	}
	if (l->text.len > LIST_BLOCK)
		flush_list(l);
}

/* The pieces of a clause with `if` are one clause to the user. */
static const struct clause *next_clause(const struct clause *c)
{
	uint32_t split = c->split;
	const struct probe_desc *desc = c->desc;

	do
		c = c->next;
	while (c && split && c->split == split && c->desc == desc);
	return c;
}

static void list_clause(struct list *l, const struct clause *c)
{
	char text[1024];

	if (c->nprobes == 0) {
		flush_list(l);
		session_message(l->s, MSG_ERR, false,
				"failed to match %s: No probe matches description",
				probe_desc_text(c->desc, text, sizeof(text)));
	}
	for (unsigned i = 0; i < c->nprobes; i++)
		list_probe(l, c->probes[i]);
}

void list_probes(struct session *s, const struct program *programs, bool verbose)
{
	struct list l = {.s = s, .is_verbose = verbose};

	strbuf_init(&l.text);
	strbuf_addf(&l.text, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION",
		    "NAME");
	if (!programs)
		for (uint32_t id = 1; id <= s->nprobes; id++)
			list_probe(&l, probe_by_id(s, id));
	for (const struct program *pg = programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = next_clause(c))
			list_clause(&l, c);
	flush_list(&l);
	strbuf_release(&l.text);
}
