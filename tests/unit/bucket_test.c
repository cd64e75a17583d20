#include "dlang/run/histogram.h"

#include "tests/unit/test.h"

static const int64_t none[4];

static void check_label(struct bucket_label got, int form, int64_t value)
{
	CHECK_EQ(got.form, form);
	CHECK_EQ(got.value, value);
}

/* The label of the bucket a value falls in is not above it, and that of the next one is. */
static void check_range(const struct histogram *h, const int64_t *params, int64_t value)
{
	unsigned i = h->index(params, value), n = h->nbuckets(params);
	struct bucket_label at = h->label(params, i);

	CHECK(i < n);
	CHECK(h->exists(params, i));
	if (at.form != BUCKET_FROM || !at.value)
		return;
	if (value > 0) {
		CHECK(at.value <= value);
		while (++i < n && !h->exists(params, i))
			;
		CHECK(i == n || h->label(params, i).value > value);
	} else {
		CHECK(at.value >= value);
		while (i-- > 0 && !h->exists(params, i))
			;
		CHECK(i == UINT32_MAX || h->label(params, i).value < value);
	}
}

TEST(quantize_puts_values_under_powers_of_two)
{
	const struct histogram *h = &hist_quantize;

	CHECK_EQ(h->nbuckets(none), 127);
	CHECK_EQ(h->index(none, 0), 63);
	CHECK_EQ(h->index(none, 1), 64);
	CHECK_EQ(h->index(none, 3), 65);
	CHECK_EQ(h->index(none, 4), 66);
	CHECK_EQ(h->index(none, -1), 62);
	CHECK_EQ(h->index(none, -5), 60);
	check_label(h->label(none, 63), BUCKET_FROM, 0);
	check_label(h->label(none, 66), BUCKET_FROM, 4);
	check_label(h->label(none, 60), BUCKET_FROM, -4);
}

TEST(quantize_ends_at_two_to_the_62)
{
	const struct histogram *h = &hist_quantize;

	CHECK_EQ(h->index(none, INT64_MAX), 126);
	CHECK_EQ(h->index(none, INT64_MIN), 0);
	CHECK_EQ(h->index(none, -((int64_t)1 << 62)), 0);
	check_label(h->label(none, 126), BUCKET_FROM, (int64_t)1 << 62);
	check_label(h->label(none, 0), BUCKET_FROM, -((int64_t)1 << 62));
}

TEST(lquantize_counts_outside_values_at_its_ends)
{
	static const int64_t p[4] = {0, 100, 10};
	const struct histogram *h = &hist_lquantize;

	CHECK_EQ(h->nbuckets(p), 12);
	CHECK_EQ(h->index(p, -1), 0);
	CHECK_EQ(h->index(p, 0), 1);
	CHECK_EQ(h->index(p, 99), 10);
	CHECK_EQ(h->index(p, 100), 11);
	CHECK_EQ(h->index(p, INT64_MAX), 11);
	CHECK_EQ(h->index(p, INT64_MIN), 0);
	check_label(h->label(p, 0), BUCKET_BELOW, 0);
	check_label(h->label(p, 2), BUCKET_FROM, 10);
	check_label(h->label(p, 11), BUCKET_ATLEAST, 100);
}

TEST(lquantize_cuts_a_limit_that_no_step_reaches)
{
	static const int64_t p[4] = {-10, 15, 10};
	const struct histogram *h = &hist_lquantize;

	CHECK_EQ(h->nbuckets(p), 4);
	CHECK_EQ(h->index(p, 10), 3);
	check_label(h->label(p, 3), BUCKET_ATLEAST, 10);
}

TEST(lquantize_compares_in_64_bits)
{
	static const int64_t p[4] = {INT32_MIN, INT32_MAX, 65535};
	const struct histogram *h = &hist_lquantize;

	CHECK_EQ(h->index(p, (int64_t)1 << 32), h->nbuckets(p) - 1);
	CHECK_EQ(h->index(p, -((int64_t)1 << 32)), 0);
	check_range(h, p, 12345678);
}

TEST(llquantize_has_the_rows_of_the_manual)
{
	static const int64_t p[4] = {10, 1, 2, 10};
	static const int64_t positive[] = {10,	20,  30,  40,  50,  60,	 70,  80,  90,
					   100, 200, 300, 400, 500, 600, 700, 800, 900};
	const struct histogram *h = &hist_llquantize;
	unsigned middle = h->index(p, 0);

	CHECK_EQ(h->nbuckets(p), 2 * 2 * 9 + 3);
	CHECK_EQ(middle, h->nbuckets(p) / 2);
	CHECK_EQ(h->index(p, 9), middle);
	CHECK_EQ(h->index(p, -9), middle);
	check_label(h->label(p, middle), BUCKET_MIDDLE, 10);
	for (unsigned i = 0; i < ARRAY_SIZE(positive); i++) {
		check_label(h->label(p, middle + 1 + i), BUCKET_FROM, positive[i]);
		check_label(h->label(p, middle - 1 - i), BUCKET_FROM, -positive[i]);
		CHECK_EQ(h->index(p, positive[i]), middle + 1 + i);
		CHECK_EQ(h->index(p, -positive[i]), middle - 1 - i);
	}
	CHECK_EQ(h->index(p, 999), middle + ARRAY_SIZE(positive));
	CHECK_EQ(h->index(p, 1000), h->nbuckets(p) - 1);
	CHECK_EQ(h->index(p, INT64_MIN), 0);
	check_label(h->label(p, h->nbuckets(p) - 1), BUCKET_ATLEAST, 1000);
	check_label(h->label(p, 0), BUCKET_ATMOST, -1000);
}

TEST(llquantize_shows_only_rows_an_integer_can_fall_in)
{
	static const int64_t p[4] = {10, 0, 1, 20};
	static const int64_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25};
	const struct histogram *h = &hist_llquantize;
	unsigned i = h->first_empty(p), n = 0;

	check_label(h->label(p, i), BUCKET_FROM, 0);
	for (; n < ARRAY_SIZE(rows); i++)
		if (h->exists(p, i))
			CHECK_EQ(h->label(p, i).value, rows[n++]);
	check_range(h, p, 17);
}

TEST(llquantize_steps_may_be_fewer_than_the_factor)
{
	static const int64_t p[4] = {10, 1, 2, 5};
	const struct histogram *h = &hist_llquantize;
	unsigned middle = h->first_empty(p);

	CHECK_EQ(h->nbuckets(p), 2 * 2 * 5 + 3);
	check_label(h->label(p, middle + 1), BUCKET_FROM, 10);
	check_label(h->label(p, middle + 2), BUCKET_FROM, 20);
	CHECK_EQ(h->index(p, 19), middle + 1);
	CHECK_EQ(h->index(p, 20), middle + 2);
}

TEST(every_value_falls_in_the_row_that_names_it)
{
	static const int64_t sets[][4] = {{10, 0, 5, 20}, {2, 0, 40, 4}, {10, 3, 6, 100},
					  {3, 0, 10, 9},  {7, 0, 3, 7},	 {65535, 0, 1, 65535}};

	for (unsigned i = 0; i < ARRAY_SIZE(sets); i++)
		for (uint64_t v = 1; v < (uint64_t)INT64_MAX / 3; v = v * 3 / 2 + 1) {
			check_range(&hist_llquantize, sets[i], (int64_t)v);
			check_range(&hist_llquantize, sets[i], -(int64_t)v);
			check_range(&hist_quantize, none, (int64_t)v);
			check_range(&hist_quantize, none, -(int64_t)v);
		}
}

TEST_MAIN();
