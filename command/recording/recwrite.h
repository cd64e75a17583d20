/*
 * recwrite.h: a recording that is made of others (-E IN -o OUT.data): what options say of it, for
 * runs with a program (rewriting.c) and without.
 */
#ifndef COMMAND_RECORDING_RECWRITE_H
#define COMMAND_RECORDING_RECWRITE_H

#include "command/cmdline.h"
#include "providers/perfwrite/perfcopy.h"

/* Makes it, with the mappings of -x addmap. Errors: as perfcopy_make(), perfcopy_map(). */
int recwrite_open(const struct cmdline *, const struct options *, struct perfdata *, bool tags,
		  struct perfcopy **, struct err *);
/* Its end; *summary: what is to be said of it, the caller's. Errors: it is not whole. */
int recwrite_end(struct perfcopy *, char **summary, struct err *);

/* Is one asked for, without a program? Copies the records; returns the exit status. */
bool recwrite_is_meant(const struct cmdline *);
int recwrite(const struct cmdline *, struct session *);

#endif
