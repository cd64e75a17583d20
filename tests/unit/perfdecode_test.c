/* Samples as the kernel lays them out, and ones that are cut short. */
#include "providers/kernel/perfdecode.h"

#include <stdlib.h>

#include "tests/unit/test.h"

#define IP   0x4010
#define TIME 77
#define PREFIX                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

struct prefix {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
};

struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* Of an event that has these besides. */
static struct perf_layout with(uint64_t sample_type)
{
	return (struct perf_layout){.sample_type = PREFIX | sample_type, .has_trailer = true};
}

static const struct perf_layout plain = {.sample_type = PREFIX, .has_trailer = true};

static void decode(const struct perf_event_header *h, uint64_t sample_type, struct perf_sample *sm,
		   struct userstack *user)
{
	const struct perf_layout l = with(sample_type);

	perf_decode(h, &l, sm, user);
}

static uint64_t words[64];

/* The header, the prefix and these words behind it. */
static const struct perf_event_header *sample(const uint64_t *more, unsigned n)
{
	struct perf_event_header *h = (void *)words;
	struct prefix *pre = (void *)(h + 1);

	*h = (struct perf_event_header){.type = PERF_RECORD_SAMPLE,
					.misc = PERF_RECORD_MISC_USER,
					.size = (uint16_t)(sizeof(*h) + sizeof(*pre) + 8 * n)};
	*pre = (struct prefix){.id = 5, .ip = IP, .pid = 10, .tid = 11, .time_ns = TIME};
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

	decode(h, PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD, &sm, &user);
	CHECK_EQ(sm.pid, 10);
	CHECK_EQ(sm.tid, 11);
	CHECK_EQ(sm.ip, IP);
	CHECK_EQ(sm.addr, 0xabc);
	CHECK_EQ(sm.cpu, 3);
	CHECK_EQ(sm.cpumode, PERF_RECORD_MISC_USER);
	CHECK_EQ(sm.time_ns, TIME);
	CHECK_EQ(sm.period, 1000);
}

TEST(counters_of_a_group)
{
	/* the CPU, how many, two times, then each with what was lost; a chain of one */
	const uint64_t more[] = {3, 2, 900, 300, 77, 0, 55, 1, 1, 0x401000};
	struct perf_layout group = with(PERF_SAMPLE_READ);
	struct userstack user = {0};
	struct perf_sample sm;

	group.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	group.read_format |= PERF_FORMAT_LOST;
	perf_decode(sample(more, 10), &group, &sm, &user);
	CHECK_EQ(sm.ncounts, 2);
	CHECK_EQ(sm.enabled_ns, 900);
	CHECK_EQ(sm.running_ns, 300);
	CHECK_EQ(sm.counts[0], 77);
	CHECK_EQ(sm.counts[sm.stride], 55);

	const uint64_t cut[] = {3, 1ULL << 60, 900, 300, 77};

	group.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	perf_decode(sample(cut, 5), &group, &sm, &user);
	CHECK_EQ(sm.ncounts, 1);
}

TEST(a_counter_of_its_own)
{
	const uint64_t more[] = {3, 77, 5, 1, 0x401000};
	struct perf_layout l = with(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN);
	struct userstack user = {0};
	struct perf_sample sm;

	l.read_format = PERF_FORMAT_ID;
	perf_decode(sample(more, 5), &l, &sm, &user);
	CHECK_EQ(sm.ncounts, 1);
	CHECK_EQ(sm.counts[0], 77);
}

