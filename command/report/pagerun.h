/* pagerun.h: of a page: what run it is of, and the last records of it. */
#ifndef COMMAND_REPORT_PAGERUN_H
#define COMMAND_REPORT_PAGERUN_H

#include "command/report/report_priv.h"

/* For readers: a list of terms. */
void page_add_head(struct report *);
/* The same for programs: an object. */
void page_add_run(struct report *);
/* Member `records` of the data, behind another one; nothing where none has a text. */
void page_add_records(struct report *);
/* Some of them as a table, without scripts. */
void page_add_static_records(struct report *);

#endif
