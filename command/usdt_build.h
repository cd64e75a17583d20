/*
 * usdt_build.h: what makes static probes of provider declarations: headers (-h) and objects (-G),
 * docs/spec/dtrace-command.md §8. A program that includes the header has its probes as notes
 * (symbols/sdt.h) without a link step. The object defines the functions that programs call which
 * were compiled without it, and tells the declared types.
 */
#ifndef COMMAND_USDT_BUILD_H
#define COMMAND_USDT_BUILD_H

#include "base/strbuf.h"
#include "dlang/parse/provdecl.h"

/* How a declared argument is passed: with a size and a sign as notes have them. */
struct usdt_arg {
	const char *ctype; /* as C writes it, in the session's arena */
	int size;	   /* negative: signed; 0: it cannot be passed */
	bool is_float;
};
struct usdt_arg usdt_arg_of(struct session *, const struct type *);

/* "int, char *": the types of a probe's arguments, as its note tells them. In the arena. */
const char *usdt_types_text(struct session *, const struct probe_decl *);

/* The header of all declared providers that are not of libraries; name is that of its file. Errors:
 * -EINVAL a type that no note can describe. */
int usdt_header(struct session *, const char *name, struct strbuf *out, struct err *);

/*
 * The object for the providers that `src` declares (NULL: all), whose functions these object files
 * call. Errors: of opening and reading them, -EINVAL a type that no note can describe.
 */
int usdt_object(struct session *, const struct source *src, const char *const *objects,
		unsigned nobjects, struct strbuf *out, struct err *);

#endif
