/*
 * compile.c: one program from text to clauses, and how its first error is said (d-language.md
 * §17.1).
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlang/parse/lex.h"

/* A chain of n inlines that use each other twice comes to 2^n nodes. */
#define MAX_EXPANSIONS (1 << 20)

static bool is_script(const struct compiler *cc)
{
	return cc->src->kind == SOURCE_SCRIPT;
}

#define LONG_TEXT 120

bool source_is_long(const struct source *src)
{
	size_t n = src->length;

	while (n && isspace((unsigned char)src->text[n - 1]))
		n--;
	return src->kind != SOURCE_SCRIPT && (n > LONG_TEXT || memchr(src->text, '\n', n));
}

int source_shown(const struct source *src)
{
	size_t n = strcspn(src->text, "\n");

	if (src->kind == SOURCE_SCRIPT || !source_is_long(src))
		return (int)strlen(src->name);
	if (n > LONG_TEXT / 2)
		n = MIN(strcspn(src->text, "{/;\n"), LONG_TEXT / 2);
	return (int)n;
}

/* Are places told by their lines? */
static bool has_lines(const struct compiler *cc)
{
	return is_script(cc) || source_is_long(cc->src);
}

static void say_location(const struct compiler *cc, int line, struct strbuf *out)
{
	if (cc->file)
		strbuf_addf(out, "\"%s\", line %d: ", cc->file, line);
	else if (has_lines(cc))
		strbuf_addf(out, "line %d: ", line);
	if (cc->file || is_script(cc))
		return;
	if (cc->phase == PHASE_BODY)
		strbuf_adds(out, "in action list: ");
	else if (cc->phase == PHASE_PREDICATE)
		strbuf_adds(out, "in predicate: ");
}

/* Where in the text the error is; NULL: nowhere in particular. */
static const char *place_of(const struct compiler *cc)
{
	const char *at = cc->at;

	if (!at && !cc->is_parsed && cc->lex)
		at = cc->lex->tok.text;
	return at && at >= cc->src->text && at <= cc->src->text + cc->src->length ? at : NULL;
}

/*
 * The line of the program, with a mark under the place; of a long line the part around it. The text
 * of the message itself is fixed (§17.1), so only for a person who reads along.
 */
static void show_place(const struct compiler *cc, struct strbuf *out)
{
	enum { BEFORE = 60, BEHIND = 40 };
	const char *at = place_of(cc), *begin = cc->src->text, *end = begin + cc->src->length;
	const char *from = at, *to = at;

	if (!at || !isatty(STDERR_FILENO))
		return;
	while (from > begin && from[-1] != '\n' && at - from < BEFORE)
		from--;
	while (to < end && *to && *to != '\n' && to - at < BEHIND)
		to++;
	strbuf_addf(out, "\n%.*s\n", (int)(to - from), from);
	for (const char *p = from; p < at; p++)
		strbuf_addc(out, *p == '\t' ? '\t' : ' ');
	strbuf_addc(out, '^');
}

/* Gives the text up, adds tag and location in front, and leaves. */
static NORETURN void fail(struct compiler *cc, int tag, int line, bool with_location,
			  struct strbuf *text)
{
	const char *name = errtag_name(tag);
	struct strbuf where;

	strbuf_init(&where);
	if (name && opt_on(&cc->session->options, OPT_ERRTAGS))
		strbuf_addf(&where, "[%s] ", name);
	if (with_location)
		say_location(cc, line, &where);
	show_place(cc, text);
	if (cc->hint)
		strbuf_addf(text, "\n%s: %s", cc->session->progname, cc->hint);
	err_set(cc->err, -EINVAL, "%s%s", where.s, text->s);
	strbuf_release(&where);
	strbuf_release(text);
	longjmp(cc->fail, 1);
}

void compile_fail(struct compiler *cc, int tag, int line, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	fail(cc, tag, line, true, &text);
}

void compile_fail_bare(struct compiler *cc, int tag, int line, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	fail(cc, tag, line, cc->file || has_lines(cc), &text);
}

