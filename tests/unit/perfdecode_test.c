/* Samples as the kernel lays them out, and ones that are cut short. */
#include "providers/kernel/perfdecode.h"

#include "tests/unit/test.h"

#define IP   0x4010
#define TIME 77

static uint64_t words[64];

/* The header, the prefix and these words behind it. */
static const struct perf_event_header *sample(const uint64_t *more, unsigned n)
{
	struct perf_event_header *h = (void *)words;
	struct perf_prefix *pre = (void *)(h + 1);

	*h = (struct perf_event_header){.type = PERF_RECORD_SAMPLE,
					.misc = PERF_RECORD_MISC_USER,
					.size = (uint16_t)(sizeof(*h) + sizeof(*pre) + 8 * n)};
	*pre = (struct perf_prefix){.id = 5, .ip = IP, .pid = 10, .tid = 11, .time_ns = TIME};
	if (n)
		memcpy(pre + 1, more, 8 * n);
	return h;
}

TEST(fields_by_sample_type)
{
	const uint64_t more[] = {0xabc, 3, 1000};
	const struct perf_event_header *h = sample(more, 3);
	struct userstack user = {0};
	struct perf_sample sm;

	CHECK(perf_decode(h, PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD, &sm, &user));
	CHECK_EQ(sm.pid, 10);
	CHECK_EQ(sm.tid, 11);
	CHECK_EQ(sm.ip, IP);
	CHECK_EQ(sm.addr, 0xabc);
	CHECK_EQ(sm.cpu, 3);
	CHECK_EQ(sm.cpumode, PERF_RECORD_MISC_USER);
	CHECK_EQ(perf_record_time(h), TIME);
}

TEST(chains_of_both_sides)
{
	const uint64_t more[] = {1,
				 5,
				 (uint64_t)PERF_CONTEXT_KERNEL,
				 0xffffffff81000000,
				 (uint64_t)PERF_CONTEXT_USER,
				 0x401000,
				 7 /* no frame pointer */};
	struct userstack user = {0};
	struct perf_sample sm;

	CHECK(perf_decode(sample(more, 7), PERF_SAMPLE_CALLCHAIN, &sm, &user));
	CHECK_EQ(sm.nkpcs, 1);
	CHECK_EQ(sm.kpcs[0], 0xffffffff81000000);
	CHECK_EQ(user.nchain, 1);
	CHECK_EQ(user.chain[0], 0x401000);
}

TEST(raw_bytes)
{
	const uint64_t more[] = {0, 12 | 0x1122334400000000, 0x99};
	struct userstack user = {0};
	struct perf_sample sm;

	CHECK(perf_decode(sample(more, 3), PERF_SAMPLE_RAW, &sm, &user));
	CHECK_EQ(sm.rawlen, 12);
	CHECK_EQ(*(const unsigned char *)sm.raw, 0x44);
}

TEST(lengths_that_lie)
{
	const uint64_t chain[] = {0, 1000000, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000};
	const uint64_t raw[] = {0, 0xfffffff0};
	const uint64_t stack[] = {0, 1 << 20, 1};
	struct userstack user = {0};
	struct perf_sample sm;
	struct perf_event_header *h;

	CHECK(perf_decode(sample(chain, 4), PERF_SAMPLE_CALLCHAIN, &sm, &user));
	CHECK_EQ(sm.nkpcs, 1);
	CHECK(perf_decode(sample(raw, 2), PERF_SAMPLE_RAW, &sm, &user));
	CHECK_EQ(sm.rawlen, 4);
	CHECK(perf_decode(sample(stack, 3), PERF_SAMPLE_STACK_USER, &sm, &user));
	CHECK(!user.stack);
	h = (void *)words;
	sample(NULL, 0);
	h->size = sizeof(*h) + 8;
	CHECK(!perf_decode(h, 0, &sm, &user));
}

TEST_MAIN();
