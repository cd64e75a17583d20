/*
 * remote.h: a system call or single instructions run in a stopped thread. The thread must be at a
 * breakpoint, a signal or a PTRACE_INTERRUPT stop (proc_borrow finds one); its registers, signal
 * mask and the signal it stands at are as before afterwards.
 */
#ifndef TRACER_REMOTE_H
#define TRACER_REMOTE_H

#include "tracer/tracer_priv.h"

/* Runs a system call. Errors: -ESRCH, -ENOSYS (no `syscall` instruction found); *result as the
 * kernel gave it, a negative errno for its own failure. */
int remote_syscall(struct thread *, long nr, const uint64_t args[6], int64_t *result);

/*
 * The thread is at a breakpoint, and will be for a while: it stands at an interrupt instead
 * afterwards, ready to run the instruction at rip. From there it goes on unharmed if we die, while
 * the SIGTRAP of a breakpoint would be delivered.
 */
void remote_calm(struct thread *);

/* Runs one instruction where rip is, which must not be in text that others run, with signals held
 * back. Registers are to be fetched anew. Errors: -ESRCH, -EFAULT: it faulted and is to be undone.
 */
int remote_step(struct thread *);

#endif
