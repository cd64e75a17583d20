/*
 * compile.c: one program from text to clauses.
 */
#include "base/strbuf.h"
#include "dlang/compile/actcomp.h"
#include "dlang/parse/lex.h"
#include "dlang/run/gaps.h"
#include "dlang/run/vars.h"
#include "dlang/session_priv.h"

/* A chain of n inlines that use each other twice comes to 2^n nodes. */
#define MAX_EXPANSIONS (1 << 20)

/* Only the last operand is asked for. */
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
	emit_declare(cc, clauses);
	if (!clauses && !has_inline && !opt_on(&cc->session->options, OPT_EMPTY))
		compile_fail(cc, D_EMPTY, last_line, "empty D program translation unit");
	for (struct node *n = clauses; n; n = n->next)
		compile_clause(cc, n);
	cc->phase = PHASE_PARSE;
	cc->line = last_line;
	pragma_check_unused(cc);
	check_operands(cc);
}

static struct compiler *new_compiler(struct session *s, const struct source *src, struct err *err)
{
	struct compiler *cc = ARENA_NEW(s->arena, struct compiler);

	cc->session = s;
	cc->arena = s->arena;
	cc->types = &s->engine->types;
	cc->idents = s->engine->idents;
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

void session_init_engine(struct session *s)
{
	session_init_tables(s);
	s->engine->idents = idents_new(s->arena);
	s->engine->vars = vars_new(s->arena);
}

void session_free_engine(struct session *s)
{
	idents_release(s->engine->idents);
	gaps_free(s);
	session_free_tables(s);
}

int dlang_prepare(struct session *s, struct err *err)
{
	int rc = 0;

	types_set_strsize(&s->engine->types, (uint64_t)opt(&s->options, OPT_STRSIZE));
	if (s->engine->idents->has_builtins)
		return 0;
	s->engine->idents->has_builtins = true;
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
	*s->engine->programs_tail = cc->program;
	s->engine->programs_tail = &cc->program->next;
	*out = cc->program;
	return 0;
}
