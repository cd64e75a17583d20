#include "command/cmdline.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "command/cmdenv.h"
#include "command/complete.h"
#include "command/recording/recchoose.h"
#include "command/doctor.h"
#include "command/cpp.h"
#include "command/earlyopts.h"
#include "providers/providers.h"
#include "command/scriptsend.h"
#include "command/symbolpath.h"
#include "command/tool/tool.h"
#include "command/usage.h"

/* ---- the options: one row each ---- */

enum handler {
	DO_CLAIM,
	DO_ANONYMOUS,
	DO_MODE,   /* looked at in the first scan; nothing later */
	DO_FLAG,   /* sets option `opt` */
	DO_VALUE,  /* sets option `opt` to the argument */
	DO_X,	   /* -x name[=value] */
	DO_SOURCE, /* a program text; `kind` */
	DO_SCRIPT,
	DO_COMMAND,
	DO_OUTPUT,
	DO_RECORDING,
	DO_LIVE,
	DO_PID,
	DO_MODEL32,
	DO_MODEL64,
	DO_VERBOSE,
	DO_SYMBOLS,
};

static const struct flag {
	char letter;
	bool has_arg;
	enum handler handler;
	const char *opt;       /* DO_FLAG, DO_VALUE */
	enum source_kind kind; /* DO_SOURCE */
	const char *help;
} flags[] = {
	/* in the order of the usage text */
	/* clang-format off */
	{'3', true,  DO_MODEL32, NULL, 0, "-32 generate 32-bit D programs"},
	{'6', true,  DO_MODEL64, NULL, 0, "-64 generate 64-bit D programs\n"},
	{'a', false, DO_CLAIM, NULL, 0, NULL},
	{'A', false, DO_ANONYMOUS, NULL, 0, NULL},
	{'b', true,  DO_VALUE, "bufsize", 0, "-b  set the size of the trace buffers"},
	{'B', false, DO_MODE, NULL, 0, NULL},
	{'c', true,  DO_COMMAND, NULL, 0, "-c  run a command and end with it"},
	{'C', false, DO_FLAG, "cpp", 0, "-C  run the preprocessor on script files"},
	{'D', true,  DO_VALUE, "define", 0, "-D  define a macro for the preprocessor"},
	{'e', false, DO_MODE, NULL, 0, "-e  exit after compiling, before enabling"},
	{'E', true,  DO_RECORDING, NULL, 0, "-E  read events from, or log them to, a trace file"},
	{'f', true,  DO_SOURCE, NULL, SOURCE_FUNCTION, "-f  enable or list probes of a function"},
	{'F', false, DO_FLAG, "flowindent", 0, "-F  indent by function entry and return"},
	{'g', false, DO_LIVE, NULL, 0, "-g  run all clauses while -E logs to a new file"},
	{'G', false, DO_MODE, NULL, 0, "-G  generate an object file with the program"},
	{'h', false, DO_MODE, NULL, 0, "-h  generate a header file of providers"},
	{'H', false, DO_FLAG, "cpphdrs", 0, "-H  print the files the preprocessor includes"},
	{'i', true,  DO_SOURCE, NULL, SOURCE_NAME, "-i  enable or list a probe by its ID"},
	{'I', true,  DO_VALUE, "incdir", 0, "-I  add a directory of include files"},
	{'l', false, DO_MODE, NULL, 0, "-l  list probes"},
	{'L', true,  DO_VALUE, "libdir", 0, "-L  add a directory of D libraries"},
	{'m', true,  DO_SOURCE, NULL, SOURCE_MODULE, "-m  enable or list probes of a module"},
	{'n', true,  DO_SOURCE, NULL, SOURCE_NAME, "-n  enable or list probes by name"},
	{'o', true,  DO_OUTPUT, NULL, 0, "-o  append the output to a file; with -E and file.data: write the recording anew"},
	{'p', true,  DO_PID, NULL, 0, "-p  trace a running process"},
	{'P', true,  DO_SOURCE, NULL, SOURCE_PROVIDER, "-P  enable or list probes of a provider"},
	{'q', false, DO_FLAG, "quiet", 0, "-q  print only what the program prints"},
	{'s', true,  DO_SCRIPT, NULL, 0, "-s  enable or list probes by a D script"},
	{'S', false, DO_FLAG, "verbose", 0, "-S  print the code of the compiled expressions"},
	{'U', true,  DO_VALUE, "undef", 0, "-U  undefine a macro of the preprocessor"},
	{'v', false, DO_VERBOSE, NULL, 0, "-v  with -l: stability and arguments of probes"},
	{'V', false, DO_MODE, NULL, 0, "-V  print the version"},
	{'w', false, DO_FLAG, "destructive", 0, "-w  permit destructive actions"},
	{'x', true,  DO_X, NULL, 0, "-x  set an option"},
	{'X', true,  DO_VALUE, "stdc", 0, "-X  ISO conformance of the preprocessor"},
	{'y', true,  DO_SYMBOLS, NULL, 0, "-y  add a directory of debug files, or the URL of a debuginfod"},
	{'Z', false, DO_FLAG, "zdefs", 0, "-Z  permit descriptions that match no probe"},
	/* clang-format on */
};

