/*
 * cpp.h: scripts through the C preprocessor (-C; docs/spec/dtrace-command.md §2.4): a program of
 * the system reads the text and writes another, with `# line` marks that the lexer understands.
 */
#ifndef COMMAND_CPP_H
#define COMMAND_CPP_H

#include "base/strbuf.h"
#include "dlang/options.h"

/* The user's arguments, in the order given. */
struct cpp_args {
	char **v;
	unsigned n, room;
};

/* Takes an option that is one for the preprocessor: define, undef, incdir, cpphdrs, cppargs.
 * -EINVAL: not in this form. Others are none of its business: 0. */
int cpp_option(struct cpp_args *, const char *name, const char *value);
void cpp_args_release(struct cpp_args *);

/* Replaces the text. Errors: "Preprocessor not found" and the like; what the program itself had to
 * say stands on stderr. */
int cpp_run(const struct options *, const struct cpp_args *, bool is_ilp32, struct strbuf *text,
	    struct err *);

#endif
