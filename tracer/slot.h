/*
 * slot.h: executable memory in the target where copies of probed instructions run. Mapped by a
 * system call run in a stopped thread, within reach of the module; where that is forbidden, the
 * unused end of a module's last page of text. A slot is never given to another address: a thread
 * may come back to it from a signal handler at any time.
 */
#ifndef TRACER_SLOT_H
#define TRACER_SLOT_H

#include "tracer/tracer_priv.h"

/*
 * Gives the site a slot that its plan fits into; nothing is written yet. Errors: -ENOMEM with the
 * reason.
 */
int slot_alloc(struct proc *, struct site *, struct err *);
/* The same, of the memory that is there already: also during a hit. False: it has no room. */
bool slot_take(struct proc *, struct site *);
/* Writes the code of slots not written yet. Errors: -errno of writing. */
int slot_write(struct proc *, struct site *const *, size_t n);

/* A forked child has its parent's memory for slots: those of sites it has inherited are in use as
 * they are, and its one thread is in none of the others. */
void slot_inherit(struct proc *child, const struct proc *parent);

/* The site whose slot addr is in, and how far in; NULL: none. */
struct site *slot_at(const struct proc *, taddr_t addr, unsigned *off);

/* Both when the process is being let go and no thread is in a slot. */
void slot_clear_padding(struct proc *); /* zeros again where slots lay in padding */
void slot_unmap(struct thread *);	/* takes our mappings away, in a stopped thread */
void slot_release(struct proc *);	/* forgets all; the target's memory is left alone */

/* At the end of memory that is mapped for slots: what is left of a run that was killed is known by
 * it. At most SLOT_SIZE bytes. */
#define SLOT_MARK "dtrace's slots"
bool slot_is_region(const struct proc *, taddr_t start); /* of this run */

#endif
