/*
 * printf.h: printing by the formats of printf, printa, system and freopen (format.h).
 */
#ifndef DLANG_PRINT_PRINTF_H
#define DLANG_PRINT_PRINTF_H

#include "dlang/format.h"

struct action;
struct aggvalue; /* printagg.h */
struct printer;	 /* printval.h */
struct rec;

/* The arguments of one printing: values described by actions (printf) or by recs (keys of printa);
 * the other is NULL. Their offsets count from data. */
struct pargs {
	const struct action *acts;
	const struct rec *recs;
	unsigned n;
	const char *data;
	const struct aggvalue *aggs; /* what %@ prints, one after another, then always the last */
	unsigned naggs;
};

void pfmt_print(const struct printer *, const struct pfmt *, const struct pargs *);

#endif
