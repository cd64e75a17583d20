#include <sched.h>

#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "dlang/session_engine.h"

#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

#include <time.h>
#include <unistd.h>

static uint64_t run(void)
{
	const struct difo *d = rig_end();
	struct err err = {0};
	uint64_t v = 0;

	if (verify_difo(d, &err))
		CHECK_STR(err.text, "");
	vm_begin_clause(rig.vm, &rig.ecb);
	vm_run(rig.vm, d, &v);
	return v;
}

/* a OP b */
static uint64_t op(unsigned opcode, uint64_t a, uint64_t b)
{
	rig_begin();
	rig_setx(a, 1);
	rig_setx(b, 2);
	rig_emit(DIF_FMT(opcode, 1, 2, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return run();
}

/* Does a branch after a comparison leap? */
static bool branches(unsigned branch, uint64_t a, uint64_t b)
{
	rig_begin();
	rig_setx(a, 1);
	rig_setx(b, 2);
	rig_emit(DIF_FMT(DIF_OP_CMP, 1, 2, 0));
	rig_emit(DIF_LABEL(branch, 5));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
	rig_setx(1, 3);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 3));
	return run();
}

static uint64_t load(unsigned opcode, uint64_t addr)
{
	rig_begin();
	rig_setx(addr, 1);
	rig_emit(DIF_FMT(opcode, 1, 0, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return run();
}

static uint64_t builtin(uint16_t id)
{
	rig_begin();
	rig_emit(DIF_INDEX(DIF_OP_LDGS, id, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return run();
}

static const char *builtin_text(uint16_t id)
{
	return (const char *)(uintptr_t)builtin(id);
}

static void check_fault(enum fault fault, uint64_t value, int off)
{
	CHECK_EQ(rig.vm->fault, fault);
	CHECK_EQ(rig.vm->fault_value, value);
	CHECK_EQ(rig.vm->fault_off, off);
}

TEST(arithmetic_is_modulo_two_to_the_64)
{
	rig_default();
	CHECK_EQ(op(DIF_OP_ADD, INT64_MAX, 1), INT64_MIN);
	CHECK_EQ(op(DIF_OP_SUB, 0, 1), -1);
	CHECK_EQ(op(DIF_OP_MUL, (uint64_t)1 << 63, 2), 0);
	CHECK_EQ(op(DIF_OP_AND, 12, 10), 8);
	CHECK_EQ(op(DIF_OP_OR, 12, 10), 14);
	CHECK_EQ(op(DIF_OP_XOR, 12, 10), 6);
	CHECK_EQ(op(DIF_OP_NOT, 0, 0), -1);
	CHECK(!rig.vm->fault);
}

TEST(shift_counts_are_modulo_64)
{
	rig_default();
	CHECK_EQ(op(DIF_OP_SLL, 5, 64), 5);
	CHECK_EQ(op(DIF_OP_SRL, (uint64_t)-8, 1), INT64_MAX - 3);
	CHECK_EQ(op(DIF_OP_SRA, (uint64_t)-8, 1), -4);
	CHECK_EQ(op(DIF_OP_SRA, (uint64_t)-8, 127), -1);
}

TEST(division_is_signed_or_not)
{
	rig_default();
	CHECK_EQ(op(DIF_OP_SDIV, (uint64_t)-7, 2), -3);
	CHECK_EQ(op(DIF_OP_SREM, (uint64_t)-7, 2), -1);
	CHECK_EQ(op(DIF_OP_UDIV, (uint64_t)-7, 2), INT64_MAX - 3);
	CHECK_EQ(op(DIF_OP_UREM, (uint64_t)-7, 2), 1);
}

TEST(smallest_number_by_minus_one_does_not_trap)
{
	rig_default();
	CHECK_EQ(op(DIF_OP_SDIV, (uint64_t)INT64_MIN, UINT64_MAX), INT64_MIN);
	CHECK_EQ(op(DIF_OP_SREM, (uint64_t)INT64_MIN, UINT64_MAX), 0);
	CHECK(!rig.vm->fault);
}

TEST(division_by_zero_faults_where_it_is)
{
	static const unsigned ops[] = {DIF_OP_SDIV, DIF_OP_UDIV, DIF_OP_SREM, DIF_OP_UREM};

	rig_default();
	for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
		op(ops[i], 1, 0);
		check_fault(FAULT_DIVZERO, 0, 8);
	}
}

TEST(branches_compare_signed_and_unsigned)
{
	const uint64_t minus = (uint64_t)-1;

	rig_default();
	CHECK(branches(DIF_OP_BL, minus, 1) && !branches(DIF_OP_BLU, minus, 1));
	CHECK(branches(DIF_OP_BGU, minus, 1) && !branches(DIF_OP_BG, minus, 1));
	CHECK(branches(DIF_OP_BLE, 1, 1) && branches(DIF_OP_BLEU, 1, 1));
	CHECK(branches(DIF_OP_BGE, 1, 1) && branches(DIF_OP_BGEU, 1, 1));
	CHECK(branches(DIF_OP_BE, 1, 1) && !branches(DIF_OP_BNE, 1, 1));
	CHECK(branches(DIF_OP_BL, (uint64_t)INT64_MIN, INT64_MAX));
	CHECK(branches(DIF_OP_BA, 0, 1));
}

/* -1, 0, 1 as the signed and the unsigned branches both see it; 2: they differ. */
static int compare(const char *a, const char *b)
{
	static const unsigned less[] = {DIF_OP_BL, DIF_OP_BLU}, greater[] = {DIF_OP_BG, DIF_OP_BGU};
	int result[2];

	for (unsigned i = 0; i < 2; i++) {
		rig_begin();
		if (a)
			rig_sets(a, 1);
		if (b)
			rig_sets(b, 2);
		rig_emit(DIF_FMT(DIF_OP_SCMP, 1, 2, 0));
		rig_emit(DIF_LABEL(less[i], rig.difo.ninsns + 3));
		rig_emit(DIF_LABEL(greater[i], rig.difo.ninsns + 4));
		rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
		rig_setx((uint64_t)-1, 3);
		rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 3));
		rig_setx(1, 3);
		rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 3));
		result[i] = (int)run();
	}
	return result[0] == result[1] ? result[0] : 2;
}

