#include "base/hash.h"

#include "tests/unit/test.h"

static char values[3000];

TEST(a_number_finds_the_pointer_last_put)
{
	struct hash h;

	hash_init(&h);
	CHECK(!hash_get(&h, 0));
	for (size_t i = 0; i < sizeof(values); i++)
		hash_put(&h, i * 4096, &values[i]);
	hash_put(&h, 8 * 4096, &values[0]);
	CHECK_EQ(h.n, sizeof(values));
	for (size_t i = 0; i < sizeof(values); i++)
		CHECK(hash_get(&h, i * 4096) == &values[i == 8 ? 0 : i]);
	CHECK(!hash_get(&h, 1));
	hash_release(&h);
}

TEST(a_deleted_key_is_gone_and_its_neighbours_are_not)
{
	struct hash h;

	hash_init(&h);
	for (size_t i = 0; i < 1000; i++)
		hash_put(&h, i, &values[i]);
	for (size_t i = 0; i < 1000; i += 2)
		CHECK(hash_del(&h, i) == &values[i]);
	CHECK(!hash_del(&h, 0));
	CHECK_EQ(h.n, 500);
	for (size_t i = 0; i < 1000; i++)
		CHECK(hash_get(&h, i) == (i % 2 ? &values[i] : NULL));
	hash_release(&h);
}

TEST(put_and_delete_for_ever_does_not_grow_for_ever)
{
	struct hash h;

	hash_init(&h);
	for (uint64_t i = 0; i < 100000; i++) {
		hash_put(&h, i, values);
		CHECK(hash_del(&h, i) == values);
	}
	CHECK_EQ(h.n, 0);
	CHECK(h.nslots <= 1024);
	hash_release(&h);
}

TEST(each_visits_every_entry_once)
{
	struct hash h;
	uint64_t key, sum = 0;
	size_t n = 0;

	hash_init(&h);
	for (size_t i = 1; i <= 100; i++)
		hash_put(&h, i, &values[i]);
	hash_del(&h, 100);
	for (size_t i = 0; hash_each(&h, &i, &key); n++)
		sum += key;
	CHECK_EQ(n, 99);
	CHECK_EQ(sum, 4950);
	hash_release(&h);
}

TEST(a_string_finds_the_pointer_last_put)
{
	struct strmap m;
	static char keys[500][8];

	strmap_init(&m);
	CHECK(!strmap_get(&m, "k0"));
	for (size_t i = 0; i < 500; i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
		strmap_put(&m, keys[i], &values[i]);
	}
	strmap_put(&m, "k7", &values[0]);
	CHECK_EQ(m.n, 500);
	CHECK(strmap_get(&m, "k7") == &values[0]);
	CHECK(strmap_get(&m, "k499") == &values[499]);
	CHECK(!strmap_get(&m, "k500"));
	CHECK(!strmap_get(&m, ""));
	strmap_release(&m);
}

TEST_MAIN();
