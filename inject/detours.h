/*
 * detours.h: the jumps to our code in that of one process: prepared while it runs, written and
 * taken out while it stands still (docs/spec/fpid-engine.md §4.4). A detour replaces whole
 * instructions that run elsewhere from then on; a thread that stands on the second or a later one
 * of them goes on there. The distance in a call of such a function may lead there at once: one
 * taken jump less. That is worth having and no more: what is in its way is left as it is, and the
 * call comes by the jump.
 *
 *   detours_add ... detours_prepare   [proc_halt]   detours_look   detours_write   [proc_go]
 *   jumps_blocked ...
 */
#ifndef INJECT_DETOURS_H
#define INJECT_DETOURS_H

#include "base/hash.h"
#include "inject/x86/reloc.h"
#include "tracer/tracer.h"

enum detour_state { DETOUR_PENDING, DETOUR_ON, DETOUR_BLOCKED };

struct detour {
	taddr_t addr;
	uint8_t len; /* ≤ JUMP_LEN */
	uint8_t code[JUMP_LEN], orig[JUMP_LEN];
	/* All bytes that must stand there when it is written, if that is more than `orig`; they are
	 * somebody else's, and not looked at afterwards. NULL: it is not. */
	const uint8_t *window;
	uint8_t window_size;
	taddr_t function; /* all detours of a function are written, or none */
	bool is_call;	  /* the distance of a call, only written with them */
	/* A thread that stands at that byte goes on at this distance from `trampoline` (reloc.h).
	 */
	taddr_t trampoline;
	uint16_t new_offset[JUMP_LEN];
	bool is_island;	  /* who stands at its first byte has come by a short jump */
	bool is_inside;	  /* what is replaced comes in the middle of others: its first byte, too */
	bool is_of_image; /* (hookimage.h) */
	bool is_stood;	  /* a thread stands there */
	bool is_for_now;  /* BLOCKED by somebody who goes on from there when the process does */
	enum detour_state state;
	int32_t note;	 /* in the journal */
	const char *why; /* DETOUR_BLOCKED: what is in its way */
};

struct detours {
	struct proc *proc;
	struct detour *v; /* [0, nwritten) by address; then pending ones as they came */
	size_t n, nwritten, room;
	size_t ncalls;	/* of n */
	unsigned *refs; /* v is that of so many processes, whose code is the same; NULL: its own */
};

void detours_init(struct detours *, struct proc *);
void detours_release(struct detours *);

void detours_expect(struct detours *, size_t n); /* a hint: so many will be added */
void detours_add(struct detours *, const struct detour *);
/* Notes pending detours in the journal, and makes what writing needs ready while threads run. */
void detours_prepare(struct detours *);
/* Looks for threads that are in the way of those that are pending; halted or still. May be done
 * again, if the process went on in between. False: that may help. */
bool detours_look(struct detours *);
/*
 * After that: all of images that are pending in [start, end) may come to be there by other means,
 * and that is so: in a file that has been mapped over the text, with the same bytes but for them.
 */
bool detours_may_come(const struct detours *, taddr_t start, taddr_t end);
void detours_have_come(struct detours *, taddr_t start, taddr_t end);
/*
 * After detours_look: writes the others; the process is halted or still. Those that cannot be
 * written are blocked, and forgotten by the next detours_drop: because a thread that cannot be
 * moved, or the return from a signal, is within the bytes, because others have changed them, or
 * because the journal is full.
 */
void detours_write(struct detours *);
/*
 * For the process of `js`, which is a copy of that of `from`: the detours that were there when it
 * was made become its own. 1: that is all of them, and none was pending. Errors: -ENOSPC the
 * journal is full; detours_clean must follow.
 */
int detours_inherit(struct detours *js, struct detours *from);
void detours_clean(const struct detours *from, struct proc *copy); /* takes them out of the copy */
/* Calls that lie in [start, end) get their own distance back: something else is to stand there. */
void detours_make_way(struct detours *, taddr_t start, taddr_t end);
/* Calls fn for each detour that is not there, unless it is a call, with why, and forgets it. */
void detours_drop(struct detours *, void (*fn)(const struct detour *, void *arg), void *arg);
bool detours_are_at(const struct detours *, taddr_t pc); /* it is an island's long jump */
bool detours_begin_at(const struct detours *, taddr_t); /* the one of a window does, and is there */
/* The instruction there leads to the function's detour by a distance that has been written. */
bool detours_lead_from(const struct detours *, taddr_t pc, taddr_t function);
/* Those of a function are taken out and forgotten, except islands that somebody may come back to.
 * Halted. False: they stay, as such an island lies among instructions that run elsewhere. */
bool detours_give_back(struct detours *, taddr_t function);
void detours_forget(struct detours *, const struct hash *functions); /* their code is gone */
/* Puts the program's bytes back where they still are ours, and forgets them. Halted, or in
 * tracer_ops.leaving. False: those of a function stay, as by detours_give_back; to be called again.
 */
bool detours_take_out(struct detours *);

#endif
