/*
 * fpid_place.h: where a clause of an fpid probe runs, and what keeps it from a better place: for
 * users who would have it cheaper. Valid behind fpid_claims_decide().
 */
#ifndef PROVIDERS_FPID_FPID_PLACE_H
#define PROVIDERS_FPID_FPID_PLACE_H

#include "providers/fpid/fpid_clauses.h"

/* Why its clause makes records, and what to write instead. Empty: it makes none. */
#define FPID_PLACE_TEXT 256
void fpid_place_tell(const struct ecb *, char *text, size_t size);

/* Of all enablings of fpid probes, and where they have no hooks in that process (placement.h). */
void fpid_places_note(struct session *, struct pid_proc *);

/* As in struct provider: the same of a process that has no hooks yet, by the code that it has. */
void fpid_foresee(struct session *);

/* A line for each clause that makes records: for -v. */
void fpid_places_report(struct session *);

#endif
