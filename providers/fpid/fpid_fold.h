/*
 * fpid_fold.h: sites that are not made. Most processes that are followed have ended before anybody
 * asks for one of their sites: where a module is hooked as an image says, and its probes and sites
 * are those of that image, a fold stands for them until somebody does.
 */
#ifndef PROVIDERS_FPID_FPID_FOLD_H
#define PROVIDERS_FPID_FPID_FOLD_H

#include "providers/fpid/fpid.h"

struct fpid_fold;

/* As in struct hook_ops. */
void fpid_folds_recall(struct pid_proc *);
void fpid_folds_show(struct pid_proc *, taddr_t function);
/* How many sites are in folds that are not settled yet. */
unsigned fpid_folds_wanted(const struct pid_proc *);
/* Those are hooked as their images say; where that cannot be their sites are made, and want a hook.
 * Errors: as of fpid_arm. */
int fpid_folds_settle(struct pid_proc *, struct fpid_tally *, struct err *);
void fpid_folds_collect(struct pid_proc *); /* hands over what has been counted */
void fpid_folds_forget(struct pid_proc *);  /* their hooks are gone */

#endif