TEST(strings_compare_by_unsigned_bytes)
{
	rig_default();
	CHECK_EQ(compare("abc", "abd"), -1);
	CHECK_EQ(compare("abc", "abc"), 0);
	CHECK_EQ(compare("abc", "ab"), 1);
	CHECK_EQ(compare("", "a"), -1);
	CHECK_EQ(compare("\xff", "a"), 1);
}

TEST(null_string_is_less_than_any_other)
{
	rig_default();
	CHECK_EQ(compare(NULL, ""), -1);
	CHECK_EQ(compare("a", NULL), 1);
	CHECK_EQ(compare(NULL, NULL), 0);
	CHECK(!rig.vm->fault);
}

TEST(loads_extend)
{
	uint64_t *own;

	rig_default();
	own = arena_alloc(&rig.arena, 8);
	*own = 0x80828486888a8c8eu;
	rig.ev.raw = own;
	rig.ev.rawlen = 8;
	CHECK_EQ(load(DIF_OP_LDUB, (uintptr_t)own), 0x8e);
	CHECK_EQ(load(DIF_OP_LDSB, (uintptr_t)own), (int8_t)0x8e);
	CHECK_EQ(load(DIF_OP_LDUH, (uintptr_t)own), 0x8c8e);
	CHECK_EQ(load(DIF_OP_LDSH, (uintptr_t)own), (int16_t)0x8c8e);
	CHECK_EQ(load(DIF_OP_LDUW, (uintptr_t)own), 0x888a8c8e);
	CHECK_EQ(load(DIF_OP_LDSW, (uintptr_t)own), (int32_t)0x888a8c8e);
	CHECK_EQ(load(DIF_OP_RLDX, (uintptr_t)own), *own);
	CHECK_EQ(load(DIF_OP_RLDSB, (uintptr_t)own), (int8_t)0x8e);
}

