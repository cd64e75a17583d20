#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/procfile.h"
#include "dlang/parse/lex.h"

/* --- named macros: facts about the dtrace process, which is the front ------------------------- */

static pid_t front_pid(const struct compiler *cc)
{
	return cc->session->front_pid ? cc->session->front_pid : getpid();
}

static pid_t parent_of(pid_t pid)
{
	char text[1024];
	const char *parent;

	procfile_start(pid, "stat", text, sizeof(text));
	parent = procstat_field(text, 4);
	return parent ? (pid_t)strtol(parent, NULL, 10) : 0;
}

static int64_t macro_pid(const struct compiler *cc)
{
	return front_pid(cc);
}

static int64_t macro_ppid(const struct compiler *cc)
{
	return parent_of(front_pid(cc));
}

static int64_t macro_pgid(const struct compiler *cc)
{
	return getpgid(front_pid(cc));
}

static int64_t macro_sid(const struct compiler *cc)
{
	return getsid(front_pid(cc));
}

static int64_t macro_uid(const struct compiler *cc UNUSED)
{
	return getuid();
}

static int64_t macro_euid(const struct compiler *cc UNUSED)
{
	return geteuid();
}

static int64_t macro_gid(const struct compiler *cc UNUSED)
{
	return getgid();
}

static int64_t macro_egid(const struct compiler *cc UNUSED)
{
	return getegid();
}

static int64_t macro_zero(const struct compiler *cc UNUSED)
{
	return 0;
}

static int64_t macro_target(const struct compiler *cc)
{
	return cc->session->target_pid;
}

static const struct {
	const char *name;
	int64_t (*value)(const struct compiler *);
} macros[] = {
	{"pid", macro_pid},	{"ppid", macro_ppid},	  {"pgid", macro_pgid},
	{"sid", macro_sid},	{"uid", macro_uid},	  {"euid", macro_euid},
	{"gid", macro_gid},	{"egid", macro_egid},	  {"projid", macro_zero},
	{"taskid", macro_zero}, {"target", macro_target},
};

/* Other languages have variables of that form. */
static const char *hint_macro(struct compiler *cc, const char *name)
{
	struct nearest near;
	const char *said;

	nearest_init(&near, name);
	for (unsigned i = 0; i < ARRAY_SIZE(macros); i++)
		nearest_add(&near, macros[i].name);
	said = near.n ? arena_printf(cc->arena, "did you mean $%s?", near.names[0])
		      : arena_printf(cc->arena, "a variable of a clause is this->%s", name);
	nearest_release(&near);
	return said;
}

static bool named(struct compiler *cc, const char *name, int64_t *value)
{
	for (unsigned i = 0; i < ARRAY_SIZE(macros); i++) {
		if (strcmp(macros[i].name, name) != 0)
			continue;
		*value = macros[i].value(cc);
		return true;
	}
	return false;
}

/* Operand n, counted as used; NULL: there is none. */
static const char *operand(struct compiler *cc, unsigned long n)
{
	if (n > cc->src->nargs)
		return NULL;
	cc->arg_used[n] = true;
	return n == 0 ? cc->src->arg0 : cc->src->args[n - 1];
}

/* ---- in expressions ---- */

static size_t span(const char *s, int (*is)(int))
{
	size_t n = 0;

	while (s[n] && is((unsigned char)s[n]))
		n++;
	return n;
}

static bool is_integer_text(const char *s)
{
	s += *s == '+' || *s == '-';
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return s[2] && s[2 + span(s + 2, isxdigit)] == '\0';
	return *s && s[span(s, isdigit)] == '\0';
}

