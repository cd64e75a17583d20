#include "symbols/cfi/ehframe.h"

#include <errno.h>

#include "tests/unit/test.h"

#define ADDR 0x10000

struct seen {
	unsigned n;
	taddr_t start[8];
	uint64_t size[8];
};

static void note(void *arg, const struct eh_fde *fde)
{
	struct seen *s = arg;

	if (s->n < 8) {
		s->start[s->n] = fde->start;
		s->size[s->n] = fde->size;
	}
	s->n++;
}

static struct seen walk(const void *data, size_t size, bool is_section)
{
	struct ehframe eh = {data, size, ADDR, is_section};
	struct seen s = {0};

	CHECK_EQ(ehframe_each(&eh, note, &s), s.n);
	return s;
}

/* clang-format off */
#define CIE /* 24 bytes: "zR", code 1, data -8, ra 16, pcrel sdata4 */ \
	"\x14\0\0\0" "\0\0\0\0" "\x01" "zR\0" "\x01" "\x78" "\x10" "\x01" "\x1b" \
	"\x0c\x07\x08\x90\x01\0\0"
#define FDE1 /* at 24: CIE pointer 28, start 32 + 0x100, size 0x20 */ \
	"\x10\0\0\0" "\x1c\0\0\0" "\x00\x01\0\0" "\x20\0\0\0" "\0\0\0\0"
#define FDE2 /* at 44: CIE pointer 48, start 52 - 0x200, size 0x08 */ \
	"\x10\0\0\0" "\x30\0\0\0" "\x00\xfe\xff\xff" "\x08\0\0\0" "\0\0\0\0"
/* clang-format on */

TEST(functions_in_file_order)
{
	static const char data[] = CIE FDE1 FDE2 "\0\0\0";
	struct seen s = walk(data, sizeof(data), false);

	CHECK_EQ(s.n, 2);
	CHECK_EQ(s.start[0], ADDR + 32 + 0x100);
	CHECK_EQ(s.size[0], 0x20);
	CHECK_EQ(s.start[1], ADDR + 52 - 0x200);
	CHECK_EQ(s.size[1], 8);
}

TEST(signal_trampolines_are_left_out)
{
	/* the CIE above with "zRS": one byte more of augmentation, one nop less */
	static const char data[] = "\x14\0\0\0\0\0\0\0\x01zRS\0\x01\x78\x10\x01\x1b"
				   "\x0c\x07\x08\x90\x01\0" FDE1;

	CHECK_EQ(walk(data, sizeof(data) - 1, true).n, 0);
}

TEST(a_zero_length_ends_only_what_has_no_size)
{
	static const char data[] = CIE "\0\0\0\0" /* the FDE is at 28 now */
				       "\x10\0\0\0"
				       "\x20\0\0\0"
				       "\x00\x01\0\0"
				       "\x20\0\0\0"
				       "\0\0\0";

	CHECK_EQ(walk(data, sizeof(data), false).n, 0);
	CHECK_EQ(walk(data, sizeof(data), true).n, 1);
}

TEST(an_entry_that_claims_too_much_ends_the_walk)
{
	static const char data[] = CIE FDE1 "\xf0\xff\xff\x7f\x1c\0\0";

	CHECK_EQ(walk(data, sizeof(data), true).n, 1);
}

TEST(a_cie_pointer_that_leaves_the_section)
{
	static const char data[] = CIE "\x10\0\0\0"
				       "\xff\0\0\0"
				       "\x00\x01\0\0"
				       "\x20\0\0\0"
				       "\0\0\0";

	CHECK_EQ(walk(data, sizeof(data), true).n, 0);
}

TEST(every_prefix_is_safe)
{
	static const char data[] = CIE FDE1 FDE2;

	for (size_t n = 0; n <= sizeof(data); n++)
		CHECK(walk(data, n, true).n <= 2);
}

TEST(discarded_functions_start_at_zero)
{
	/* absolute pointers: augmentation empty */
	static const char data[] = "\x0c\0\0\0"
				   "\0\0\0\0"
				   "\x01"
				   "\0"
				   "\x01"
				   "\x78"
				   "\x10"
				   "\0\0\0"
				   "\x14\0\0\0"
				   "\x14\0\0\0"
				   "\0\0\0\0\0\0\0\0"
				   "\x20\0\0\0\0\0\0\0"
				   "\x14\0\0\0"
				   "\x2c\0\0\0"
				   "\0\x10\0\0\0\0\0\0"
				   "\x20\0\0\0\0\0\0";
	struct seen s = walk(data, sizeof(data), true);

	CHECK_EQ(s.n, 1);
	CHECK_EQ(s.start[0], 0x1000);
	CHECK_EQ(s.size[0], 0x20);
}

TEST(header_points_to_the_frames)
{
	static const uint8_t hdr[] = {1, 0x1b, 3, 0x3b, 0xfc, 0x0f, 0, 0};
	taddr_t addr;

	CHECK_EQ(ehframe_hdr_find(hdr, sizeof(hdr), 0x2000, &addr), 0);
	CHECK_EQ(addr, 0x2004 + 0xffc);
	CHECK_EQ(ehframe_hdr_find(hdr, 5, 0x2000, &addr), -EINVAL);
}

TEST_MAIN();
