/*
 * parsedesc.c: probe descriptions: four fields with macros and quotes, or a number.
 */
#include "base/strbuf.h"
#include "dlang/parse/parse_priv.h"
#include "dlang/session_engine.h"

/* docs/spec/d-language.md §4.1: names are given from the right, so a level says how many there are.
 */
static unsigned desc_level(enum source_kind kind)
{
	switch (kind) {
	case SOURCE_PROVIDER:
		return 1;
	case SOURCE_MODULE:
		return 2;
	case SOURCE_FUNCTION:
		return 3;
	default:
		return 4;
	}
}

static NORETURN void desc_invalid(struct compiler *cc, const struct node *n, const char *why)
{
	compile_fail(cc, D_PDESC_INVAL, n->line, "invalid probe description \"%s\": %s",
		     n->desc_text, why);
}

/* What stands in quotes means itself: as with a backslash before what would mean more. */
static const char *unquoted(struct compiler *cc, const char *text)
{
	struct strbuf out;
	bool is_quoted = false;
	const char *field;

	strbuf_init(&out);
	for (; *text; text++) {
		if (*text == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (is_quoted && *text == '\\' && text[1] == '"')
			text++;
		else if (is_quoted && strchr("*?[]\\", *text))
			strbuf_addc(&out, '\\');
		strbuf_addc(&out, *text);
	}
	field = arena_strdup(cc->arena, out.s ? out.s : "");
	strbuf_release(&out);
	return field;
}

static const char *desc_field(struct compiler *cc, const struct node *n, const char *text,
			      size_t limit)
{
	bool undefined = false;
	const char *field =
		strchr(text, '"') ? unquoted(cc, text) : macro_field(cc, text, &undefined);

	if (undefined)
		desc_invalid(cc, n, "Undefined macro variable in probe description");
	if (strlen(field) >= limit)
		desc_invalid(cc, n, "File name too long");
	return intern_str(&cc->session->engine->intern, field);
}

/* Up to a colon that stands in no quotes. */
static size_t field_length(const char *s)
{
	const char *p = s;
	bool is_quoted = false;

	for (; *p && (is_quoted || *p != ':'); p++) {
		if (is_quoted && *p == '\\' && p[1] == '"')
			p++;
		else if (*p == '"')
			is_quoted = !is_quoted;
	}
	return (size_t)(p - s);
}

/* The fields of a description in `at` and `len`; more than `max` are counted only. */
static unsigned split_desc(const char *s, unsigned max, const char **at, size_t *len)
{
	unsigned n = 0;

	for (;; s++, n++) {
		size_t l = field_length(s);

		if (n < max) {
			at[n] = s;
			len[n] = l;
		}
		s += l;
		if (!*s)
			return n + 1;
	}
}

/*
 * pid1:a.out:ns::Class::method:entry: of a process, where all fields are there, the function may
 * hold pairs of colons. False: that is not how the surplus fields come about.
 */
static bool take_scoped_function(const char *s, unsigned level, const char **at, size_t *len)
{
	const char *end = level == 4 ? strrchr(s, ':') : s + strlen(s);

	if (level < 3 || strchr(s, '"') ||
	    (strncmp(s, "pid", 3) != 0 && strncmp(s, "fpid", 4) != 0))
		return false;
	for (const char *p = at[2]; p < end; p++) {
		if (*p == ':' && (p == at[2] || p[1] != ':' || p + 2 >= end || p[2] == ':'))
			return false;
		p += *p == ':';
	}
	len[2] = (size_t)(end - at[2]);
	at[3] = end + 1;
	len[3] = level == 4 ? strlen(at[3]) : 0;
	return true;
}

static void desc_by_name(struct compiler *cc, struct node *n)
{
	static const size_t limits[] = {64, 64, 192, 64};
	unsigned level = desc_level(cc->src->kind), nfields;
	const char **slots[] = {&n->desc->prov, &n->desc->mod, &n->desc->func, &n->desc->name};
	const char *at[4], *text = n->desc_text;
	size_t len[4];

	nfields = split_desc(text, level, at, len);
	/* One empty field too many on the left says nothing: `-f ::read:` is `:read:`. */
	if (nfields == level + 1 && *text == ':')
		nfields = split_desc(++text, level, at, len);
	if (nfields > level && !take_scoped_function(text, level, at, len))
		desc_invalid(cc, n, "Overspecified probe description");
	nfields = MIN(nfields, level);
	for (unsigned i = 0; i < 4; i++)
		*slots[i] = "";
	for (unsigned i = 0; i < nfields; i++) {
		unsigned slot = level - nfields + i;

		*slots[slot] =
			desc_field(cc, n, arena_strndup(cc->arena, at[i], len[i]), limits[slot]);
	}
}

static void desc_by_id(struct compiler *cc, struct node *n, uint64_t id)
{
	static const char *const levels[] = {"", "providers", "modules", "functions"};
	unsigned level = desc_level(cc->src->kind);

	if (level < 4)
		compile_fail(cc, D_PDESC_INVAL, n->line,
			     "probe identifier %llu not permitted when specifying %s",
			     (unsigned long long)id, levels[level]);
	if (id == 0 || id > UINT32_MAX)
		compile_fail(cc, D_PDESC_INVAL, n->line,
			     "invalid probe identifier %llu: Unknown probe identifier",
			     (unsigned long long)id);
	n->desc->id = (uint32_t)id;
	n->desc->prov = n->desc->mod = n->desc->func = n->desc->name = "";
}

struct node *parse_pspec(struct compiler *cc)
{
	const struct token *t = lex_peek(cc);
	struct node *n = node_new(cc->arena, NODE_PDESC, t->line);

	if (t->kind != TOK_SPEC && t->kind != TOK_INT)
		syntax_error(cc);
	n->at = t->text;
	n->desc = ARENA_NEW(cc->arena, struct probe_desc);
	n->desc_text = arena_strndup(cc->arena, t->text, t->len);
	if (t->kind == TOK_INT)
		desc_by_id(cc, n, t->value);
	else
		desc_by_name(cc, n);
	lex_skip(cc);
	return n;
}
