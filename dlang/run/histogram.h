/*
 * histogram.h: the arithmetic of quantize, lquantize and llquantize (docs/spec/d-language.md §11.2,
 * §12.9), told once for the adding engine, the compiler (how many words) and the printing front.
 * Word i of the data counts what fell in bucket i; buckets are in the order of their rows.
 * Freestanding.
 *
 * Parameters: quantize none; lquantize base, limit, step; llquantize factor, low, high, steps. The
 * compiler has checked them.
 */
#ifndef DLANG_RUN_HISTOGRAM_H
#define DLANG_RUN_HISTOGRAM_H

#include "base/base.h"

struct bucket_label {
	enum {
		BUCKET_FROM,	/* "N": N and more, up to the next row (below 0: N and less) */
		BUCKET_BELOW,	/* "< N" */
		BUCKET_ATLEAST, /* ">= N" */
		BUCKET_ATMOST,	/* "<= N" */
		BUCKET_MIDDLE,	/* "< N", or "abs() < N" when a row below it is shown */
	} form;
	__int128 value; /* llquantize: from -(2^64 - 1) to 2^64 - 1 */
};

struct histogram {
	unsigned (*nbuckets)(const int64_t params[4]);
	unsigned (*index)(const int64_t params[4], int64_t value);
	struct bucket_label (*label)(const int64_t params[4], unsigned index);
	/* Can an integer fall in it? If not, it has no row. */
	bool (*exists)(const int64_t params[4], unsigned index);
	/* Without data: the first of the three rows that are shown. */
	unsigned (*first_empty)(const int64_t params[4]);
	/* What a count in the row ">= N" weighs where rows are put in order; NULL: N. */
	__int128 (*top_weight)(const int64_t params[4], __int128 n);
};

/* f^n, or 0 if that does not fit 64 bits. */
uint64_t llquantize_power(uint64_t f, uint64_t n);
/* Do the steps divide the factor, or the range of an order? */
bool llquantize_steps_are_even(int64_t factor, int64_t low, int64_t steps);
/* Does the compiler let these parameters through? For those that come from elsewhere. */
bool histogram_params_fit(const struct histogram *, const int64_t params[4]);

extern const struct histogram hist_quantize, hist_lquantize, hist_llquantize;

#endif
