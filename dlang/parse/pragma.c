/*
 * pragma.c: control lines: #line, #error, #pragma D (docs/spec/d-language.md §1.9, §1.10).
 */
#include <ctype.h>
#include <stdlib.h>

#include "dlang/parse/lex.h"
#include "dlang/parse/provdecl.h"
#include "dlang/parse/stability.h"

#define MAX_WORDS 64

struct word {
	const char *text;
	bool is_quoted;
};

struct control {
	struct compiler *cc;
	int line;
	struct word words[MAX_WORDS];
	unsigned nwords;
};

struct pragma_wait {
	const char *name; /* of the identifier, or of the provider if there is a part */
	const char *pragma;
	int line;
	struct attr attr;
	int64_t version; /* binding: the first that knows it */
	int part;	 /* of a provider, as in provider_parts; -1: of an identifier */
	bool is_used;	 /* the provider came */
	struct pragma_wait *next;
};

/* ---- words ---- */

/* Comments and continued lines become blanks. */
static char *plain_text(struct arena *arena, const char *text, size_t n)
{
	char *s = arena_strndup(arena, text, n), *p = s;

	while (*p) {
		char *end = NULL;

		if (p[0] == '\\' && p[1] == '\n') {
			p[0] = p[1] = ' ';
		} else if (p[0] == '/' && p[1] == '*' && (end = strstr(p + 2, "*/"))) {
			memset(p, ' ', (size_t)(end + 2 - p));
			p = end + 1;
		} else if (p[0] == '"' && (end = strchr(p + 1, '"'))) {
			p = end;
		}
		p++;
	}
	return s;
}

/* The end of a word; a value in quotes (name="a value") has blanks. */
static char *word_end(char *s)
{
	char *end = s, *quote;

	while (*end && !isspace((unsigned char)*end)) {
		quote = *end == '"' && end > s && end[-1] == '=' ? strchr(end + 1, '"') : NULL;
		end = quote ? quote + 1 : end + 1;
	}
	return end;
}

static void split_words(struct control *c, char *s)
{
	while (c->nwords < MAX_WORDS) {
		struct word *w = &c->words[c->nwords];
		char *end = NULL;

		while (isspace((unsigned char)*s))
			s++;
		if (!*s)
			break;
		c->nwords++;
		w->is_quoted = *s == '"' && (end = strchr(s + 1, '"'));
		if (w->is_quoted) {
			w->text = arena_strndup(c->cc->arena, s + 1, (size_t)(end - s - 1));
			s = end + 1;
			continue;
		}
		end = word_end(s);
		w->text = arena_strndup(c->cc->arena, s, (size_t)(end - s));
		s = end;
	}
}

static const char *word(const struct control *c, unsigned i)
{
	return i < c->nwords ? c->words[i].text : NULL;
}

/* ---- #line, #error ---- */

static bool all_digits(const char *s)
{
	return s && *s && s[strspn(s, "0123456789")] == '\0';
}

/* GNU cpp's flags behind the file, from word `at`: 3 says so. */
static bool is_system_header(const struct control *c, unsigned at)
{
	while (at < c->nwords && strcmp(word(c, at), "3") != 0)
		at++;
	return at < c->nwords;
}

/* A preprocessor reads the program itself from its standard input: no file is named then. */
static const char *file_tag(const struct control *c, const char *file)
{
	bool is_main = opt_on(&c->cc->session->options, OPT_CPP) && strcmp(file, "/dev/stdin") == 0;

	return is_main ? NULL : file;
}

/* `line N ["file" [state]]`, from word `at`. The line after `#line` gets one more. */
static void control_set_line(struct control *c, unsigned at, int extra)
{
	unsigned long line = all_digits(word(c, at)) ? strtoul(word(c, at), NULL, 10) : 0;
	bool has_file = at + 1 < c->nwords;

	if (!all_digits(word(c, at)) || line > INT32_MAX - 1 ||
	    (has_file && !c->words[at + 1].is_quoted) ||
	    (at + 2 < c->nwords && !all_digits(word(c, at + 2))))
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #line <line> [ [\"file\"] state ]");
	c->cc->lex->next_line = (int)line + extra;
	if (has_file) {
		c->cc->lex->in_system = is_system_header(c, at + 2);
		c->cc->file = file_tag(c, word(c, at + 1));
	}
}

