/* colors.h: -x color=auto: whether what is printed has colours. */
#ifndef COMMAND_LIVE_COLORS_H
#define COMMAND_LIVE_COLORS_H

#include <stdio.h>

#include "dlang/session.h"

/* Where they are seen, if that was left to us. Not where lines are drawn anew: these are cut at the
 * terminal's edge. */
void colors_decide(struct session *, FILE *out);

#endif
