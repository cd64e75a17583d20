/* Rings of records: in order of time, across their ends, and when the target has written nonsense.
 */
#include "inject/ring.h"

#include "tests/unit/test.h"

#define SIZE  256U
#define TIMED 0 /* sites */
#define BARE  1

static const struct hook_site sites[] = {{.flags = HOOK_TIME}, {.flags = 0}};
static const uint32_t nsites = ARRAY_SIZE(sites);

struct sample {
	struct ring ring;
	struct hook_block block;
	uint64_t words[SIZE / 8];
};

static struct sample *new_sample(struct rings *rs)
{
	struct sample *s = aligned_alloc(64, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->ring = (struct ring){.data = (const uint8_t *)s->words,
				.size = SIZE,
				.block = &s->block,
				.sites = sites,
				.nsites = &nsites};
	s->block.ring_size = SIZE;
	rings_add(rs, &s->ring);
	return s;
}

static void put(struct sample *s, uint32_t site, unsigned words, uint64_t tsc, uint64_t value)
{
	uint64_t *at = &s->words[s->block.head % SIZE / 8];
	struct hook_record r = {site, (uint16_t)words, 7};

	memcpy(at, &r, sizeof(r));
	if (words > 1)
		at[1] = tsc;
	if (words > 2)
		at[2] = value;
	s->block.head += words * 8UL;
}

TEST(records_of_several_rings_come_in_order_of_time)
{
	struct rings *rs = rings_new();
	struct sample *a = new_sample(rs), *b = new_sample(rs);
	uint64_t now = __builtin_ia32_rdtsc(), last = 0;
	struct ring_record r;

	put(a, TIMED, 3, now - 4000, 1);
	put(a, TIMED, 3, now - 2000, 3);
	put(b, TIMED, 3, now - 3000, 2);
	put(b, TIMED, 3, now - 1000, 4);
	rings_look(rs);
	for (uint64_t i = 1; i <= 4; i++) {
		CHECK_EQ(rings_oldest(rs) != UINT64_MAX, 1);
		rings_take(rs, &r);
		CHECK_EQ(r.words[1], i);
		CHECK_EQ(r.nwords, 2);
		CHECK_EQ(r.cpu, 7);
		CHECK(r.time_ns >= last);
		last = r.time_ns;
	}
	CHECK_EQ(rings_oldest(rs), UINT64_MAX);
	rings_look(rs);
	CHECK_EQ(a->block.tail, a->block.head);
	rings_free(rs);
}

TEST(the_order_in_a_ring_is_the_true_one)
{
	struct rings *rs = rings_new();
	struct sample *a = new_sample(rs);
	uint64_t now = __builtin_ia32_rdtsc(), first;
	struct ring_record r;

	put(a, TIMED, 3, now, 1);
	put(a, TIMED, 3, now - 100000, 2); /* a counter that goes back */
	put(a, BARE, 3, 0, 3);
	rings_look(rs);
	rings_take(rs, &r);
	first = r.time_ns;
	rings_take(rs, &r);
	CHECK_EQ(r.words[1], 2);
	CHECK_EQ(r.time_ns, first);
	rings_take(rs, &r);
	CHECK_EQ(r.words[1], 3);
	CHECK(r.time_ns >= first);
	rings_free(rs);
}

TEST(a_record_without_a_time_does_not_grow_younger_while_it_waits)
{
	struct rings *rs = rings_new();
	struct sample *a = new_sample(rs);
	uint64_t first;
	struct ring_record r;

	rings_look(rs);
	put(a, BARE, 2, 1, 0);
	rings_look(rs);
	first = rings_oldest(rs);
	CHECK(first != UINT64_MAX);
	for (uint64_t i = 2; i < 8; i++) {
		put(a, BARE, 2, i, 0);
		rings_look(rs);
		CHECK_EQ(rings_oldest(rs), first);
	}
	for (uint64_t i = 1; i < 8; i++) {
		CHECK(rings_oldest(rs) >= first);
		first = rings_oldest(rs);
		rings_take(rs, &r);
		CHECK_EQ(r.words[0], i);
	}
	put(a, BARE, 2, 9, 0);
	rings_look(rs);
	CHECK(rings_oldest(rs) > first);
	rings_free(rs);
}

/* Nothing up to `to`, then what follows. */
static void leave_gap(struct sample *s, uint64_t to)
{
	const struct hook_gap gap = {.from = s->block.head, .before = s->block.gap};

	memcpy(&s->words[to % SIZE / 8], &gap, sizeof(gap));
	s->block.gap = to;
	s->block.head = to + sizeof(gap);
}

static uint64_t take_value(struct rings *rs)
{
	struct ring_record r;

	if (rings_oldest(rs) == UINT64_MAX)
		return 0;
	rings_take(rs, &r);
	return r.words[1];
}

TEST(gaps_are_left_out)
{
	struct rings *rs = rings_new();
	struct sample *a = new_sample(rs);
	uint64_t now = __builtin_ia32_rdtsc();

	put(a, TIMED, 20, now, 1);
	rings_look(rs);
	CHECK_EQ(take_value(rs), 1);
	leave_gap(a, a->block.head + 40);
	put(a, TIMED, 3, now, 2);
	rings_look(rs); /* and nothing is taken */
	leave_gap(a, SIZE);
	put(a, TIMED, 3, now, 3);
	leave_gap(a, a->block.head + 8);
	put(a, TIMED, 3, now, 4);
	rings_look(rs);
	for (uint64_t i = 2; i <= 4; i++)
		CHECK_EQ(take_value(rs), i);
	rings_look(rs);
	CHECK_EQ(a->block.tail, a->block.head);
	CHECK_EQ(a->ring.nbad, 0);
	rings_remove(rs, &a->ring);
	rings_free(rs);
}

TEST(gaps_that_cannot_be_are_left_out_too)
{
	static const struct {
		uint64_t pos;
		struct hook_gap gap;
	} cases[] = {{40, {40, 0}},  {40, {48, 0}}, {44, {24, 0}},	 {SIZE, {24, 0}},
		     {40, {24, 32}}, {40, {32, 8}}, {UINT64_MAX, {0, 0}}};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rings *rs = rings_new();
		struct sample *a = new_sample(rs);
		uint64_t now = __builtin_ia32_rdtsc();

		put(a, TIMED, 3, now, 1);
		rings_look(rs);
		CHECK_EQ(take_value(rs), 1);
		put(a, TIMED, 10, now, 2);
		memcpy((char *)a->words + cases[i].pos % (SIZE - 8), &cases[i].gap,
		       sizeof(cases[i].gap));
		a->block.gap = cases[i].pos;
		rings_look(rs);
		CHECK_EQ(take_value(rs), 0);
		CHECK_EQ(a->ring.nbad, 1);
		a->block.gap = 0;
		put(a, TIMED, 3, now, 3);
		rings_look(rs);
		CHECK_EQ(take_value(rs), 3);
		rings_remove(rs, &a->ring);
		rings_free(rs);
	}
}

