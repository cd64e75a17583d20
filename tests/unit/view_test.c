/* A view of made aggregations: what is on its lines, and what keys make of it. */
#include "command/live/view.h"

#include <string.h>

#include "command/live/keyboard.h"
#include "tests/unit/test.h"

static struct session session;
static struct aggstore aggs;
static struct report_data data;
static struct view view;
static struct strbuf picture;
static struct view_facts facts = {.note = ""};

static struct aggvar calls = {
	.name = "calls", .id = 1, .func = &aggfunc_count, .nkeys = 1, .keysize = 16, .nwords = 1};
static struct aggvar most = {
	.name = "most", .id = 2, .func = &aggfunc_max, .nkeys = 1, .keysize = 16, .nwords = 1};
static struct aggvar lat = {.name = "lat",
			    .id = 3,
			    .func = &aggfunc_lquantize,
			    .nkeys = 0,
			    .keysize = 0,
			    .nwords = 12,
			    .params = {0, 100, 10}};

static void begin(void)
{
	calls.keys[0] = most.keys[0] = (struct rec){.kind = REC_STRING, .size = 16};
	aggstore_release(&aggs);
	aggstore_init(&aggs);
	options_init(&session.options);
	data = (struct report_data){.session = &session, .aggs = &aggs};
	data.pr.options = &session.options;
	view_release(&view);
	view_init(&view, 500000000, false);
	strbuf_release(&picture);
	strbuf_init(&picture);
	facts = (struct view_facts){.note = ""};
}

static void add(const struct aggvar *var, const char *key, uint64_t value)
{
	char bytes[16] = "";

	snprintf(bytes, sizeof(bytes), "%s", key);
	aggcopy_add(aggstore_copy(&aggs, var), bytes, &value);
}

static const char *draw(unsigned rows, unsigned columns)
{
	strbuf_clear(&picture);
	view_draw(&view, &facts, rows, columns, &picture);
	return picture.s;
}

/* In that order. */
static bool shows(const char *a, const char *b)
{
	const char *p = strstr(picture.s, a);

	return p && strstr(p, b);
}

TEST(rows_by_value_with_rates)
{
	begin();
	add(&calls, "few", 10);
	add(&calls, "many", 100);
	add(&most, "few", 7);
	view_update(&view, &data, 1000000000);
	add(&calls, "few", 50);
	view_update(&view, &data, 1500000000);
	draw(10, 100);
	CHECK(shows("many", "few"));
	CHECK(strstr(picture.s, "dtrace  @calls @most  2 rows, every 0.5 s"));
	CHECK(strstr(picture.s, "few                                                      60       "
				"  100               7          +0"));
	view_key(&view, '>');
	view_key(&view, '>');
	draw(10, 100);
	CHECK(strstr(picture.s, "v@most"));
	CHECK(shows("few", "many"));
	view_key(&view, 'r');
	draw(10, 100);
	CHECK(shows("many", "few"));
}

TEST(keys_that_act_on_terminals_are_harmless)
{
	begin();
	add(&calls, "\033[31m\r\377\302\233x", 1);
	view_update(&view, &data, 1);
	draw(5, 60);
	CHECK(strstr(picture.s, "?[31m????x") || strstr(picture.s, "?[31m???x"));
	CHECK(!strstr(picture.s, "\033[31m"));
}

/* Columns that a line of the picture takes, its sequences left out. */
static unsigned widest(void)
{
	unsigned most_columns = 0, n = 0;

	for (const char *p = picture.s; *p; p++) {
		if (*p == '\033') {
			p += strcspn(p, "mK");
		} else if (*p == '\r' || *p == '\n') {
			n = 0;
		} else if (((unsigned char)*p & 0xc0) != 0x80) {
			n++;
			most_columns = MAX(most_columns, n);
		}
	}
	return most_columns;
}

TEST(no_line_is_as_wide_as_the_screen)
{
	begin();
	add(&calls, "a_key_of_15_cha", 123456);
	view_update(&view, &data, 1);
	facts.drops = 5;
	for (unsigned rows = 2; rows < 12; rows++)
		for (unsigned columns = 2; columns < 120; columns++) {
			unsigned n = 1;

			draw(rows, columns);
			CHECK(widest() < columns);
			for (const char *p = picture.s; *p; p++)
				n += *p == '\n';
			CHECK_EQ(n, rows);
		}
	draw(5, 60);
	CHECK(strstr(picture.s, "5 DROPS"));
}

