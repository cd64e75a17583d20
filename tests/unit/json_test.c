#include "base/json/json.h"

#include "tests/unit/test.h"

static const struct json *parsed(struct arena *a, const char *text)
{
	struct err err;
	const struct json *v;

	arena_init(a);
	v = json_parse(a, text, strlen(text), &err);
	CHECK(v);
	return v;
}

/* What is wrong with it. */
static const char *refused(const char *text, size_t n)
{
	static struct err err;
	struct arena a;

	arena_init(&a);
	CHECK(!json_parse(&a, text, n, &err));
	CHECK_EQ(err.code, -22);
	arena_release(&a);
	return err.text;
}

static const char *refused_text(const char *text)
{
	return refused(text, strlen(text));
}

TEST(members_are_found_by_their_names)
{
	struct arena a;
	const struct json *v = parsed(&a, " {\"a\":[1,true,null],\"b\":{\"c\":\"d\"},\"a\":2} ");

	CHECK_EQ(v->n, 3);
	CHECK_EQ(json_member(v, "a")->n, 3);
	CHECK_EQ(json_member(v, "a")->first->next->kind, JSON_TRUE);
	CHECK_EQ(json_member(v, "a")->first->next->next->kind, JSON_NULL);
	CHECK_STR(json_text(json_member(json_member(v, "b"), "c")), "d");
	CHECK(!json_member(v, "x"));
	CHECK(!json_member(json_member(v, "a"), "a"));
	arena_release(&a);
}

TEST(integers_are_exact_and_may_be_strings)
{
	static const struct {
		const char *text;
		bool is_int, is_unsigned;
		int64_t v;
	} cases[] = {
		{"-9223372036854775808", true, false, INT64_MIN},
		{"\"9223372036854775807\"", true, true, INT64_MAX},
		{"18446744073709551615", false, true, -1},
		{"18446744073709551616", false, false, 0},
		{"-9223372036854775809", false, false, 0},
		{"1.0", false, false, 0},
		{"1e3", false, false, 0},
		{"\"\"", false, false, 0},
		{"\"-\"", false, false, 0},
		{"\"1\\u0000\"", false, false, 0},
		{"true", false, false, 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena a;
		const struct json *v = parsed(&a, cases[i].text);
		int64_t n = 0;
		uint64_t u = 0;

		CHECK_EQ(json_int(v, &n), cases[i].is_int);
		CHECK_EQ(n, cases[i].is_int ? cases[i].v : 0);
		CHECK_EQ(json_unsigned(v, &u), cases[i].is_unsigned);
		CHECK_EQ(u, cases[i].is_unsigned ? (uint64_t)cases[i].v : 0);
		arena_release(&a);
	}
}

TEST(escapes_are_characters)
{
	struct arena a;
	const struct json *v = parsed(
		&a, "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u00e9\\u20ac\\ud83d\\ude00\",\"\\ud83dx\","
		    "\"\\ud83d\\u0041\",\"\\udc00\",\"a\\u0000b\"]");
	const struct json *s = v->first;

	CHECK_STR(s->text, "\"\\/\b\f\n\r\t");
	CHECK_STR((s = s->next)->text, "\303\251\342\202\254\360\237\230\200");
	CHECK_STR((s = s->next)->text, "\357\277\275x");
	CHECK_STR((s = s->next)->text, "\357\277\275A");
	CHECK_STR((s = s->next)->text, "\357\277\275");
	s = s->next;
	CHECK_EQ(s->len, 3);
	CHECK(!json_text(s));
	arena_release(&a);
}

TEST(what_is_none_is_refused_where_it_is_wrong)
{
	char deep[200];

	CHECK_STR(refused_text(""), "no JSON: it is cut off at byte 1");
	CHECK_STR(refused_text("{\"a\":1"), "no JSON: a comma is missing at byte 7");
	CHECK_STR(refused_text("{\"a\" 1}"), "no JSON: a colon is missing at byte 6");
	CHECK_STR(refused_text("{a:1}"), "no JSON: a name is missing at byte 2");
	CHECK_STR(refused_text("[1,]"), "no JSON: a value is missing at byte 4");
	CHECK_STR(refused_text("[1] 2"), "no JSON: something follows at byte 5");
	CHECK_STR(refused_text("01"), "no JSON: something follows at byte 2");
	CHECK_STR(refused_text("-"), "no JSON: a digit is missing at byte 2");
	CHECK_STR(refused_text("1."), "no JSON: a digit is missing at byte 3");
	CHECK_STR(refused_text("\"ab"), "no JSON: a string has no end at byte 4");
	CHECK_STR(refused_text("\"ab\\"), "no JSON: a string has no end at byte 5");
	CHECK_STR(refused_text("\"\\x\""), "no JSON: an escape is not known at byte 3");
	CHECK_STR(refused_text("\"\\u12g4\""), "no JSON: a hexadecimal digit is missing at byte 6");
	CHECK_STR(refused_text("\"\n\""), "no JSON: a control character is not escaped at byte 2");
	CHECK_STR(refused_text("\"\377\""), "no JSON: it is no UTF-8 at byte 2");
	CHECK_STR(refused("[\0]", 3), "no JSON: a value is missing at byte 2");
	memset(deep, '[', sizeof(deep));
	CHECK_STR(refused(deep, sizeof(deep)), "no JSON: it is too deep at byte 33");
	memset(deep + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	deep[2 * JSON_MAX_DEPTH] = '\0';
	{
		struct arena a;

		parsed(&a, deep);
		arena_release(&a);
	}
}

TEST(what_is_written_is_read_again)
{
	static const char text[] = "a\"\\\n\001\0\342\202\254";
	static const int64_t numbers[] = {0, -1, (1LL << 53) - 1, 1LL << 53, INT64_MIN, INT64_MAX};
	struct strbuf out;
	struct arena a;
	const struct json *v;
	int64_t n;

	strbuf_init(&out);
	strbuf_addc(&out, '[');
	json_add_text(&out, text, sizeof(text) - 1);
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		strbuf_addc(&out, ',');
		json_add_number(&out, numbers[i]);
	}
	strbuf_addc(&out, ',');
	json_add_unsigned(&out, UINT64_MAX);
	strbuf_addc(&out, ']');
	v = parsed(&a, out.s)->first;
	CHECK_EQ(v->len, sizeof(text) - 1);
	CHECK(!memcmp(v->text, text, sizeof(text)));
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		v = v->next;
		CHECK(json_int(v, &n));
		CHECK_EQ(n, numbers[i]);
		CHECK_EQ(v->kind, i < 3 ? JSON_NUMBER : JSON_STRING);
	}
	CHECK_STR(v->next->text, "18446744073709551615");
	strbuf_release(&out);
	arena_release(&a);
}

TEST_MAIN();
