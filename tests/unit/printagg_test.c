#include "dlang/print/printagg.h"

#include "dlang/print/printf.h"
#include "tests/unit/test.h"

static const struct type t_int = {.kind = TYPE_INT, .size = 4, .is_signed = true};
static struct options options;
static struct strbuf out;
static struct aggstore store;
static struct arena arena;

static void start(void)
{
	if (!out.s)
		strbuf_init(&out);
	strbuf_clear(&out);
	options_init(&options);
	aggstore_release(&store);
}

/* ---- histograms: the examples of docs/spec/d-language.md §12.9 ---- */

static struct aggvar hist;
static uint64_t counts[1024];

static void start_hist(const struct aggfunc *func, int64_t p0, int64_t p1, int64_t p2, int64_t p3)
{
	start();
	hist = (struct aggvar){.name = "h", .id = 1, .func = func, .params = {p0, p1, p2, p3}};
	hist.nwords = func->hist->nbuckets(hist.params);
	CHECK(hist.nwords <= ARRAY_SIZE(counts));
	func->init(counts, &hist);
}

static void hit(int64_t value, int64_t incr)
{
	hist.func->add(counts, &hist, value, incr);
}

static const char *print_hist(void)
{
	const struct printer pr = {.out = &out, .options = &options};
	const struct aggvalue v = {.var = &hist, .data = counts, .normal = 1};

	strbuf_clear(&out);
	printer_histogram(&pr, &v);
	return out.s;
}

#define HEAD "\n           value  ------------- Distribution ------------- count    \n"

