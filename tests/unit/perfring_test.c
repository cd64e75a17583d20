/* Records of a ring, also one that goes around its end. */
#include "providers/kernel/perfring.h"

#include "tests/unit/test.h"

#define SIZE 4096

static struct perf_event_mmap_page page;
static _Alignas(8) char data[SIZE], copy[65536];

static void put(uint64_t at, uint16_t size, uint32_t type)
{
	struct perf_event_header h = {.type = type, .size = size};

	for (unsigned i = 0; i < sizeof(h); i++)
		data[(at + i) % SIZE] = ((const char *)&h)[i];
	for (unsigned i = sizeof(h); i < size; i++)
		data[(at + i) % SIZE] = (char)i;
}

TEST(records_in_turn)
{
	struct perf_ring r = {.page = &page, .data = data, .size = SIZE, .copy = copy};
	const struct perf_event_header *h;

	put(0, 16, 1);
	put(16, 24, 2);
	page.data_head = 40;
	CHECK(perf_ring_record(&r) == NULL); /* not gathered */
	perf_ring_gather(&r);
	h = perf_ring_record(&r);
	CHECK_EQ(h->type, 1);
	perf_ring_skip(&r, h);
	CHECK_EQ(page.data_tail, SIZE > 16 * 16 ? 0 : 16); /* not yet */
	perf_ring_gather(&r);
	CHECK_EQ(page.data_tail, 16);
	h = perf_ring_record(&r);
	CHECK_EQ(h->type, 2);
	perf_ring_skip(&r, h);
	CHECK(perf_ring_record(&r) == NULL);
}

TEST(around_the_end)
{
	struct perf_ring r = {.page = &page,
			      .data = data,
			      .size = SIZE,
			      .copy = copy,
			      .head = SIZE - 8,
			      .tail = SIZE - 8};
	const struct perf_event_header *h;

	put(SIZE - 8, 32, 9);
	page.data_head = SIZE + 24;
	perf_ring_gather(&r);
	h = perf_ring_record(&r);
	CHECK_EQ(h->size, 32);
	for (unsigned i = sizeof(*h); i < 32; i++)
		CHECK_EQ(((const char *)h)[i], (char)i);
	perf_ring_skip(&r, h);
	perf_ring_gather(&r);
	CHECK_EQ(page.data_tail, SIZE + 24);
}

TEST(a_size_that_cannot_be)
{
	struct perf_ring r = {.page = &page, .data = data, .size = SIZE, .copy = copy};

	put(0, 4, 1);
	page.data_head = 64;
	perf_ring_gather(&r);
	CHECK(perf_ring_record(&r) == NULL);
	CHECK(perf_ring_record(&r) == NULL); /* and it is not met again */
}

static bool has_size(void *arg, const struct perf_event_header *h)
{
	for (unsigned i = sizeof(*h); i < h->size; i++)
		CHECK_EQ(((const char *)h)[i], (char)i);
	return h->size == *(const uint16_t *)arg;
}

TEST(what_is_still_to_come)
{
	struct perf_ring r = {.page = &page,
			      .data = data,
			      .size = SIZE,
			      .copy = copy,
			      .head = SIZE - 48,
			      .tail = SIZE - 48};
	uint16_t wanted = 32;

	put(SIZE - 48, 24, 3);
	put(SIZE - 24, 16, 2);
	put(SIZE - 8, 32, 3); /* around the end */
	put(SIZE + 24, PERF_RING_PEEK + 8, 3);
	page.data_head = SIZE + 24 + PERF_RING_PEEK + 8;
	CHECK(perf_ring_find(&r, 3, has_size, &wanted)); /* gathered or not */
	wanted = 16;
	CHECK(!perf_ring_find(&r, 3, has_size, &wanted)); /* of another type */
	wanted = PERF_RING_PEEK + 8;
	CHECK(!perf_ring_find(&r, 3, has_size, &wanted)); /* too long */
	CHECK_EQ(r.tail, SIZE - 48);
	put(SIZE - 24, 4, 2);
	wanted = 32;
	CHECK(!perf_ring_find(&r, 3, has_size, &wanted)); /* nonsense ends it */
}

TEST_MAIN();