static const struct flag *find_flag(int letter)
{
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].letter == letter)
			return &flags[i];
	return NULL;
}

static void usage(const char *progname)
{
	usage_head(stdout, progname);
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].help)
			printf("\t%s\n", flags[i].help);
	usage_tail(stdout);
}

/* ---- scanning ---- */

struct given {
	const struct flag *flag;
	const char *arg;
};

struct scan {
	struct cmdline *cmd;
	struct session *session;
	struct given *given;
	unsigned ngiven;
	const char **operands;
	unsigned noperands;
	struct cpp_args cpp;
};

static int complain(const struct session *s, int status, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int complain(const struct session *s, int status, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", s->progname);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

enum {
	LONG_HELP = 256,
	LONG_VERSION,
	LONG_PROVIDERS,
	LONG_DOCTOR,
	LONG_EXAMPLES,
	LONG_EXPLAIN,
	LONG_COMPLETE,
	LONG_EMIT,
	LONG_TOOL,
	LONG_TOOLS,
	LONG_MERGE
};

/* Of the script that is asked for, where one is; else of the command. */
static void help(const struct scan *sc)
{
	const struct given *last = sc->ngiven ? &sc->given[sc->ngiven - 1] : NULL;

	if (!last || last->flag->letter != 's' || !usage_of_script(stdout, last->arg))
		usage(sc->session->progname);
}

static int long_option(const struct scan *sc, int c, char *const *rest)
{
	struct session *s = sc->session;
	const char *next = rest[0];

	if (c == LONG_HELP)
		help(sc);
	else if (c == LONG_VERSION)
		usage_version(s->progname, false);
	else if (c == LONG_DOCTOR)
		return doctor_print(stdout);
	else if (c == LONG_EXAMPLES)
		return usage_examples(next) ? 0
					    : complain(s, 1,
						       "no example has '%s'; --examples alone "
						       "prints all",
						       next);
	else if (c == LONG_EXPLAIN)
		return usage_explain(optarg) ? 0
					     : complain(s, 1,
							"no error has the tag '%s'; -x errtags "
							"shows them",
							optarg);
	else if (c == LONG_TOOLS)
		return tools_list(stdout, next)
			       ? 0
			       : complain(s, 1,
					  next ? "no tool has '%s'; --tools alone lists all"
					       : "no tools are here",
					  next);
	else if (c == LONG_EMIT)
		return script_emit(s->progname, optarg, rest);
	else if (c == LONG_COMPLETE)
		return complete_print(s, optarg, next ? next : "");
	else
		for (unsigned i = 0; i < nproviders; i++)
			if (providers[i] != &prov_hits) /* its probes have others' names */
				puts(providers[i]->name);
	return 0;
}

static void add_source(struct scan *sc, enum source_kind kind, const char *name, const char *text,
		       size_t length);

/* -E in front, and a file that is there: it says itself which program it is of. */
static bool reads_recording(const struct scan *sc)
{
	for (unsigned i = 0; i < sc->ngiven; i++)
		if (sc->given[i].flag->letter == 'E')
			return !recchoose_is_new(sc->given[i].arg);
	return false;
}

/* The rest of the command line is the tool's. */
static int take_tool(struct scan *sc, const char *name, char **argv)
{
	struct arena *a = sc->session->arena;
	struct tool_run run;
	unsigned argc = 0;
	int rc;

	while (argv[argc])
		argc++;
	rc = tool_call(&run, sc->session->progname, name, reads_recording(sc), argc, argv);
	if (rc != TOOL_RUNS)
		return rc;
	for (unsigned i = 0; i < run.ngiven; i++)
		sc->given[sc->ngiven++] = (struct given){find_flag(run.given[i].letter),
							 arena_strdup(a, run.given[i].value)};
	add_source(sc, SOURCE_SCRIPT, run.name, arena_strdup(a, run.text), strlen(run.text));
	tool_run_release(&run);
	return CMD_GO_ON;
}

/* All options and operands, checked for form only. */
static int collect(struct scan *sc, int argc, char **given)
{
	static const struct option longs[] = {
		{"help", no_argument, NULL, LONG_HELP},
		{"version", no_argument, NULL, LONG_VERSION},
		{"list-providers", no_argument, NULL, LONG_PROVIDERS},
		{"doctor", no_argument, NULL, LONG_DOCTOR},
		{"examples", no_argument, NULL, LONG_EXAMPLES},
		{"explain", required_argument, NULL, LONG_EXPLAIN},
		{"complete", required_argument, NULL, LONG_COMPLETE},
		{"emit", required_argument, NULL, LONG_EMIT},
		{"tool", required_argument, NULL, LONG_TOOL},
		{"tools", no_argument, NULL, LONG_TOOLS},
		{"merge", no_argument, NULL, LONG_MERGE},
		{NULL, 0, NULL, 0},
	};
	char letters[2 * ARRAY_SIZE(flags) + 1], *p = letters;
	/* getopt changes it, and what a program reads in BEGIN is the command's own */
	char **argv = arena_memdup(sc->session->arena, given, ((size_t)argc + 1) * sizeof(char *));
	int c;

	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
		*p++ = flags[i].letter;
		if (flags[i].has_arg)
			*p++ = ':';
	}
	*p = '\0';
	argv[0] = (char *)(uintptr_t)sc->session->progname; /* getopt's messages begin with it */
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct flag *f = find_flag(c);

		if (c == LONG_TOOL)
			return take_tool(sc, optarg, argv + optind);
		if (c == LONG_MERGE) {
			sc->cmd->mode = MODE_MERGE;
			continue;
		}
		if (c >= LONG_HELP)
			return long_option(sc, c, argv + optind);
		if (!f) {
			usage_short(stderr, sc->session->progname);
			return 2;
		}
		sc->given[sc->ngiven++] = (struct given){f, optarg};
	}
	while (optind < argc)
		sc->operands[sc->noperands++] = argv[optind++];
	return CMD_GO_ON;
}