TEST(other_addresses_are_the_targets)
{
	rig_default();
	rig.memory[0] = 42;
	CHECK_EQ(load(DIF_OP_LDUB, TARGET_BASE), 42);
	CHECK_EQ(load(DIF_OP_ULDUB, TARGET_BASE), 42);
	load(DIF_OP_ULDUB, (uintptr_t)rig.arena.base); /* ours, but asked of the target */
	check_fault(FAULT_BADADDR, (uintptr_t)rig.arena.base, 4);
	load(DIF_OP_LDX, TARGET_BASE + TARGET_SIZE - 4); /* half of it */
	check_fault(FAULT_BADADDR, TARGET_BASE + TARGET_SIZE - 4, 4);
	rig.ev.target = NULL;
	load(DIF_OP_LDUB, TARGET_BASE);
	check_fault(FAULT_BADADDR, TARGET_BASE, 4);
	load(DIF_OP_LDUB, 0);
	check_fault(FAULT_BADADDR, 0, 4);
	load(DIF_OP_LDX, UINT64_MAX - 2);
	check_fault(FAULT_BADADDR, UINT64_MAX - 2, 4);
}

TEST(raw_data_of_the_event_is_ours)
{
	static const uint32_t raw[2] = {1, 2};

	rig_default();
	rig.ev.raw = raw;
	rig.ev.rawlen = sizeof(raw);
	CHECK_EQ(load(DIF_OP_LDUW, (uintptr_t)&raw[1]), 2);
	CHECK(!rig.vm->fault);
	load(DIF_OP_LDX, (uintptr_t)&raw[1]);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
}

TEST(what_is_not_the_programs_is_closed)
{
	rig_default();
	load(DIF_OP_LDX, (uintptr_t)rig.session);
	check_fault(FAULT_BADADDR, (uintptr_t)rig.session, 4);
	load(DIF_OP_LDX, (uintptr_t)rig.vm->scratch.start);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	load(DIF_OP_LDX, (uintptr_t)rig.vm->temps.start);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
}

TEST(stores_go_to_scratch_and_variables_only)
{
	uint64_t *own;

	rig_default();
	own = arena_alloc(&rig.arena, 8);
	rig_begin();
	rig_setx(8, 1);
	rig_emit(DIF_FMT(DIF_OP_ALLOCS, 1, 0, 2));
	rig_setx(0x1234, 3);
	rig_emit(DIF_FMT(DIF_OP_STX, 3, 0, 2));
	rig_emit(DIF_FMT(DIF_OP_LDUB, 2, 0, 4));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 4));
	CHECK_EQ(run(), 0x34);
	rig_begin();
	rig_setx((uintptr_t)own, 1);
	rig_emit(DIF_FMT(DIF_OP_STB, 1, 0, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	run();
	check_fault(FAULT_BADADDR, (uintptr_t)own, 4);
	CHECK_EQ(*own, 0);
}

TEST(scratch_ends)
{
	rig_default();
	rig_begin();
	rig_setx(UINT64_MAX, 1);
	rig_emit(DIF_FMT(DIF_OP_ALLOCS, 1, 0, 2));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 2));
	run();
	check_fault(FAULT_NOSCRATCH, 0, 4);
}

TEST(variables_are_reached_by_their_instructions)
{
	rig_new(256, 1 << 16);
	vars_define(rig.session->engine->vars, DIF_SCOPE_GLOBAL, 0x500, "g", &rig_char, false);
	vars_define(rig.session->engine->vars, DIF_SCOPE_GLOBAL, 0x501, "a", &rig_int, true);
	vars_define(rig.session->engine->vars, DIF_SCOPE_SELF, 0x500, "s", &rig_int, false);
	vars_define(rig.session->engine->vars, DIF_SCOPE_THIS, 0x500, "l", &rig_int, false);
	rig_start();
	rig_begin();
	rig_var(DIF_SCOPE_GLOBAL, 0x500, false);
	rig_var(DIF_SCOPE_GLOBAL, 0x501, true);
	rig_var(DIF_SCOPE_SELF, 0x500, false);
	rig_var(DIF_SCOPE_THIS, 0x500, false);
	rig_setx(300, 1);
	rig_emit(DIF_INDEX(DIF_OP_STGS, 0x500, 1));
	rig_emit(DIF_INDEX(DIF_OP_LDGS, 0x500, 1)); /* 44 */
	rig_emit(DIF_INDEX(DIF_OP_STTS, 0x500, 1));
	rig_emit(DIF_INDEX(DIF_OP_LDTS, 0x500, 2));
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 2));
	rig_emit(DIF_INDEX(DIF_OP_STGAA, 0x501, 2));
	rig_emit(DIF_INDEX(DIF_OP_LDGAA, 0x501, 3));
	rig_emit(DIF_INDEX(DIF_OP_STLS, 0x500, 3));
	rig_emit(DIF_INDEX(DIF_OP_LDLS, 0x500, 4));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 4));
	CHECK_EQ(run(), 44);
	CHECK(!rig.vm->fault);
}

