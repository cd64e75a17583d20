#include "command/usage.h"

#include <string.h>

#include "base/base.h"
#include "base/regfile.h"
#include "dlang/dlang.h"
#include "dlang/errtags.h"

void usage_head(FILE *out, const char *progname)
{
	fprintf(out, "Usage: %s [-32|-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]\n",
		progname);
	fputs("\t[-E file] [-I path] [-L path] [-o output] [-p pid] [-s script] [-U name]\n"
	      "\t[-x opt[=val]] [-X a|c|s|t] [-y dir]\n\n"
	      "\t[-P provider [[ predicate ] action ]]\n"
	      "\t[-m [ provider: ] module [[ predicate ] action ]]\n"
	      "\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]\n"
	      "\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]\n"
	      "\t[-i probe-id [[ predicate ] action ]] [ args ... ]\n\n"
	      "\tpredicate -> '/' D-expression '/'\n"
	      "\t   action -> '{' D-statements '}'\n\n",
	      out);
}

static void print_examples(FILE *out)
{
	fputs("\nExamples:\n"
	      "\tdtrace -n 'BEGIN { printf(\"hello\"); exit(0); }'\n"
	      "\tdtrace -n 'pid$target:::entry { @[probefunc] = count(); }' -c ls\n"
	      "\tdtrace -ln 'pid$target:a.out::entry' -c ls\n"
	      "More: man dtrace\n",
	      out);
}

void usage_short(FILE *out, const char *progname)
{
	usage_head(out, progname);
	fputs("\t--help  print this text with a line for each option\n"
	      "\t--tools [word]  list ready-made programs, which --tool name runs\n"
	      "\t--doctor  tell what works on this machine and how to get the rest\n"
	      "\t--examples [word]  print examples, those with the word\n",
	      out);
	print_examples(out);
}

void usage_tail(FILE *out)
{
	fputs("\n\t--tool name  run a ready-made program; --tools [word] lists them\n"
	      "\t--merge file...  add up what runs have written by -x oformat=jsonl\n"
	      "\t--doctor  tell what works on this machine and how to get the rest\n"
	      "\t--examples [word]  print examples, those with the word\n"
	      "\t--explain tag  tell what the tag of an error means (-x errtags)\n"
	      "\t--emit pid|name text  tell running traces of script:::event or script:::name\n"
	      "\t--list-providers, --version, --help\n",
	      out);
	print_examples(out);
}

/* A line of a comment without its frame; is_last: it ends here. */
static const char *inside(char *line, bool is_first, bool *is_last)
{
	char *end = strstr(line, "*/");

	*is_last = end != NULL;
	line[end ? (size_t)(end - line) : strlen(line)] = '\0';
	for (size_t n = strlen(line); n > 0 && strchr(" \t\n\r", line[n - 1]); n--)
		line[n - 1] = '\0';
	if (is_first)
		line += strlen("/*");
	else if (strncmp(line, " *", 2) == 0)
		line += 2;
	return *line == ' ' ? line + 1 : line;
}

static bool print_head(FILE *out, const char *path, bool is_program)
{
	enum { LINES_MAX = 100 }; /* of a script that is one comment, or no text */
	int fd = regfile_open(FILEROOT_OURS, path, REGFILE_FOLLOW);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char line[512];
	bool is_in = false, is_last = false, is_named = false;

	for (int n = 0; f && n < LINES_MAX && !is_last && fgets(line, sizeof(line), f); n++) {
		const char *text;

		is_named |= n == 0 && strncmp(line, "#!", 2) == 0;
		if (is_program && !is_named)
			break;
		if (!is_in && ((n == 0 && is_named) || *line == '\n'))
			continue;
		if (!is_in && strncmp(line, "/*", 2) != 0)
			break;
		text = inside(line, !is_in, &is_last);
		if (*text ||
		    (is_in && !is_last)) /* the first and the last may be the frame alone */
			fprintf(out, "%s\n", text);
		is_in = true;
	}
	if (f)
		fclose(f);
	return is_in;
}

bool usage_of_script(FILE *out, const char *path)
{
	return print_head(out, path, false);
}

bool usage_of_program(FILE *out, const char *path)
{
	return print_head(out, path, true);
}

void usage_version(const char *progname, bool is_verbose)
{
	printf("%s: Oracle D " DTRACE_VERSION "\n", progname);
	if (is_verbose)
		printf("This is DTrace 2.0\ndtrace(1) version-control ID: none\n"
		       "libdtrace version-control ID: none\n");
}

bool usage_examples(const char *word)
{
	static const struct {
		const char *what, *command;
	} examples[] = {
#define EXAMPLE(what, command) {what, command},
#include "command/examples.def"
#undef EXAMPLE
	};
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(examples); i++)
		if (!word || strcasestr(examples[i].what, word) ||
		    strcasestr(examples[i].command, word)) {
			printf("%s%s:\n\t%s\n", n++ ? "\n" : "", examples[i].what,
			       examples[i].command);
		}
	return n > 0;
}

bool usage_explain(const char *name)
{
	int tag = errtag_of(name);
	const char *example;

	if (tag == D_NONE)
		return false;
	example = errtag_example(tag);
	printf("%s: %s\n", errtag_name(tag), errtag_why(tag));
	for (size_t n; example && *example; example += n + (example[n] == '\n')) {
		n = strcspn(example, "\n");
		printf("\t%.*s\n", (int)n, example);
	}
	return true;
}
