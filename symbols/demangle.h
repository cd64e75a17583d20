/*
 * demangle.h: C++ and Rust names as their authors wrote them. Names come from files of strangers:
 * the work and the result are bounded, whatever they say.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/base.h"

#define DEMANGLED_MAX 4096

/*
 * Writes what a mangled name stands for to out: "ns::f<int>(char const*)", without the type of the
 * result; the parameters only if asked for. Rust names come without their hash. Returns false when
 * it is no such name, or stands for more than DEMANGLED_MAX - 1 characters.
 */
bool demangle(const char *name, bool with_params, char out[DEMANGLED_MAX]);

/* Can this name be a mangled one at all? Most are not: asked first, it costs nothing. */
static inline bool demangle_may(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == '_');
}

#endif
