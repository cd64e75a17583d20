/*
 * units.h: what the values of aggregations are in (-x aggunit=NAME:UNIT) and what they are called
 * (-x aggtitle=NAME:TEXT). Never guessed from values.
 */
#ifndef DLANG_PRINT_UNITS_H
#define DLANG_PRINT_UNITS_H

#include "base/strbuf.h"
#include "dlang/options.h"
#include "dlang/run/aggtable.h"

#define UNIT_SIZE 32 /* of a word, with its end */

struct unit {
	char word[UNIT_SIZE]; /* as it was given: "ns", "bytes", ... */
	char base[UNIT_SIZE]; /* what readers of metrics are given: "seconds", "bytes", or the word
			       */
	unsigned shift;	      /* in base units a value is divided by ten to this power */
};

/* Are all values of both options NAME:UNIT and NAME:TEXT? 0, or a negative errno with the sentence.
 */
int units_check(const struct options *, struct err *);
/* The unit of an aggregation; false: none was given. Counts of calls have none. */
bool unit_of(const struct options *, const struct aggvar *, struct unit *);
/* Its word, "count" for counts, "" where none was given; *u is room for it. */
const char *unit_word(const struct options *, const struct aggvar *, struct unit *u);
/* Its title; "@NAME" where none was given. */
void unit_add_title(const struct options *, const struct aggvar *, struct strbuf *);

/*
 * A decimal integer divided by ten to the power of shift, exactly: "1023" and 9 are "0.000001023".
 * With is_float it has a point or an exponent, as canonical numbers of OpenMetrics 1.0 do ("1.0",
 * "1e+06", "1e-09").
 */
void unit_add_shifted(struct strbuf *, const char *digits, unsigned shift, bool is_float);

#endif
