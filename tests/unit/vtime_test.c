/*
 * The time that a thread has been on CPUs, as hooks know it (struct hook_vtime), by a clock that we
 * set: the kernel is asked when that has moved. A trap after each instruction runs a handler that
 * comes back an hour later, and reads the time itself: it never goes back, and no hour is in it.
 */
#include "hook/hook_proto.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "base/clock.h"
#include "hook/agg_proto.h"
#include "inject/hookobj.h"
#include "tests/unit/test.h"

#define TRAP_FLAG 0x100 /* of the flags: SDM 1 §3.4.3 */
#define STEPS	  200	/* of a call, and more */
#define HOUR_NS	  3600000000000ULL

static struct hook_object *object;
static struct hook_shared shared;
static struct hook_clock clock_there; /* it stands still: its lines have no slope */
static struct hook_table table;
static struct hook_block block;
static volatile unsigned left; /* steps until a handler runs */
static volatile uint64_t highest;

static void set_clock(uint64_t ns)
{
	clock_there.lines[0].ns = ns;
}

static void set_up(void)
{
	if (!object) {
		void *code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(code != MAP_FAILED);
		memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
		object = code;
	}
	shared = (struct hook_shared){.may_call = 1};
	table = (struct hook_table){0};
	block = (struct hook_block){.table = (uintptr_t)&table};
	object->where =
		(struct hook_where){.shared = (uintptr_t)&shared, .clock = (uintptr_t)&clock_there};
	set_clock(HOUR_NS);
	highest = 0;
}

/* As a native clause calls. steps: there is a trap after each instruction. */
static bool vtime(uint64_t *value, bool steps)
{
	uint64_t at = (uintptr_t)object + object->functions[HOOK_FN_VTIME], rcx = 0, rdx = 0;

	__asm__ volatile(
		"lea -128(%%rsp), %%rsp\n"
		"mov %[block], %%r11\n"
		"test %[steps], %[steps]\n"
		"jz 1f\n"
		"pushf\n"
		"orl %[flag], (%%rsp)\n"
		"popf\n"
		"1: call *%[fn]\n"
		"pushf\n"
		"andl $~0x100, (%%rsp)\n"
		"popf\n"
		"lea 128(%%rsp), %%rsp"
		: "+c"(rcx), "+d"(rdx)
		: [block] "r"(&block), [steps] "r"((int)steps), [flag] "i"(TRAP_FLAG), [fn] "r"(at)
		: "r11", "memory", "cc");
	*value = rcx;
	return rdx;
}

static uint64_t cputime(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* No hour is in it. */
static uint64_t read_it(bool steps)
{
	uint64_t value;

	CHECK(vtime(&value, steps));
	CHECK(value);
	CHECK(value <= cputime());
	return value;
}

TEST(time_on_cpus_is_that_of_the_kernel)
{
	uint64_t before, value, later;

	set_up();
	before = cputime();
	value = read_it(false);
	CHECK(value >= before);
	set_clock(2 * HOUR_NS);
	later = read_it(false);
	CHECK(later > value);
	CHECK(later <= cputime());
}

TEST(time_on_cpus_goes_on_by_the_clock_as_long_as_the_thread_looks_often)
{
	uint64_t value, at = HOUR_NS;

	set_up();
	value = read_it(false);
	shared.may_call = 0; /* nobody is asked */
	for (unsigned i = 0; i < 10; i++) {
		uint64_t next;

		at += HOOK_VTIME_NS - 1;
		set_clock(at);
		CHECK(vtime(&next, false));
		CHECK_EQ(next, value + HOOK_VTIME_NS - 1);
		value = next;
	}
}

TEST(time_on_cpus_is_not_known_when_nobody_may_be_asked)
{
	uint64_t value;

	set_up();
	read_it(false);
	shared.may_call = 0;
	set_clock(HOUR_NS + HOOK_VTIME_NS);
	CHECK(!vtime(&value, false));
	CHECK_EQ(table.drops, 1);
}

/* As what interrupts are not counted by some kernels. */
TEST(time_on_cpus_never_goes_back)
{
	uint64_t last;

	set_up();
	block.vtime.ns[HOOK_VTIME_LOOKED] = HOUR_NS - HOOK_VTIME_NS;
	block.vtime.ns[HOOK_VTIME_AWAY] = 0; /* far ahead of the kernel */
	CHECK(vtime(&last, false));
	CHECK_EQ(last, HOUR_NS - HOOK_VTIME_NS);
}

TEST(time_on_cpus_is_known_without_a_clock)
{
	set_up();
	object->where.clock = 0;
	read_it(false);
	CHECK_EQ(block.vtime.ns[HOOK_VTIME_LOOKED], 0);
}

static void on_trap(int sig UNUSED, siginfo_t *info UNUSED, void *context)
{
	ucontext_t *c = context;

	if (!left || --left)
		return;
	c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	set_clock(clock_there.lines[0].ns + HOUR_NS);
	highest = read_it(false);
}

TEST(handlers_may_look_in_between)
{
	struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER}, old;

	set_up();
	CHECK_EQ(sigaction(SIGTRAP, &sa, &old), 0);
	for (unsigned i = 1; i < 2 * STEPS; i++) {
		uint64_t before = read_it(false), value, after;

		if (i % 2) /* the kernel is asked */
			set_clock(clock_there.lines[0].ns + HOUR_NS);
		highest = 0;
		left = i / 2 + 1;
		value = read_it(true);
		CHECK(value >= before);
		left = 0;
		after = read_it(false);
		CHECK(after >= value);
		CHECK(after >= highest);
	}
	CHECK_EQ(sigaction(SIGTRAP, &old, NULL), 0);
}

TEST_MAIN();
