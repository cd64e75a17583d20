/*
 * plan.h: may a function be hooked, and which bytes does that take? One verdict and one reason per
 * function and kind of probe, from the file alone (docs/spec/fpid-engine.md §1.4, §1.6, §4.8).
 *
 * A window is a run of whole instructions that is replaced by one jump to a trampoline, where they
 * are run. Probes are stops in windows: before the first instruction (entry), before a `ret` or an
 * unconditional jump that leaves the function, or on the way of a conditional one that is taken
 * (return), before an instruction (offset). In a small function one window has all of them; one
 * without any is there for what lies in it.
 */
#ifndef INJECT_X86_PLAN_H
#define INJECT_X86_PLAN_H

#include "inject/x86/reloc.h"
#include "inject/x86/scan.h"

enum { PLAN_ENTRY = 1, PLAN_RETURN = 2 };

struct window {
	int64_t off;  /* from the function's start: see struct retsite */
	uint8_t size; /* of its instructions, with padding that is replaced too */
	uint8_t bytes[RELOC_WINDOW_MAX]; /* so many: those of the file */
	taddr_t island; /* a short jump leads to five bytes at this link-time address; 0: a long
			 * jump replaces the window */
	bool is_hosted; /* the island is none of padding, but lies in the window at `host` */
	int64_t host;
	uint8_t nislands; /* in this one, right behind its long jump, one behind the other */
	bool is_short;	  /* a jump of five bytes would reach what something jumps to */
	uint8_t nstops;
	struct reloc_stop stops[RELOC_STOPS]; /* is_exit: a return; is_offset; else the entry */
};

struct plan {
	unsigned kinds;			    /* of PLAN_*: what the windows are for */
	const char *entry_why, *return_why; /* why not; NULL: hooked, or not asked for */
	struct window *windows;		    /* ascending, apart from each other */
	unsigned nwindows, room;
	bool keeps_flags_and_redzone; /* as in struct trampoline_request */
};

/*
 * i: index in the objfile's functions. All sites of a kind can be hooked, or none is: what is not
 * in plan.kinds must be breakpoints, and they do not touch the windows. Padding is given once. The
 * caller frees the windows.
 */
struct plan plan_function(struct codescan *, unsigned i, unsigned kinds);
/*
 * An instruction, at an offset from the function's start, that has a probe. why: it must be a
 * breakpoint; NULL: it is to be a stop.
 */
struct plan_offset {
	uint32_t off;
	const char *why;
};
/*
 * The same with instructions, ascending: `why` is set of those that cannot be hooked, which no
 * window touches either, nor one that is a breakpoint from the beginning, nor of breakpoints at
 * the entry and returns (PLAN_*). What has no `why` and no stop is never come to.
 */
struct plan plan_offsets(struct codescan *, unsigned i, unsigned kinds, unsigned breakpoints,
			 struct plan_offset *, unsigned noffsets);
/* What both begin with: entry and returns alone, where no instruction is in the way, and nothing
 * has been read yet (plan_read_windows). */
struct plan plan_around(struct codescan *, unsigned i, unsigned kinds, const struct plan_offset *,
			unsigned noffsets);
/* Gives what a plan of function i has taken of padding back, and frees its windows. */
void plan_drop(struct plan *, struct codescan *, unsigned i);
/* The bytes that the file has in each window. */
void plan_read_windows(const struct plan *, const struct objfile *, const struct func *);
/* Adds a stop to a window that has room for one. */
void plan_add_stop(struct window *, const struct reloc_stop *, unsigned shift);
/* Gives a plan of function i that was made for another process its padding in this one. False:
 * some of it is taken, nothing has been done. */
bool plan_take(const struct plan *, struct codescan *, unsigned i);

#endif
