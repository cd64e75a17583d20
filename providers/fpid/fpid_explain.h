/*
 * fpid_explain.h: what fpid probes cost, and why (-x explain): before the run how many are what,
 * and what keeps the rest from being better; after it, by hits, what came by breakpoints and how
 * long the target stood still for them.
 */
#ifndef PROVIDERS_FPID_FPID_EXPLAIN_H
#define PROVIDERS_FPID_FPID_EXPLAIN_H

#include "providers/fpid/fpid.h"

struct fpid_explain; /* of a run; begins with what it first hears of */

/* Why the site has no hook, from now on. */
void fpid_explain_left(struct pid_site *, const char *why);
/* Sites of the process have been decided: those that nobody has been told of yet. */
void fpid_explain_before(struct session *, struct pid_proc *);
/* Hits that hooks have counted, or recorded, or a breakpoint, of which we were told at that time.
 */
void fpid_explain_counted(struct pid_world *, uint64_t n);
void fpid_explain_recorded(struct pid_world *, uint64_t n);
void fpid_explain_stopped(struct pid_site *, uint64_t since_ns, pid_t tid);
/* The end of the run. */
void fpid_explain_after(struct session *, struct pid_world *);
void fpid_explain_free(struct fpid_explain *);

#endif
