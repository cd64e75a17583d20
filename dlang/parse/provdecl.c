#include "dlang/parse/provdecl.h"

#include <ctype.h>

#include "dlang/parse/check.h"
#include "dlang/parse/stability.h"
#include "dlang/parse/xlate.h"
#include "dlang/session_engine.h"

#define MAX_NAME 63

/* ---- finding ---- */

static size_t length_without_pid(const char *prov)
{
	size_t n = strlen(prov);

	while (n > 0 && isdigit((unsigned char)prov[n - 1]))
		n--;
	return n;
}

struct prov_decl *prov_decl_find(const struct session *s, const char *prov)
{
	size_t n = length_without_pid(prov);
	struct prov_decl *p = s->engine->prov_decls;

	while (p && (strlen(p->name) != n || memcmp(p->name, prov, n) != 0))
		p = p->next;
	return p;
}

static const struct probe_decl *find_probe(const struct prov_decl *p, const char *name)
{
	const struct probe_decl *d = p->probes;

	while (d && strcmp(d->name, name) != 0)
		d = d->next;
	return d;
}

const struct probe_decl *probe_decl_of(const struct session *s, const char *prov, const char *name)
{
	const struct prov_decl *p = prov_decl_find(s, prov);

	return p ? find_probe(p, name) : NULL;
}

const struct probe_decl *probe_args_of(struct probe *p, struct probe_args *known)
{
	*known = (struct probe_args){0};
	if (p->provider->argtypes)
		p->provider->argtypes(p, known);
	return known->are_all ? NULL : probe_decl_of(p->session, p->prov, p->name);
}

bool probe_arg_fits(const struct type *to, const struct type *from)
{
	const struct node value = {.kind = NODE_VAR, .type = from};

	return check_fits(to, &value) || (type_is_string(to) && type_is_strcompat(from));
}

/* ---- reading ---- */

static void check_name(struct compiler *cc, const char *what, const char *name)
{
	if (strchr(name, '`'))
		compile_fail(cc, D_PROV_BADNAME, cc->line,
			     "%s name may not contain scoping operator: %s", what, name);
	if (strlen(name) > MAX_NAME)
		compile_fail(cc, D_PROV_BADNAME, cc->line,
			     "%s name may not exceed %d characters: %s", what, MAX_NAME, name);
}

static const char *read_name(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	const char *name = t->string;

	if (t->kind != TOK_IDENT && t->kind != TOK_TNAME)
		syntax_error(cc);
	lex_skip(cc);
	return name;
}

/* Two underscores stand for a minus, which C does not allow in names. */
static const char *dashed(struct arena *a, const char *symbol)
{
	char *name = arena_strdup(a, symbol), *to = name;

	for (const char *s = name; *s; s++) {
		*to = *s;
		if (s[0] == '_' && s[1] == '_') {
			*to = '-';
			s++;
		}
		to++;
	}
	*to = '\0';
	return name;
}

const struct param *param_nth(const struct param *p, unsigned n)
{
	while (p && n--)
		p = p->next;
	return p;
}

static int position(const struct param *list, const char *name)
{
	for (int i = 0; list; list = list->next, i++)
		if (list->name && strcmp(list->name, name) == 0)
			return i;
	return -1;
}

static const struct param *read_list(struct compiler *cc, const struct probe_decl *d,
				     const char *what, unsigned *n)
{
	const struct param *list = decl_params(cc, n);

	if (*n > PROBE_MAX_ARGS)
		compile_fail(cc, D_PROV_PRARGLEN, cc->line,
			     "probe %s %s prototype exceeds max of %d parameters: %u", d->symbol,
			     what, PROBE_MAX_ARGS, *n);
	return list;
}

/* What is given out has the name of the argument that it is made of; without a name, its place. */
static void map_outputs(struct compiler *cc, struct probe_decl *d)
{
	unsigned i = 0;

	for (const struct param *p = d->outs; p; p = p->next, i++) {
		int at = p->name ? position(d->args, p->name) : (int)i;

		if (at < 0 || (unsigned)at >= d->nargs)
			compile_fail(cc, D_DECL_PROTO_FORM, d->line,
				     "probe %s output parameter #%u%s%s is not an input parameter",
				     d->symbol, i + 1, p->name ? " " : "", p->name ? p->name : "");
		d->map[i] = (uint8_t)at;
	}
}

