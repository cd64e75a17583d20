#include "dlang/run/aggtable.h"

#include "tests/unit/test.h"

static struct arena arena;

static struct aggvar var_of(const char *func, uint32_t id, uint32_t keysize)
{
	struct aggvar var = {.name = "a", .id = id, .keysize = keysize};

	var.func = aggfunc_find(func);
	CHECK(var.func);
	var.nwords = var.func->nwords;
	return var;
}

/* Two halves, each with its values, merged. */
static const uint64_t *aggregate(const char *func, int64_t a, int64_t b, int64_t c)
{
	static uint64_t one[128], two[128];
	struct aggvar var = var_of(func, 1, 0);

	var.func->init(one, &var);
	var.func->init(two, &var);
	var.func->add(one, &var, a, 1);
	var.func->add(one, &var, b, 1);
	var.func->add(two, &var, c, 1);
	var.func->merge(one, two, &var);
	return one;
}

static struct aggtable *table_new(uint64_t size)
{
	struct aggtable *t;

	arena_release(&arena);
	arena_init(&arena);
	t = aggtable_new(&arena, size, NULL);
	CHECK(t);
	return t;
}

static void count_entries(void *arg, const struct aggat *at UNUSED, const uint64_t *data)
{
	uint64_t *sums = arg;

	sums[0]++;
	sums[1] += data[0];
}

TEST(functions_merge_halves)
{
	CHECK_EQ(aggregate("count", 5, -7, 4)[0], 3);
	CHECK_EQ(aggregate("sum", 5, -7, 4)[0], 2);
	CHECK_EQ(aggregate("min", 5, -7, 4)[0], -7);
	CHECK_EQ(aggregate("min", 5, 6, -9)[0], -9);
	CHECK_EQ(aggregate("max", 5, -7, 4)[0], 5);
	CHECK_EQ(aggregate("max", -5, -7, -4)[0], -4);
	CHECK_EQ(aggregate("avg", 5, -7, 4)[0], 3);
	CHECK_EQ(aggregate("avg", 5, -7, 4)[1], 2);
}

TEST(min_and_max_start_at_the_ends)
{
	struct aggvar min = var_of("min", 1, 0), max = var_of("max", 2, 0);
	uint64_t data;

	min.func->init(&data, &min);
	CHECK_EQ(data, INT64_MAX);
	max.func->init(&data, &max);
	CHECK_EQ(data, INT64_MIN);
}

TEST(stddev_keeps_squares_in_128_bits)
{
	const uint64_t *d = aggregate("stddev", INT64_MIN, INT64_MIN, 3);

	CHECK_EQ(d[0], 3);
	CHECK_EQ(d[1], 3);
	CHECK_EQ(d[2], 9);
	CHECK_EQ(d[3], (uint64_t)1 << 63); /* 2 * 2^126 */
}

TEST(sums_wrap)
{
	CHECK_EQ(aggregate("sum", INT64_MAX, 1, 0)[0], INT64_MIN);
}

TEST(histograms_take_increments)
{
	struct aggvar var = var_of("quantize", 1, 0);
	uint64_t data[127];

	var.func->init(data, &var);
	var.func->add(data, &var, 3, -2);
	var.func->add(data, &var, 9, 5);
	CHECK_EQ(data[65], -2);
	CHECK_EQ(data[67], 5);
}

TEST(names_are_looked_up_whole)
{
	CHECK(!aggfunc_find("quant"));
	CHECK(!aggfunc_find("sums"));
	CHECK(!aggfunc_find(""));
}

TEST(each_function_has_its_own_number_and_columns)
{
	static const char *const names[] = {
#define AGGFUNC(name, id) [AGG_##id] = #name,
#include "dlang/run/aggfuncs.def"
#undef AGGFUNC
	};

	for (unsigned i = 0; i < AGG_NFUNCS; i++) {
		const struct aggfunc *f = aggfunc_find(names[i]);

		CHECK(f != NULL);
		CHECK_EQ(f->id, i);
		CHECK_EQ(f->counts_calls, f == &aggfunc_count);
		CHECK_EQ(f->has_bars, f == &aggfunc_count || f == &aggfunc_sum);
		CHECK(f->is_hist || !f->is_packed);
	}
}

TEST(table_finds_the_same_key_again)
{
	struct aggtable *t = table_new(1 << 16);
	struct aggvar a = var_of("count", 1, 12), b = var_of("sum", 2, 12);
	char key[16] = "hello world", other[16] = "hello worle";
	uint64_t *data = aggtable_find(t, &a, key, 0);

	*data = 7;
	CHECK(aggtable_find(t, &a, key, 0) == data);
	CHECK(aggtable_find(t, &a, other, 0) != data);
	CHECK(aggtable_find(t, &b, key, 0) != data);
	key[13] = 'x'; /* behind the key */
	CHECK(aggtable_find(t, &a, key, 0) == data);
}

TEST(table_without_keys_has_one_entry_per_variable)
{
	struct aggtable *t = table_new(1 << 16);
	struct aggvar a = var_of("count", 1, 0);
	uint64_t sums[2] = {0, 0};

	++*aggtable_find(t, &a, "", 0);
	++*aggtable_find(t, &a, "", 0);
	aggtable_each(t, count_entries, sums);
	CHECK_EQ(sums[0], 1);
	CHECK_EQ(sums[1], 2);
}

TEST(full_table_says_so_and_keeps_what_it_has)
{
	struct aggtable *t = table_new(1024);
	struct aggvar a = var_of("count", 1, 8);
	uint64_t i, sums[2] = {0, 0}, *data;

	for (i = 0; (data = aggtable_find(t, &a, &i, 0)); i++)
		*data = 1;
	CHECK_EQ(i, 1024 / 40);
	aggtable_each(t, count_entries, sums);
	CHECK_EQ(sums[1], i);
	i = 0;
	CHECK(aggtable_find(t, &a, &i, 0));
}

TEST(cleared_table_is_as_new)
{
	struct aggtable *t = table_new(1 << 20);
	struct aggvar a = var_of("min", 1, 8);
	uint64_t sums[2] = {0, 0};

	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 5000; i++) {
			uint64_t *data = aggtable_find(t, &a, &i, 0);

			CHECK(data);
			CHECK_EQ(*data, INT64_MAX);
			*data = round;
		}
		aggtable_clear(t);
	}
	aggtable_each(t, count_entries, sums);
	CHECK_EQ(sums[0], 0);
}

TEST(table_of_no_size_holds_nothing)
{
	struct aggtable *t = table_new(0);
	struct aggvar a = var_of("count", 1, 0);

	CHECK(!aggtable_find(t, &a, "", 0));
	aggtable_clear(t);
}

TEST_MAIN();
