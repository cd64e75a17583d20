#include "dlang/errtags.h"
#include "dlang/session_priv.h"

#include "tests/unit/test.h"

static struct arena arena;

static int none_provide(struct session *s UNUSED, const struct probe_desc *d UNUSED,
			int *tag UNUSED, struct err *err UNUSED)
{
	return 0;
}

static const struct provider fake = {.name = "fake", .provide = none_provide};
static const struct provider *const list[] = {&fake};

/* fake:libc:malloc:entry 1, fake:libc:malloc:return 2, fake:libc:free:entry 3,
 * fake:a.out:main:entry 4, fake:::BEGIN 5, other:libc:free:entry 6 */
static struct session *new_session(void)
{
	static const char *const names[][4] = {
		{"fake", "libc", "malloc", "entry"}, {"fake", "libc", "malloc", "return"},
		{"fake", "libc", "free", "entry"},   {"fake", "a.out", "main", "entry"},
		{"fake", "", "", "BEGIN"},	     {"other", "libc", "free", "entry"},
	};
	struct session *s = ARENA_NEW(&arena, struct session);

	s->arena = &arena;
	s->engine = ARENA_NEW(&arena, struct session_engine);
	s->probe_chunks = arena_alloc(&arena, SESSION_MAX_CHUNKS * sizeof(*s->probe_chunks));
	s->providers = list;
	s->nproviders = 1;
	s->engine->probe_index = probe_index_new();
	intern_init(&s->engine->intern, &arena);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		probe_create(s, &fake, names[i][0], names[i][1], names[i][2], names[i][3], NULL);
	return s;
}

/* The IDs that a description matches, as "1 2 5". */
static const char *matched(struct session *s, const char *prov, const char *mod, const char *func,
			   const char *name)
{
	static char text[256];
	const struct probe_desc d = {.prov = prov, .mod = mod, .func = func, .name = name};
	struct probe **v;
	struct err err;
	int tag = D_NONE, n = probe_match(s, &d, &v, &tag, &err), at = 0;

	text[0] = '\0';
	for (int i = 0; i < n; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%u", i ? " " : "",
			       v[i]->id);
	return text;
}

TEST(a_probe_exists_once_and_is_found_by_name_and_id)
{
	struct session *s = new_session();
	struct probe *p = probe_find(s, "fake", "libc", "free", "entry");

	CHECK(p && p->id == 3);
	CHECK(probe_create(s, &fake, "fake", "libc", "free", "entry", NULL) == p);
	CHECK_EQ(s->nprobes, 6);
	CHECK(probe_by_id(s, 3) == p);
	CHECK(!probe_by_id(s, 0) && !probe_by_id(s, 7));
	CHECK(!probe_find(s, "fake", "libc", "free", "return"));
	CHECK(!probe_find(s, "fake", "libc", "never-seen", "entry"));
}

TEST(an_empty_field_matches_all)
{
	struct session *s = new_session();

	CHECK_STR(matched(s, "fake", "libc", "malloc", ""), "1 2");
	CHECK_STR(matched(s, "", "", "", "entry"), "1 3 4 6");
	CHECK_STR(matched(s, "fake", "", "", ""), "1 2 3 4 5");
}

TEST(four_empty_fields_leave_out_probes_without_function)
{
	CHECK_STR(matched(new_session(), "", "", "", ""), "1 2 3 4 6");
}

TEST(globs_match_in_every_field)
{
	struct session *s = new_session();

	CHECK_STR(matched(s, "*", "lib?", "[a-f]*", "entry"), "3 6");
	CHECK_STR(matched(s, "f*", "", "", "[!e]*"), "2 5");
	CHECK_STR(matched(s, "", "a\\.out", "", ""), "4");
	CHECK_STR(matched(s, "", "", "mallo", ""), "");
}

TEST(an_id_stands_for_its_probe)
{
	struct session *s = new_session();
	struct probe_desc d = {.prov = "", .mod = "", .func = "", .name = "", .id = 5};
	struct probe **v;
	struct err err;
	int tag;

	CHECK_EQ(probe_match(s, &d, &v, &tag, &err), 1);
	CHECK_STR(v[0]->name, "BEGIN");
	d.id = 77;
	CHECK_EQ(probe_match(s, &d, &v, &tag, &err), 0);
}

TEST(thousands_of_probes_keep_their_place)
{
	struct session *s = new_session();
	struct probe *first = probe_by_id(s, 1);
	char name[32];

	for (unsigned i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		CHECK_EQ(probe_create(s, &fake, "fake", "big", name, "entry", NULL)->id, 7 + i);
	}
	CHECK(probe_by_id(s, 1) == first);
	CHECK_EQ(probe_find(s, "fake", "big", "f9999", "entry")->id, 10006);
	CHECK_STR(matched(s, "fake", "big", "f77", ""), "84");
}

TEST(many_descriptions_of_many_probes_find_theirs)
{
	struct session *s = new_session();
	char name[32], id[16];

	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "tick-%u", i);
		probe_create(s, &fake, "fake", "", "", name, NULL);
	}
	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "tick-%u", i);
		snprintf(id, sizeof(id), "%u", 7 + i);
		if (strcmp(matched(s, "", "", "", name), id) != 0)
			CHECK_STR(name, id);
	}
	CHECK_STR(matched(s, "", "", "", "tick-100000"), "");
}

TEST_MAIN();
