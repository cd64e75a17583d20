/* hitformat_test.c: probes of ours as events of a recording, and back. */
#include "providers/hits/hitformat.h"

#include "providers/kernel/tracefs/tracefs.h"
#include "tests/unit/test.h"

static struct hit_format fmt;

static char *text_of(const struct probe *p)
{
	static struct strbuf text;
	char name[160];

	strbuf_init(&text);
	hit_event_name(p, name, sizeof(name));
	hit_write_format(p, name, 65535, &fmt, &text);
	return text.s;
}

TEST(names_come_back_whatever_they_hold)
{
	const struct probe p = {.prov = "pid123",
				.mod = "lib\"%d\\.so",
				.func = "std::f(int, char*)::{lambda#1}",
				.name = "entry"};
	const char *names[4];
	struct arena a;

	arena_init(&a);
	fmt = (struct hit_format){0};
	CHECK(hit_read_names(&a, text_of(&p), names));
	CHECK_STR(names[0], p.prov);
	CHECK_STR(names[1], p.mod);
	CHECK_STR(names[2], p.func);
	CHECK_STR(names[3], p.name);
	arena_release(&a);
}

TEST(empty_names_are_names_the_provider_has_one)
{
	const struct probe p = {.prov = "emit", .mod = "", .func = "", .name = "x"},
			   none = {.prov = "", .mod = "", .func = "", .name = "x"};
	const char *names[4];
	struct arena a;

	arena_init(&a);
	CHECK(hit_read_names(&a, text_of(&p), names));
	CHECK_STR(names[1], "");
	CHECK(!hit_read_names(&a, text_of(&none), names));
	arena_release(&a);
}

TEST(an_event_has_a_name_of_letters_digits_and_underscores)
{
	const struct probe p = {
		.prov = "9x", .mod = "m", .func = "operator new[]", .name = "return"};
	char name[64];

	hit_event_name(&p, name, sizeof(name));
	CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name));
	CHECK(name[0] == '_');
	hit_event_name(&p, name, 8);
	CHECK(strlen(name) < 8);
}

TEST(fields_of_one_name_have_different_ones)
{
	fmt = (struct hit_format){0};
	CHECK_STR(hit_add_field(&fmt, "a b", 8)->name, "a_b");
	CHECK_STR(hit_add_field(&fmt, "a_b", 8)->name, "a_b_2");
	CHECK_EQ(fmt.fields[1].offset, 16);
	CHECK_STR(hit_add_field(&fmt, "9", 8)->name, "_9");
	CHECK_STR(hit_add_field(&fmt, "9", 8)->name, "_9_2");
}

TEST(many_aliases_leave_room_for_texts_and_memory)
{
	char name[16];

	fmt = (struct hit_format){0};
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		hit_add_alias(&fmt, name);
	}
	for (unsigned i = 0; i < HIT_TEXTS_MAX + 1; i++)
		CHECK(hit_add_field(&fmt, "text", 4) != NULL);
}

TEST(a_format_is_read_as_that_of_a_tracepoint)
{
	const struct probe p = {.prov = "pid1", .mod = "m", .func = "f", .name = "entry"};
	const struct tpformat *read;
	struct hit_field *f;
	struct arena a;

	arena_init(&a);
	fmt = (struct hit_format){0};
	f = hit_add_field(&fmt, "fd", 4);
	snprintf(f->type, sizeof(f->type), "int");
	f->is_signed = true;
	hit_add_alias(&fmt, "g");
	hit_add_alias(&fmt, "no word");
	f = hit_add_field(&fmt, HIT_MEMORY, 4);
	f->is_text = true;
	read = tpformat_parse(&a, HIT_SYSTEM, text_of(&p));
	CHECK(read != NULL);
	CHECK_EQ(read->id, 65535);
	CHECK_EQ(read->nfields, 3);
	CHECK_STR(read->fields[0].name, "fd");
	CHECK(read->fields[0].is_signed);
	CHECK(tpformat_field(read, HIT_ALIAS "g") != NULL);
	CHECK(tpformat_field(read, HIT_MEMORY)->place == TP_DATA_LOC);
	arena_release(&a);
}

TEST(other_formats_are_not_ours)
{
	static const char *const others[] = {
		"",
		"name: x\nID: 1\n\nprint fmt: \"a\"",
		"name: x\nID: 1\n\nprint fmt: \"a\" \":b\" \":c\" \"d\"",
		"name: x\nID: 1\n\nprint fmt: \"a\" \":b\" \":c\" \":d",
		"name: x\nID: 1\n\nprint fmt: \"a\" \":b\" \":c\n\" \":d\"",
		"name: x\nID: 1\n\nprint fmt: \"a\" \":b\" \":c\" \":d\\",
	};
	const char *names[4];
	struct arena a;

	arena_init(&a);
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(!hit_read_names(&a, others[i], names));
	arena_release(&a);
}

TEST_MAIN();
