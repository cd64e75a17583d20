/*
 * printagg.h: aggregations as text: rows in order, default print, printa() formats, histograms
 * (d-language.md §11.4, §12.7, §12.9).
 */
#ifndef DLANG_PRINTAGG_H
#define DLANG_PRINTAGG_H

#include "dlang/aggstore.h"
#include "dlang/aggvalue.h"
#include "dlang/printval.h"

struct pfmt;

/*
 * The rows of one or several aggregations with equal key lists, joined by their keys, in order. fmt
 * is applied to each row; NULL: keys and values in the default form.
 */
void printer_rows(const struct printer *, struct aggcopy *const *copies, unsigned ncopies,
		  const struct pfmt *fmt);

/* Header and rows; begins with a newline. */
void printer_histogram(const struct printer *, const struct aggvalue *);

#endif