TEST(a_filter_and_a_held_picture)
{
	begin();
	add(&calls, "read", 1);
	add(&calls, "write", 2);
	view_update(&view, &data, 1);
	view_key(&view, '/');
	view_key(&view, 'r');
	view_key(&view, 'e');
	view_key(&view, 'x');
	view_key(&view, KEY_BACKSPACE);
	CHECK(view_key(&view, 'a')); /* q would not end it, either */
	view_key(&view, KEY_ENTER);
	draw(6, 80);
	CHECK(strstr(picture.s, "1 rows") && strstr(picture.s, "with rea") &&
	      !strstr(picture.s, "write"));
	view_key(&view, '/');
	view_key(&view, KEY_ESCAPE);
	view_key(&view, ' ');
	add(&calls, "read", 41);
	view_update(&view, &data, 2);
	draw(6, 80);
	CHECK(strstr(picture.s, "FROZEN") && !strstr(picture.s, "42"));
	view_key(&view, ' ');
	view_update(&view, &data, 3);
	draw(6, 80);
	CHECK(strstr(picture.s, "42"));
	CHECK(!view_key(&view, 'q'));
}

TEST(what_was_cleared_is_gone_and_comes_back)
{
	begin();
	add(&calls, "read", 7);
	view_update(&view, &data, 1);
	aggcopy_empty(aggstore_copy(&aggs, &calls));
	view_update(&view, &data, 2);
	draw(6, 80);
	CHECK(strstr(picture.s, "0 rows") && !strstr(picture.s, "read"));
	add(&calls, "read", 3);
	view_update(&view, &data, 1000000002);
	draw(6, 80);
	CHECK(strstr(picture.s, "1 rows") && strstr(picture.s, "read"));
}

TEST(histograms)
{
	uint64_t words[12] = {0};

	begin();
	words[1] = 1;  /* 0 to 9 */
	words[5] = 8;  /* 40 to 49 */
	words[10] = 1; /* 90 to 99 */
	add(&calls, "x", 1);
	aggcopy_add(aggstore_copy(&aggs, &lat), "", words);
	view_update(&view, &data, 1);
	view_key(&view, KEY_TAB);
	draw(6, 80);
	CHECK(strstr(picture.s, "(table 2 of 2)"));
	CHECK(strstr(picture.s, ".  @   .            40            90"));
	/* of the last interval alone */
	words[1] = words[5] = 0;
	words[10] = 2;
	aggcopy_add(aggstore_copy(&aggs, &lat), "", words);
	view_update(&view, &data, 2);
	view_key(&view, 'c');
	draw(6, 80);
	CHECK(strstr(picture.s, "90            90"));
	view_key(&view, KEY_ENTER);
	draw(20, 80);
	CHECK(strstr(picture.s, "Distribution"));
	view_key(&view, KEY_ESCAPE);
	draw(6, 80);
	CHECK(!strstr(picture.s, "Distribution"));
}

TEST(the_cursor_stays_on_the_screen)
{
	char key[16];

	begin();
	for (unsigned i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "key%03u", i);
		add(&calls, key, 1000 - i);
	}
	view_update(&view, &data, 1);
	for (unsigned i = 0; i < 50; i++)
		view_key(&view, KEY_DOWN);
	draw(10, 80);
	CHECK(strstr(picture.s, "\033[7mkey050"));
	CHECK(!strstr(picture.s, "key000"));
	view_key(&view, KEY_END);
	draw(10, 80);
	CHECK(strstr(picture.s, "\033[7mkey099"));
	view_key(&view, KEY_HOME);
	draw(10, 80);
	CHECK(strstr(picture.s, "\033[7mkey000"));
}

TEST(output_of_the_program_stands_below)
{
	static const char *const lines[] = {"one", "two"};

	begin();
	facts.output = lines;
	facts.noutput = 2;
	view_update(&view, &data, 1);
	draw(12, 40);
	CHECK(shows("output of the program:", "one") && shows("one", "two") &&
	      shows("two", "q end"));
}

TEST_MAIN();
