/*
 * options.h: -x, #pragma D option, setopt() and the environment, from options.def
 * (docs/spec/d-language.md §15).
 */
#ifndef DLANG_OPTIONS_H
#define DLANG_OPTIONS_H

#include "base/err.h"
#include "base/arena.h"
#include "base/strbuf.h"

enum opt_id {
#define OPT(id, name, phase, parser, dflt) OPT_##id,
#include "dlang/options.def"
#undef OPT
	NOPTS
};

enum opt_when {
	OPT_CMDLINE, /* -x, flags, environment */
	OPT_PRAGMA,  /* inside a program */
	OPT_RUNTIME, /* setopt() while tracing */
};

/* The values of options that are words: BUFPOLICY_FILL ... */
#define WORD(id, word)		       id,
#define OPTWORDS(parser, compare, ...) enum { __VA_ARGS__ };
#include "dlang/optwords.def"
#undef OPTWORDS
#undef WORD

/* Values of live. */
enum { LIVE_ON = 1, LIVE_FULL, LIVE_CAPTURE };

#define OPT_UNSET (-2) /* numbers, sizes and rates without a value; booleans that are off */

struct options {
	int64_t num[NOPTS];	 /* booleans 1/OPT_UNSET; sizes in bytes; rates in ns per cycle */
	const char *text[NOPTS]; /* as written, for text options; in the arena */
};

void options_init(struct options *);
/*
 * Sets an option; value NULL: none given. Error texts are the library's words alone: "Invalid
 * option name", "Invalid value for specified option: ... allowed: ...", "Operation illegal when
 * tracing is active", "Option cannot be used from within a D program".
 */
int options_set(struct options *, struct arena *, const char *name, const char *value,
		enum opt_when, struct err *);
/* After options_set() has failed: "did you mean ...?" of the name or the value. False: nothing. */
bool options_hint(const char *name, const char *value, struct strbuf *);
const char *options_name(enum opt_id);
/* It has been set, but nothing here goes by it: why; else NULL. */
const char *options_unheeded(const struct options *, enum opt_id);
/* The words that are its values, to a NULL; NULL: it has others, or does not exist. */
const char *const *options_words(const char *name);
/*
 * DTRACE_OPT_NAME=value of the environment; bad ones are ignored. A switch that takes no value is
 * set by an empty one or 1. `each` is told what was set (value NULL: none).
 */
void options_from_env(struct options *, struct arena *, char *const *envp,
		      void (*each)(void *arg, const char *name, const char *value), void *arg);

/* x.y[.z] as a number that compares like it (12 bits for y and for z); -1: malformed or too large.
 */
int64_t option_version(const char *text);
bool option_version_known(const char *text); /* is it one of docs/spec/d-language.md §15.4? */

static inline int64_t opt(const struct options *o, enum opt_id id)
{
	return o->num[id];
}

static inline bool opt_on(const struct options *o, enum opt_id id)
{
	return o->num[id] != OPT_UNSET;
}

/* What happened where is asked for: a number that was counted elsewhere does not say on which CPU.
 */
static inline bool options_ask_cpus(const struct options *o)
{
	return opt_on(o, OPT_CPU) || opt_on(o, OPT_AGGPERCPU);
}

#endif