static bool was_given(const struct scan *sc, char letter)
{
	for (unsigned i = 0; i < sc->ngiven; i++)
		if (sc->given[i].flag->letter == letter)
			return true;
	return false;
}

/* What --merge reads is all there is. */
static int check_merging(const struct scan *sc)
{
	static const char others[] = "cpEgBhGlVenPmfisa";

	if (sc->cmd->mode != MODE_MERGE)
		return CMD_GO_ON;
	for (const char *p = others; *p; p++)
		if (was_given(sc, *p))
			return complain(
				sc->session, 2,
				"--merge reads what runs have written: -%c has no place beside it",
				*p);
	if (!sc->noperands)
		return complain(sc->session, 2, "--merge needs files (-: standard input)");
	return CMD_GO_ON;
}

/* The first scan: what kind of run is it? */
static int find_mode(struct scan *sc)
{
	unsigned n = 0;

	for (const char *p = "AGhlV"; *p; p++)
		n += was_given(sc, *p);
	if (n > 1)
		return complain(sc->session, 2,
				"only one of the [-GhlV] options can be specified at a time");
	if (was_given(sc, 'V')) {
		usage_version(sc->session->progname, was_given(sc, 'v'));
		return 0;
	}
	if (was_given(sc, 'B') && n > 0)
		return complain(sc->session, 2, "-B not valid in combination with [-Gl] options");
	if (was_given(sc, 'B') && was_given(sc, 'o'))
		return complain(sc->session, 2, "-B not valid in combination with -o option");
	sc->cmd->is_dump = was_given(sc, 'B');
	if (was_given(sc, 'g') && !was_given(sc, 'E')) {
		complain(sc->session, 2, "-g may only be used with -E");
		usage_short(stderr, sc->session->progname);
		return 2;
	}
	if (was_given(sc, 'e'))
		sc->cmd->mode = MODE_COMPILE;
	if (was_given(sc, 'l'))
		sc->cmd->mode = MODE_LIST;
	if (was_given(sc, 'h'))
		sc->cmd->mode = MODE_HEADER;
	if (was_given(sc, 'G'))
		sc->cmd->mode = MODE_LINK;
	return CMD_GO_ON;
}

