/*
 * outline.c: the probe descriptions of a program that cannot be compiled yet, because what they
 * mean depends on a process that is still to be started. Clauses' bodies, predicates and
 * declarations are passed over; what is wrong in them the compiler says later.
 */
#include <string.h>

#include "base/glob.h"
#include "dlang/parse/lex.h"
#include "dlang/session_engine.h"

/* Past a string or character constant whose quote is at p. */
static const char *after_quoted(const char *p, const char *end)
{
	const char quote = *p++;

	for (; p < end && *p != quote; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

static const char *after_comment(const char *p, const char *end)
{
	for (p += 2; p + 1 < end; p++)
		if (p[0] == '*' && p[1] == '/')
			return p + 2;
	return end;
}

/* Past one character, string or comment. */
static const char *after_one(const char *p, const char *end)
{
	if (*p == '"' || *p == '\'')
		return after_quoted(p, end);
	if (p + 1 < end && p[0] == '/' && p[1] == '*')
		return after_comment(p, end);
	return p + 1;
}

/* Past a body whose brace has been read. */
static const char *after_body(const char *p, const char *end)
{
	for (unsigned depth = 1; p < end; p = after_one(p, end)) {
		depth += *p == '{';
		depth -= *p == '}';
		if (depth == 0)
			return p + 1;
	}
	return end;
}

/* To the brace behind a predicate whose first slash has been read: the slash before it ends it. */
static const char *after_predicate(const char *p, const char *end)
{
	for (; p < end; p = after_one(p, end))
		if (*p == '/' && p + 1 < end && p[1] != '*' &&
		    p[1 + strspn(p + 1, LEX_BLANKS)] == '{')
			return p + 1;
	return end;
}

/* Past the semicolon of a declaration. */
static const char *after_declaration(const char *p, const char *end)
{
	while (p < end && *p != ';')
		p = *p == '{' ? after_body(p + 1, end) : after_one(p, end);
	return p;
}

/*
 * Does the name begin so, or is what stands in it before a number, or before $target, a pattern
 * that means the prefix?
 */
static bool begins_with(char *name, const char *prefix)
{
	size_t n = strcspn(name, "$0123456789");

	if (strncmp(name, prefix, strlen(prefix)) == 0)
		return true;
	if (!name[n])
		return false;
	name[n] = '\0';
	return glob_match(name, prefix);
}

/* Does the description give a provider that begins so? Fields are given from the right. */
static bool has_provider(struct compiler *cc, const char *text, const char *prefix)
{
	static const unsigned ncolons[] = {[SOURCE_PROVIDER] = 0,
					   [SOURCE_MODULE] = 1,
					   [SOURCE_FUNCTION] = 2,
					   [SOURCE_NAME] = 3,
					   [SOURCE_SCRIPT] = 3};
	unsigned n = 0;
	bool undefined;
	char *field = arena_strdup(cc->arena, text), *known;

	for (const char *p = text; *p; p = *p == '"' ? after_quoted(p, p + strlen(p)) : p + 1)
		n += *p == ':';
	field[strcspn(field, ":")] = '\0';
	known = macro_field(cc, field, &undefined);
	return n >= ncolons[cc->src->kind] &&
	       begins_with(known ? arena_strdup(cc->arena, known) : field, prefix);
}

/* Past a word of the outer level: of a description, or of a declaration. */
static const char *after_word(const char *p, const char *end)
{
	while (p < end && !lex_is_blank(*p) && !strchr(",;{", *p) && *p != '/')
		p = *p == '"' ? after_quoted(p, end) : p + 1;
	return p;
}

/* Declarations that may hold strings; in all others no word has a colon. */
static bool begins_definition(const char *word)
{
	return strcmp(word, "inline") == 0 || strcmp(word, "translator") == 0 ||
	       strcmp(word, "provider") == 0;
}

static bool find_provider(struct compiler *cc, const char *prefix)
{
	const char *p = cc->src->text, *const end = p + strnlen(p, cc->src->length), *next;
	bool line_start = true;

	for (; p < end; p = next) {
		next = after_one(p, end);
		line_start |= *p == '\n';
		if (lex_is_blank(*p) || next > p + 1)
			continue;
		if (*p == '#' && line_start) {
			next = p + strcspn(p, "\n");
		} else if (*p == '/') {
			next = after_predicate(next, end);
		} else if (*p == '{') {
			next = after_body(next, end);
		} else if (!strchr(",;", *p)) {
			const char *word;

			next = after_word(p, end);
			word = arena_strndup(cc->arena, p, (size_t)(next - p));
			if (begins_definition(word))
				next = after_declaration(next, end);
			else if (has_provider(cc, word, prefix))
				return true;
		}
		line_start = false;
	}
	return false;
}

bool dlang_names_provider(struct session *s, const struct source *src, const char *prefix)
{
	struct compiler *cc = ARENA_NEW(s->arena, struct compiler);
	struct err ignored;

	cc->session = s;
	cc->arena = s->arena;
	cc->types = &s->engine->types;
	cc->idents = s->engine->idents;
	cc->src = src;
	cc->err = &ignored;
	cc->arg_used = arena_alloc(s->arena, (size_t)src->nargs + 1);
	if (setjmp(cc->fail) != 0)
		return false;
	return find_provider(cc, prefix);
}
