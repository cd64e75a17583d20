/*
 * fpid_tally.h: how many functions, and single instructions, are hooked, by breakpoint, or refused,
 * in one line each on stderr: nothing is left out silently.
 */
#ifndef PROVIDERS_FPID_FPID_TALLY_H
#define PROVIDERS_FPID_FPID_TALLY_H

#include "providers/fpid/fpid.h"

#define FPID_EARLY "its threads have no control blocks before the C library starts"

void fpid_tally_add(struct fpid_tally *, const struct fpid_tally *);
/* "fpid: WHOSE 3 functions: 2 hooked, 1 by breakpoint; the first: ..." */
void fpid_tally_report(struct session *, const char *whose, const struct fpid_tally *,
		       enum fpid_noun);
/* The same now, or with what comes one by one, at the end. Nothing is said of none. */
void fpid_tally_tell(struct session *, struct pid_proc *, const struct fpid_tally *,
		     enum fpid_noun);

#endif