/* ---- the second scan ---- */

static void say_hint(const struct session *s, const char *option, const char *value)
{
	struct strbuf hint;

	strbuf_init(&hint);
	if (options_hint(option, value, &hint))
		complain(s, 1, "%s", hint.s);
	strbuf_release(&hint);
}

static int set_option(struct scan *sc, const char *flag, const char *shown, const char *name,
		      const char *value)
{
	struct session *s = sc->session;
	struct err err;

	if (options_set(&s->options, s->arena, name, value, OPT_CMDLINE, &err) < 0) {
		complain(s, 1, "failed to set -%s %s: %s", flag, shown, err.text);
		say_hint(s, name, value);
		return 1;
	}
	if (cpp_option(&sc->cpp, name, value) < 0)
		return complain(s, 1,
				"failed to set -%s %s: Invalid value for specified option: a quote "
				"has no end",
				flag, shown);
	return CMD_GO_ON;
}

static int set_x(struct scan *sc, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *name = arena_strndup(sc->session->arena, arg, eq ? (size_t)(eq - arg) : strlen(arg));
	int rc = set_option(sc, "x", name, name, eq ? eq + 1 : NULL);

	if (rc == CMD_GO_ON && eq)
		cmdenv_change(sc->cmd, sc->session->arena, name, eq + 1);
	return rc;
}

/* What -x does besides setting the option. */
static void set_by_env(void *arg, const char *name, const char *value)
{
	struct scan *sc = arg;

	if (cpp_option(&sc->cpp, name, value) == 0 && value)
		cmdenv_change(sc->cmd, sc->session->arena, name,
			      arena_strdup(sc->session->arena, value));
}

static void add_source(struct scan *sc, enum source_kind kind, const char *name, const char *text,
		       size_t length)
{
	struct session *s = sc->session;
	bool is_script = kind == SOURCE_SCRIPT;

	sc->cmd->sources[sc->cmd->nsources++] = (struct source){
		.kind = kind,
		.name = arena_strdup(s->arena, name),
		.text = text,
		.length = length,
		.arg0 = is_script ? arena_strdup(s->arena, name) : s->progname,
		.args = sc->operands,
		.nargs = sc->noperands,
	};
}

#define SCRIPT_MAX (16U << 20)

static int add_script(struct scan *sc, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct strbuf text;
	char block[4096];
	int rc = 0;
	ssize_t n;

	if (fd < 0)
		return complain(sc->session, 1, "failed to open %s: %s", path, strerror(errno));
	strbuf_init(&text);
	while ((n = read(fd, block, sizeof(block))) > 0 && text.len <= SCRIPT_MAX)
		strbuf_add(&text, block, (size_t)n);
	if (n < 0)
		rc = complain(sc->session, 1,
			      "failed to compile script %s: Error occurred while reading from "
			      "input stream: %s",
			      path, strerror(errno));
	else if (n > 0)
		rc = complain(sc->session, 1,
			      "failed to compile script %s: it is longer than %u MB, which no "
			      "program may be",
			      path, SCRIPT_MAX >> 20);
	close(fd);
	if (rc) {
		strbuf_release(&text);
		return rc;
	}
	add_source(sc, SOURCE_SCRIPT, path, arena_memdup(sc->session->arena, text.s, text.len + 1),
		   text.len);
	strbuf_release(&text);
	return CMD_GO_ON;
}

