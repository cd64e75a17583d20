/*
 * tooluse.c: the command line of a tool, and its usage.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/tool/tool_priv.h"

enum { LONG_HELP = 256, LONG_SHOW };

struct use {
	struct tool tool;
	struct tool_run *run;
	const char *progname;
	const char *duration;  /* -d */
	struct strbuf command; /* of -- */
	bool is_recorded, has_command, is_shown;
};

static int wrong(const struct use *u, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* One line, and what to do. Returns the status of a wrong command line. */
static int wrong(const struct use *u, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", u->tool.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; %s --tool %s -h tells what there is\n", u->progname, u->tool.name);
	return 2;
}

/* ---- usage ---- */

static void usage_line(const struct tool *t, const char *progname, FILE *out)
{
	fprintf(out, "usage: %s --tool %s", progname, t->name);
	for (unsigned i = 0; i < t->ndecls; i++)
		if (t->decls[i].letter)
			fprintf(out, " [%s]", t->decls[i].shown);
	for (unsigned i = 0; i < t->ndecls; i++)
		if (!t->decls[i].letter)
			fprintf(out, " %s", t->decls[i].shown);
	fputs(" [-p PID | -c COMMAND | -- COMMAND ARGS...]\n", out);
}

static void usage(const struct tool *t, const char *progname, FILE *out)
{
	usage_line(t, progname, out);
	fprintf(out, "\n%s: %s\n\n", t->name, t->summary);
	for (unsigned i = 0; i < t->ndecls; i++)
		fprintf(out, "    %-16s %s\n", t->decls[i].shown, t->decls[i].help);
	fputs("\n"
	      "    -p PID           the process that is traced; its name will do\n"
	      "    -c COMMAND       a program that is run and traced; or all that is behind --\n"
	      "    -d SECONDS       end after so many seconds\n"
	      "    -r FILE          a report as well: FILE.html, .svg, .folded, .pb.gz, .csv, ...\n"
	      "    -o FILE          append the output to a file\n"
	      "    -x OPTION=VALUE  any option of dtrace\n"
	      "    -y DIR           a folder of debug files\n"
	      "    --show           print the D program, and do not run it\n",
	      out);
	fputs(t->notes.s, out);
}

/* ---- values ---- */

static int take_value(struct use *u, struct tool_decl *d, const char *value)
{
	if (!d->is_given || !d->is_many)
		strbuf_clear(&d->value);
	d->is_given = true;
	if (!d->kind)
		strbuf_adds(&d->value, d->when_given);
	else if (!d->kind->take(&d->value, value))
		return d->letter ? wrong(u, "-%c takes %s, not '%s'", d->letter, d->kind->wants,
					 value)
				 : wrong(u, "'%s' is not %s", value, d->kind->wants);
	return 0;
}

static void pass(struct use *u, char letter, const char *value)
{
	struct tool_run *run = u->run;

	run->given = xrealloc(run->given, (run->ngiven + 1) * sizeof(*run->given));
	run->given[run->ngiven++] = (struct tool_given){letter, xstrdup(value)};
}

/* -p, -c and what is behind --. */
static int take_program(struct use *u, char letter, const char *value)
{
	if (u->tool.program != PROGRAM_NONE)
		return wrong(u, "one program is traced: -p, -c or --, and once");
	u->tool.program = letter == 'p' ? PROGRAM_PID : PROGRAM_COMMAND;
	pass(u, letter, value);
	return 0;
}

static int take_common(struct use *u, int letter, const char *value)
{
	struct strbuf text;
	char *report;
	int rc = 0;

	if (letter == 'p' || letter == 'c')
		return take_program(u, (char)letter, value);
	if (letter == 'r') {
		report = xasprintf("report=%s", value);
		pass(u, 'x', report);
		free(report);
	} else if (letter == 'd') {
		strbuf_init(&text);
		if (!tool_kind_of("SECONDS", strlen("SECONDS"))->take(&text, value))
			rc = wrong(u, "-d takes a number of seconds, not '%s'", value);
		u->duration = value;
		strbuf_release(&text);
	} else {
		pass(u, (char)letter, value);
	}
	return rc;
}

/* The macros of flags that share one have their value in the first. */
static int take_option(struct use *u, int letter, const char *value)
{
	struct tool *t = &u->tool;

	for (unsigned i = 0; i < t->ndecls; i++) {
		struct tool_decl *d = &t->decls[i], *first;

		if (d->letter != letter)
			continue;
		first = tool_macro(t, d->macro, strlen(d->macro));
		if (first == d)
			return take_value(u, d, value);
		if (take_value(u, d, value))
			return 2;
		strbuf_clear(&first->value);
		strbuf_adds(&first->value, d->value.s);
		return 0;
	}
	return take_common(u, letter, value);
}

static int take_operands(struct use *u, unsigned argc, char **argv)
{
	struct tool *t = &u->tool;
	unsigned at = 0;

	for (unsigned i = 0; i < t->ndecls; i++) {
		struct tool_decl *d = &t->decls[i];

		if (d->letter)
			continue;
		if (at == argc && !d->is_optional)
			return wrong(u, "%s is missing", d->shown);
		for (bool more = true; more && at < argc; more = d->is_many)
			if (take_value(u, d, argv[at++]))
				return 2;
	}
	return at < argc ? wrong(u, "what is '%s'?", argv[at]) : 0;
}

