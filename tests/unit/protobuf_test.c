/* Fields of protocol buffers, beside the bytes that the format's own description has for them. */
#include "base/protobuf.h"

#include "tests/unit/test.h"

static void is_bytes(struct strbuf *got, const char *want, size_t n)
{
	CHECK_EQ(got->len, n);
	CHECK(got->len == n && !memcmp(got->s, want, n));
	strbuf_clear(got);
}

TEST(numbers)
{
	struct strbuf b;

	strbuf_init(&b);
	protobuf_add_number(&b, 1, 150);
	is_bytes(&b, "\x08\x96\x01", 3);
	protobuf_add_number(&b, 1, 0);
	is_bytes(&b, "", 0);
	protobuf_add_number(&b, 16, UINT64_MAX);
	is_bytes(&b, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	protobuf_add_fixed(&b, 2, 1);
	is_bytes(&b, "\x11\x01\0\0\0\0\0\0\0", 9);
	protobuf_add_double(&b, 2, 1.0);
	is_bytes(&b, "\x11\0\0\0\0\0\0\xf0\x3f", 9);
	strbuf_release(&b);
}

TEST(texts_and_messages)
{
	struct strbuf b, part;
	char text[300];

	strbuf_init(&b);
	strbuf_init(&part);
	memset(text, 'x', sizeof(text));
	protobuf_add_bytes(&b, 2, "testing", 7);
	is_bytes(&b, "\x12\x07testing", 9);
	protobuf_add_number(&part, 1, 150);
	protobuf_add_message(&b, 3, &part);
	is_bytes(&b, "\x1a\x03\x08\x96\x01", 5);
	CHECK_EQ(part.len, 0);
	/* what has been written already, with a length of two bytes and a number of two */
	strbuf_adds(&b, "before");
	strbuf_add(&b, text, sizeof(text));
	protobuf_wrap(&b, 16, 6);
	CHECK_EQ(b.len, 6 + 4 + sizeof(text));
	CHECK(!memcmp(b.s, "before\x82\x01\xac\x02xxx", 13));
	strbuf_clear(&b);
	protobuf_wrap(&b, 1, 0);
	is_bytes(&b, "\x0a\0", 2);
	strbuf_release(&b);
	strbuf_release(&part);
}

TEST_MAIN();
