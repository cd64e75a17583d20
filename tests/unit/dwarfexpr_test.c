/* Expressions of DWARF that are to hold for any thread; numbers alone are cfi_test.c's. */
#include "symbols/cfi/dwarfexpr.h"

#include <dwarf.h>
#include <errno.h>

#include "tests/unit/test.h"

static int try(const char *bytes, size_t n, const struct dwexpr_value *first,
	       struct dwexpr_location *at)
{
	const struct dwexpr_context any = {.first = first};

	memset(at, 0xff, sizeof(*at));
	return dwexpr_eval(&(struct dwexpr){.bytes = (const uint8_t *)bytes, .n = n}, &any, at);
}

static struct dwexpr_location place(const char *bytes, size_t n)
{
	struct dwexpr_location at;

	CHECK_EQ(try(bytes, n, NULL, &at), 0);
	return at;
}

#define PLACE(bytes) place(bytes, sizeof(bytes) - 1)
#define REFUSED(bytes)                                                                             \
	do {                                                                                       \
		struct dwexpr_location refused_at;                                                 \
		CHECK_EQ(try(bytes, sizeof(bytes) - 1, NULL, &refused_at), -EINVAL);               \
		CHECK_EQ(refused_at.nregs, UINT32_MAX); /* untouched */                            \
	} while (0)

static void check_value(struct dwexpr_location at, int kind, enum dwexpr_base base, uint32_t reg,
			int64_t off)
{
	CHECK_EQ(at.kind, kind);
	CHECK_EQ(at.value.base, base);
	CHECK_EQ(at.value.reg, reg);
	CHECK_EQ((int64_t)at.value.off, off);
	CHECK(!at.value.is_loaded);
}

TEST(a_register_and_an_offset_however_it_is_said)
{
	check_value(PLACE("\x77\x08"), DWEXPR_MEMORY, DWEXPR_REG, 7, 8);
	check_value(PLACE("\x76\x70"), DWEXPR_MEMORY, DWEXPR_REG, 6, -16);
	check_value(PLACE("\x92\x21\x08"), DWEXPR_MEMORY, DWEXPR_REG, 33, 8); /* bregx */
	check_value(PLACE("\x77\x00\x23\x88\x01"), DWEXPR_MEMORY, DWEXPR_REG, 7, 136);
	check_value(PLACE("\x77\x10\x38\x1c"), DWEXPR_MEMORY, DWEXPR_REG, 7, 8); /* minus */
	check_value(PLACE("\x38\x77\x10\x22"), DWEXPR_MEMORY, DWEXPR_REG, 7, 24);
	check_value(PLACE("\x77\x10\x31\x16\x13"), DWEXPR_MEMORY, DWEXPR_CONST, 0, 1);
	check_value(PLACE("\x91\x78"), DWEXPR_MEMORY, DWEXPR_FRAME, 0, -8);
	check_value(PLACE("\x77\x08\x2f\x01\x00\x22"), DWEXPR_MEMORY, DWEXPR_REG, 7, 8); /* skip */
}

TEST(what_lies_in_memory_and_an_offset)
{
	struct dwexpr_location at = PLACE("\x77\x10\x06\x23\x08"); /* perlasm */

	CHECK(at.value.is_loaded);
	CHECK_EQ(at.value.reg, 7);
	CHECK_EQ(at.value.off, 16);
	CHECK_EQ(at.value.add, 8);
	CHECK(!dwexpr_is_offset(&at, DWEXPR_REG));
	at = PLACE("\x91\x70\x06\x34\x1c");
	CHECK(at.value.is_loaded);
	CHECK_EQ(at.value.base, DWEXPR_FRAME);
	CHECK_EQ((int64_t)at.value.add, -4);
}

TEST(a_member_has_a_fixed_place_or_none)
{
	static const struct dwexpr_value object = {.base = DWEXPR_OBJECT};
	struct dwexpr_location at;

	CHECK_EQ(try("\x23\x90\x01", 3, &object, &at), 0);
	CHECK(dwexpr_is_offset(&at, DWEXPR_OBJECT));
	CHECK_EQ(at.value.off, 144);
	CHECK_EQ(try("\x08\x0c\x22", 3, &object, &at), 0);
	CHECK(dwexpr_is_offset(&at, DWEXPR_OBJECT));
	CHECK_EQ(at.value.off, 12);
	/* a virtual base: dup, deref, constu 24, minus, deref, plus */
	CHECK_EQ(try("\x12\x06\x48\x1c\x06\x22", 6, &object, &at), -EINVAL);
	CHECK_EQ(try("\x06", 1, &object, &at), 0);
	CHECK(!dwexpr_is_offset(&at, DWEXPR_OBJECT));
	CHECK_EQ(try("\x31", 1, &object, &at), 0);
	CHECK(!dwexpr_is_offset(&at, DWEXPR_OBJECT));
}

TEST(addresses_and_per_thread_variables)
{
	check_value(PLACE("\x03\x10\x20\x40\0\0\0\0\0"), DWEXPR_MEMORY, DWEXPR_ADDRESS, 0,
		    0x402010);
	check_value(PLACE("\x03\x10\0\0\0\0\0\0\0\x23\x04"), DWEXPR_MEMORY, DWEXPR_ADDRESS, 0, 20);
	check_value(PLACE("\x0e\x10\0\0\0\0\0\0\0\xe0"), DWEXPR_TLS, DWEXPR_CONST, 0, 16);
	check_value(PLACE("\x0c\x10\0\0\0\x9b"), DWEXPR_TLS, DWEXPR_CONST, 0, 16);
	check_value(PLACE("\xa1\x05"), DWEXPR_MEMORY, DWEXPR_UNKNOWN, 0, 0); /* addrx */
	check_value(PLACE("\xfc\x05\xe0"), DWEXPR_TLS, DWEXPR_UNKNOWN, 0, 0);
}