/* ---- the command line ---- */

/* As one word of what -c takes (cmdline_split). */
static void quote_word(struct strbuf *out, const char *word)
{
	strbuf_addc(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_adds(out, "'\\''");
		else
			strbuf_addc(out, *word);
	strbuf_addc(out, '\'');
}

/* What is behind "--" becomes one text for -c. Returns how many words are before it. */
static unsigned take_command(struct use *u, unsigned argc, char **argv)
{
	unsigned n = 0;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	for (unsigned i = n + 1; i < argc; i++) {
		if (i > n + 1)
			strbuf_addc(&u->command, ' ');
		quote_word(&u->command, argv[i]);
	}
	u->has_command = n < argc;
	return n;
}

static char *letters_of(const struct tool *t)
{
	struct strbuf s;

	strbuf_init(&s);
	strbuf_adds(&s, ":" TOOL_COMMON);
	for (unsigned i = 0; i < t->ndecls; i++)
		if (t->decls[i].letter)
			strbuf_addf(&s, "%c%s", t->decls[i].letter, t->decls[i].kind ? ":" : "");
	return strbuf_detach(&s);
}

#define GO_ON (-1)

static int scan(struct use *u, unsigned argc, char **argv)
{
	static const struct option longs[] = {{"help", no_argument, NULL, LONG_HELP},
					      {"show", no_argument, NULL, LONG_SHOW},
					      {NULL, 0, NULL, 0}};
	char *letters = letters_of(&u->tool);
	int c, rc = 0;

	optind = 0; /* another command line than before */
	while (rc == 0 && (c = getopt_long((int)argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?')
			rc = optopt && optopt < LONG_HELP
				     ? wrong(u, "there is no option -%c", optopt)
				     : wrong(u, "there is no option %s", argv[optind - 1]);
		else if (c == ':')
			rc = wrong(u, "-%c lacks its value", optopt);
		else if (c == 'h' || c == LONG_HELP)
			break;
		else if (c == LONG_SHOW)
			u->is_shown = true;
		else
			rc = take_option(u, c, optarg);
	}
	free(letters);
	if (rc == 0 && c != -1) {
		usage(&u->tool, u->progname, stdout);
		return 0;
	}
	return rc ? rc : GO_ON;
}

static int parse(struct use *u, unsigned argc, char **argv)
{
	/* getopt changes it, and begins behind the first */
	char **copy = xcalloc(argc + 2, sizeof(*copy));
	unsigned n = take_command(u, argc, argv);
	int rc;

	copy[0] = u->tool.name;
	for (unsigned i = 0; i < n; i++)
		copy[i + 1] = argv[i];
	rc = scan(u, n + 1, copy);
	if (rc == GO_ON && u->has_command && !u->command.len)
		rc = wrong(u, "no command behind --");
	else if (rc == GO_ON && u->has_command && take_program(u, 'c', u->command.s))
		rc = 2;
	if (rc == GO_ON && take_operands(u, n + 1 - (unsigned)optind, copy + optind))
		rc = 2;
	free(copy);
	return rc;
}

/* The program, complete. */
static int make_text(struct use *u)
{
	struct strbuf text;
	struct err err;
	int rc = GO_ON;

	if (u->tool.program == PROGRAM_NONE && u->is_recorded)
		u->tool.program = PROGRAM_RECORDED;
	strbuf_init(&text);
	if (tool_expand(&u->tool, &text, &err) < 0) {
		fprintf(stderr, "%s: %s\n", u->progname, err.text);
		rc = 1;
	}
	if (u->duration)
		strbuf_addf(&text, "\ntick-%ss\n{\n\texit(0);\n}\n", u->duration);
	if (rc == GO_ON && u->is_shown) {
		fputs(text.s, stdout);
		rc = 0;
	} else if (rc == GO_ON && u->tool.program == PROGRAM_NONE && strstr(text.s, "$target")) {
		rc = wrong(u, "of which program? -p PID, -c COMMAND, or -- COMMAND ARGS");
	}
	u->run->text = strbuf_detach(&text);
	strbuf_release(&text);
	return rc;
}

int tool_call(struct tool_run *run, const char *progname, const char *name, bool is_recorded,
	      unsigned argc, char **argv)
{
	struct use u = {.run = run, .progname = progname, .is_recorded = is_recorded};
	struct err err;
	int rc = 1;

	*run = (struct tool_run){.text = NULL};
	strbuf_init(&u.command);
	if (tool_open(&u.tool, name, &err) < 0)
		fprintf(stderr, "%s: %s\n", progname, err.text);
	else
		rc = parse(&u, argc, argv);
	if (rc == GO_ON)
		rc = make_text(&u);
	if (rc == GO_ON)
		run->name = xstrdup(u.tool.name);
	tool_release(&u.tool);
	strbuf_release(&u.command);
	if (rc == GO_ON)
		return TOOL_RUNS;
	tool_run_release(run);
	return rc;
}

void tool_run_release(struct tool_run *run)
{
	for (unsigned i = 0; i < run->ngiven; i++)
		free((char *)(uintptr_t)run->given[i].value);
	free(run->given);
	free(run->name);
	free(run->text);
}
