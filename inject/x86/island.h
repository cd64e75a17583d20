/*
 * island.h: where the long jump of a window lies that has room for a short one only: in padding, or
 * behind the jump of a window nearby whose instructions run elsewhere anyway. Internal to planning.
 */
#ifndef INJECT_X86_ISLAND_H
#define INJECT_X86_ISLAND_H

#include "inject/x86/plan.h"

/*
 * For window *k of a plan whose function is at `start`; code: what it lies in, of that scan. A
 * window gets longer or comes to be for it, of what is not taken. Takes what it needs, and sets *k
 * to what is the number of that window then. False: there is no place.
 */
bool island_for(struct plan *, struct codescan *, taddr_t start, const struct funcode *code,
		unsigned *k);

/* Adds a window at its place; returns its number. */
unsigned plan_add_window(struct plan *, const struct window *);

#endif
