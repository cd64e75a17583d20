/* The aggregating functions: what they keep and how two halves become one. Sums wrap. */
#include "dlang/run/aggtable.h"

static void init_zero(uint64_t *data, const struct aggvar *var)
{
	memset(data, 0, var->nwords * sizeof(*data));
}

static void merge_sum(uint64_t *into, const uint64_t *from, const struct aggvar *var)
{
	for (uint32_t i = 0; i < var->nwords; i++)
		into[i] += from[i];
}

static void add_count(uint64_t *data, const struct aggvar *var UNUSED, int64_t value UNUSED,
		      int64_t incr UNUSED)
{
	data[0]++;
}

static void add_sum(uint64_t *data, const struct aggvar *var UNUSED, int64_t value,
		    int64_t incr UNUSED)
{
	data[0] += (uint64_t)value;
}

static void init_min(uint64_t *data, const struct aggvar *var UNUSED)
{
	data[0] = INT64_MAX;
}

static void add_min(uint64_t *data, const struct aggvar *var UNUSED, int64_t value,
		    int64_t incr UNUSED)
{
	data[0] = (uint64_t)MIN((int64_t)data[0], value);
}

static void merge_min(uint64_t *into, const uint64_t *from, const struct aggvar *var)
{
	add_min(into, var, (int64_t)from[0], 1);
}

static void init_max(uint64_t *data, const struct aggvar *var UNUSED)
{
	data[0] = (uint64_t)INT64_MIN;
}

static void add_max(uint64_t *data, const struct aggvar *var UNUSED, int64_t value,
		    int64_t incr UNUSED)
{
	data[0] = (uint64_t)MAX((int64_t)data[0], value);
}

static void merge_max(uint64_t *into, const uint64_t *from, const struct aggvar *var)
{
	add_max(into, var, (int64_t)from[0], 1);
}

/* avg: count, sum */
static void add_avg(uint64_t *data, const struct aggvar *var UNUSED, int64_t value,
		    int64_t incr UNUSED)
{
	data[0]++;
	data[1] += (uint64_t)value;
}

/* stddev: count, sum, low and high word of the sum of squares */
static void add_squares(uint64_t *data, uint64_t low, uint64_t high)
{
	data[2] += low;
	data[3] += high + (data[2] < low);
}

static void add_stddev(uint64_t *data, const struct aggvar *var, int64_t value, int64_t incr)
{
	uint64_t a = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned __int128 square = (unsigned __int128)a * a;

	add_avg(data, var, value, incr);
	add_squares(data, (uint64_t)square, (uint64_t)(square >> 64));
}

static void merge_stddev(uint64_t *into, const uint64_t *from, const struct aggvar *var UNUSED)
{
	into[0] += from[0];
	into[1] += from[1];
	add_squares(into, from[2], from[3]);
}

static void add_hist(uint64_t *data, const struct aggvar *var, int64_t value, int64_t incr)
{
	data[var->func->hist->index(var->params, value)] += (uint64_t)incr;
}

#define AGG(fn, ID, min, max, words, ...)                                                          \
	const struct aggfunc aggfunc_##fn = {.name = #fn,                                          \
					     .id = AGG_##ID,                                       \
					     .min_args = min,                                      \
					     .max_args = max,                                      \
					     .nwords = words,                                      \
					     __VA_ARGS__}
#define AGG_HIST(fn, ID, min, max, words, ...)                                                     \
	AGG(fn, ID, min, max, words, .is_hist = true, .hist = &hist_##fn, .init = init_zero,       \
	    .add = add_hist, .merge = merge_sum, __VA_ARGS__)

AGG(count, COUNT, 0, 0, 1, .init = init_zero, .add = add_count, .merge = merge_sum,
    .counts_calls = true, .has_bars = true);
AGG(sum, SUM, 1, 1, 1, .init = init_zero, .add = add_sum, .merge = merge_sum, .has_bars = true);
AGG(min, MIN, 1, 1, 1, .init = init_min, .add = add_min, .merge = merge_min);
AGG(max, MAX, 1, 1, 1, .init = init_max, .add = add_max, .merge = merge_max);
AGG(avg, AVG, 1, 1, 2, .init = init_zero, .add = add_avg, .merge = merge_sum);
AGG(stddev, STDDEV, 1, 1, 4, .init = init_zero, .add = add_stddev, .merge = merge_stddev);
AGG_HIST(quantize, QUANTIZE, 1, 2, 127, .is_packed = true);
AGG_HIST(lquantize, LQUANTIZE, 3, 5, 0, .is_packed = true);
AGG_HIST(llquantize, LLQUANTIZE, 5, 6, 0, .is_packed = false);

static bool same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct aggfunc *aggfunc_find(const char *name)
{
	static const struct aggfunc *const rows[] = {
#define AGGFUNC(fn, id) &aggfunc_##fn,
#include "dlang/run/aggfuncs.def"
#undef AGGFUNC
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (same_text(rows[i]->name, name))
			return rows[i];
	return NULL;
}
