/* usdt_make.h: -h and -G, when the programs are compiled. Errors are what follows "dtrace: ". */
#ifndef COMMAND_USDT_MAKE_H
#define COMMAND_USDT_MAKE_H

#include "command/cmdline.h"

int make_header(struct session *, const struct cmdline *, struct err *);
int make_objects(struct session *, const struct cmdline *, struct err *);

#endif
