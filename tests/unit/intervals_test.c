/* intervals_test.c: a run in intervals: none is too short for a rate, and nothing gets lost. */
#include "command/report/intervals.h"

#include "tests/unit/test.h"

static struct intervals all;
static struct aggvar var = {.name = "a", .id = 1};

/* An interval of that length behind the last, in which one thing came. */
static void add(uint64_t length_ns)
{
	uint64_t from_ns = all.n ? all.v[all.n - 1].to_ns : 1000, one = 1;
	struct aggstore aggs;

	aggstore_init(&aggs);
	aggcopy_add(aggstore_copy(&aggs, &var), "", &one);
	intervals_add(&all, &aggs, from_ns, from_ns + length_ns, 1);
	CHECK_EQ(aggs.ncopies, 0);
	aggstore_release(&aggs);
}

/* All that has come since `begin`; lengths are checked. */
static uint64_t sum(uint64_t least_ns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct aggcopy *c = interval_copy(&all.v[i], &var);

		CHECK_EQ(all.v[i].from_ns, i ? all.v[i - 1].to_ns : 1000);
		CHECK(all.v[i].to_ns - all.v[i].from_ns >= least_ns);
		CHECK_EQ(c->ents[0]->data[0], all.v[i].ndrops);
		n += c->ents[0]->data[0];
	}
	return n;
}

static void begin(uint64_t size_max)
{
	var.func = &aggfunc_count;
	var.nwords = 1;
	intervals_release(&all);
	intervals_init(&all, size_max, 500);
}

TEST(the_last_one_is_not_too_short)
{
	begin(1 << 20);
	for (unsigned i = 0; i < 5; i++)
		add(1000);
	add(3);
	CHECK_EQ(all.n, 6);
	intervals_end(&all);
	CHECK_EQ(all.n, 5);
	CHECK_EQ(sum(1000), 6);
	CHECK_EQ(all.v[4].to_ns - all.v[4].from_ns, 1003);
	intervals_end(&all);
	CHECK_EQ(all.n, 5);
}

TEST(short_ones_grow_until_they_are_not)
{
	begin(1 << 20);
	for (unsigned i = 0; i < 100; i++)
		add(100);
	intervals_end(&all);
	CHECK_EQ(all.n, 20);
	CHECK_EQ(sum(500), 100);
}

TEST(one_alone_stays_what_it_is)
{
	begin(1 << 20);
	intervals_end(&all);
	CHECK_EQ(all.n, 0);
	add(1);
	intervals_end(&all);
	CHECK_EQ(all.n, 1);
	CHECK_EQ(sum(1), 1);
}

TEST(what_finds_no_room_is_joined_with_its_neighbour)
{
	begin(1000);
	for (unsigned i = 0; i < 300; i++)
		add(i % 3 ? 1000 : 10);
	intervals_end(&all);
	CHECK(all.n >= 2 && all.n < 30 && all.njoins > 0);
	CHECK(all.size <= 1000);
	CHECK_EQ(sum(500), 300);
}

TEST_MAIN();
