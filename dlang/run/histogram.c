#include "dlang/run/histogram.h"

static bool every_bucket_exists(const int64_t params[4] UNUSED, unsigned index UNUSED)
{
	return true;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* ---- quantize: -2^62 ... -2 -1 0 1 2 ... 2^62 ---- */

enum { QUANTIZE_ZERO = 63, QUANTIZE_NBUCKETS = 127 };

static unsigned quantize_nbuckets(const int64_t params[4] UNUSED)
{
	return QUANTIZE_NBUCKETS;
}

static unsigned quantize_index(const int64_t params[4] UNUSED, int64_t value)
{
	unsigned log2;

	if (!value)
		return QUANTIZE_ZERO;
	log2 = MIN(63u - (unsigned)__builtin_clzll(magnitude(value)), 62u);
	return value < 0 ? QUANTIZE_ZERO - 1 - log2 : QUANTIZE_ZERO + 1 + log2;
}

static struct bucket_label quantize_label(const int64_t params[4] UNUSED, unsigned index)
{
	struct bucket_label label = {BUCKET_FROM, 0};

	if (index > QUANTIZE_ZERO)
		label.value = (int64_t)1 << (index - QUANTIZE_ZERO - 1);
	else if (index < QUANTIZE_ZERO)
		label.value = -((int64_t)1 << (QUANTIZE_ZERO - 1 - index));
	return label;
}

static unsigned quantize_first_empty(const int64_t params[4] UNUSED)
{
	return QUANTIZE_ZERO - 1;
}

const struct histogram hist_quantize = {
	quantize_nbuckets,   quantize_index,	   quantize_label,
	every_bucket_exists, quantize_first_empty, NULL,
};

/* ---- lquantize: < base, base, base + step ..., >= base + levels * step ---- */

enum { LQ_BASE, LQ_LIMIT, LQ_STEP };

static unsigned lquantize_levels(const int64_t params[4])
{
	return (unsigned)((params[LQ_LIMIT] - params[LQ_BASE]) / params[LQ_STEP]);
}

static unsigned lquantize_nbuckets(const int64_t params[4])
{
	return lquantize_levels(params) + 2;
}

static unsigned lquantize_index(const int64_t params[4], int64_t value)
{
	unsigned levels = lquantize_levels(params);
	uint64_t level;

	if (value < params[LQ_BASE])
		return 0;
	level = ((uint64_t)value - (uint64_t)params[LQ_BASE]) / (uint64_t)params[LQ_STEP];
	return 1 + (unsigned)MIN(level, levels);
}

static struct bucket_label lquantize_label(const int64_t params[4], unsigned index)
{
	unsigned levels = lquantize_levels(params);

	if (!index)
		return (struct bucket_label){BUCKET_BELOW, params[LQ_BASE]};
	return (struct bucket_label){
		index > levels ? BUCKET_ATLEAST : BUCKET_FROM,
		params[LQ_BASE] + (int64_t)(index - 1) * params[LQ_STEP],
	};
}

static unsigned lquantize_first_empty(const int64_t params[4] UNUSED)
{
	return 0;
}

/* One above the last lower bound. */
static __int128 lquantize_top_weight(const int64_t params[4], __int128 n)
{
	return n - params[2] + 1;
}

const struct histogram hist_lquantize = {
	lquantize_nbuckets,  lquantize_index,	    lquantize_label,
	every_bucket_exists, lquantize_first_empty, lquantize_top_weight,
};

/*
 * ---- llquantize ----
 *
 * Orders o = low ... high; [f^o, f^(o+1)) is cut in parts of width f^(o+1) / n counted from 0, of
 * which the first n / f lie below the range. Only with o = 0 can a width be a fraction, and then
 * all numbers are below 2^32.
 *
 *   0         1 ...                      middle                       ... middle + half
 *   <= -top   -parts, outermost first    below f^low   parts, order by order     >= top
 */
enum { LL_FACTOR, LL_LOW, LL_HIGH, LL_STEPS };

struct ll {
	uint64_t factor, steps, low, high;
	uint64_t below; /* parts of each order that lie below it */
	unsigned per_order, middle;
};

static struct ll ll_of(const int64_t params[4])
{
	struct ll ll = {
		.factor = (uint64_t)params[LL_FACTOR],
		.steps = (uint64_t)params[LL_STEPS],
		.low = (uint64_t)params[LL_LOW],
		.high = (uint64_t)params[LL_HIGH],
	};

	ll.below = ll.steps / ll.factor;
	ll.per_order = (unsigned)(ll.steps - ll.below);
	ll.middle = (unsigned)(ll.high - ll.low + 1) * ll.per_order + 1;
	return ll;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t v = 1;

	while (exponent--)
		v *= base;
	return v;
}

/* The part of [0, top) in which a lies. */
static uint64_t ll_part(const struct ll *ll, uint64_t top, uint64_t a)
{
	return top % ll->steps ? a * ll->steps / top : a / (top / ll->steps);
}

/* The smallest integer that is not below the start of a part. */
static uint64_t ll_start(const struct ll *ll, uint64_t top, uint64_t part)
{
	return top % ll->steps ? (part * top + ll->steps - 1) / ll->steps
			       : part * (top / ll->steps);
}

static unsigned llquantize_nbuckets(const int64_t params[4])
{
	return 2 * ll_of(params).middle + 1;
}

static unsigned llquantize_index(const int64_t params[4], int64_t value)
{
	struct ll ll = ll_of(params);
	uint64_t a = magnitude(value), from = power(ll.factor, ll.low);
	unsigned distance = 1; /* from the middle */

	if (a < from)
		return ll.middle;
	for (uint64_t order = ll.low; order <= ll.high; order++, distance += ll.per_order) {
		uint64_t top = from * ll.factor;

		if (a < top) {
			distance += (unsigned)(ll_part(&ll, top, a) - ll.below);
			break;
		}
		from = top;
	}
	return value < 0 ? ll.middle - distance : ll.middle + distance;
}

/* The part behind a bucket between the middle and the outermost one: its number and its range's
 * end. */
static uint64_t ll_bucket_part(const struct ll *ll, unsigned index, uint64_t *top)
{
	unsigned nth = (index > ll->middle ? index - ll->middle : ll->middle - index) - 1;

	*top = power(ll->factor, ll->low + nth / ll->per_order + 1);
	return ll->below + nth % ll->per_order;
}

static struct bucket_label llquantize_label(const int64_t params[4], unsigned index)
{
	struct ll ll = ll_of(params);
	uint64_t top, part, start;

	if (index == ll.middle && !ll.low)
		return (struct bucket_label){BUCKET_FROM, 0};
	if (index == ll.middle)
		return (struct bucket_label){BUCKET_MIDDLE, power(ll.factor, ll.low)};
	if (!index || index == 2 * ll.middle) {
		top = power(ll.factor, ll.high + 1);
		return index ? (struct bucket_label){BUCKET_ATLEAST, top}
			     : (struct bucket_label){BUCKET_ATMOST, -(__int128)top};
	}
	part = ll_bucket_part(&ll, index, &top);
	start = MAX(ll_start(&ll, top, part), top / ll.factor);
	return (struct bucket_label){BUCKET_FROM, index > ll.middle ? start : -(__int128)start};
}

static bool llquantize_exists(const int64_t params[4], unsigned index)
{
	struct ll ll = ll_of(params);
	uint64_t top, part;

	if (index == ll.middle || !index || index == 2 * ll.middle)
		return true;
	part = ll_bucket_part(&ll, index, &top);
	return ll_start(&ll, top, part) < ll_start(&ll, top, part + 1);
}

static unsigned llquantize_first_empty(const int64_t params[4])
{
	return ll_of(params).middle;
}

const struct histogram hist_llquantize = {
	llquantize_nbuckets, llquantize_index,	     llquantize_label,
	llquantize_exists,   llquantize_first_empty, NULL,
};

/* ---- parameters ---- */

/* f^n, or 0 if that does not fit 64 bits. */
uint64_t llquantize_power(uint64_t f, uint64_t n)
{
	uint64_t v = 1;

	while (n--)
		if (__builtin_mul_overflow(v, f, &v))
			return 0;
	return v;
}

bool llquantize_steps_are_even(int64_t factor, int64_t low, int64_t steps)
{
	uint64_t range;

	if (steps < factor)
		return factor % steps == 0;
	if (steps == factor)
		return true;
	range = llquantize_power((uint64_t)factor, low == 0 ? 2 : (uint64_t)low + 1);
	return steps % factor == 0 && range % (uint64_t)steps == 0;
}

static bool is_within(int64_t v, int64_t low, int64_t high)
{
	return v >= low && v <= high;
}

static bool lquantize_fits(const int64_t p[4])
{
	int64_t levels;

	if (!is_within(p[LQ_BASE], INT32_MIN, INT32_MAX) ||
	    !is_within(p[LQ_LIMIT], INT32_MIN, INT32_MAX) || p[LQ_BASE] >= p[LQ_LIMIT] ||
	    !is_within(p[LQ_STEP], 1, UINT16_MAX))
		return false;
	levels = (p[LQ_LIMIT] - p[LQ_BASE]) / p[LQ_STEP];
	return is_within(levels, 1, UINT16_MAX);
}

static bool llquantize_fits(const int64_t p[4])
{
	return is_within(p[0], 2, UINT16_MAX) && is_within(p[1], 0, UINT16_MAX) &&
	       is_within(p[2], p[1], UINT16_MAX) && is_within(p[3], 1, UINT16_MAX) &&
	       llquantize_power((uint64_t)p[0], (uint64_t)p[2] + 1) &&
	       llquantize_steps_are_even(p[0], p[1], p[3]);
}

bool histogram_params_fit(const struct histogram *h, const int64_t params[4])
{
	return h == &hist_lquantize    ? lquantize_fits(params)
	       : h == &hist_llquantize ? llquantize_fits(params)
				       : true;
}