/* What is impossible is left out, counted, and what comes later is read again. */
static void check_bad(uint64_t head, uint32_t site, unsigned words, uint64_t real_head)
{
	struct rings *rs = rings_new();
	struct sample *a = new_sample(rs);
	struct ring_record r;

	put(a, site, words, 0, 0);
	a->block.head = head;
	rings_look(rs);
	CHECK_EQ(rings_oldest(rs), UINT64_MAX);
	CHECK(a->ring.nbad > 0);
	a->block.head = real_head;
	put(a, TIMED, 3, __builtin_ia32_rdtsc(), 5);
	rings_look(rs);
	rings_take(rs, &r);
	CHECK_EQ(r.words[1], 5);
	rings_free(rs);
}

/* As often as it can have records, and no more. */
static void must_end(struct rings *rs)
{
	struct ring_record r;

	for (unsigned i = 0; rings_oldest(rs) != UINT64_MAX; i++) {
		CHECK(i <= SIZE / 8);
		rings_take(rs, &r);
	}
}

/* Each word of it is a record. */
static void fill_with_records(struct sample *s)
{
	for (unsigned i = 0; i < SIZE / 8; i++)
		put(s, BARE, 1, 0, 0);
}

/* A place in a ring that reads as a record, too: of two words. */
#define PLACE (2ULL << 32)