static void check_outputs(struct compiler *cc, const struct probe_decl *d)
{
	char a[TYPE_TEXT], b[TYPE_TEXT];
	unsigned i = 0;

	for (const struct param *p = d->outs; p; p = p->next, i++) {
		const struct param *in = param_nth(d->args, d->map[i]);

		if (probe_arg_fits(p->type, in->type) || xlator_find(cc, in->type, p->type))
			continue;
		compile_fail(cc, D_PROV_PRXLATOR, d->line,
			     "translator from %s to %s, for output parameter #%u of probe %s, "
			     "is not declared",
			     type_name(in->type, a, sizeof(a)), type_name(p->type, b, sizeof(b)),
			     i + 1, d->symbol);
	}
}

/* probe_decl = "probe" IDENT "(" [ params ] ")" [ ":" "(" [ params ] ")" ] ";" */
static struct probe_decl *read_probe(struct compiler *cc)
{
	struct probe_decl *d = ARENA_NEW(cc->arena, struct probe_decl);

	parse_expect(cc, KEY_probe);
	d->line = cc->line;
	cc->lex->in_decl = true;
	d->symbol = read_name(cc);
	check_name(cc, "probe", d->symbol);
	d->name = dashed(cc->arena, d->symbol);
	parse_expect(cc, '(');
	d->outs = d->args = read_list(cc, d, "input", &d->nargs);
	d->nouts = d->nargs;
	for (unsigned i = 0; i < d->nargs; i++)
		d->map[i] = (uint8_t)i;
	if (parse_accept(cc, ':')) {
		parse_expect(cc, '(');
		d->outs = read_list(cc, d, "output", &d->nouts);
		map_outputs(cc, d);
		check_outputs(cc, d);
	}
	cc->lex->in_decl = false;
	parse_expect(cc, ';');
	return d;
}

static void add_probe(struct compiler *cc, struct prov_decl *p, struct probe_decl *d)
{
	struct probe_decl **tail = &p->probes;

	if (find_probe(p, d->name))
		compile_fail(cc, D_PROV_PRDUP, d->line, "probe redeclared: %s:%s", p->name,
			     d->symbol);
	while (*tail)
		tail = &(*tail)->next;
	*tail = d;
}

static const char *list_text(struct compiler *cc, const struct param *p)
{
	char type[TYPE_TEXT];
	const char *text = "(";

	for (; p; p = p->next)
		text = arena_printf(cc->arena, "%s%s%s", text, text[1] ? ", " : "",
				    type_name(p->type, type, sizeof(type)));
	return arena_printf(cc->arena, "%s)", text);
}

static bool same_list(const struct param *a, const struct param *b)
{
	while (a && b && type_same(a->type, b->type)) {
		a = a->next;
		b = b->next;
	}
	return !a && !b;
}

/* Said again, all must be as it was. */
static void check_again(struct compiler *cc, const struct prov_decl *old,
			const struct prov_decl *now)
{
	for (const struct probe_decl *d = now->probes; d; d = d->next) {
		const struct probe_decl *was = find_probe(old, d->name);

		if (was && same_list(was->args, d->args) && same_list(was->outs, d->outs))
			continue;
		compile_fail(cc, D_PROV_INCOMPAT, d->line,
			     "provider interface mismatch: %s\n\t current: probe %s%s\n"
			     "\tprevious: probe %s%s",
			     old->name, d->symbol, list_text(cc, d->args), d->symbol,
			     was ? list_text(cc, was->args) : " was not declared");
	}
}

static void check_provider_name(struct compiler *cc, const char *name)
{
	check_name(cc, "provider", name);
	if (length_without_pid(name) < strlen(name))
		compile_fail(cc, D_PROV_BADNAME, cc->line,
			     "provider name may not end with a digit: %s", name);
}

/* provider = "provider" IDENT "{" { probe_decl } "}" ";" */
void prov_declaration(struct compiler *cc)
{
	struct prov_decl *p = ARENA_NEW(cc->arena, struct prov_decl), *old, **tail;

	lex_enter(cc, LEX_CLAUSE, 0);
	lex_skip(cc);
	p->line = cc->line;
	p->name = read_name(cc);
	check_provider_name(cc, p->name);
	p->attrs = *attrs_of_provider(cc->session, p->name);
	parse_expect(cc, '{');
	while (!parse_accept(cc, '}'))
		add_probe(cc, p, read_probe(cc));
	parse_expect(cc, ';');
	lex_enter(cc, LEX_OUTER, 0);
	old = prov_decl_find(cc->session, p->name);
	if (old) {
		check_again(cc, old, p);
		return;
	}
	p->is_library = cc->library;
	p->src = cc->src;
	pragma_claim_provider(cc, p);
	tail = &cc->session->engine->prov_decls;
	while (*tail)
		tail = &(*tail)->next;
	*tail = p;
}