/* Another order of registers than ours: those that were not recorded are 0. */
TEST(registers_by_mask)
{
	const uint64_t more[] = {3, PERF_SAMPLE_REGS_ABI_64, 11, 22, 33, 44, 9};
	struct perf_layout l = with(PERF_SAMPLE_REGS_USER);
	struct userstack user = {0};
	struct perf_sample sm;

	l.regs_user = 1 << 0 | 1 << 7 | 1 << 8 | 1 << 10; /* ax, sp, ip, cs */
	perf_decode(sample(more, 6), &l, &sm, &user);
	CHECK(user.has_regs);
	CHECK_EQ(user.regs.r.rax, 11);
	CHECK_EQ(user.regs.r.rsp, 22);
	CHECK_EQ(user.regs.r.rip, 33);
	CHECK_EQ(user.regs.r.rbx, 0);
	perf_decode(sample(more, 4), &l, &sm, &user); /* cut */
	CHECK(!user.has_regs);
}

TEST(branches_are_left_out)
{
	const uint64_t more[] = {3, 1, 7, 8, 9, PERF_SAMPLE_REGS_ABI_64, 22, 33};
	struct perf_layout l = with(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER);
	const uint64_t lie[] = {3, 1ULL << 62, 7};
	struct userstack user = {0};
	struct perf_sample sm;

	l.regs_user = 1 << 7 | 1 << 8;
	perf_decode(sample(more, 8), &l, &sm, &user);
	CHECK(user.has_regs);
	CHECK_EQ(user.regs.r.rsp, 22);
	perf_decode(sample(lie, 3), &l, &sm, &user);
	CHECK(!user.has_regs);
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

	decode(sample(more, 7), PERF_SAMPLE_CALLCHAIN, &sm, &user);
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

	decode(sample(more, 3), PERF_SAMPLE_RAW, &sm, &user);
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

	decode(sample(chain, 4), PERF_SAMPLE_CALLCHAIN, &sm, &user);
	CHECK_EQ(sm.nkpcs, 1);
	decode(sample(raw, 2), PERF_SAMPLE_RAW, &sm, &user);
	CHECK_EQ(sm.rawlen, 4);
	decode(sample(stack, 3), PERF_SAMPLE_STACK_USER, &sm, &user);
	CHECK(!user.stack);
	h = (void *)words;
	sample(NULL, 0);
	h->size = sizeof(*h) + 8;
	decode(h, 0, &sm, &user);
	CHECK_EQ(sm.ip, 0);
	CHECK_EQ(sm.cpu, -1);
}

/* ---- the other records ---- */

/* The header, these words and the trailer, of thread 21 of process 20. */
static struct perf_event_header *record(uint32_t type, unsigned misc, const uint32_t *body,
					unsigned n)
{
	struct perf_event_header *h = (void *)words;
	struct trailer *t = (void *)((uint32_t *)(h + 1) + n);

	*h = (struct perf_event_header){.type = type,
					.misc = (uint16_t)misc,
					.size = (uint16_t)(sizeof(*h) + 4 * n + sizeof(*t))};
	memcpy(h + 1, body, 4 * n);
	*t = (struct trailer){.pid = 20, .tid = 21, .time_ns = TIME};
	return h;
}

TEST(what_was_lost)
{
	const uint32_t body[] = {5, 0, 1000, 1};
	struct perf_record r;

	CHECK(perf_decode_record(record(PERF_RECORD_LOST, 0, body, 4), &plain, &r));
	CHECK_EQ(r.lost, 1000 + (1ULL << 32));
	CHECK_EQ(r.time_ns, TIME);
}

TEST(processes_and_threads)
{
	const uint32_t body[] = {10, 11, 12, 13, 99, 0};
	struct perf_record r;

	CHECK(perf_decode_record(record(PERF_RECORD_FORK, 0, body, 6), &plain, &r));
	CHECK_EQ(r.pid, 10);
	CHECK_EQ(r.parent.pid, 11);
	CHECK_EQ(r.tid, 12);
	CHECK_EQ(r.parent.tid, 13);
	CHECK_EQ(r.time_ns, TIME);
	CHECK(perf_decode_record(record(PERF_RECORD_EXIT, 0, body, 6), &plain, &r));
	CHECK_EQ(r.type, PERF_RECORD_EXIT);
	CHECK_EQ(r.tid, 12);
}

