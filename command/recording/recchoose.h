/*
 * recchoose.h: what -E means, by the files that there are: it is read, printed, written anew (-o),
 * or made.
 */
#ifndef COMMAND_RECORDING_RECCHOOSE_H
#define COMMAND_RECORDING_RECCHOOSE_H

#include "command/cmdline.h"

/* When all options are known. 0, or -EINVAL with the sentence. */
int recchoose(struct cmdline *, const struct options *, struct err *);

/* A file that is not there yet. */
bool recchoose_is_new(const char *name);

#endif