static int add_pid(struct scan *sc, const char *arg)
{
	struct cmdline *cmd = sc->cmd;
	const char *p = arg + (*arg == '-');
	bool ok = *p != '\0';
	long pid;

	for (; *p; p++)
		ok = ok && isdigit((unsigned char)*p);
	if (!*arg || !strcmp(arg, "-"))
		return complain(sc->session, 1, "invalid pid: %s", arg);
	pid = ok ? strtol(arg, NULL, 10) : 0;
	cmd->targets[cmd->ntargets++] = (struct cmd_target){
		.pid_text = arg, .is_name = !ok, .pid = pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0};
	return CMD_GO_ON;
}

static int check_model(const struct scan *sc, const struct given *g, const char *second)
{
	if (strcmp(g->arg, second) != 0) {
		complain(sc->session, 2, "illegal option -- %c%s", g->flag->letter, g->arg);
		usage_short(stderr, sc->session->progname);
		return 2;
	}
	sc->session->is_ilp32 = g->flag->letter == '3';
	return CMD_GO_ON;
}

static int apply(struct scan *sc, const struct given *g)
{
	const struct flag *f = g->flag;
	struct cmdline *cmd = sc->cmd;

	switch (f->handler) {
	case DO_CLAIM:
		return complain(sc->session, 1,
				"failed to enable -a: No anonymous tracing state: nothing traces "
				"before this command does; use -c or -p");
	case DO_ANONYMOUS:
		return complain(sc->session, 1,
				"-A is not supported: nothing can trace before this command does; "
				"use -c to trace a program from its first instruction");
	case DO_MODE:
		return CMD_GO_ON;
	case DO_FLAG:
		return set_option(sc, "x", f->opt, f->opt, NULL);
	case DO_VALUE:
		return set_option(sc, (const char[]){f->letter, '\0'}, g->arg, f->opt, g->arg);
	case DO_X:
		return set_x(sc, g->arg);
	case DO_SOURCE:
		add_source(sc, f->kind, g->arg, arena_strdup(sc->session->arena, g->arg),
			   strlen(g->arg));
		return CMD_GO_ON;
	case DO_SCRIPT:
		return add_script(sc, g->arg);
	case DO_COMMAND:
		cmd->targets[cmd->ntargets++] = (struct cmd_target){.command = g->arg};
		return CMD_GO_ON;
	case DO_OUTPUT:
		cmd->output = g->arg;
		return CMD_GO_ON;
	case DO_RECORDING:
		cmd->recording = g->arg;
		return CMD_GO_ON;
	case DO_LIVE:
		cmd->runs_all = true;
		return CMD_GO_ON;
	case DO_PID:
		return add_pid(sc, g->arg);
	case DO_MODEL32:
		return check_model(sc, g, "2");
	case DO_MODEL64:
		return check_model(sc, g, "4");
	case DO_SYMBOLS:
		symbolpath_add(g->arg);
		return CMD_GO_ON;
	case DO_VERBOSE:
		cmd->is_verbose = true;
		return CMD_GO_ON;
	}
	return CMD_GO_ON;
}

/* -C: when all options are known, as it may stand behind -s. */
static int preprocess(struct scan *sc)
{
	struct session *s = sc->session;
	struct strbuf text;
	struct err err;
	int rc = 0;

	strbuf_init(&text);
	for (unsigned i = 0; i < sc->cmd->nsources && rc == 0; i++) {
		struct source *src = &sc->cmd->sources[i];

		if (src->kind != SOURCE_SCRIPT)
			continue;
		strbuf_clear(&text);
		strbuf_add(&text, src->text, src->length);
		rc = cpp_run(&s->options, &sc->cpp, s->is_ilp32, &text, &err);
		src->text = arena_memdup(s->arena, text.s, text.len + 1);
		src->length = text.len;
		if (rc < 0)
			complain(s, 1, "failed to compile script %s: %s", src->name, err.text);
	}
	strbuf_release(&text);
	return rc < 0 ? 1 : CMD_GO_ON;
}

/* Objects are no arguments of programs. */
static void take_objects(struct scan *sc)
{
	if (sc->cmd->mode != MODE_LINK && sc->cmd->mode != MODE_MERGE)
		return;
	sc->cmd->objects = sc->operands;
	sc->cmd->nobjects = sc->noperands;
	sc->noperands = 0;
}