static bool is_word_text(const char *s)
{
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

static bool is_ident_text(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_' && *s != '`')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '`')
		s++;
	return *s == '\0';
}

static void set_int(struct compiler *cc, struct token *t, uint64_t magnitude, bool negative,
		    bool is_decimal)
{
	t->kind = TOK_INT;
	t->value = negative ? 0 - magnitude : magnitude;
	if (negative)
		t->type =
			magnitude <= (uint64_t)INT32_MAX + 1 ? cc->types->t_int : cc->types->t_word;
	else
		t->type = int_const_type(cc->types, magnitude, is_decimal, false, 0);
	if (!t->type)
		compile_fail(cc, D_INT_OFLOW, t->line,
			     "integer constant 0x%llx cannot be represented in any built-in "
			     "integral type",
			     (unsigned long long)magnitude);
}

/* Base, value and the end of the number at s; false: more than 64 bits. */
static bool parse_digits(const char *s, uint64_t *value, bool *is_decimal)
{
	unsigned base = 10;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2])) {
		base = 16;
		s += 2;
	} else if (s[0] == '0') {
		base = 8;
	}
	*value = 0;
	*is_decimal = base == 10 || (base == 8 && !isdigit((unsigned char)s[1]));
	for (; isxdigit((unsigned char)*s); s++) {
		unsigned digit = (unsigned)(isdigit((unsigned char)*s)
						    ? *s - '0'
						    : tolower((unsigned char)*s) - 'a' + 10);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit, value))
			return false;
	}
	return true;
}

static void arg_int(struct compiler *cc, struct token *t, const char *text)
{
	bool negative = *text == '-', is_decimal;
	const char *digits = text + (*text == '-' || *text == '+');
	uint64_t value;

	if (!parse_digits(digits, &value, &is_decimal) ||
	    (negative && value > (uint64_t)INT64_MAX + 1))
		compile_fail(cc, D_MACRO_OFLOW, t->line,
			     "macro argument %.*s constant %s results in integer overflow",
			     (int)t->len, t->text, text);
	set_int(cc, t, value, negative, is_decimal);
}

static void arg_token(struct compiler *cc, struct token *t, const char *text)
{
	size_t len = strlen(text);

	t->kind = TOK_STR;
	t->string = arena_strdup(cc->arena, text);
	if (is_integer_text(text) || (isdigit((unsigned char)*text) && is_word_text(text)))
		arg_int(cc, t, text);
	else if (is_ident_text(text))
		t->kind = TOK_IDENT;
	else if (len >= 2 && text[0] == '"' && text[len - 1] == '"')
		t->string = arena_strndup(cc->arena, text + 1, len - 2);
}

static void set_string(struct token *t, const char *text)
{
	t->kind = TOK_STR;
	t->string = text;
}

static void numbered_token(struct compiler *cc, struct token *t, const char *digits, bool as_text)
{
	const char *text = operand(cc, strtoul(digits, NULL, 10));

	if (!text && !opt_on(&cc->session->options, OPT_DEFAULTARGS))
		compile_fail(cc, D_MACRO_UNDEF, t->line, "macro argument %.*s is not defined",
			     (int)t->len, t->text);
	if (as_text)
		set_string(t, text ? arena_strdup(cc->arena, text) : "");
	else if (text)
		arg_token(cc, t, text);
	else
		set_int(cc, t, 0, false, true);
}

void macro_token(struct compiler *cc, struct token *t)
{
	bool as_text = t->text[1] == '$';
	const char *name = arena_strndup(cc->arena, t->text + 1 + as_text, t->len - 1 - as_text);
	int64_t value;

	if (isdigit((unsigned char)*name)) {
		numbered_token(cc, t, name, as_text);
		return;
	}
	if (!named(cc, name, &value)) {
		cc->hint = hint_macro(cc, name);
		compile_fail(cc, D_MACRO_UNDEF, t->line, "macro variable %.*s is not defined",
			     (int)t->len, t->text);
	}
	if (as_text)
		set_string(t, arena_printf(cc->arena, "%lld", (long long)value));
	else
		set_int(cc, t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, true);
}

/* ---- in probe descriptions ---- */

char *macro_field(struct compiler *cc, const char *field, bool *undefined)
{
	const char *dollar = strchr(field, '$'), *name, *text;
	int prefix = dollar ? (int)(dollar - field) : 0;
	int64_t value;
	char *end;

	*undefined = false;
	if (!dollar)
		return arena_strdup(cc->arena, field);
	name = dollar + 1 + (dollar[1] == '$');
	if (isdigit((unsigned char)*name)) {
		text = operand(cc, strtoul(name, &end, 10));
		if (text)
			return arena_printf(cc->arena, "%.*s%s%s", prefix, field, text, end);
	} else if (named(cc, name, &value)) {
		return arena_printf(cc->arena, "%.*s%lld", prefix, field, (long long)value);
	}
	*undefined = true;
	return NULL;
}
