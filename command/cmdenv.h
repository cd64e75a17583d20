/*
 * cmdenv.h: the environment of -c: ours, changed by -x setenv and unsetenv.
 */
#ifndef COMMAND_CMDENV_H
#define COMMAND_CMDENV_H

#include "command/cmdline.h"

/* Ours, with room for what `nargs` arguments and the variables of the environment may add to it. */
void cmdenv_init(struct cmdline *, struct arena *, unsigned nargs);
/* What an option does besides being set; nothing, unless it is one of the two. The variable is
 * kept. */
void cmdenv_change(struct cmdline *, struct arena *, const char *option, const char *var);

#endif
