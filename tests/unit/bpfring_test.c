/* Records of a BPF ring buffer in the order of time, and what the kernel may use again. */
#include "providers/kernel/bpfring.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define SIZE 4096
#define SPAN 24 /* a header, and two words */

static uint64_t consumer;
static char *memory;

static void begin(struct bpf_ring *r)
{
	memory = xcalloc(1, (size_t)sysconf(_SC_PAGESIZE) + 2 * SIZE);
	consumer = 0;
	*r = (struct bpf_ring){.consumer = &consumer, .producer = memory, .size = SIZE};
}

/* As the kernel writes them: the length, and bits that say what has become of the record. */
static void put(unsigned i, uint64_t time_ns, uint32_t bits)
{
	char *at = memory + sysconf(_SC_PAGESIZE) + i * SPAN;
	const uint32_t word = 16 | bits;

	memcpy(at, &word, sizeof(word));
	memcpy(at + BPF_RINGBUF_HDR_SZ, &time_ns, sizeof(time_ns));
	*(uint64_t *)(void *)memory = (uint64_t)(i + 1) * SPAN;
}

static uint64_t next(struct bpf_ring *r)
{
	const uint64_t *record;
	size_t len;

	record = bpf_ring_record(r, &len);
	if (!record)
		return 0;
	CHECK_EQ(len, 16);
	bpf_ring_skip(r);
	return *record;
}

TEST(neighbours_that_changed_places_come_in_the_order_of_time)
{
	struct bpf_ring r;

	begin(&r);
	put(0, 10, 0);
	put(1, 30, 0);
	put(2, 20, 0);
	put(3, 15, BPF_RINGBUF_DISCARD_BIT);
	put(4, 40, 0);
	bpf_ring_gather(&r);
	CHECK_EQ(next(&r), 10);
	CHECK_EQ(next(&r), 20);
	CHECK_EQ(next(&r), 30);
	CHECK_EQ(next(&r), 40);
	CHECK_EQ(next(&r), 0);
	CHECK(!bpf_ring_is_held(&r));
	bpf_ring_gather(&r);
	CHECK_EQ(consumer, 5 * SPAN);
	free(memory);
}

TEST(what_is_behind_a_record_that_is_being_written_waits)
{
	struct bpf_ring r;

	begin(&r);
	put(0, 10, 0);
	put(1, 0, BPF_RINGBUF_BUSY_BIT);
	put(2, 30, 0);
	bpf_ring_gather(&r);
	CHECK_EQ(next(&r), 10);
	CHECK_EQ(next(&r), 0);
	CHECK(bpf_ring_is_held(&r));
	put(1, 20, 0);
	put(2, 30, 0);
	bpf_ring_gather(&r);
	CHECK_EQ(next(&r), 20);
	CHECK_EQ(next(&r), 30);
	CHECK(!bpf_ring_is_held(&r));
	free(memory);
}

TEST(what_is_not_waited_for_is_given_up)
{
	struct bpf_ring r;

	begin(&r);
	put(0, 10, 0);
	put(1, 0, BPF_RINGBUF_BUSY_BIT);
	put(2, 30, 0);
	put(3, 0, BPF_RINGBUF_BUSY_BIT);
	put(4, 20, 0);
	bpf_ring_gather(&r);
	bpf_ring_pass(&r);
	put(5, 0, BPF_RINGBUF_BUSY_BIT);
	put(6, 40, 0);
	bpf_ring_gather(&r);
	CHECK_EQ(next(&r), 10);
	CHECK_EQ(next(&r), 20);
	CHECK_EQ(next(&r), 30);
	CHECK_EQ(next(&r), 0);
	CHECK(bpf_ring_is_held(&r)); /* by one that was not there */
	CHECK_EQ(r.npassed, 2);
	bpf_ring_gather(&r);
	CHECK_EQ(consumer, SPAN); /* those that write it still have their place */
	free(memory);
}

TEST(a_record_that_waits_stays_in_the_ring)
{
	struct bpf_ring r;

	begin(&r);
	put(0, 1000, 0);
	for (unsigned i = 1; i < 150; i++)
		put(i, i, 0);
	bpf_ring_gather(&r);
	for (unsigned i = 1; i < 150; i++)
		CHECK_EQ(next(&r), i);
	bpf_ring_gather(&r);
	CHECK_EQ(consumer, 0);
	CHECK_EQ(next(&r), 1000);
	bpf_ring_gather(&r);
	CHECK_EQ(consumer, 150 * SPAN);
	free(memory);
}

TEST_MAIN();
