/*
 * procfacts.h: what /proc says of processes, in a run that goes to a file and in that file: the
 * arguments of programs, whose they are, and the files that descriptors are. What the run reads of
 * /proc is put into the file as events of their own (hitlog_tell()), and clauses of both see the
 * same. Arguments and users are there of all processes, from the begin on and for each program that
 * is executed; files as clauses of the run have asked for them.
 */
#ifndef PROVIDERS_HITS_PROCFACTS_H
#define PROVIDERS_HITS_PROCFACTS_H

#include "providers/world/world.h"

/* Of what clauses need NEED_TEXTS (arguments), NEED_IDS and NEED_FILES count. Of a run whose file
 * is made: before anything is started, then when all has been. Of a recording: before it is read.
 */
void procfacts_log(struct world *, unsigned needs);
void procfacts_begin(struct world *);
int procfacts_replay(struct world *, struct err *);
void procfacts_free(struct world *);

#endif
