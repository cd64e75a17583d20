/*
 * regs.h: the registers of a stopped thread, fetched at most once per stop and written back when it
 * is resumed: nothing, rip alone (one POKEUSER) or all of them.
 */
#ifndef TRACER_X86_REGS_H
#define TRACER_X86_REGS_H

#include "base/userregs.h"

#include "tracer/tracer_priv.h"

void regs_forget(struct thread *); /* a new stop: nothing is known */
/* rip alone, the cheapest way. Errors: -ESRCH. */
int regs_rip(struct thread *, taddr_t *rip);
/* All registers, or NULL when the thread has died. To change one: write it and call regs_touch. */
struct user_regs_struct *regs_all(struct thread *);
void regs_touch(struct thread *);
void regs_set_rip(struct thread *, taddr_t rip);
int regs_flush(struct thread *); /* Errors: -ESRCH */

#endif
