/*
 * dlang.h: the language as the command uses it: options, compile, enable, run, consume.
 */
#ifndef DLANG_DLANG_H
#define DLANG_DLANG_H

#include "base/err.h"

#define DTRACE_VERSION "2.0" /* of the language, and so of the command */

struct session;
struct program;

enum source_kind {
	SOURCE_PROVIDER, /* -P */
	SOURCE_MODULE,	 /* -m */
	SOURCE_FUNCTION, /* -f */
	SOURCE_NAME,	 /* -n, -i */
	SOURCE_SCRIPT,	 /* -s */
};

/* One program as given on the command line. */
struct source {
	enum source_kind kind;
	const char *name; /* the path, or the text itself */
	const char *text; /* NUL-terminated copy of the program, length bytes (NULs possible) */
	size_t length;
	const char *arg0;	 /* $0 */
	const char *const *args; /* $1 ... */
	unsigned nargs;
};

/*
 * Is it a text of several lines, or of one longer than a terminal's? Messages show the beginning of
 * such a one, source_shown() bytes, and tell the line.
 */
bool source_is_long(const struct source *);
int source_shown(const struct source *);

/*
 * Compiles one program: parse, check, match probes, generate, verify. The program is appended to
 * session->programs. Error text is what follows "dtrace: failed to compile script PATH: " or
 * "dtrace: invalid probe specifier TEXT: ".
 */
int dlang_compile(struct session *, const struct source *, struct program **, struct err *);

/* What dlang_compile() does before the first program: names of the language and its libraries. */
int dlang_prepare(struct session *, struct err *);

/*
 * Has a program a probe description whose provider begins with `prefix`? Asked before a process is
 * started, when nothing can be compiled yet; of a program with errors the answer may be false.
 */
bool dlang_names_provider(struct session *, const struct source *, const char *prefix);

/* -S: the disassembly of every DIFO of the program (see difo_print). Caller frees. */
char *dlang_disassemble(const struct program *);

/* -x ctypes, -x dtypes: the types known now, to the files that these options name. */
int dlang_write_types(const struct session *, struct err *);

#endif