/* §5 rule 5: only the last operand is asked for. */
static void check_operands(struct compiler *cc)
{
	unsigned n = cc->src->nargs;

	if (n > 0 && !cc->arg_used[n] && !opt_on(&cc->session->options, OPT_ARGREF))
		compile_fail(cc, D_MACRO_UNUSED, cc->line,
			     "extraneous argument '%s' ($%u is not referenced)",
			     cc->src->args[n - 1], n);
}

static void compile_text(struct compiler *cc)
{
	bool has_inline;
	struct node *clauses = parse_program(cc, &has_inline);
	int last_line = cc->line;

	cc->is_parsed = true;
	for (const struct node *n = clauses; n; n = n->next)
		ast_show(cc->session, AST_PARSED, n);
	if (!clauses && !has_inline && !opt_on(&cc->session->options, OPT_EMPTY))
		compile_fail(cc, D_EMPTY, last_line, "empty D program translation unit");
	for (struct node *n = clauses; n; n = n->next)
		compile_clause(cc, n);
	cc->phase = PHASE_PARSE;
	cc->line = last_line;
	pragma_check_unused(cc);
	check_operands(cc);
}

void compile_skip(struct compiler *cc)
{
	cc->skipped = true;
	longjmp(cc->fail, 1);
}

static struct compiler *new_compiler(struct session *s, const struct source *src, struct err *err)
{
	struct compiler *cc = ARENA_NEW(s->arena, struct compiler);

	cc->session = s;
	cc->arena = s->arena;
	cc->types = &s->types;
	cc->idents = &s->idents;
	cc->src = src;
	cc->err = err;
	cc->line = 1;
	cc->expansions = MAX_EXPANSIONS;
	cc->arg_used = arena_alloc(s->arena, (size_t)src->nargs + 1);
	cc->program = ARENA_NEW(s->arena, struct program);
	cc->program->src = src;
	cc->program->clauses_tail = &cc->program->clauses;
	return cc;
}

int compile_library(struct session *s, const char *path, const char *text, size_t length,
		    struct err *err)
{
	struct source *src = ARENA_NEW(s->arena, struct source);
	struct compiler *cc;
	bool ignored;

	*src = (struct source){SOURCE_SCRIPT, path, text, length, path, NULL, 0};
	cc = new_compiler(s, src, err);
	cc->file = path;
	cc->library = true;
	if (setjmp(cc->fail) != 0)
		return cc->skipped ? 0 : err->code;
	for (struct node *n = parse_program(cc, &ignored); n; n = n->next)
		compile_clause(cc, n);
	cc->phase = PHASE_PARSE;
	pragma_check_unused(cc);
	return 0;
}

int dlang_prepare(struct session *s, struct err *err)
{
	int rc = 0;

	types_set_strsize(&s->types, (uint64_t)opt(&s->options, OPT_STRSIZE));
	if (s->idents.has_builtins)
		return 0;
	s->idents.has_builtins = true;
	check_init(s);
	if (!opt_on(&s->options, OPT_NOLIBS))
		rc = libraries_load(s, err);
	check_hide_newer(s);
	return rc;
}

int dlang_compile(struct session *s, const struct source *src, struct program **out,
		  struct err *err)
{
	struct compiler *cc;
	const char *volatile amin_text;
	volatile int64_t amin;
	int rc;

	rc = dlang_prepare(s, err);
	if (rc < 0)
		return rc;
	cc = new_compiler(s, src, err);
	amin = opt(&s->options, OPT_AMIN);
	amin_text = s->options.text[OPT_AMIN];
	if (setjmp(cc->fail) != 0)
		return err->code;
	compile_text(cc);
	s->options.num[OPT_AMIN] = amin; /* as a pragma it holds for this program only */
	s->options.text[OPT_AMIN] = amin_text;
	cc->program->counts_probes = cc->program->nmatched > 0;
	*s->programs_tail = cc->program;
	s->programs_tail = &cc->program->next;
	*out = cc->program;
	return 0;
}
