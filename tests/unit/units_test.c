#include "dlang/print/units.h"

#include <string.h>

#include "tests/unit/test.h"

static const char *shifted(const char *digits, unsigned shift, bool is_float)
{
	static char text[64];
	struct strbuf out;

	strbuf_init(&out);
	unit_add_shifted(&out, digits, shift, is_float);
	snprintf(text, sizeof(text), "%s", out.s);
	strbuf_release(&out);
	return text;
}

TEST(numbers_are_shifted_exactly)
{
	CHECK_STR(shifted("1023", 0, false), "1023");
	CHECK_STR(shifted("1023", 9, false), "0.000001023");
	CHECK_STR(shifted("-1023", 3, false), "-1.023");
	CHECK_STR(shifted("1000", 3, false), "1");
	CHECK_STR(shifted("1500000000", 9, false), "1.5");
	CHECK_STR(shifted("0", 9, false), "0");
	CHECK_STR(shifted("18446744073709551615", 9, false), "18446744073.709551615");
	CHECK_STR(shifted("-9223372036854775808", 6, false), "-9223372036854.775808");
}

TEST(numbers_of_openmetrics)
{
	CHECK_STR(shifted("0", 0, true), "0.0");
	CHECK_STR(shifted("1", 0, true), "1.0");
	CHECK_STR(shifted("100000", 0, true), "100000.0");
	CHECK_STR(shifted("1000000", 0, true), "1e+06");
	CHECK_STR(shifted("1000001", 0, true), "1000001.0");
	CHECK_STR(shifted("1", 4, true), "0.0001");
	CHECK_STR(shifted("1", 9, true), "1e-09");
	CHECK_STR(shifted("10", 9, true), "1e-08");
	CHECK_STR(shifted("1023", 9, true), "0.000001023");
	CHECK_STR(shifted("-1", 0, true), "-1.0");
	CHECK_STR(shifted("1000000000", 9, true), "1.0");
}

static struct options options;
static struct err err;

static int check(const char *units, const char *titles)
{
	options.text[OPT_AGGUNIT] = units;
	options.text[OPT_AGGTITLE] = titles;
	return units_check(&options, &err);
}

TEST(units_and_titles_of_aggregations)
{
	struct aggvar lat = {.name = "lat", .func = &aggfunc_quantize};
	struct aggvar unnamed = {.name = "_", .func = &aggfunc_sum};
	struct aggvar calls = {.name = "calls", .func = &aggfunc_count};
	struct strbuf title;
	struct unit u;

	strbuf_init(&title);
	CHECK(check("lat:us\n@lat:ns\n:bytes\ncalls:ns", "lat:Latency: of reads") == 0);
	CHECK(unit_of(&options, &lat, &u));
	CHECK_STR(u.word, "ns");
	CHECK_STR(u.base, "seconds");
	CHECK_EQ(u.shift, 9);
	CHECK(unit_of(&options, &unnamed, &u));
	CHECK_STR(u.base, "bytes");
	CHECK_EQ(u.shift, 0);
	CHECK(!unit_of(&options, &calls, &u)); /* calls are counted in calls */
	CHECK_STR(unit_word(&options, &calls, &u), "count");
	unit_add_title(&options, &lat, &title);
	CHECK_STR(title.s, "Latency: of reads");
	strbuf_clear(&title);
	unit_add_title(&options, &unnamed, &title);
	CHECK_STR(title.s, "@");
	strbuf_release(&title);
	CHECK(check("lat:pages", NULL) == 0);
	CHECK(unit_of(&options, &lat, &u));
	CHECK_STR(u.base, "pages");
	CHECK(check(NULL, NULL) == 0);
	CHECK_STR(unit_word(&options, &lat, &u), "");
}

TEST(what_is_no_unit)
{
	CHECK(check("lat", NULL) < 0);
	CHECK_STR(err.text,
		  "aggunit=lat: say NAME:UNIT, as lat:ns (ns, us, ms, s, bytes, or another word)");
	CHECK(check("a:ns\nlat:m/s", NULL) < 0);
	CHECK(check("a:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL) < 0);
	CHECK(check(NULL, "lat:") < 0);
	CHECK_STR(err.text, "aggtitle=lat:: say NAME:TEXT, as lat:Latency of reads");
}

TEST_MAIN();