TEST(names)
{
	const char text[24] = "a name that is too long";
	uint32_t body[8] = {10, 11};
	struct perf_record r;

	memcpy(body + 2, text, sizeof(text));
	CHECK(perf_decode_record(record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, body, 8),
				 &plain, &r));
	CHECK_EQ(r.pid, 10);
	CHECK_EQ(r.tid, 11);
	CHECK(r.comm.is_exec);
	CHECK_STR(r.comm.name, "a name that is ");
	CHECK(perf_decode_record(record(PERF_RECORD_COMM, 0, body, 4), &plain, &r));
	CHECK(!r.comm.is_exec);
	CHECK_STR(r.comm.name, "a name t");
}

TEST(switches)
{
	struct perf_record r;

	CHECK(perf_decode_record(
		record(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, (const uint32_t *)words, 0),
		&plain, &r));
	CHECK_EQ(r.pid, 20);
	CHECK_EQ(r.tid, 21);
	CHECK(r.sw.is_out);
	CHECK(!r.sw.is_preempted);
	CHECK_EQ(r.time_ns, TIME);
}

#define MMAP2_WORDS 16 /* before the path */

TEST(mappings)
{
	uint32_t body[MMAP2_WORDS + 2] = {10, 11, 0x1000, 0, 0x2000, 0, 0x3000, 0, 8, 1, 77};
	struct perf_record r;

	memcpy(body + MMAP2_WORDS, "/lib/a", 7);
	CHECK(perf_decode_record(record(PERF_RECORD_MMAP2, 0, body, MMAP2_WORDS + 2), &plain, &r));
	CHECK_EQ(r.pid, 10);
	CHECK_EQ(r.mapping.start, 0x1000);
	CHECK_EQ(r.mapping.end, 0x3000);
	CHECK_EQ(r.mapping.file_off, 0x3000);
	CHECK_EQ(r.mapping.dev_major, 8);
	CHECK_EQ(r.mapping.ino, 77);
	CHECK_STR(r.mapping.path, "/lib/a");
	memcpy(body + MMAP2_WORDS, "/lib/abc", 8); /* what ends it is behind the record's own */
	CHECK(!perf_decode_record(record(PERF_RECORD_MMAP2, 0, body, MMAP2_WORDS + 2), &plain, &r));
}

/* Each type with each length, in memory of just that length: sanitizers see who reads behind it. */
TEST(records_that_are_too_short)
{
	static const struct {
		uint32_t type;
		unsigned least; /* that tells something */
	} types[] = {
		{PERF_RECORD_SAMPLE, 8},
		{PERF_RECORD_LOST, 8 + 16 + 32},
		{PERF_RECORD_LOST_SAMPLES, 8 + 8 + 32},
		{PERF_RECORD_COMM, 8 + 8 + 32},
		{PERF_RECORD_FORK, 8 + 16 + 32},
		{PERF_RECORD_EXIT, 8 + 16 + 32},
		{PERF_RECORD_SWITCH, 8 + 32},
		{PERF_RECORD_SWITCH_CPU_WIDE, 8 + 32},
		{PERF_RECORD_MMAP, 8 + 32 + 32 + 8},
		{PERF_RECORD_MMAP2, 8 + 4 * MMAP2_WORDS + 32 + 8},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
		for (unsigned size = 8; size <= 256; size += 8) {
			struct perf_event_header *h = xcalloc(1, size);
			struct perf_record r;

			*h = (struct perf_event_header){.type = types[i].type,
							.size = (uint16_t)size};
			CHECK_EQ(perf_decode_record(h, &plain, &r), size >= types[i].least);
			free(h);
		}
}

TEST(records_that_nobody_reads)
{
	static const uint32_t types[] = {0, PERF_RECORD_THROTTLE, PERF_RECORD_AUX, 1000,
					 UINT32_MAX};
	uint32_t body[16] = {0};
	struct perf_record r;

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
		CHECK(!perf_decode_record(record(types[i], 0, body, 16), &plain, &r));
}

TEST_MAIN();
