/*
 * provdecl.h: provider declarations (docs/spec/d-language.md §16.4): what a program or a library
 * says of the probes of a provider and the types of their arguments. They make no probes; they type
 * args[] of those that come, and are what -h and -G write out.
 *
 *   provider app { probe query__start(conn_t *c, int n) : (conninfo_t *c); };
 *
 * has the native arguments c and n, of which a program sees args[0], c translated.
 */
#ifndef DLANG_PARSE_PROVDECL_H
#define DLANG_PARSE_PROVDECL_H

#include "dlang/parse/decl.h"

#define PROBE_MAX_ARGS 32

struct probe_decl {
	const char *name;   /* as in descriptions: "query-start" */
	const char *symbol; /* as written: "query__start" */
	int line;
	const struct param *args; /* native */
	unsigned nargs;
	const struct param *outs; /* what args[] gives: `args` again if nothing is translated */
	unsigned nouts;
	uint8_t map[PROBE_MAX_ARGS]; /* args[i] is made of this native argument */
	struct probe_decl *next;
};

struct prov_decl {
	const char *name;
	int line;
	struct provattrs attrs;
	struct probe_decl *probes; /* in order */
	bool is_library;
	const struct source *src; /* the program that declares it */
	struct prov_decl *next;
};

/* From the word `provider` to the semicolon. */
void prov_declaration(struct compiler *);

/* The declaration that types a provider: "app" declares app, app123. NULL: none. */
struct prov_decl *prov_decl_find(const struct session *, const char *prov);
/* Both at once. */
const struct probe_decl *probe_decl_of(const struct session *, const char *prov, const char *name);
/* The same of a probe, and what its provider knows. */
const struct probe_decl *probe_args_of(struct probe *, struct probe_args *known);
const struct param *param_nth(const struct param *, unsigned n);
/* May a native argument of type `from` be given out as `to` without a translator? */
bool probe_arg_fits(const struct type *to, const struct type *from);

#endif
