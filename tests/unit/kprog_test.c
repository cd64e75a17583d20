/* The BPF program of a probe of the kernel, as instructions. */
#include "providers/kernel/kprog/kprog.h"

#include "tests/unit/test.h"

static struct bpf_insn insns[KPROG_MAX];

static bool calls(unsigned n, int helper)
{
	for (unsigned i = 0; i < n; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].imm == helper)
			return true;
	return false;
}

/* Whatever happens, the program ends: all jumps go forward and stay within. */
static void check_shape(unsigned n)
{
	CHECK_EQ(n > 0 && n <= KPROG_MAX, true);
	CHECK_EQ(insns[n - 1].code, BPF_JMP | BPF_EXIT);
	for (unsigned i = 0; i < n; i++)
		if ((insns[i].code & 7) == BPF_JMP && insns[i].code != (BPF_JMP | BPF_CALL) &&
		    insns[i].code != (BPF_JMP | BPF_EXIT))
			CHECK_EQ(insns[i].off >= 0 && i + 1 + (unsigned)insns[i].off < n, true);
}

TEST(a_count_makes_no_record)
{
	struct kprog k = {.kind = KPROG_ENTRY, .is_counted = true, .index = 7, .counts_fd = 5};
	unsigned n = kprog_make(&k, insns);

	check_shape(n);
	CHECK_EQ(calls(n, BPF_FUNC_map_lookup_elem), true);
	CHECK_EQ(calls(n, BPF_FUNC_ringbuf_reserve), false);
}

TEST(arguments_of_a_tracepoint_are_its_context)
{
	struct kprog k = {.kind = KPROG_RAW, .nargs = 2};
	unsigned n = kprog_make(&k, insns);

	check_shape(n);
	CHECK_EQ(calls(n, BPF_FUNC_get_func_arg), false);
	CHECK_EQ(k.size, ROUND_UP(sizeof(struct kprog_record), 8));
}

TEST(results_are_asked_for_only_where_there_is_one)
{
	struct kprog k = {.kind = KPROG_RETURN, .nargs = 1};

	CHECK_EQ(calls(kprog_make(&k, insns), BPF_FUNC_get_func_ret), false);
	k.has_result = true;
	CHECK_EQ(calls(kprog_make(&k, insns), BPF_FUNC_get_func_ret), true);
}

/* args[0]->next->name: a pointer, and the text behind it */
TEST(a_chain_of_pointers)
{
	struct kprog k = {.kind = KPROG_ENTRY, .nargs = 1};
	unsigned n;

	k.capture.nmem = 2;
	k.capture.mem[0] = (struct capture_mem){.base = MEM_ARG, .off = 8, .len = 8};
	k.capture.mem[1] = (struct capture_mem){
		.base = MEM_PIECE, .index = 0, .off = 16, .len = 30, .is_string = true};
	n = kprog_make(&k, insns);
	check_shape(n);
	CHECK_EQ(k.at[0], ROUND_UP(sizeof(struct kprog_record), 8));
	CHECK_EQ(k.at[1], k.at[0] + 8);
	CHECK_EQ(k.size, k.at[1] + 32);
	CHECK_EQ(calls(n, BPF_FUNC_probe_read_kernel_str), true);
	CHECK_EQ(calls(n, BPF_FUNC_probe_read_user_str), true);
}

TEST_MAIN();
