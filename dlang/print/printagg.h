/*
 * printagg.h: aggregations as text: rows in order, default print, printa() formats, histograms
 * (docs/spec/d-language.md §11.4, §12.7, §12.9).
 */
#ifndef DLANG_PRINT_PRINTAGG_H
#define DLANG_PRINT_PRINTAGG_H

#include "dlang/print/aggstore.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printval.h"

struct pfmt;

/*
 * The rows of one or several aggregations with equal key lists, joined by their keys, in order. fmt
 * is applied to each row; NULL: keys and values in the default form.
 */
void printer_rows(const struct printer *, struct aggcopy *const *copies, unsigned ncopies,
		  const struct pfmt *fmt);

/* The same rows, in the same order, given to a function: the n values of one key. */
void printer_each_row(const struct printer *, struct aggcopy *const *copies, unsigned ncopies,
		      void (*fn)(void *arg, const struct aggvalue *, unsigned n, const char *key),
		      void *arg);

/* The rows of a histogram: label, whether it is a number and nothing else, that number, count. */
void histogram_each(const struct aggvalue *,
		    void (*fn)(void *arg, const char *label, bool is_number, int64_t value,
			       int64_t count),
		    void *arg);
/* -x aggpercpu: a new line for each CPU, and its part by fn; nothing where they are not told apart.
 */
void printer_each_cpu(const struct printer *, const struct aggvalue *,
		      void (*fn)(const struct printer *, const void *arg, const struct aggvalue *),
		      const void *arg);
/* Header and rows; begins with a newline. */
void printer_histogram(const struct printer *, const struct aggvalue *);

#endif
