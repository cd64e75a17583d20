#include "symbols/dwarf/types.h"
#include "tests/unit/test.h"

static struct arena arena;
static struct intern intern;
static struct types ts;
static char buf[256];

static void setup(void)
{
	arena_init(&arena);
	intern_init(&intern, &arena);
	types_init(&ts, &arena, &intern, 256);
}

static void teardown(void)
{
	types_release(&ts);
	intern_release(&intern);
	arena_release(&arena);
}

static const char *name(const struct type *t)
{
	return type_name(t, buf, sizeof(buf));
}

TEST(intrinsic_types_have_the_sizes_of_lp64)
{
	setup();
	CHECK_EQ(ts.t_char->size, 1);
	CHECK_EQ(ts.t_short->size, 2);
	CHECK_EQ(ts.t_int->size, 4);
	CHECK_EQ(ts.t_long->size, 8);
	CHECK_EQ(ts.t_ldouble->size, 16);
	CHECK_EQ(ts.t_string->size, 256);
	CHECK(type_is_signed(ts.t_char));
	CHECK(!type_is_signed(ts.t_ulong));
	teardown();
}

TEST(names_of_the_program_are_found_with_any_blanks)
{
	setup();
	CHECK(types_lookup(&ts, " unsigned   long ") == ts.t_ulong);
	CHECK(types_lookup(&ts, "unsigned") == ts.t_uint);
	CHECK(types_lookup(&ts, "char *") == ts.t_charptr);
	CHECK(types_lookup(&ts, "char*") == ts.t_charptr);
	CHECK(type_resolve(types_lookup(&ts, "pid_t")) == ts.t_int);
	CHECK(types_lookup(&ts, "nosuch_t") == NULL);
	CHECK(types_lookup(&ts, "<DYN>") == NULL);
	teardown();
}

TEST(a_name_may_say_its_container)
{
	setup();
	type_typedef(&ts, "mine_t", ts.t_int);
	CHECK(types_lookup(&ts, "D`mine_t") != NULL);
	CHECK(types_lookup(&ts, "C`mine_t") == NULL);
	CHECK(types_lookup(&ts, "C`pid_t") != NULL);
	CHECK(types_lookup(&ts, "nt`pid_t") == NULL);
	teardown();
}

TEST(equal_derived_types_are_one_pointer)
{
	const struct type *params[2];

	setup();
	params[0] = ts.t_int;
	params[1] = ts.t_charptr;
	CHECK(type_pointer(&ts, ts.t_char) == ts.t_charptr);
	CHECK(type_array(&ts, ts.t_int, 3) == type_array(&ts, ts.t_int, 3));
	CHECK(type_array(&ts, ts.t_int, 3) != type_array(&ts, ts.t_int, 4));
	CHECK(type_function(&ts, ts.t_int, params, 2, true) ==
	      type_function(&ts, ts.t_int, params, 2, true));
	CHECK(type_function(&ts, ts.t_int, params, 2, true) !=
	      type_function(&ts, ts.t_int, params, 2, false));
	CHECK(type_userland(&ts, ts.t_charptr) != ts.t_charptr);
	teardown();
}

TEST(types_are_named_as_in_c)
{
	const struct type *params[1], *fn;

	setup();
	params[0] = ts.t_int;
	fn = type_function(&ts, ts.t_int, params, 1, false);
	CHECK_STR(name(ts.t_charptr), "char *");
	CHECK_STR(name(type_pointer(&ts, ts.t_charptr)), "char **");
	CHECK_STR(name(type_array(&ts, ts.t_char, 4)), "char [4]");
	CHECK_STR(name(type_array(&ts, type_array(&ts, ts.t_int, 3), 10)), "int [10][3]");
	CHECK_STR(name(type_array(&ts, ts.t_charptr, 2)), "char *[2]");
	CHECK_STR(name(type_pointer(&ts, type_array(&ts, ts.t_int, 3))), "int (*)[3]");
	CHECK_STR(name(type_pointer(&ts, fn)), "int (*)(int)");
	CHECK_STR(name(type_pointer(&ts, type_qualified(&ts, TYPE_CONST, ts.t_char))),
		  "const char *");
	CHECK_STR(name(type_userland(&ts, ts.t_charptr)), "userland char *");
	CHECK_STR(name(ts.t_string), "string");
	teardown();
}

