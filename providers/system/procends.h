/*
 * procends.h: how processes have ended, where no program in the kernel tells: what is known of them
 * is kept until their end is told.
 */
#ifndef PROVIDERS_SYSTEM_PROCENDS_H
#define PROVIDERS_SYSTEM_PROCENDS_H

#include "providers/world/world.h"

struct procends;

struct procends *procends_new(void);
void procends_free(struct procends *); /* NULL: nothing; a recording calls it no more */

/* status: as wait(2) has it. */
void procends_put(struct procends *, pid_t, int status);
/* And forgets it. False: nothing is known. */
bool procends_take(struct procends *, pid_t, int *status);

/*
 * Of a recording, or of what one is made of: by exit_group() and exit(), and by the signals that
 * have nothing else done to them. Whether a core was written is not told. Returns what is not
 * recorded, as bpf_probes_do_without() takes it; NULL: all is.
 */
const char *procends_listen(struct procends *, struct world *);

#endif
