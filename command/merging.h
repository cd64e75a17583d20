/* merging.h: --merge: what several runs have written as lines of JSON, as one run would have
 * printed it. */
#ifndef COMMAND_MERGING_H
#define COMMAND_MERGING_H

#include <stdio.h>

#include "command/engine.h"

/* Prints to out, and makes the reports that options ask for. The exit status; messages are on
 * stderr. */
int merging(const struct run *, FILE *out, const char *out_name);

#endif
