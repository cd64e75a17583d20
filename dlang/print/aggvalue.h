/*
 * aggvalue.h: what the words of an aggregation mean to the front: the number that is shown and the
 * order of entries (docs/spec/d-language.md §11.4, §11.5).
 */
#ifndef DLANG_PRINT_AGGVALUE_H
#define DLANG_PRINT_AGGVALUE_H

#include "dlang/run/aggtable.h"

/* The value of one entry. */
struct aggvalue {
	const struct aggvar *var;
	const uint64_t *data; /* NULL: printa() joined an aggregation that lacks the key; 0 */
	uint64_t normal;
	/* -x aggpercpu: what of it came from which CPU (NULL: nothing); ncpus 0: they are not told
	 * apart */
	uint64_t *const *by_cpu;
	unsigned ncpus;
};

/* A few words that a scalar begins with. */
#define AGGVALUE_START 4

/* The part of one CPU; start: room for what it begins with, where nothing came. */
struct aggvalue aggvalue_of_cpu(const struct aggvalue *, unsigned cpu,
				uint64_t start[AGGVALUE_START]);

/* The number a scalar aggregation shows, divided by its normal, towards zero. */
int64_t aggvalue_signed(const struct aggvalue *);
/* The same for %u, %o and %x: count, sum, min and max are divided as unsigned numbers. */
uint64_t aggvalue_unsigned(const struct aggvalue *);
int64_t divide_signed(int64_t value, uint64_t by);

/* The bounds of a bucket, both of which belong to it; "": there is none. */
struct bucket_bounds {
	char from[48], to[48];
};
void bucket_bounds(const struct aggvar *, unsigned bucket, struct bucket_bounds *);

/* What values are sorted by. */
struct aggrank {
	int64_t num;	    /* scalars; 0 for histograms */
	long double weight; /* histograms: sum of label times count */
	int64_t zero;	    /* histograms: count of the bucket of 0 */
};
struct aggrank aggrank_of(const struct aggvar *, const uint64_t *data); /* data NULL: 0 */
int aggrank_compare(const struct aggrank *, const struct aggrank *);

/* Keys from number `first` on, wrapping around. */
int aggkey_compare(const struct aggvar *, const char *a, const char *b, unsigned first);

#endif
