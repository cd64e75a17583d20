/*
 * Demangling by libiberty. Its callback interface takes no memory, and its limit of recursion holds
 * for the depth of a name, but a short name can stand for gigabytes of text (each part may repeat
 * the one before it twice): the text is cut off by leaving the callback for good.
 */
#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

#include "base/cleanname.h"
#include "base/err.h"

struct output {
	char *text;
	size_t n;
	jmp_buf too_long;
};

static void add(const char *s, size_t n, void *arg)
{
	struct output *o = arg;

	if (n >= DEMANGLED_MAX - o->n)
		longjmp(o->too_long, 1);
	memcpy(o->text + o->n, s, n);
	o->n += n;
}

bool demangle(const char *name, bool with_params, char out[DEMANGLED_MAX])
{
	struct output o = {.text = out};
	int options = DMGL_ANSI | DMGL_RET_DROP | (with_params ? DMGL_PARAMS : 0);

	if (!demangle_may(name) || strlen(name) >= DEMANGLED_MAX)
		return false;
	if (setjmp(o.too_long))
		return false;
	/* the older names of Rust are names of C++, too, but with a hash in them */
	if (!rust_demangle_callback(name, DMGL_ANSI, add, &o)) {
		o.n = 0;
		if (!cplus_demangle_v3_callback(name, options, add, &o))
			return false;
	}
	out[o.n] = '\0';
	return o.n > 0 && name_is_clean(out, o.n);
}
