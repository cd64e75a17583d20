/*
 * tool_priv.h: what a tool's first comment declares (toolfile.c), what values may be (toolvalue.c),
 * what becomes of its text (tooltext.c).
 */
#ifndef COMMAND_TOOL_TOOL_PRIV_H
#define COMMAND_TOOL_TOOL_PRIV_H

#include "base/err.h"
#include "base/strbuf.h"
#include "command/tool/tool.h"

/* What a value may be: a row of kinds[], known by the word that stands for it in the usage. */
struct tool_kind {
	const char *word;
	const char *wants; /* "a number of seconds" */
	/* Appends to `out`, behind what earlier values of the same operand have left there. False:
	 * it is none. */
	bool (*take)(struct strbuf *out, const char *given);
	bool is_text; /* any characters: only in quotes ($$name) */
	bool is_list; /* of lines: one for each value */
};

/* Is this (part of a) text a description with all four names, empty ones among them? Quoted names
 * are taken whole. */
bool tool_is_whole_probe(const char *text, size_t length);

const struct tool_kind *tool_kind_of(const char *word, size_t length);

/* A line of the head. */
struct tool_decl {
	char letter;		      /* of an option; 0: an operand */
	bool is_optional, is_many;    /* operands: [NAME], NAME... */
	const struct tool_kind *kind; /* NULL: a flag */
	char *shown, *macro, *help;   /* "-i SECONDS", "interval" */
	char *when_given;	      /* flags: what the macro is then */
	struct strbuf value;	      /* of the macro */
	bool is_given;
};

struct tool {
	char *name, *path, *summary;
	struct strbuf text;
	char *body; /* in text: behind the head */
	unsigned body_line;
	struct strbuf notes; /* the other lines of the head */
	struct tool_decl *decls;
	unsigned ndecls;
	/* How the program that is traced was told. */
	enum {
		PROGRAM_NONE,
		PROGRAM_PID,
		PROGRAM_COMMAND,
		PROGRAM_RECORDED, /* by a recording, which may be of the machine */
	} program;
};

/* Options that all tools have. */
#define TOOL_COMMON "p:c:d:r:x:o:y:h"

/* Reads the file of that name. The tool is to be released in any case. */
int tool_open(struct tool *, const char *name, struct err *);
void tool_release(struct tool *);
/* The declaration whose macro has this name; flags may share one: the first of them. */
struct tool_decl *tool_macro(const struct tool *, const char *name, size_t length);
/* The text of the program as all has been given. */
int tool_expand(const struct tool *, struct strbuf *out, struct err *);

#endif