/* What -h and -G make, and of what. */
static int check_making(struct scan *sc)
{
	struct cmdline *cmd = sc->cmd;
	const char flag = cmd->mode == MODE_HEADER ? 'h' : 'G';
	const struct given *last = sc->given + sc->ngiven - 1;

	if (cmd->mode != MODE_HEADER && cmd->mode != MODE_LINK)
		return CMD_GO_ON;
	/* "./script.d -h" asks for help */
	if (sc->ngiven >= 2 && last->flag->letter == 'h' && last[-1].flag->letter == 's' &&
	    usage_of_program(stdout, last[-1].arg))
		return 0;
	cmd->made = cmd->output;
	cmd->output = NULL;
	if (cmd->nsources == 0) {
		complain(sc->session, 2, "-%c requires one or more scripts or enabling options",
			 flag);
		if (sc->ngiven == 1 && flag == 'h') /* it was perhaps for help */
			usage_short(stderr, sc->session->progname);
		return 2;
	}
	if (cmd->mode == MODE_LINK || cmd->made)
		return CMD_GO_ON;
	if (cmd->nsources > 1)
		return complain(sc->session, 2,
				"-h requires an output file if multiple scripts are specified");
	if (cmd->sources[0].kind != SOURCE_SCRIPT)
		return complain(sc->session, 2,
				"-h requires an output file if no scripts are specified");
	return CMD_GO_ON;
}

static int choose_recording(const struct scan *sc)
{
	const struct session *s = sc->session;
	struct err err;

	return recchoose(sc->cmd, &s->options, &err) ? complain(s, 2, "%s", err.text) : CMD_GO_ON;
}

static void copy_operands(struct scan *sc)
{
	struct arena *a = sc->session->arena;

	for (unsigned i = 0; i < sc->noperands; i++)
		sc->operands[i] = arena_strdup(a, sc->operands[i]);
}

bool cmdline_starts_program(const struct cmdline *cmd)
{
	for (unsigned i = 0; i < cmd->ntargets; i++)
		if (cmd->targets[i].command)
			return true;
	return false;
}

int cmdline_parse(struct cmdline *cmd, struct session *s, int argc, char **argv)
{
	struct scan sc = {.cmd = cmd, .session = s};
	size_t most = 0; /* bundled letters are options of their own */
	int rc;

	if (argc < 2) {
		usage_short(stderr, s->progname);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		most += strlen(argv[i]) + 1;
	*cmd = (struct cmdline){.mode = MODE_TRACE};
	cmdenv_init(cmd, s->arena, (unsigned)argc);
	cmd->sources = arena_alloc(s->arena, (size_t)argc * sizeof(*cmd->sources));
	cmd->targets = arena_alloc(s->arena, (size_t)argc * sizeof(*cmd->targets));
	sc.operands = arena_alloc(s->arena, (size_t)argc * sizeof(*sc.operands));
	sc.given = xcalloc(most, sizeof(*sc.given));
	rc = collect(&sc, argc, argv);
	if (rc == CMD_GO_ON)
		rc = check_merging(&sc);
	if (rc == CMD_GO_ON)
		rc = find_mode(&sc);
	copy_operands(&sc);
	take_objects(&sc);
	options_from_env(&s->options, s->arena, environ, set_by_env, &sc);
	if (cmd->mode == MODE_LIST || cmd->mode == MODE_HEADER || cmd->mode == MODE_LINK)
		options_set(&s->options, s->arena, "zdefs", NULL, OPT_CMDLINE, NULL);
	for (unsigned i = 0; rc == CMD_GO_ON && i < sc.ngiven; i++)
		rc = apply(&sc, &sc.given[i]);
	if (rc == CMD_GO_ON)
		rc = check_making(&sc);
	if (rc == CMD_GO_ON)
		rc = choose_recording(&sc);
	if (rc == CMD_GO_ON && opt_on(&s->options, OPT_CPP))
		rc = preprocess(&sc);
	if (rc == CMD_GO_ON)
		early_options(s, cmd->sources, cmd->nsources);
	cpp_args_release(&sc.cpp);
	free(sc.given);
	return rc;
}
