#include "dlang/print/aggstore.h"

#include "dlang/print/aggvalue.h"
#include "tests/unit/test.h"

static const struct type t_int = {.kind = TYPE_INT, .size = 4, .is_signed = true};
static struct aggstore store;
static struct aggvar var;

/* An aggregation with one int key; what was there before is forgotten. */
static struct aggcopy *fresh(const struct aggfunc *func)
{
	aggstore_release(&store);
	var = (struct aggvar){.name = "a", .id = 3, .func = func, .nkeys = 1, .keysize = 8};
	var.keys[0] = (struct rec){.kind = REC_INT, .size = 4, .type = &t_int};
	var.nwords = func->nwords;
	return aggstore_copy(&store, &var);
}

static void add(struct aggcopy *c, int64_t key, int64_t value)
{
	uint64_t data[4];

	c->var->func->init(data, c->var);
	c->var->func->add(data, c->var, value, 1);
	aggcopy_add(c, (const char *)&key, data);
}

static int64_t value_of(struct aggcopy *c, int64_t key)
{
	const struct aggent *e = aggcopy_find(c, (const char *)&key);
	struct aggvalue v;

	CHECK(e != NULL);
	v = (struct aggvalue){.var = c->var, .data = e->data, .normal = c->normal};
	return aggvalue_signed(&v);
}

static bool has(struct aggcopy *c, int64_t key)
{
	return aggcopy_find(c, (const char *)&key) != NULL;
}

TEST(snapshots_add_up_by_key)
{
	struct aggcopy *c = fresh(&aggfunc_sum);

	for (int64_t i = 0; i < 1000; i++)
		add(c, i % 100, i);
	CHECK_EQ(c->nents, 100);
	CHECK_EQ(value_of(c, 7), 7 + 107 + 207 + 307 + 407 + 507 + 607 + 707 + 807 + 907);
	CHECK(!has(c, 100));
	CHECK(aggstore_copy(&store, &var) == c);
}

TEST(min_and_max_merge_as_such)
{
	struct aggcopy *c = fresh(&aggfunc_min);

	add(c, 0, 5);
	add(c, 0, -3);
	add(c, 0, 4);
	CHECK_EQ(value_of(c, 0), -3);
	c = fresh(&aggfunc_max);
	add(c, 0, -5);
	add(c, 0, -7);
	CHECK_EQ(value_of(c, 0), -5);
}

TEST(clear_keeps_keys_and_goes_back_to_the_start)
{
	struct aggcopy *c = fresh(&aggfunc_min);

	add(c, 1, 5);
	aggcopy_clear(c);
	CHECK_EQ(value_of(c, 1), INT64_MAX);
	add(c, 1, 9);
	CHECK_EQ(value_of(c, 1), 9);
	c = fresh(&aggfunc_avg);
	add(c, 1, 5);
	aggcopy_clear(c);
	CHECK_EQ(value_of(c, 1), 0);
}

TEST(trunc_keeps_the_highest_or_lowest)
{
	struct aggcopy *c = fresh(&aggfunc_sum);

	for (int64_t i = 0; i < 200; i++)
		add(c, i, i == 50 ? 1000 : i == 60 ? -1000 : i);
	aggcopy_trunc(c, 2);
	CHECK_EQ(c->nents, 2);
	CHECK(has(c, 50) && has(c, 199));
	add(c, 3, 1);
	CHECK(has(c, 3));
	aggcopy_trunc(c, -1);
	CHECK_EQ(c->nents, 1);
	CHECK_EQ(value_of(c, 3), 1);
	aggcopy_trunc(c, 5);
	CHECK_EQ(c->nents, 1);
	aggcopy_trunc(c, 0);
	CHECK_EQ(c->nents, 0);
	aggcopy_trunc(c, INT64_MIN);
}

TEST(trunc_breaks_ties_by_key)
{
	struct aggcopy *c = fresh(&aggfunc_sum);

	for (int64_t key = 2; key <= 4; key++)
		add(c, key, 7);
	aggcopy_trunc(c, 2);
	CHECK(!has(c, 2) && has(c, 3) && has(c, 4));
	c = fresh(&aggfunc_sum);
	for (int64_t key = 2; key <= 4; key++)
		add(c, key, 7);
	aggcopy_trunc(c, -2);
	CHECK(has(c, 2) && has(c, 3) && !has(c, 4));
}

TEST(averages_and_deviations_are_normalized_step_by_step)
{
	struct aggcopy *c = fresh(&aggfunc_avg);

	add(c, 0, 10);
	add(c, 0, 21);
	CHECK_EQ(value_of(c, 0), 15);
	c->normal = 3;
	CHECK_EQ(value_of(c, 0), 5);
	c = fresh(&aggfunc_stddev);
	add(c, 0, 10);
	add(c, 0, 30);
	CHECK_EQ(value_of(c, 0), 10);
	c->normal = 3;
	CHECK_EQ(value_of(c, 0), 11);
}

TEST(division_truncates_towards_zero)
{
	struct aggcopy *c = fresh(&aggfunc_sum);
	struct aggvalue v;

	add(c, 0, -20);
	c->normal = 7;
	CHECK_EQ(value_of(c, 0), -2);
	v = (struct aggvalue){.var = c->var, .data = c->ents[0]->data, .normal = 7};
	CHECK_EQ(aggvalue_unsigned(&v), 2635249153387078799);
	CHECK_EQ(divide_signed(INT64_MIN, 1), INT64_MIN);
	CHECK_EQ(divide_signed(INT64_MIN, UINT64_MAX), 0);
	CHECK_EQ(divide_signed(-7, 2), -3);
}

TEST(the_deviation_of_large_numbers)
{
	struct aggcopy *c = fresh(&aggfunc_stddev);

	add(c, 0, INT64_MAX);
	add(c, 0, -INT64_MAX);
	CHECK_EQ(value_of(c, 0), INT64_MAX);
}

TEST(integer_keys_are_in_order_as_unsigned_numbers)
{
	const int64_t minus_one = 0xffffffff, zero = 0, one = 1;

	fresh(&aggfunc_sum);
	CHECK(aggkey_compare(&var, (const char *)&zero, (const char *)&one, 0) < 0);
	CHECK(aggkey_compare(&var, (const char *)&one, (const char *)&minus_one, 0) < 0);
	CHECK_EQ(aggkey_compare(&var, (const char *)&one, (const char *)&one, 0), 0);
}

TEST_MAIN();
