#include "dlang/run/buffer.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "tests/unit/test.h"

static struct arena arena;

static struct buffer *new_buffer(uint64_t size)
{
	struct err err;
	struct buffer *b = buffer_new(&arena, size, &err);

	CHECK(b != NULL);
	return b;
}

/* A record of n bytes, all of them `fill`. */
static bool put(struct buffer *b, uint32_t n, char fill, uint32_t epid)
{
	char *p = buffer_reserve(b, n, 4 + n);

	if (!p)
		return false;
	memset(p, fill, n);
	*buffer_head(b) = (struct rec_head){.epid = epid, .seq = epid};
	buffer_commit(b);
	return true;
}

static void take(struct buffer *b, uint32_t n, char fill, uint32_t epid)
{
	const struct rec_head *rec = buffer_peek(b);

	CHECK(rec != NULL);
	CHECK_EQ(rec->epid, epid);
	CHECK_EQ(rec->size % 8, 0);
	CHECK(rec->size >= sizeof(*rec) + n);
	for (uint32_t i = 0; i < n; i++)
		CHECK_EQ(((const char *)(rec + 1))[i], fill);
	buffer_release(b);
}

TEST(records_come_out_as_they_went_in)
{
	struct buffer *b = new_buffer(4096);

	CHECK(!buffer_peek(b));
	CHECK(put(b, 0, 0, 1));
	CHECK(put(b, 13, 'x', 2));
	take(b, 0, 0, 1);
	take(b, 13, 'x', 2);
	CHECK(!buffer_peek(b));
}

TEST(a_reserved_record_is_invisible_until_committed)
{
	struct buffer *b = new_buffer(4096);

	CHECK(buffer_reserve(b, 8, 12));
	CHECK(!buffer_peek(b));
	buffer_cancel(b);
	CHECK(!buffer_peek(b));
	CHECK(put(b, 8, 'y', 7));
	take(b, 8, 'y', 7);
}

TEST(a_full_buffer_refuses_and_takes_again_when_drained)
{
	struct buffer *b = new_buffer(1000);
	uint32_t n = 0;

	while (put(b, 20, 'a', n + 1))
		n++;
	CHECK_EQ(n, 1000 / (sizeof(struct rec_head) + 24));
	take(b, 20, 'a', 1);
	CHECK(put(b, 20, 'a', n + 1) || put(b, 0, 'a', n + 1));
}

TEST(records_of_all_sizes_survive_the_end_of_the_ring)
{
	struct buffer *b = new_buffer(1024);
	uint32_t in = 0, out = 0;

	while (out < 20000) {
		if (in < 20000 && put(b, in % 200, (char)in, in + 1)) {
			in++;
			continue;
		}
		take(b, out % 200, (char)out, out + 1);
		out++;
	}
	CHECK(!buffer_peek(b));
}

#define HEAD ((uint32_t)sizeof(struct rec_head))

TEST(what_is_larger_than_the_buffer_never_fits)
{
	struct buffer *b = new_buffer(100);

	CHECK_EQ(buffer_record_size(96 - HEAD), 96);
	CHECK(put(b, 96 - HEAD, 'x', 1));
	take(b, 96 - HEAD, 'x', 1);
	CHECK(!put(b, 97 - HEAD, 'x', 2));
}

TEST(the_rest_up_to_the_end_is_not_in_the_way_for_ever)
{
	struct buffer *b = new_buffer(128);

	CHECK(put(b, 0, 0, 1));
	take(b, 0, 0, 1);
	CHECK(!put(b, 120 - HEAD, 'y', 2));
	CHECK(!buffer_peek(b)); /* the reader skips the rest */
	CHECK(put(b, 120 - HEAD, 'y', 3));
	take(b, 120 - HEAD, 'y', 3);
}

