/*
 * toolvalue.c: the kinds of values that options and operands of tools take, and what they are in D.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/tool/tool_priv.h"

/* A number of D: digits alone, without zeros in front, which would make it an octal one. */
static bool take_scaled(struct strbuf *out, const char *given, uint64_t scale)
{
	uint64_t whole, part = 0, unit = scale;
	char *end;

	if (!isdigit((unsigned char)*given))
		return false;
	errno = 0;
	whole = strtoull(given, &end, 10);
	if (errno || whole > INT64_MAX / scale - 1)
		return false;
	if (*end == '.' && scale > 1 && end[1])
		for (end++; isdigit((unsigned char)*end); end++) {
			unit /= 10;
			part += unit * (uint64_t)(*end - '0');
		}
	strbuf_addf(out, "%llu", (unsigned long long)(whole * scale + part));
	return !*end;
}

static bool take_number(struct strbuf *out, const char *given)
{
	return take_scaled(out, given, 1);
}

static bool take_positive(struct strbuf *out, const char *given)
{
	size_t before = out->len;

	return take_scaled(out, given, 1) && strcmp(out->s + before, "0") != 0;
}

static bool take_ms(struct strbuf *out, const char *given)
{
	return take_scaled(out, given, 1000000);
}

static bool take_us(struct strbuf *out, const char *given)
{
	return take_scaled(out, given, 1000);
}

static bool take_text(struct strbuf *out, const char *given)
{
	strbuf_adds(out, given);
	return *given != '\0';
}

static void separate(struct strbuf *out, const char *by)
{
	if (out->len)
		strbuf_adds(out, by);
}

/* What may stand in a program as it is: its compiler says whether it is an expression. */
static bool take_expression(struct strbuf *out, const char *given)
{
	separate(out, ", ");
	strbuf_adds(out, given);
	return *given != '\0' && !strpbrk(given, "\n#") && !strstr(given, "/*");
}

static bool is_of_probe(const char *given)
{
	return *given && !strpbrk(given, " \t\n{}/,;\"");
}

bool tool_is_whole_probe(const char *text, size_t length)
{
	bool is_quoted = false;
	unsigned n = 0;

	for (size_t i = 0; i < length; i++) {
		is_quoted ^= text[i] == '"';
		n += text[i] == ':' && !is_quoted;
	}
	return n == 3;
}

/* The same of what a user writes, where MODULE:SPACE::FUNCTION is a function of C++. */
static bool means_probe(const char *given)
{
	const char *colon = strchr(given, ':');

	return tool_is_whole_probe(given, strlen(given)) &&
	       !(colon[1] != ':' && strstr(colon + 1, "::"));
}

/* The next ':' that is none of a "::". */
static const char *next_colon(const char *p)
{
	for (; *p; p++)
		if (*p == ':' && p[1] != ':')
			return p;
		else if (*p == ':')
			p++;
	return NULL;
}

/* A name with characters that would end a description (C++) stands in quotes. */
static void add_name(struct strbuf *out, const char *name, size_t length)
{
	bool is_plain = true;

	for (size_t i = 0; i < length; i++)
		is_plain &= isalnum((unsigned char)name[i]) || strchr("_.*?[]!-$@+", name[i]);
	if (!is_plain)
		strbuf_addc(out, '"');
	strbuf_add(out, name, length);
	if (!is_plain)
		strbuf_addc(out, '"');
}

/* Modules that are none of a program, and who knows their functions. */
static const struct {
	const char *module, *before;
} elsewhere[] = {{"kernel", "fbt::"}, {"syscall", "syscall::"}};

/* FUNCTION, MODULE:FUNCTION, or PROVIDER:MODULE:FUNCTION: as the beginning of a description. */
static bool take_function(struct strbuf *out, const char *given)
{
	const char *first = next_colon(given), *second = first ? next_colon(first + 1) : NULL;
	const char *name = second ? second + 1 : first ? first + 1 : given;

	separate(out, "\n");
	if (!*name || means_probe(given) || strpbrk(given, "\n\"{};") ||
	    (second && next_colon(second + 1)))
		return false;
	if (second) {
		strbuf_add(out, given, (size_t)(name - given));
		add_name(out, name, strlen(name));
		return true;
	}
	for (unsigned i = 0; first && i < ARRAY_SIZE(elsewhere); i++)
		if (strlen(elsewhere[i].module) == (size_t)(first - given) &&
		    strncmp(elsewhere[i].module, given, (size_t)(first - given)) == 0) {
			strbuf_addf(out, "%s%s", elsewhere[i].before, name);
			return is_of_probe(name);
		}
	strbuf_adds(out, "fpid$target:");
	if (first)
		add_name(out, given, (size_t)(first - given));
	strbuf_addc(out, ':');
	add_name(out, name, strlen(name));
	return true;
}

/* A whole probe, PROVIDER:MODULE:FUNCTION:NAME, or a function. */
static bool take_probe(struct strbuf *out, const char *given)
{
	if (!means_probe(given))
		return take_function(out, given);
	separate(out, "\n");
	strbuf_adds(out, given);
	return is_of_probe(given);
}

static const struct tool_kind kinds[] = {
	/* clang-format off */
	{"SECONDS",    "a number of seconds, not 0",          take_positive,   false, false},
	{"COUNT",      "a number, not 0",                     take_positive,   false, false},
	{"N",          "a number",                            take_number,     false, false},
	{"MS",         "milliseconds",                        take_ms,         false, false},
	{"US",         "microseconds",                        take_us,         false, false},
	{"NAME",       "a name",                              take_text,       true,  false},
	{"FORMAT",     "a format, as printf has it",          take_text,       true,  false},
	{"EXPRESSION", "an expression of D",                  take_expression, false, false},
	{"PROBE",      "FUNCTION, MODULE:FUNCTION or PROVIDER:MODULE:FUNCTION:NAME", take_probe, false, true},
	{"FUNCTION",   "FUNCTION, MODULE:FUNCTION, kernel:FUNCTION or syscall:NAME", take_function, false, true},
	/* clang-format on */
};

const struct tool_kind *tool_kind_of(const char *word, size_t length)
{
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].word) == length && strncmp(kinds[i].word, word, length) == 0)
			return &kinds[i];
	return NULL;
}