static struct sample *at_place(struct rings *rs)
{
	struct sample *a = new_sample(rs);

	fill_with_records(a);
	a->ring.head = a->ring.tail = a->ring.told = PLACE;
	return a;
}

TEST(a_gap_that_ends_behind_the_head_does_not_lead_round_for_ever)
{
	struct rings *rs = rings_new();
	struct sample *a = at_place(rs);

	a->block.head = PLACE + 64;
	a->block.gap = PLACE + 56; /* eight bytes before the head */
	a->words[7] = a->words[8] = PLACE;
	rings_look(rs);
	must_end(rs);
	CHECK_EQ(a->ring.nbad, 1);
	CHECK_EQ(a->ring.tail, PLACE + 64);
	rings_free(rs);
}

TEST(gaps_that_lie_in_each_other_are_left_out)
{
	struct rings *rs = rings_new();
	struct sample *a = at_place(rs);

	a->block.head = PLACE + 128;
	a->block.gap = PLACE + 64; /* from 40; before it the one at 32, which ends at 48 */
	a->words[8] = PLACE + 40;
	a->words[9] = PLACE + 32;
	a->words[4] = PLACE + 8;
	a->words[5] = PLACE;
	rings_look(rs);
	must_end(rs);
	CHECK_EQ(a->ring.nbad, 1);
	rings_free(rs);
}

/* A program that writes into its rings whatever comes. */
TEST(whatever_stands_there_the_reader_comes_to_an_end)
{
	struct rings *rs = rings_new();
	struct sample *a = at_place(rs);
	uint64_t x = 88172645463325252ULL; /* xorshift64 */

	for (unsigned round = 0; round < 20000; round++) {
		for (unsigned i = 0; i < SIZE / 8; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* numbers that may be records, or places in the ring */
			a->words[i] = x & 1 ? (x >> 8) % 40 * 8 + a->ring.tail
					    : (x >> 8) % 2 | (1 + (x >> 16) % 3) << 32;
		}
		a->block.head = a->ring.tail + (x >> 20) % (SIZE / 8 + 2) * 8;
		a->block.gap = a->ring.tail + (x >> 30) % (SIZE / 8 + 2) * 8;
		rings_look(rs);
		must_end(rs);
		CHECK(a->ring.tail <= a->block.head);
	}
	rings_free(rs);
}

TEST(what_cannot_be_is_left_out)
{
	check_bad(24, TIMED, 0, 24);			       /* no length */
	check_bad(24, TIMED, 4, 24);			       /* longer than what there is */
	check_bad(24, nsites, 3, 24);			       /* no such site */
	check_bad(8, TIMED, 1, 8);			       /* no room for its time */
	check_bad(SIZE + 8, TIMED, 3, SIZE + 8);	       /* more than the ring holds */
	check_bad(-(uint64_t)SIZE, TIMED, 3, -(uint64_t)SIZE); /* before the tail */
}

TEST(a_line_leads_from_ticks_to_the_clock)
{
	struct tscline l;
	uint64_t tsc, before = 0;

	if (tscline_unusable())
		SKIP("%s", tscline_unusable());
	tscline_start(&l);
	tsc = l.now.tsc;
	CHECK_EQ(tscline_ns(&l, l.now.tsc), l.now.ns);
	/* what its slope has lost below a tick's 2^-TSCLINE_BITS ns, and a fraction of one */
	CHECK(tscline_ns(&l, l.base.tsc) >= l.base.ns);
	CHECK(tscline_ns(&l, l.base.tsc) - l.base.ns <=
	      1 + ((l.now.tsc - l.base.tsc) >> TSCLINE_BITS));
	for (unsigned i = 0; i < 1000 && l.now.tsc == tsc; i++) {
		uint64_t until = l.now.ns + 6000000;

		while (tscline_fit(&l) < until && l.now.tsc == tsc)
			;
	}
	CHECK(l.now.tsc > tsc);
	for (uint64_t t = l.base.tsc; t < l.now.tsc + 1000; t += 1000) {
		uint64_t ns = tscline_ns(&l, t);

		CHECK(ns >= before);
		before = ns;
	}
	CHECK_EQ(tscline_ns(&l, 0) < l.now.ns, 1);
}

TEST_MAIN();
