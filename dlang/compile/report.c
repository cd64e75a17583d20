/*
 * report.c: -l and -lv, and the report of -v (docs/spec/dtrace-command.md §2.5, §3).
 */
#include "dlang/dlang.h"
#include "dlang/placement.h"
#include "dlang/parse/hint.h"
#include "dlang/parse/provdecl.h"
#include "dlang/parse/stability.h"

static struct attr probe_attr(const struct probe *p, const struct provattrs *pa)
{
	struct attr a = attr_weaker(pa->provider, pa->name);

	if (p->mod[0])
		a = attr_weaker(a, pa->module);
	if (p->func[0])
		a = attr_weaker(a, pa->function);
	return a;
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
		session_text(l->s, MSG_OUT, false, l->text.s, l->text.len);
	strbuf_clear(&l->text);
}

static void add_arg(struct strbuf *out, unsigned i, const struct type *t)
{
	char text[256];

	strbuf_addf(out, "\t\targs[%u]: %s\n", i, type_name(t, text, sizeof(text)));
}

/* Behind the types, whose text is fixed: what the source calls them. */
static void add_names(struct strbuf *out, const struct probe_args *args)
{
	const char *title = "\tArgument Names\n";

	for (unsigned i = 0; i < args->n; i++) {
		if (!args->v[i].name || !*args->v[i].name)
			continue;
		strbuf_addf(out, "%s\t\targs[%u]: %s\n", title, i, args->v[i].name);
		title = "";
	}
	if (!*title)
		strbuf_addc(out, '\n');
}

/* As a program sees them: where the provider was declared, as it was declared. */
static void add_args(struct strbuf *out, struct probe *p)
{
	struct probe_args args;
	const struct probe_decl *d = probe_args_of(p, &args);
	unsigned i = 0;

	strbuf_adds(out, "\n\tArgument Types\n");
	if (d) {
		for (const struct param *a = d->outs; a; a = a->next)
			add_arg(out, i++, a->type);
	} else {
		for (; i < args.n; i++)
			add_arg(out, i, args.v[i].type);
	}
	strbuf_adds(out, i ? "\n" : "\t\tNone\n\n");
	if (!d)
		add_names(out, &args);
}

/* Where what the user has written for it would run; the description of a list alone has nothing. */
static void add_clauses(struct strbuf *out, const struct probe *p)
{
	const char *title = "\tClauses\n";

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		const struct placement pl = placement_of(e);

		if (clause_is_empty(e->clause) && !e->clause->pred)
			continue;
		strbuf_addf(out, "%s\t\tline %d: ", title, e->clause->line);
		placement_text(&pl, out);
		strbuf_addc(out, '\n');
		title = "";
	}
	if (!*title)
		strbuf_addc(out, '\n');
}

static void list_verbosely(struct list *l, struct probe *p)
{
	const struct provattrs *pa = attrs_of_provider(l->s, p->prov);

	list_line(&l->text, p);
	attr_print(&l->text, "Probe Description", probe_attr(p, pa));
	attr_print(&l->text, "Argument", pa->args);
	add_args(&l->text, p);
	if (p->provider->detail)
		p->provider->detail(p, &l->text);
	add_clauses(&l->text, p);
	if (l->text.len > LIST_BLOCK)
		flush_list(l);
}

/* The array is in the arena. */
static void list_some(struct list *l, struct probe *const *probes, unsigned n)
{
	for (unsigned i = 0; i < n && l->is_verbose; i++)
		list_verbosely(l, probes[i]);
	if (!l->is_verbose)
		session_list(l->s, probes, n);
}

static void list_all(struct list *l)
{
	uint32_t n = l->s->nprobes;
	struct probe **all = arena_alloc(l->s->arena, n * sizeof(struct probe *));

	for (uint32_t id = 1; id <= n; id++)
		all[id - 1] = probe_by_id(l->s, id);
	list_some(l, all, n);
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
	const char *hint;

	if (c->nprobes == 0) {
		flush_list(l);
		session_message(l->s, MSG_ERR, false,
				"failed to match %s: No probe matches description",
				probe_desc_text(c->desc, text, sizeof(text)));
		hint = hint_desc(l->s, c->desc);
		if (hint)
			session_message(l->s, MSG_ERR, false, "%s", hint);
	}
	list_some(l, c->probes, c->nprobes);
}

void list_probes(struct session *s, const struct program *programs, bool verbose)
{
	struct list l = {.s = s, .is_verbose = verbose};

	strbuf_init(&l.text);
	list_header(&l.text);
	flush_list(&l);
	if (!programs)
		list_all(&l);
	for (const struct program *pg = programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = next_clause(c))
			list_clause(&l, c);
	flush_list(&l);
	strbuf_release(&l.text);
}

/* ---- -v ---- */

static bool is_first_of_its_text(const struct program *pg, const struct clause *c, const char *text)
{
	char other[1024];

	for (const struct clause *o = pg->clauses; o != c; o = o->next)
		if (strcmp(probe_desc_text(o->desc, other, sizeof(other)), text) == 0)
			return false;
	return true;
}

/* The descriptions as written; what a description of one probe promises. */
static void report_descs(struct list *l, const struct program *pg)
{
	char text[1024];

	for (const struct clause *c = pg->clauses; c; c = next_clause(c)) {
		probe_desc_text(c->desc, text, sizeof(text));
		if (!is_first_of_its_text(pg, c, text))
			continue;
		strbuf_addf(&l->text, "\n%s\n", text);
		if (c->nprobes != 1)
			continue;
		attr_print(&l->text, "Probe Description", attr_of_desc(l->s, c->desc));
		attr_print(&l->text, "Argument", attr_of_args(l->s, c->desc));
		add_args(&l->text, c->probes[0]);
	}
}

void report_program(struct session *s, const struct program *pg, int name_len, bool with_descs)
{
	struct list l = {.s = s};
	struct attr desc = attr_max, stmt = attr_max;

	for (const struct clause *c = pg->clauses; c; c = c->next) {
		desc = attr_weaker(desc, attr_of_desc(s, c->desc));
		stmt = attr_weaker(stmt, c->attr);
	}
	strbuf_init(&l.text);
	strbuf_addf(&l.text, "\nStability attributes for %s %.*s:\n",
		    pg->src->kind == SOURCE_SCRIPT ? "script" : "description", name_len,
		    pg->src->name);
	attr_print(&l.text, "Minimum Probe Description", desc);
	attr_print(&l.text, "Minimum Statement", stmt);
	if (with_descs)
		report_descs(&l, pg);
	else
		strbuf_addc(&l.text, '\n');
	flush_list(&l);
	strbuf_release(&l.text);
}