TEST(a_ring_keeps_the_newest)
{
	struct buffer *b = new_buffer(4 * HEAD + 8);

	buffer_set_ring(b);
	for (uint32_t i = 1; i <= 10; i++)
		CHECK(put(b, 0, 0, i));
	for (uint32_t i = 7; i <= 10; i++)
		take(b, 0, 0, i);
	CHECK(!buffer_peek(b));
	CHECK(put(b, 3 * HEAD, 'r', 11));
	take(b, 3 * HEAD, 'r', 11);
}

TEST(what_is_kept_is_not_given_away)
{
	struct buffer *b = new_buffer(3 * HEAD);

	buffer_limit(b, 12);
	buffer_keep(b, 4);
	CHECK(put(b, 0, 0, 1));
	CHECK(put(b, 0, 0, 2));
	CHECK(!put(b, 0, 0, 3));
	buffer_keep(b, 0);
	CHECK(put(b, 0, 0, 4));
}

TEST(the_limit_counts_what_programs_know)
{
	struct buffer *b = new_buffer(4096);

	buffer_limit(b, 16);
	CHECK(put(b, 4, 'a', 1));
	CHECK(!put(b, 12, 'b', 2));
	CHECK(put(b, 4, 'c', 3));
	CHECK(buffer_is_fuller(b, 2));
	CHECK(!put(b, 0, 0, 4));
	take(b, 4, 'a', 1);
	CHECK(put(b, 4, 'd', 5));
	take(b, 4, 'c', 3);
	take(b, 4, 'd', 5);
}

TEST(a_block_is_several_records)
{
	struct buffer *b = new_buffer(4096);
	struct rec_head *head = (void *)buffer_reserve_block(b, 2 * HEAD + 8, 16);

	CHECK(head != NULL);
	head[0] = (struct rec_head){.size = HEAD, .epid = 1};
	head[1] = (struct rec_head){.size = HEAD + 8, .epid = 2};
	memset(&head[2], 'b', 8);
	buffer_commit_block(b);
	take(b, 0, 0, 1);
	take(b, 8, 'b', 2);
	CHECK(!buffer_peek(b));
}

TEST(how_full_it_is_is_seen)
{
	struct buffer *b = new_buffer(1024);

	CHECK(!buffer_is_fuller(b, 2));
	put(b, 300, 'q', 1);
	CHECK(!buffer_is_fuller(b, 2));
	CHECK(buffer_is_fuller(b, 4));
	put(b, 300, 'h', 2);
	CHECK(buffer_is_fuller(b, 2));
	take(b, 300, 'q', 1);
	CHECK(!buffer_is_fuller(b, 2));
	take(b, 300, 'h', 2);
	CHECK(!buffer_is_fuller(b, 4));
}

TEST(what_the_front_has_taken_is_seen_with_the_next_record)
{
	struct buffer *b = new_buffer(1024);

	put(b, 300, 'q', 1);
	CHECK(!buffer_seems_fuller(b, 2));
	CHECK(buffer_seems_fuller(b, 4));
	take(b, 300, 'q', 1);
	CHECK(buffer_seems_fuller(b, 4));
	CHECK(!buffer_seems_fuller(b, 2));
	put(b, 20, 'n', 2);
	CHECK(!buffer_seems_fuller(b, 4));
	take(b, 20, 'n', 2);
}

#define STRESS 300000

static void produce(struct buffer *b)
{
	for (uint32_t i = 0; i < STRESS;)
		if (put(b, i % 90, (char)i, i + 1))
			i++;
	_exit(0);
}

TEST(two_processes_share_a_ring)
{
	struct arena shared;
	struct buffer *b;
	struct err err;
	pid_t pid;

	CHECK_EQ(arena_init_shared(&shared, 1 << 20, &err), 0);
	b = buffer_new(&shared, 5000, &err);
	pid = fork();
	if (pid == 0)
		produce(b);
	for (uint32_t i = 0; i < STRESS;)
		if (buffer_peek(b)) {
			take(b, i % 90, (char)i, i + 1);
			i++;
		}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

TEST_MAIN();