TEST(a_struct_is_laid_out_as_the_abi_says)
{
	struct type_builder *b;
	const struct type *t;
	struct type_member m;

	setup();
	b = type_begin(&ts, TYPE_STRUCT, "s");
	CHECK_EQ(type_add_member(b, "c", ts.t_char, 0), 0);
	CHECK_EQ(type_add_member(b, "l", ts.t_long, 0), 0);
	CHECK_EQ(type_add_member(b, "s", ts.t_short, 0), 0);
	CHECK(type_add_member(b, "s", ts.t_int, 0) != 0);
	t = type_finish(b);
	CHECK_EQ(t->size, 24);
	CHECK(type_member(t, "l", &m));
	CHECK_EQ(m.bit_offset, 64);
	CHECK(!type_member(t, "zz", &m));
	CHECK(types_lookup(&ts, "struct s") == t);
	CHECK_STR(name(t), "struct s");
	teardown();
}

/* Compared with the compiler that builds us. */
TEST(bit_fields_lie_as_the_compiler_lays_them)
{
	struct layout {
		int a : 3, b : 30;
		char c;
		unsigned d : 7;
		long e : 33;
		short f : 5;
	} x;
	struct type_builder *b;
	const struct type *t;
	struct type_member m;

	setup();
	b = type_begin(&ts, TYPE_STRUCT, NULL);
	type_add_member(b, "a", ts.t_int, 3);
	type_add_member(b, "b", ts.t_int, 30);
	type_add_member(b, "c", ts.t_char, 0);
	type_add_member(b, "d", ts.t_uint, 7);
	type_add_member(b, "e", ts.t_long, 33);
	type_add_member(b, "f", ts.t_short, 5);
	t = type_finish(b);
	CHECK_EQ(t->size, sizeof(struct layout));
	for (unsigned i = 0; i < t->nmembers; i++) {
		uint64_t word = 0, mask = (1ULL << t->members[i].bits) - 1;

		if (!t->members[i].bits)
			continue;
		memset(&x, 0, sizeof(x));
		switch (i) {
		case 0:
			x.a = -1;
			break;
		case 1:
			x.b = -1;
			break;
		case 3:
			x.d = 127;
			break;
		case 4:
			x.e = -1;
			break;
		default:
			x.f = -1;
		}
		memcpy(&word, (char *)&x + t->members[i].bit_offset / 8,
		       MIN(sizeof(word), sizeof(x) - t->members[i].bit_offset / 8));
		CHECK_EQ(word >> (t->members[i].bit_offset % 8), mask);
	}
	CHECK(type_member(t, "c", &m));
	CHECK_EQ(m.bit_offset / 8, offsetof(struct layout, c));
	teardown();
}

TEST(a_union_is_as_long_as_its_longest_member)
{
	struct type_builder *b;
	const struct type *t;
	struct type_member m;

	setup();
	b = type_begin(&ts, TYPE_UNION, "u");
	type_add_member(b, "c", type_array(&ts, ts.t_char, 9), 0);
	type_add_member(b, "i", ts.t_int, 0);
	t = type_finish(b);
	CHECK_EQ(t->size, 12);
	CHECK(type_member(t, "i", &m));
	CHECK_EQ(m.bit_offset, 0);
	teardown();
}

TEST(a_forward_declaration_is_completed_later)
{
	const struct type *f, *p, *t;
	struct type_builder *b;

	setup();
	f = type_forward(&ts, TYPE_STRUCT, "node");
	p = type_pointer(&ts, f);
	CHECK(type_resolve(f)->kind == TYPE_FORWARD);
	b = type_begin(&ts, TYPE_STRUCT, "node");
	type_add_member(b, "next", p, 0);
	t = type_finish(b);
	CHECK(type_resolve(f) == t);
	CHECK_EQ(type_size(f), 8);
	CHECK(type_same(p, type_pointer(&ts, t)));
	teardown();
}

TEST(anonymous_members_are_transparent)
{
	struct type_builder *in, *out;
	struct type_member m;

	setup();
	in = type_begin(&ts, TYPE_STRUCT, NULL);
	type_add_member(in, "x", ts.t_int, 0);
	type_add_member(in, "y", ts.t_int, 0);
	out = type_begin(&ts, TYPE_STRUCT, "o");
	type_add_member(out, "c", ts.t_long, 0);
	type_add_member(out, "", type_finish(in), 0);
	CHECK(type_member(type_finish(out), "y", &m));
	CHECK_EQ(m.bit_offset, 96);
	teardown();
}

TEST(kinds_answer_questions_through_typedefs)
{
	const struct type *t;

	setup();
	t = type_typedef(&ts, "cs_t", type_qualified(&ts, TYPE_CONST, ts.t_charptr));
	CHECK(type_is_pointer(t) && type_is_scalar(t) && type_is_strcompat(t));
	CHECK(!type_is_integer(t) && !type_is_byref(t));
	CHECK(type_is_strcompat(type_array(&ts, ts.t_char, 3)));
	CHECK(type_is_byref(ts.t_string) && type_is_strcompat(ts.t_string));
	CHECK(type_same(t, ts.t_charptr));
	teardown();
}

TEST_MAIN();
