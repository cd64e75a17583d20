/* pagetimes.h: pictures over time of an aggregation in a page. For the files of this room only. */
#ifndef COMMAND_REPORT_PAGETIMES_H
#define COMMAND_REPORT_PAGETIMES_H

#include "command/report/report_priv.h"

/* Members `times` (histograms) or `series` (counts and sums without stacks) of its data; none where
 * there are fewer than three intervals. */
void page_add_times(const struct report *, const struct aggcopy *, struct strbuf *out);

#endif
