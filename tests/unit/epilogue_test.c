#include "tracer/unwind/epilogue.h"

#include "tests/unit/test.h"

#define AT 0x1000

static bool any(void *arg UNUSED, const struct row *row UNUSED)
{
	return true;
}

static bool of_size(void *arg, const struct row *row)
{
	return row->cfa_off == *(const int *)arg;
}

static bool row_of(const char *bytes, size_t n, taddr_t pc, struct row *row)
{
	const struct code_bytes code = {(const uint8_t *)bytes, n, AT};

	return epilogue_row(&code, pc, any, NULL, row);
}
#define ROW_OF(bytes, row) row_of(bytes, sizeof(bytes) - 1, AT, row)

/* Where reg was saved, from the CFA; 1: it was not. */
static int saved(const struct row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->nsaved; i++)
		if (row->reg[i] == reg)
			return row->off[i];
	return 1;
}

TEST(what_is_popped_and_added_leads_to_the_return_address)
{
	struct row r;

	/* add $24,%rsp; pop %r12; pop %rbx; ret */
	CHECK(ROW_OF("\x48\x83\xc4\x18\x41\x5c\x5b\xc3", &r));
	CHECK_EQ(r.how, ROW_PLAIN);
	CHECK_EQ(r.cfa_reg, CFI_RSP);
	CHECK_EQ(r.cfa_off, 48);
	CHECK_EQ(saved(&r, CFI_RA), -8);
	CHECK_EQ(saved(&r, CFI_RBX), -16);
	CHECK_EQ(saved(&r, 12), -24);
	CHECK_EQ(saved(&r, CFI_RBP), 1);
}

TEST(a_prologue_is_passed_through)
{
	struct row r;

	/* push %rbp; push (%rdi); sub $32,%rsp; call .; add $40,%rsp; pop %rbp; ret $16 */
	CHECK(ROW_OF(
		"\x55\xff\x37\x48\x83\xec\x20\xe8\xfb\xff\xff\xff\x48\x83\xc4\x28\x5d\xc2\x10\x00",
		&r));
	CHECK_EQ(r.cfa_off, 24);
	CHECK_EQ(saved(&r, CFI_RA), -24);
	CHECK_EQ(saved(&r, CFI_RBP), -32);
	/* pushf; popf; pop (%rdi); ret */
	CHECK(ROW_OF("\x9c\x9d\x8f\x07\xc3", &r));
	CHECK_EQ(r.cfa_off, 16);
}

TEST(other_instructions_do_not_matter)
{
	struct row r;

	/* mov $4,%eax; movabs $4,%r12; test %rsp,%rsp; cmp $16,%rsp; xchg %rax,%r12; ret */
	CHECK(ROW_OF(
		"\xb8\x04\0\0\0\x49\xbc\x04\0\0\0\0\0\0\0\x48\x85\xe4\x48\x83\xfc\x10\x49\x94\xc3",
		&r));
	CHECK_EQ(r.cfa_off, 8);
	CHECK_EQ(r.nsaved, 1);
}

TEST(a_frame_pointer_is_the_base_once_it_is_used)
{
	struct row r;

	/* mov -8(%rbp),%rbx; leave; ret */
	CHECK(ROW_OF("\x48\x8b\x5d\xf8\xc9\xc3", &r));
	CHECK_EQ(r.cfa_reg, CFI_RBP);
	CHECK_EQ(r.cfa_off, 16);
	CHECK_EQ(saved(&r, CFI_RBX), -24);
	CHECK_EQ(saved(&r, CFI_RBP), -16);
	/* lea -16(%rbp),%rsp; pop %rbx; pop %r12; pop %rbp; ret */
	CHECK(ROW_OF("\x48\x8d\x65\xf0\x5b\x41\x5c\x5d\xc3", &r));
	CHECK_EQ(r.cfa_reg, CFI_RBP);
	CHECK_EQ(r.cfa_off, 16);
	CHECK_EQ(saved(&r, CFI_RBX), -32);
	/* mov %rsp,%rbp; leave; ret: where that is cannot be said */
	CHECK(!ROW_OF("\x48\x89\xe5\xc9\xc3", &r));
}

TEST(ways_are_tried_until_one_is_accepted)
{
	/* je 1f; add $8,%rsp; ret; 1: add $24,%rsp; ret */
	static const char bytes[] = "\x74\x05\x48\x83\xc4\x08\xc3\x48\x83\xc4\x18\xc3";
	const struct code_bytes code = {(const uint8_t *)bytes, sizeof(bytes) - 1, AT};
	int want = 32;
	struct row r;

	CHECK(epilogue_row(&code, AT, of_size, &want, &r));
	want = 16;
	CHECK(epilogue_row(&code, AT, of_size, &want, &r));
	want = 8;
	CHECK(!epilogue_row(&code, AT, of_size, &want, &r));
}

TEST(jumps_are_followed_backwards_too)
{
	struct row r;

	/* 0: pop %rax; ret; 2: jmp 0b */
	CHECK(row_of("\x58\xc3\xeb\xfc", 4, AT + 2, &r));
	CHECK_EQ(r.cfa_off, 16);
}

TEST(what_cannot_be_followed_tells_nothing)
{
	struct row r;

	CHECK(!ROW_OF("\x48\x83\xe4\xf0\xc3", &r)); /* and $-16,%rsp; ret */
	CHECK(!ROW_OF("\x48\x89\xc4\xc3", &r));	    /* mov %rax,%rsp; ret */
	CHECK(!ROW_OF("\x5c\xc3", &r));		    /* pop %rsp; ret */
	CHECK(!ROW_OF("\xbc\0\0\0\0\xc3", &r));	    /* mov $0,%esp; ret */
	CHECK(!ROW_OF("\xff\xe0\xc3", &r));	    /* jmp *%rax; ret */
	CHECK(!ROW_OF("\xeb\xfe", &r));		    /* 1: jmp 1b */
	CHECK(!ROW_OF("\x90\x90", &r));		    /* it ends */
	CHECK(!ROW_OF("\x06\xc3", &r));		    /* not an instruction */
	CHECK(!row_of("\xc3", 1, AT + 1, &r));
}

TEST(random_bytes_do_no_harm)
{
	uint64_t x = 88172645463325252ULL;
	uint8_t bytes[EPILOGUE_BEFORE + EPILOGUE_BEHIND];
	const struct code_bytes code = {bytes, sizeof(bytes), AT};
	struct row r;

	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 0; i < sizeof(bytes); i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			bytes[i] = (uint8_t)x;
		}
		if (epilogue_row(&code, AT + EPILOGUE_BEFORE, any, NULL, &r))
			CHECK(r.nsaved >= 1 && r.nsaved <= ROW_SAVED_MAX);
	}
}

TEST_MAIN();
