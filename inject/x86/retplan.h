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

/*
 * A `ret` of one byte that something jumps to, where not even a short jump has room: what leads
 * there is moved instead, if all of that is known. Such is: the instructions in front of it, unless
 * control never comes that way (then the window has no bytes); and the jumps, whose next one from
 * instruction *i on is found (false: there is none) and has a window, whose stop leads to the
 * `ret`.
 */
bool return_may_be_inner(const struct funcode *, uint32_t off);
const char *return_fall_window(const struct funcode *, uint32_t off, struct window *);
bool return_next_jump(const struct funcode *, uint32_t off, unsigned *i);
const char *return_jump_window(const struct funcode *, uint32_t off, unsigned i, struct window *);

#endif
