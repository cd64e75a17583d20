/*
 * livedraw.h: -x live: the aggregations as they are now, again and again while tracing. A terminal
 * shows one screen of them that is drawn over; in any other output each drawing follows the last.
 */
#ifndef DLANG_PRINT_LIVEDRAW_H
#define DLANG_PRINT_LIVEDRAW_H

#include "dlang/print/consume_priv.h"

#define LIVE_EVERY_NS 500000000U /* at least that often */

/* Draws what no printa() has printed yet, after a snapshot. 0, or -errno of the output. */
int live_draw(struct consumer *, struct err *);

#endif
