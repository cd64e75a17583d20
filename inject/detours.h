/*
 * detours.h: the jumps to hooks in the code of one process: prepared while it runs, written and
 * taken out while it stands still (fpid-engine.md §4.4). A jump replaces whole instructions that
 * run elsewhere from then on; a thread that stands on the second or a later one of them goes on
 * there. The distance in a call of such a function may lead there at once: one taken jump less.
 * That is worth having and no more: what is in its way is left as it is, and the call comes by the
 * jump.
 *
 *   jumps_add ... jumps_prepare   [proc_halt]   jumps_write   [proc_go]   jumps_blocked ...
 */
#ifndef INJECT_DETOURS_H
#define INJECT_DETOURS_H

#include "base/hash.h"
#include "inject/x86/reloc.h"
#include "tracer/tracer.h"

enum jump_state { JUMP_PENDING, JUMP_ON, JUMP_BLOCKED };

struct jump {
	taddr_t addr;
	uint8_t len; /* ≤ JUMP_LEN */
	uint8_t code[JUMP_LEN], orig[JUMP_LEN];
	taddr_t function; /* all jumps of a function are written, or none */
	bool is_call;	  /* the distance of a call, only written with them */
	/* A thread that stands at that byte goes on at this distance from `stub` (reloc.h). */
	taddr_t stub;
	uint16_t twins[JUMP_LEN];
	enum jump_state state;
	int32_t note;	 /* in the journal */
	const char *why; /* JUMP_BLOCKED: what is in its way */
};

struct jumps {
	struct proc *proc;
	struct jump *v; /* [0, nwritten) by address; then pending ones as they came */
	size_t n, nwritten, room;
	size_t ncalls;	/* of n */
	unsigned *refs; /* v is that of so many processes, whose code is the same; NULL: its own */
};

void jumps_init(struct jumps *, struct proc *);
void jumps_release(struct jumps *);

void jumps_add(struct jumps *, const struct jump *);
/* Notes pending jumps in the journal, and makes what writing needs ready while threads run. */
void jumps_prepare(struct jumps *);
/*
 * Writes them; the process is halted or still. Those that cannot be written are blocked, and
 * forgotten by the next jumps_drop: because a thread that cannot be moved, or the return from a
 * signal, is within the bytes, because others have changed them, or because the journal is full.
 */
void jumps_write(struct jumps *);
/*
 * For the process of `js`, which is a copy of that of `from`: the jumps that were there when it was
 * made become its own. 1: that is all of them, and none was pending. Errors: -ENOSPC the journal is
 * full; jumps_clean must follow.
 */
int jumps_inherit(struct jumps *js, struct jumps *from);
void jumps_clean(const struct jumps *from, struct proc *copy); /* takes them out of the copy */
/* Calls that lie in [start, end) get their own distance back: something else is to stand there. */
void jumps_make_way(struct jumps *, taddr_t start, taddr_t end);
/* Calls fn for each jump that is not there, unless it is a call, with why, and forgets it. */
void jumps_drop(struct jumps *, void (*fn)(const struct jump *, void *arg), void *arg);
/* Those of a function are taken out and forgotten. Halted. */
void jumps_give_back(struct jumps *, taddr_t function);
void jumps_forget(struct jumps *, const struct hash *functions); /* their code is gone */
/* Puts the program's bytes back where they still are ours. Halted, or in tracer_ops.leaving. */
void jumps_take_out(struct jumps *);

#endif
