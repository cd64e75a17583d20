/*
 * fpid_place.h: where a clause of an fpid probe runs, and what keeps it from a better place: for
 * users who would have it cheaper. Valid behind fpid_claims_decide().
 */
#ifndef PROVIDERS_FPID_FPID_PLACE_H
#define PROVIDERS_FPID_FPID_PLACE_H

#include "providers/fpid/fpid_clauses.h"

struct fpid_place {
	/* FPID_ALL: in the target. FPID_DECIDES: its predicate and its variables there, the rest
	 * here, from records of what passes. FPID_NOTHING: here, from a record of each hit. */
	enum fpid_share share;
	char why[128];	     /* what the target cannot do of it; empty with FPID_ALL */
	const char *instead; /* how to write it so that it can; NULL: no way is known */
};
void fpid_place_of(const struct ecb *, struct fpid_place *);

/* The same as text: why, and what to write instead. Empty with FPID_ALL. */
#define FPID_PLACE_TEXT 256
void fpid_place_tell(const struct ecb *, char *text, size_t size);

/* A line for each clause that makes records: for -v. */
void fpid_places_report(struct session *);

#endif
