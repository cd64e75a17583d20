/*
 * regs.h: the registers of a stopped thread, fetched at most once per stop and written back when it
 * is resumed: nothing, rip alone (one POKEUSER) or all of them.
 */
#ifndef TRACER_X86_REGS_H
#define TRACER_X86_REGS_H

#include "base/userregs.h"

#include "base/target.h"

enum { REGS_NONE, REGS_RIP, REGS_ALL };

struct thread_regs {
	pid_t tid;
	uint8_t have, dirty; /* REGS_*: what is known, what is to be written back */
	struct regs now;
};

void regs_forget(struct thread_regs *); /* a new stop: nothing is known */
/* rip alone, the cheapest way. Errors: -ESRCH. */
int regs_rip(struct thread_regs *, taddr_t *rip);
/* All registers, or NULL when the thread has died. To change one: write it and call regs_touch. */
struct user_regs_struct *regs_all(struct thread_regs *);
void regs_touch(struct thread_regs *);
void regs_set_rip(struct thread_regs *, taddr_t rip);
int regs_flush(struct thread_regs *); /* Errors: -ESRCH */

#endif