TEST(quantize_bars)
{
	static const int64_t values[] = {0, 1, 1, 3, 3, 3, 3, 5, -4};

	start_hist(&aggfunc_quantize, 0, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		hit(values[i], 1);
	CHECK_STR(print_hist(),
		  HEAD "              -8 |                                         0        \n"
		       "              -4 |@@@@                                     1        \n"
		       "              -2 |                                         0        \n"
		       "              -1 |                                         0        \n"
		       "               0 |@@@@                                     1        \n"
		       "               1 |@@@@@@@@@                                2        \n"
		       "               2 |@@@@@@@@@@@@@@@@@@                       4        \n"
		       "               4 |@@@@                                     1        \n"
		       "               8 |                                         0        \n");
}

TEST(lquantize_labels)
{
	static const int64_t values[] = {5, 12, 13, 12, 29, 31, -1, 200};

	start_hist(&aggfunc_lquantize, 0, 100, 10, 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		hit(values[i], 1);
	CHECK_STR(print_hist(),
		  HEAD "             < 0 |@@@@@                                    1        \n"
		       "               0 |@@@@@                                    1        \n"
		       "              10 |@@@@@@@@@@@@@@@                          3        \n"
		       "              20 |@@@@@                                    1        \n"
		       "              30 |@@@@@                                    1        \n"
		       "              40 |                                         0        \n"
		       "              50 |                                         0        \n"
		       "              60 |                                         0        \n"
		       "              70 |                                         0        \n"
		       "              80 |                                         0        \n"
		       "              90 |                                         0        \n"
		       "          >= 100 |@@@@@                                    1        \n");
}

TEST(llquantize_below_zero)
{
	static const int64_t values[] = {-4, 0, 25, -25};

	start_hist(&aggfunc_llquantize, 10, 1, 2, 10);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		hit(values[i], 1);
	CHECK_STR(print_hist(),
		  HEAD "             -30 |                                         0        \n"
		       "             -20 |@@@@@@@@@@                               1        \n"
		       "             -10 |                                         0        \n"
		       "      abs() < 10 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
		       "              10 |                                         0        \n"
		       "              20 |@@@@@@@@@@                               1        \n"
		       "              30 |                                         0        \n");
}

TEST(llquantize_shows_only_buckets_of_integers)
{
	static const int64_t values[] = {5, 10, 17};

	start_hist(&aggfunc_llquantize, 10, 0, 1, 20);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		hit(values[i], 1);
	CHECK_STR(print_hist(),
		  HEAD "               4 |                                         0        \n"
		       "               5 |@@@@@@@@@@@@@                            1        \n"
		       "               6 |                                         0        \n"
		       "               7 |                                         0        \n"
		       "               8 |                                         0        \n"
		       "               9 |                                         0        \n"
		       "              10 |@@@@@@@@@@@@@                            1        \n"
		       "              15 |@@@@@@@@@@@@@                            1        \n"
		       "              20 |                                         0        \n");
}

TEST(bars_on_both_sides)
{
	start_hist(&aggfunc_quantize, 0, 0, 0, 0);
	hit(3, -2);
	hit(9, 5);
	CHECK_STR(print_hist(),
		  HEAD "               1                     |                     0        \n"
		       "               2               @@@@@@|                     -2       \n"
		       "               4                     |                     0        \n"
		       "               8                     |@@@@@@@@@@@@@@       5        \n"
		       "              16                     |                     0        \n");
}

TEST(bars_of_negative_counts)
{
	start_hist(&aggfunc_quantize, 0, 0, 0, 0);
	hit(1, -1);
	CHECK_STR(print_hist(),
		  HEAD "               0                                         | 0        \n"
		       "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -1       \n"
		       "               2                                         | 0        \n");
}

TEST(no_data)
{
#define EMPTY(label) label " |                                         0        \n"
	start_hist(&aggfunc_quantize, 0, 0, 0, 0);
	CHECK_STR(print_hist(), HEAD EMPTY("              -1") EMPTY("               0")
					EMPTY("               1"));
	start_hist(&aggfunc_lquantize, 5, 100, 5, 0);
	CHECK_STR(print_hist(), HEAD EMPTY("             < 5") EMPTY("               5")
					EMPTY("              10"));
	start_hist(&aggfunc_llquantize, 10, 1, 2, 10);
	CHECK_STR(print_hist(), HEAD EMPTY("            < 10") EMPTY("              10")
					EMPTY("              20"));
	start_hist(&aggfunc_llquantize, 10, 0, 1, 10);
	CHECK_STR(print_hist(), HEAD EMPTY("               0") EMPTY("               1")
					EMPTY("               2"));
}

TEST(the_ends_have_no_neighbour)
{
	start_hist(&aggfunc_quantize, 0, 0, 0, 0);
	hit(INT64_MAX, 1);
	CHECK_STR(print_hist(), HEAD EMPTY("2305843009213693952") "4611686018427387904 "
								  "|@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
								  "@@@@@@@@@ 1        \n");
}

/* ---- rows ---- */

static struct aggvar vars[2];

/* Two sums with keys {int, string of 8}. */
static void start_rows(void)
{
	start();
	for (unsigned i = 0; i < 2; i++) {
		vars[i] = (struct aggvar){.name = i ? "b" : "a",
					  .id = i + 1,
					  .nwords = 1,
					  .func = &aggfunc_sum,
					  .nkeys = 2,
					  .keysize = 16};
		vars[i].keys[0] = (struct rec){.kind = REC_INT, .size = 4, .type = &t_int};
		vars[i].keys[1] = (struct rec){.kind = REC_STRING, .offset = 8, .size = 8};
	}
}

static void add(unsigned nth, int32_t number, const char *name, int64_t value)
{
	char key[16] = {0};
	uint64_t data = (uint64_t)value;

	memcpy(key, &number, sizeof(number));
	memcpy(key + 8, name, strlen(name));
	aggcopy_add(aggstore_copy(&store, &vars[nth]), key, &data);
}

static const char *print_rows(unsigned n, const char *format)
{
	const struct printer pr = {.out = &out, .options = &options};
	struct aggcopy *copies[2];
	const struct pfmt *fmt = NULL;

	for (unsigned i = 0; i < n; i++)
		copies[i] = aggstore_copy(&store, &vars[i]);
	if (format)
		CHECK_EQ(pfmt_parse(&arena, format, &fmt, NULL), 0);
	strbuf_clear(&out);
	printer_rows(&pr, copies, n, fmt);
	return out.s;
}

TEST(default_rows)
{
	start_rows();
	add(0, 3, "name", 1);
	CHECK_STR(print_rows(1, NULL), "        3  name                                   "
				       "                           1\n");
}

TEST(rows_by_value_then_by_key)
{
	start_rows();
	add(0, 1, "x", 5);
	add(0, -1, "x", 5);
	add(0, 0, "x", 5);
	add(0, 9, "x", -5);
	CHECK_STR(print_rows(1, "%d,"), "9,0,1,-1,");
	options.num[OPT_AGGSORTREV] = 1;
	CHECK_STR(print_rows(1, "%d,"), "-1,1,0,9,");
	options.num[OPT_AGGSORTREV] = OPT_UNSET;
	options.num[OPT_AGGSORTKEY] = 1;
	CHECK_STR(print_rows(1, "%d,"), "0,1,9,-1,");
}

TEST(the_first_key_compared)
{
	start_rows();
	add(0, 1, "z", 0);
	add(0, 2, "y", 0);
	add(0, 3, "y", 0);
	CHECK_STR(print_rows(1, "%d,"), "1,2,3,");
	options.num[OPT_AGGSORTKEYPOS] = 1;
	CHECK_STR(print_rows(1, "%d,"), "2,3,1,");
}

TEST(joined_by_key)
{
	start_rows();
	add(0, 0, "a", 1);
	add(0, 0, "b", 2);
	add(1, 0, "b", 5);
	add(1, 0, "c", -1);
	CHECK_STR(print_rows(2, "%d %s %@d %@d %@d\n"), "0 c 0 -1 -1\n0 a 1 0 0\n0 b 2 5 5\n");
	CHECK_STR(print_rows(2, "%@d\n"), "0\n1\n2\n");
	options.num[OPT_AGGSORTPOS] = 1;
	CHECK_STR(print_rows(2, "s"), "sss"); /* no conversion: once per row */
	CHECK_STR(print_rows(2, "%@d %@d;"), "0 -1;1 0;2 5;");
}

TEST(values_in_a_format)
{
	start_rows();
	add(0, 7, "alpha", 120);
	CHECK_STR(print_rows(1, "%d %-8s|%@6d|%@x|%@-5u|\n"), "7 alpha   |   120|78|120  |\n");
	CHECK_STR(print_rows(1, "%@d first"), "120 first");
	aggstore_copy(&store, &vars[0])->normal = 7;
	add(0, 7, "alpha", -140);
	CHECK_STR(print_rows(1, "%@d %@u"), "-2 2635249153387078799");
}

TEST(nothing_for_an_empty_aggregation)
{
	start_rows();
	CHECK_STR(print_rows(1, "x"), "");
	CHECK_STR(print_rows(2, NULL), "");
}

TEST_MAIN();