static NORETURN void control_error(struct control *c, unsigned at)
{
	char *text = arena_strdup(c->cc->arena, "");

	for (unsigned i = at; i < c->nwords; i++)
		text = arena_printf(c->cc->arena, "%s%s ", text, word(c, i));
	compile_fail(c->cc, D_PRAGERR, c->line, "#error: %s", text);
}

/* ---- #pragma D ---- */

static char *without_quotes(struct arena *arena, const char *value)
{
	size_t n = strlen(value);
	bool has_quotes = n > 1 && *value == '"' && value[n - 1] == '"';

	return arena_strndup(arena, value + has_quotes, n - 2 * (size_t)has_quotes);
}

static void pragma_option(struct control *c)
{
	struct compiler *cc = c->cc;
	const char *text = word(c, 0), *equals;
	char *name, *value = NULL;
	struct strbuf hint;
	struct err err = {0};

	if (!text || *text == '=')
		compile_fail(cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma option <option>=<val>");
	if (c->nwords > 1)
		compile_fail(cc, D_PRAGMA_MALFORM, c->line,
			     "superfluous arguments specified for #pragma option");
	equals = strchr(text, '=');
	name = arena_strndup(cc->arena, text, equals ? (size_t)(equals - text) : strlen(text));
	if (equals)
		value = without_quotes(cc->arena, equals + 1);
	if (options_set(&cc->session->options, cc->arena, name, value, OPT_PRAGMA, &err) == 0) {
		types_set_strsize(cc->types, (uint64_t)opt(&cc->session->options, OPT_STRSIZE));
		check_hide_newer(cc->session);
		return;
	}
	strbuf_init(&hint);
	if (options_hint(name, value, &hint))
		cc->hint = arena_strdup(cc->arena, hint.s);
	strbuf_release(&hint);
	if (value)
		compile_fail(cc, D_PRAGMA_OPTSET, c->line, "failed to set option '%s' to '%s': %s",
			     name, value, err.text);
	compile_fail(cc, D_PRAGMA_OPTSET, c->line, "failed to set option '%s': %s", name, err.text);
}

static NORETURN void fail_scope(struct control *c, const char *pragma)
{
	compile_fail(c->cc, D_PRAGMA_SCOPE, c->line,
		     "#pragma %s cannot modify entity defined outside program scope", pragma);
}

static struct pragma_wait *add_wait(struct control *c, const char *pragma, const char *name)
{
	struct pragma_wait *wait = ARENA_NEW(c->cc->arena, struct pragma_wait);

	wait->name = name;
	wait->pragma = pragma;
	wait->line = c->line;
	wait->part = -1;
	wait->next = c->cc->pragmas;
	c->cc->pragmas = wait;
	return wait;
}

/* The pragma is about an identifier: of the program, or not known yet. */
static struct pragma_wait *pragma_ident(struct control *c, const char *pragma, const char *name)
{
	struct compiler *cc = c->cc;
	const struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, name);

	if (id && (id->builtin || (id->is_library && !cc->library)))
		fail_scope(c, pragma);
	return add_wait(c, pragma, name);
}

bool pragma_hides(const struct compiler *cc, const struct ident *id)
{
	int64_t asked = opt(&cc->session->options, OPT_VERSION);

	if (asked == OPT_UNSET || cc->library)
		return false;
	for (const struct pragma_wait *w = cc->pragmas; w; w = w->next)
		if (w->version > asked && strcmp(w->name, id->name) == 0)
			return true;
	return id->version > asked;
}

