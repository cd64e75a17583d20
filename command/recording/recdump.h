/*
 * recdump.h: a recording (-E) without a program: each of its events as a line. Nothing of the two
 * halves is needed: it is read and printed here, before they part.
 */
#ifndef COMMAND_RECORDING_RECDUMP_H
#define COMMAND_RECORDING_RECDUMP_H

#include "command/cmdline.h"

/* Is that what is asked for? */
bool recdump_is_meant(const struct cmdline *);
/* Prints all of it, the columns that -x fields names, to out, which is called out_name. Returns the
 * exit status of the command, whose messages have been written to standard error. */
int recdump(const struct cmdline *, struct session *, FILE *out, const char *out_name);

#endif