TEST(undefined_variable_is_an_illegal_operation)
{
	rig_default();
	rig_begin();
	rig_var(DIF_SCOPE_GLOBAL, 0x500, false);
	rig_emit(DIF_INDEX(DIF_OP_LDGS, 0x500, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	run();
	check_fault(FAULT_ILLOP, 0, 0);
}

TEST(subroutines_take_the_tuple_stack)
{
	rig_default();
	rig_begin();
	rig_sets("hello", 1);
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_PUSHTR, DIF_PUSH_STRING, 0, 1));
	rig_emit(DIF_INDEX(DIF_OP_CALL, SUBR_STRLEN, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_EQ(run(), 5);
}

TEST(timestamp_is_one_per_clause)
{
	rig_default();
	vm_begin_firing(rig.vm, &rig.ev);
	CHECK_EQ(builtin(BUILTIN_TIMESTAMP), 1000);
	CHECK_EQ(rig.vm->now_ns, 1000);
	CHECK(builtin(BUILTIN_TIMESTAMP) > 1000); /* the next clause reads the clock */
}

TEST(probe_and_process_are_named)
{
	rig_default();
	rig.ev.args[3] = 33;
	rig.ev.cpu = 2;
	CHECK_STR(builtin_text(BUILTIN_PROBEPROV), "pid7");
	CHECK_STR(builtin_text(BUILTIN_PROBEMOD), "a.out");
	CHECK_STR(builtin_text(BUILTIN_PROBEFUNC), "main");
	CHECK_STR(builtin_text(BUILTIN_PROBENAME), "entry");
	CHECK_STR(builtin_text(BUILTIN_ZONENAME), "global");
	CHECK_STR(builtin_text(BUILTIN_JAILNAME), "");
	CHECK_EQ(builtin(BUILTIN_EPID), 2);
	CHECK_EQ(builtin(BUILTIN_ID), 3);
	CHECK_EQ(builtin(BUILTIN_PID), 7);
	CHECK_EQ(builtin(BUILTIN_TID), 8);
	CHECK_EQ(builtin(BUILTIN_ARG3), 33);
	CHECK_EQ(builtin(BUILTIN_CPU), 2);
	CHECK_EQ(builtin(BUILTIN_STACKDEPTH), 0);
	CHECK_EQ(builtin(BUILTIN_IPL), 0);
}

TEST(event_without_process_is_the_commands)
{
	rig_default();
	rig.ev.pid = rig.ev.tid = 0;
	rig.session->front_pid = 4711;
	CHECK_EQ(builtin(BUILTIN_PID), 4711);
	CHECK_EQ(builtin(BUILTIN_TID), 4711);
	CHECK_STR(builtin_text(BUILTIN_EXECNAME), "dtrace");
}

TEST(process_is_asked_of_the_system)
{
	char comm[32] = "";
	FILE *f = fopen("/proc/self/comm", "r");
	int64_t off_ns;

	rig_default();
	CHECK(f && fgets(comm, sizeof(comm), f));
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	rig.ev.pid = rig.ev.tid = getpid();
	CHECK_STR(builtin_text(BUILTIN_EXECNAME), comm);
	CHECK_EQ(builtin(BUILTIN_PPID), getppid());
	CHECK_EQ(builtin(BUILTIN_UID), getuid());
	CHECK_EQ(builtin(BUILTIN_GID), getgid());
	sched_yield(); /* the system counts what a thread has run when it is scheduled */
	CHECK(builtin(BUILTIN_VTIMESTAMP) > 0);
	CHECK(strstr(builtin_text(BUILTIN_EXECARGS), "vm_test"));
	off_ns = (int64_t)builtin(BUILTIN_WALLTIMESTAMP) - (int64_t)time(NULL) * 1000000000;
	CHECK(off_ns > -2000000000 && off_ns < 2000000000);
}

TEST(dead_process_has_no_properties)
{
	rig_default();
	rig.ev.pid = rig.ev.tid = INT32_MAX;
	CHECK_STR(builtin_text(BUILTIN_EXECNAME), "");
	CHECK_STR(builtin_text(BUILTIN_EXECARGS), "");
	CHECK_EQ(builtin(BUILTIN_PPID), 0);
	CHECK_EQ(builtin(BUILTIN_VTIMESTAMP), 0);
}

static uint64_t ureg(uint64_t n)
{
	rig_begin();
	rig_setx(n, 1);
	rig_emit(DIF_FMT(DIF_OP_LDGA, BUILTIN_UREGS, 1, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return run();
}

TEST(registers_have_the_numbers_of_linux)
{
	struct regs regs = {0};

	rig_default();
	rig.ev.regs = &regs;
	regs.r.r15 = 100;
	regs.r.rbp = 104;
	regs.r.rax = 110;
	regs.r.rip = 116;
	regs.r.rsp = 119;
	regs.r.ds = 121;
	regs.r.gs_base = 127;
	CHECK_EQ(ureg(0), 100);
	CHECK_EQ(ureg(4), 104);
	CHECK_EQ(ureg(10), 110);
	CHECK_EQ(ureg(16), 116);
	CHECK_EQ(ureg(VM_UREG_SP), 119);
	CHECK_EQ(ureg(21), 121);
	CHECK_EQ(ureg(25), 0);
	CHECK_EQ(ureg(27), 127);
	ureg(28);
	check_fault(FAULT_BADINDEX, 28, 4);
	rig.ev.regs = NULL;
	ureg(0);
	check_fault(FAULT_BADADDR, 0, 4);
}

TEST(begin_has_no_registers)
{
	rig_default();
	rig.session->begin_probe = rig.ev.probe;
	CHECK_EQ(ureg(0), 0);
	ureg(VM_UREG_FS);
	check_fault(FAULT_BADADDR, 0, 4);
}

static unsigned nstacks;

static unsigned two_frames(const struct event *ev UNUSED, taddr_t *pcs, unsigned max)
{
	CHECK(max > 2);
	nstacks++;
	pcs[0] = 0x100;
	pcs[1] = 0x200;
	return 2;
}

TEST(user_stack_is_fetched_once_per_firing)
{
	static const taddr_t captured[] = {1, 2, 3};

	rig_default();
	rig.provider.ustack = two_frames;
	vm_begin_firing(rig.vm, &rig.ev);
	CHECK_EQ(builtin(BUILTIN_UCALLER), 0x200);
	CHECK_EQ(builtin(BUILTIN_USTACKDEPTH), 2);
	CHECK_EQ(nstacks, 1);
	rig.ev.pcs = captured;
	rig.ev.npcs = ARRAY_SIZE(captured);
	CHECK_EQ(builtin(BUILTIN_USTACKDEPTH), 3);
	CHECK_EQ(builtin(BUILTIN_CALLER), 2);
	CHECK_EQ(nstacks, 1);
}

TEST(results_are_copied_padded)
{
	char out[9];

	rig_default();
	memset(out, 'x', sizeof(out));
	CHECK(vm_copystr(rig.vm, out, rig_text("ab"), 9, false));
	CHECK(memcmp(out, "ab\0\0\0\0\0\0", 9) == 0);
	CHECK(vm_copystr(rig.vm, out, rig_text("0123456789"), 9, false));
	CHECK_STR(out, "01234567");
	memcpy(rig.memory, "target", 7);
	CHECK(vm_copystr(rig.vm, out, TARGET_BASE, 9, true));
	CHECK_STR(out, "target");
	CHECK(!vm_copystr(rig.vm, out, 0, 9, false));
	check_fault(FAULT_BADADDR, 0, -1);
}

/* ---- the kernel ---- */

#define KERNEL_BASE 0xffff888000001000ULL

static const struct kernthread *kernel_asked_for;
static unsigned kernel_reads;

static ssize_t kernel_read(struct session *s UNUSED, const struct kernthread *fires, taddr_t addr,
			   void *buf, size_t n)
{
	kernel_reads++;
	kernel_asked_for = fires;
	if (addr < KERNEL_BASE || addr >= KERNEL_BASE + 8)
		return -EFAULT;
	n = MIN(n, KERNEL_BASE + 8 - addr);
	memcpy(buf, "kernel\0" + (addr - KERNEL_BASE), n);
	return (ssize_t)n;
}

static void kernel_thread(struct session *s UNUSED, const struct event *ev, struct kernthread *t)
{
	*t = (struct kernthread){
		.addr = KERNEL_BASE, .tid = (uint32_t)ev->tid, .state = KERNTHREAD_LIVES};
}

static const struct kernelmem kernel = {.thread = kernel_thread, .read = kernel_read};

static void rig_kernel(bool is_of_kernel)
{
	rig_default();
	rig.session->engine->kernelmem = &kernel;
	rig.provider.is_of_kernel = is_of_kernel;
	kernel_reads = 0;
}

TEST(the_kernel_is_read_where_the_event_is_its_own)
{
	struct vm_str s;

	rig_kernel(true);
	CHECK_EQ(load(DIF_OP_LDUB, KERNEL_BASE + 1), 'e');
	CHECK(!kernel_asked_for);
	CHECK(vm_string(rig.vm, KERNEL_BASE, &s));
	CHECK_EQ(s.len, 6);
	load(DIF_OP_LDX, KERNEL_BASE + 1); /* its end is not there */
	check_fault(FAULT_BADADDR, KERNEL_BASE + 1, 4);
}

TEST(what_a_process_holds_is_no_address_of_the_kernel)
{
	char buf[8];

	rig_kernel(false);
	load(DIF_OP_LDUB, KERNEL_BASE);
	check_fault(FAULT_BADADDR, KERNEL_BASE, 4);
	vm_begin_clause(rig.vm, &rig.ecb);
	CHECK(!vm_copystr(rig.vm, buf, KERNEL_BASE, sizeof(buf), false));
	CHECK_EQ(kernel_reads, 0);
	/* unless the types of the clause say so */
	rig_begin();
	rig.difo.needs = NEED_MEM | NEED_KERNEL;
	rig_setx(KERNEL_BASE, 1);
	rig_emit(DIF_FMT(DIF_OP_LDUB, 1, 0, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	CHECK_EQ(run(), 'k');
}

TEST(copyin_never_reads_the_kernel)
{
	rig_kernel(true);
	load(DIF_OP_ULDUB, KERNEL_BASE);
	check_fault(FAULT_BADADDR, KERNEL_BASE, 4);
	CHECK_EQ(kernel_reads, 0);
}

TEST(reads_depend_on_the_thread_once_it_was_asked_for)
{
	rig_kernel(true);
	CHECK_EQ(builtin(BUILTIN_CURTHREAD), KERNEL_BASE);
	load(DIF_OP_LDUB, KERNEL_BASE);
	CHECK(kernel_asked_for == &rig.vm->thread);
	CHECK_EQ(rig.vm->thread.tid, 8);
	vm_begin_firing(rig.vm, &rig.ev);
	load(DIF_OP_LDUB, KERNEL_BASE);
	CHECK(!kernel_asked_for);
}

TEST(builtin_rows_are_found_by_number)
{
	CHECK_EQ(BUILTIN_CURTHREAD, 0x100);
	CHECK_EQ(BUILTIN_ARG0, 0x106);
	CHECK_EQ(BUILTIN_ARG9, 0x10f);
	for (unsigned i = 0; i < nbuiltins; i++)
		CHECK(builtin_by_id(builtins[i].id) == &builtins[i]);
	CHECK(!builtin_by_id(1));
	CHECK(!builtin_by_id(0xff));
	CHECK(!builtin_by_id((uint16_t)(BUILTIN_CURTHREAD + nbuiltins)));
}

TEST_MAIN();