const struct attr *pragma_attr(const struct compiler *cc, const struct ident *id)
{
	const struct pragma_wait *w = id->scope == SCOPE_GLOBAL ? cc->pragmas : NULL;

	for (; w; w = w->next)
		if (w->part < 0 && !w->version && strcmp(w->name, id->name) == 0)
			return &w->attr;
	return id->attr;
}

void pragma_check_unused(struct compiler *cc)
{
	const struct pragma_wait *first = NULL;

	for (const struct pragma_wait *w = cc->pragmas; w; w = w->next) {
		struct ident *id = ident_find(cc->idents, SCOPE_GLOBAL, w->name);

		if (w->part >= 0 ? !w->is_used : !id) {
			first = w;
		} else if (w->part < 0) {
			id->attr = pragma_attr(cc, id);
			id->version = MAX(id->version, w->version);
		}
	}
	if (first)
		compile_fail(cc, D_PRAGMA_UNUSED, first->line, "unused #pragma %s", first->pragma);
}

static bool provider_known(struct compiler *cc, const char *name)
{
	for (unsigned i = 0; i < cc->session->nproviders; i++) {
		const struct provider *p = cc->session->providers[i];

		if (strcmp(p->name, name) == 0 || (p->on_demand && p->on_demand(name)))
			return true;
	}
	for (uint32_t id = 1; id <= cc->session->nprobes; id++)
		if (strcmp(probe_by_id(cc->session, id)->prov, name) == 0)
			return true;
	return false;
}

static bool module_known(struct compiler *cc, const char *name)
{
	for (uint32_t id = 1; id <= cc->session->nprobes; id++)
		if (strcmp(probe_by_id(cc->session, id)->mod, name) == 0)
			return true;
	return false;
}

static const struct {
	const char *name;
	size_t offset;
} provider_parts[] = {
	{"provider", offsetof(struct provattrs, provider)},
	{"module", offsetof(struct provattrs, module)},
	{"function", offsetof(struct provattrs, function)},
	{"name", offsetof(struct provattrs, name)},
	{"args", offsetof(struct provattrs, args)},
};

void pragma_claim_provider(struct compiler *cc, struct prov_decl *p)
{
	for (struct pragma_wait *w = cc->pragmas; w; w = w->next) {
		if (w->part < 0 || w->is_used || strcmp(w->name, p->name) != 0)
			continue;
		memcpy((char *)&p->attrs + provider_parts[w->part].offset, &w->attr,
		       sizeof(w->attr));
		w->is_used = true;
	}
}

/* ... N/D/C provider P provider|module|function|name|args */
static void pragma_provider_attributes(struct control *c, struct attr attr)
{
	const char *name = word(c, 2), *part = word(c, 3);
	struct prov_decl *p = prov_decl_find(c->cc->session, name);
	struct pragma_wait *wait;
	unsigned i = 0;

	while (part && i < ARRAY_SIZE(provider_parts) && strcmp(provider_parts[i].name, part) != 0)
		i++;
	if (c->nwords != 4 || i == ARRAY_SIZE(provider_parts))
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma attributes <attributes> provider <name> <class>");
	if (p ? p->is_library && !c->cc->library : provider_known(c->cc, name) && !c->cc->library)
		fail_scope(c, "attributes");
	wait = add_wait(c, "attributes", name);
	wait->attr = attr;
	wait->part = (int)i;
	if (p)
		pragma_claim_provider(c->cc, p);
}

static void pragma_attributes(struct control *c)
{
	struct attr attr;

	if (c->nwords < 2)
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma attributes <attributes> <ident>");
	if (!attr_parse(word(c, 0), &attr))
		compile_fail(c->cc, D_PRAGMA_INVAL, c->line,
			     "invalid attributes specified by #pragma attributes");
	if (strcmp(word(c, 1), "provider") == 0 && c->nwords > 2) {
		pragma_provider_attributes(c, attr);
		return;
	}
	if (c->nwords > 2)
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma attributes <attributes> <ident>");
	pragma_ident(c, "attributes", word(c, 1))->attr = attr;
}

