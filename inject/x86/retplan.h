/*
 * retplan.h: where a function returns, and which bytes there a jump may replace
 * (docs/spec/fpid-engine.md §1.6). Internal to planning.
 */
#ifndef INJECT_X86_RETPLAN_H
#define INJECT_X86_RETPLAN_H

#include "inject/x86/plan.h"

/* Why no return of function i may be hooked; NULL: its sites decide. */
const char *returns_refused(const struct codescan *, unsigned i);

/* The window of one site, at most RELOC_WINDOW_MAX bytes and perhaps shorter than a jump. Returns
 * why there is none. */
const char *return_window(const struct funcode *, const struct retsite *, struct window *);

#endif