TEST(values_that_are_nowhere)
{
	check_value(PLACE("\x35\x9f"), DWEXPR_VALUE, DWEXPR_CONST, 0, 5);
	check_value(PLACE("\x09\xff\x9f"), DWEXPR_VALUE, DWEXPR_CONST, 0, -1);
	check_value(PLACE("\x75\x01\x9f"), DWEXPR_VALUE, DWEXPR_REG, 5, 1);
}

static void check_regs(struct dwexpr_location at, unsigned n, unsigned first, unsigned second)
{
	CHECK_EQ(at.kind, DWEXPR_REGISTERS);
	CHECK_EQ(at.nregs, n);
	CHECK_EQ(at.regs[0], first);
	CHECK_EQ(at.regs[1], second);
}

TEST(registers_and_pieces_of_them)
{
	check_regs(PLACE("\x55"), 1, 5, 0);
	check_regs(PLACE("\x61"), 1, 17, 0); /* xmm0 */
	check_regs(PLACE("\x55\x93\x08"), 1, 5, 0);
	check_regs(PLACE("\x55\x93\x04"), 1, 5, 0);
	check_regs(PLACE("\x55\x93\x08\x54\x93\x04"), 2, 5, 4);
	REFUSED("\x55\x93\x04\x54\x93\x08");	 /* half a register, then another */
	REFUSED("\x55\x93\x08\x54");		 /* of how much? */
	REFUSED("\x55\x54");			 /* twice somewhere */
	REFUSED("\x55\x93\x10");		 /* more than it holds */
	REFUSED("\x55\x93\x08\x93\x08");	 /* a piece of nothing */
	REFUSED("\x93\x08\x55\x93\x08");	 /* the first is gone */
	REFUSED("\x55\x93\x08\x91\x00\x93\x08"); /* half on the stack */
	REFUSED("\x55\x93\x08\x91\x00");
	REFUSED("\x55\x93\x08\x31\x9f");
	REFUSED("\x55\x93\x08\x54\x93\x08\x51\x93\x08"); /* three */
	REFUSED("\x31\x55");
	REFUSED("\x55\x9f");
}

TEST(what_depends_on_contents_is_refused)
{
	REFUSED("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"); /* a PLT's */
	REFUSED("\x77\x08\x06\x06");				 /* what lies where that leads to */
	REFUSED("\x77\x08\x94\x04");				 /* four bytes of it */
	REFUSED("\x31\x06");					 /* an address nobody reads */
	REFUSED("\x77\x00\x78\x00\x22");			 /* two registers */
	REFUSED("\x31\x77\x00\x1c");
	REFUSED("\x77\x00\x1f");
	REFUSED("\x77\x00\x28\x00\x00");
	REFUSED("\x77\x00\x31\x1e");
	REFUSED("");
	REFUSED("\x96");
	REFUSED("\x77"); /* cut off */
	REFUSED("\x77\x80");
	REFUSED("\x03\x10");
	REFUSED("\x9c");	 /* call_frame_cfa: whose? */
	REFUSED("\x31\x9f\x31"); /* behind the end */
	REFUSED("\xa3\x01\x55"); /* entry_value */
}

TEST(operations_that_somebody_has_taken_apart)
{
	static const struct dwexpr_op ops[] = {{DW_OP_bregx, 6, -8ULL}, {DW_OP_deref, 0, 0}};
	static const struct dwexpr_op jump[] = {{DW_OP_lit1, 0, 0}, {DW_OP_skip, 0, 0}};
	static const struct dwexpr_context any = {.first = NULL};
	struct dwexpr_location at;

	CHECK_EQ(dwexpr_eval(&(struct dwexpr){.ops = ops, .n = 1}, &any, &at), 0);
	check_value(at, DWEXPR_MEMORY, DWEXPR_REG, 6, -8);
	CHECK_EQ(dwexpr_eval(&(struct dwexpr){.ops = ops, .n = 2}, &any, &at), 0);
	CHECK(at.value.is_loaded);
	CHECK_EQ(dwexpr_eval(&(struct dwexpr){.ops = jump, .n = 2}, &any, &at), -EINVAL);
}

static bool seven(void *arg UNUSED, taddr_t addr, uint64_t *v)
{
	*v = 7;
	return addr == 0x1008;
}

TEST(of_a_thread_that_stands_still_everything_is_a_number)
{
	const uint64_t regs[] = {0, 0x1000};
	struct dwexpr_context c = {.regs = regs, .nregs = 2, .read = seven};
	struct dwexpr e = {.bytes = (const uint8_t *)"\x71\x08\x06\x31\x22", .n = 5};
	struct dwexpr_location at;

	CHECK_EQ(dwexpr_eval(&e, &c, &at), 0);
	check_value(at, DWEXPR_MEMORY, DWEXPR_CONST, 0, 8);
	e.bytes = (const uint8_t *)"\x71\x09\x06";
	e.n = 3;
	CHECK_EQ(dwexpr_eval(&e, &c, &at), -EFAULT);
	e.bytes = (const uint8_t *)"\x72\x09";
	e.n = 2;
	CHECK_EQ(dwexpr_eval(&e, &c, &at), -EINVAL); /* a register that it has not */
	e.bytes = (const uint8_t *)"\x91\x09";
	CHECK_EQ(dwexpr_eval(&e, &c, &at), 0);
	CHECK(!dwexpr_is_offset(&at, DWEXPR_CONST)); /* nobody says where its frame is */
}

TEST_MAIN();