static void pragma_binding(struct control *c)
{
	if (c->nwords != 2 || !c->words[0].is_quoted)
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma binding \"version\" <ident>");
	if (!option_version_known(word(c, 0)))
		compile_fail(c->cc, D_PRAGMA_INVAL, c->line,
			     "invalid version %s specified by #pragma binding", word(c, 0));
	pragma_ident(c, "binding", word(c, 1))->version = option_version(word(c, 0));
}

static void pragma_depends_on(struct control *c)
{
	const char *class = word(c, 0), *name = word(c, 1);
	bool known;

	if (c->nwords != 2)
		compile_fail(c->cc, D_PRAGMA_MALFORM, c->line,
			     "malformed #pragma depends_on <class> <name>");
	if (strcmp(class, "library") == 0 && c->cc->library)
		return; /* library.c has put them in order */
	if (strcmp(class, "library") == 0)
		compile_fail(c->cc, D_PRAGMA_DEPEND, c->line,
			     "main program may not explicitly depend on a library");
	if (strcmp(class, "provider") == 0)
		known = provider_known(c->cc, name);
	else if (strcmp(class, "module") == 0)
		known = module_known(c->cc, name);
	else
		compile_fail(c->cc, D_PRAGMA_INVAL, c->line,
			     "invalid class %s specified by #pragma depends_on", class);
	if (!known && c->cc->library)
		compile_skip(c->cc);
	if (!known)
		compile_fail(c->cc, D_PRAGMA_DEPEND, c->line, "program requires %s %s", class,
			     name);
}

static void pragma_error(struct control *c)
{
	control_error(c, 0);
}

/* Goes to the comment section of an object elsewhere; we make none. */
static void pragma_is_nothing(struct control *c UNUSED)
{
}

/* As #line, whose count it shares. */
static void pragma_line(struct control *c)
{
	control_set_line(c, 0, 1);
}

static const struct {
	const char *name;
	void (*run)(struct control *);
} pragmas[] = {
	{"attributes", pragma_attributes}, {"binding", pragma_binding},
	{"depends_on", pragma_depends_on}, {"error", pragma_error},
	{"ident", pragma_is_nothing},	   {"line", pragma_line},
	{"option", pragma_option},
};

static void drop_words(struct control *c, unsigned n)
{
	memmove(c->words, c->words + n, (c->nwords - n) * sizeof(c->words[0]));
	c->nwords -= n;
}

/* #pragma D name ...; pragmas that are not D's are nobody's business, but for `error`. */
static void control_pragma(struct control *c)
{
	const char *name = word(c, 2);

	if (c->nwords > 1 && strcmp(word(c, 1), "error") == 0)
		control_error(c, 2);
	if (!name || strcmp(word(c, 1), "D") != 0)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(pragmas); i++) {
		if (strcmp(pragmas[i].name, name) != 0)
			continue;
		drop_words(c, 3);
		pragmas[i].run(c);
		return;
	}
	compile_fail(c->cc, D_PRAGMA_INVAL, c->line, "invalid D pragma: %s", name);
}

void control_line(struct compiler *cc, const char *text, size_t n, int line)
{
	struct control *c = ARENA_NEW(cc->arena, struct control);
	const char *name;

	c->cc = cc;
	c->line = line;
	if (text == cc->src->text + 1 && *text == '!' && cc->src->kind == SOURCE_SCRIPT)
		return;
	split_words(c, plain_text(cc->arena, text, n));
	name = word(c, 0);
	if (!name || strcmp(name, "ident") == 0)
		return;
	if (strcmp(name, "pragma") == 0)
		control_pragma(c);
	else if (strcmp(name, "line") == 0)
		control_set_line(c, 1, 1);
	else if (strcmp(name, "error") == 0)
		control_error(c, 1);
	else if (all_digits(name))
		control_set_line(c, 0, 0);
	else
		compile_fail(cc, D_PRAGCTL_INVAL, line, "invalid control directive: #%s", name);
}
