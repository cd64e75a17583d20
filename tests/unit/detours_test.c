/* Jumps to hooks and the calls that lead there at once, in a page of code that stands for a
 * process. */
#include "inject/detours.h"

#include <errno.h>

#include "tests/unit/test.h"

#define CODE 0x10000
#define SIZE (3 * PAGE)

static uint8_t code[SIZE], untouched[SIZE];
static taddr_t unreadable; /* page of it; 0: none */
static taddr_t breakpoint; /* 0: none */
static unsigned nnotes, nhalts;
static bool is_still = true;

/* ---- the process ---- */

ssize_t proc_read_code(struct proc *p UNUSED, taddr_t at, void *buf, size_t n)
{
	if (unreadable >= at && unreadable < at + n)
		n = unreadable - at;
	if (unreadable && at / PAGE == unreadable / PAGE)
		return -EFAULT;
	memcpy(buf, code + (at - CODE), n);
	return (ssize_t)n;
}

int proc_write_code(struct proc *p UNUSED, taddr_t at, const void *buf, size_t n)
{
	CHECK(is_still);
	memcpy(code + (at - CODE), buf, n);
	return 0;
}

bool bkpt_is_in(const struct proc *p UNUSED, taddr_t start, taddr_t end)
{
	return breakpoint >= start && breakpoint < end;
}

int proc_halt(struct proc *p UNUSED, struct err *err UNUSED)
{
	is_still = true;
	nhalts++;
	return 0;
}

void proc_go(struct proc *p UNUSED)
{
	is_still = false;
}

bool proc_is_still(const struct proc *p UNUSED)
{
	return is_still;
}

int32_t proc_note_detour(struct proc *p UNUSED, taddr_t at UNUSED, const uint8_t *orig UNUSED,
			 const uint8_t *now UNUSED, uint8_t n UNUSED)
{
	return (int32_t)nnotes++;
}

void proc_forget_detour(struct proc *p UNUSED, int32_t note UNUSED)
{
	nnotes--;
}

void proc_forget_detours(struct proc *p UNUSED)
{
	nnotes = 0;
}

bool proc_share_detours(const struct proc *from UNUSED, struct proc *p UNUSED)
{
	return true;
}

/* One thread stands somewhere, and its handler of a signal returns to somewhere; 0: neither. */
static taddr_t thread_at, handler_returns_to;

void proc_each_thread(struct proc *p UNUSED, void (*fn)(struct thread *, void *), void *arg)
{
	if (thread_at)
		fn((struct thread *)&thread_at, arg);
}

bool thread_pc(struct thread *t UNUSED, taddr_t *pc)
{
	*pc = thread_at;
	return true;
}

bool thread_can_move(const struct thread *t UNUSED)
{
	return true;
}

void thread_move(struct thread *t UNUSED, taddr_t pc)
{
	thread_at = pc;
}

unsigned proc_stack_words(struct proc *p UNUSED, taddr_t lo, taddr_t hi, stack_word_fn *fn,
			  void *arg)
{
	if (handler_returns_to >= lo && handler_returns_to < hi)
		fn(handler_returns_to, true, arg);
	return 0;
}

/* ---- what is written ---- */

static struct detours js;

static void begin(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		code[i] = untouched[i] = (uint8_t)i;
	nnotes = nhalts = 0;
	thread_at = handler_returns_to = unreadable = breakpoint = 0;
	is_still = true;
	detours_init(&js, (struct proc *)code);
}

/* 0xee: ours */
static void add(taddr_t at, taddr_t function, bool is_call)
{
	struct detour j = {.addr = at,
			   .len = is_call ? 4 : JUMP_LEN,
			   .function = function,
			   .is_call = is_call};

	memset(j.code, 0xee, j.len);
	memcpy(j.orig, untouched + (at - CODE), j.len);
	detours_add(&js, &j);
}

static void write_all(void)
{
	detours_prepare(&js);
	detours_look(&js);
	detours_write(&js);
	detours_drop(&js, NULL, NULL); /* there is none but calls */
}

static bool is_ours(taddr_t at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (code[at - CODE + i] != 0xee)
			return false;
	return true;
}

static bool is_as_before(taddr_t at, unsigned n)
{
	return memcmp(code + (at - CODE), untouched + (at - CODE), n) == 0;
}

static void end(void)
{
	is_still = true;
	detours_take_out(&js);
	CHECK_EQ(memcmp(code, untouched, SIZE), 0);
	CHECK_EQ(nnotes, 0);
	CHECK_EQ(js.ncalls, 0);
	detours_release(&js);
}

TEST(calls_are_written_and_taken_out_with_the_jump)
{
	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x401, CODE + 0x100, true);
	add(CODE + 0x801, CODE + 0x100, true);
	write_all();
	CHECK(is_ours(CODE + 0x100, JUMP_LEN));
	CHECK(is_ours(CODE + 0x401, 4));
	CHECK(is_ours(CODE + 0x801, 4));
	CHECK_EQ(nnotes, 3);
	end();
}

TEST(what_comes_later_has_its_way)
{
	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x401, CODE + 0x100, true);
	add(CODE + 0x801, CODE + 0x100, true);
	write_all();
	is_still = false;
	detours_make_way(&js, CODE + 0x404, CODE + 0x404 + JUMP_LEN); /* the last byte of it */
	CHECK_EQ(nhalts, 1);
	CHECK(!is_still);
	CHECK(is_as_before(CODE + 0x401, 4));
	CHECK(is_ours(CODE + 0x801, 4));
	CHECK(is_ours(CODE + 0x100, JUMP_LEN));
	CHECK_EQ(js.ncalls, 1);
	CHECK_EQ(nnotes, 2);
	detours_make_way(&js, CODE + 0x805, CODE + 0x80a); /* behind the other */
	detours_make_way(&js, CODE + 0x7fc, CODE + 0x801); /* in front of it */
	detours_make_way(&js, CODE + 0x100, CODE + 0x105); /* a jump makes no way */
	CHECK_EQ(nhalts, 1);
	CHECK_EQ(nnotes, 2);
	end();
}

/* What others have written there meanwhile is theirs. */
TEST(a_call_that_is_not_ours_any_more)
{
	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x401, CODE + 0x100, true);
	write_all();
	code[0x402] = 0xcc;
	detours_make_way(&js, CODE + 0x401, CODE + 0x402);
	CHECK_EQ(code[0x402], 0xcc);
	CHECK_EQ(code[0x401], 0xee);
	CHECK_EQ(js.ncalls, 0);
	memcpy(code + 0x401, untouched + 0x401, 4);
	end();
}

static void keep_why(const struct detour *j, void *arg)
{
	*(const char **)arg = j->why;
}

static const char *why_changed(taddr_t trap)
{
	const char *why = NULL;

	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	breakpoint = trap;
	code[0x102] = 0xcc;
	detours_prepare(&js);
	detours_write(&js);
	detours_drop(&js, keep_why, &why);
	code[0x102] = untouched[0x102];
	end();
	return why;
}

TEST(a_breakpoint_in_its_way_is_told_from_what_others_have_changed)
{
	CHECK_STR(why_changed(CODE + 0x102), "a breakpoint stands there");
	CHECK_STR(why_changed(CODE + 0x105), "its code differs from the file");
}

TEST(a_call_in_the_way_of_a_jump_stays_as_it_is)
{
	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x103, CODE + 0x300, true);
	add(CODE + 0x300, CODE + 0x300, false);
	write_all();
	CHECK(is_ours(CODE + 0x100, JUMP_LEN));
	CHECK(is_as_before(CODE + 0x105, 2));
	CHECK(is_ours(CODE + 0x300, JUMP_LEN));
	CHECK_EQ(js.ncalls, 0);
	end();
}

TEST(what_comes_by_other_means_is_not_written)
{
	struct detour j = {.addr = CODE + 0x100,
			   .len = JUMP_LEN,
			   .function = CODE + 0x100,
			   .code = {0xe9},
			   .is_of_image = true};

	begin();
	memcpy(j.orig, untouched + 0x100, JUMP_LEN);
	detours_add(&js, &j);
	add(CODE + 0x140, CODE + 0x140, false);
	detours_prepare(&js);
	detours_look(&js);
	CHECK(detours_may_come(&js, CODE, CODE + SIZE));
	detours_have_come(&js, CODE, CODE + SIZE);
	detours_write(&js);
	detours_drop(&js, NULL, NULL);
	CHECK(is_as_before(CODE + 0x100, JUMP_LEN));
	CHECK(is_ours(CODE + 0x140, JUMP_LEN));
	CHECK_EQ(js.nwritten, 2);
	CHECK_EQ(js.v[0].addr, CODE + 0x100);
	end();
}

TEST(where_a_thread_stands_nothing_comes_by_other_means)
{
	struct detour j = {.addr = CODE + 0x100,
			   .len = JUMP_LEN,
			   .function = CODE + 0x100,
			   .is_of_image = true,
			   .trampoline = CODE + 0x10000,
			   .new_offset = {0, 0, 4}};

	begin();
	memset(j.code, 0xee, JUMP_LEN);
	memcpy(j.orig, untouched + 0x100, JUMP_LEN);
	detours_add(&js, &j);
	thread_at = CODE + 0x102;
	detours_prepare(&js);
	detours_look(&js);
	CHECK(!detours_may_come(&js, CODE, CODE + SIZE));
	CHECK(detours_may_come(&js, CODE + 0x105, CODE + SIZE));
	detours_write(&js);
	detours_drop(&js, NULL, NULL);
	CHECK(is_ours(CODE + 0x100, JUMP_LEN));
	end();
}

#define TRAMPOLINE (CODE + 0x10000)

/* The short jump of a function at 0x100 to a long one at 0x205, which lies behind that of a window
 * at 0x200: 0x200: two bytes, 0x202: six bytes, 0x208: four bytes */
static void add_hosted(void)
{
	struct detour host = {.addr = CODE + 0x200,
			      .len = JUMP_LEN,
			      .function = CODE + 0x100,
			      .trampoline = TRAMPOLINE,
			      .new_offset = {0, 0, 12}},
		      island = {.addr = CODE + 0x205,
				.len = JUMP_LEN,
				.function = CODE + 0x100,
				.trampoline = TRAMPOLINE,
				.new_offset = {0, 0, 0, 28},
				.is_island = true,
				.is_inside = true},
		      jump = {.addr = CODE + 0x120, .len = 2, .function = CODE + 0x100};
	const int32_t rel = 0x500;

	memset(host.code, 0xee, JUMP_LEN);
	island.code[0] = 0xe9;
	memcpy(island.code + 1, &rel, sizeof(rel));
	memset(jump.code, 0xee, 2);
	memcpy(host.orig, untouched + 0x200, JUMP_LEN);
	memcpy(island.orig, untouched + 0x205, JUMP_LEN);
	memcpy(jump.orig, untouched + 0x120, 2);
	detours_add(&js, &jump);
	detours_add(&js, &island);
	detours_add(&js, &host);
}

static taddr_t writes_with_a_thread_at(taddr_t at)
{
	begin();
	add_hosted();
	thread_at = at;
	write_all();
	return thread_at;
}

TEST(threads_among_the_instructions_that_an_island_replaces_are_moved)
{
	CHECK_EQ(writes_with_a_thread_at(CODE + 0x200), CODE + 0x200);
	end();
	CHECK_EQ(writes_with_a_thread_at(CODE + 0x202), TRAMPOLINE + 12);
	end();
	CHECK_EQ(writes_with_a_thread_at(CODE + 0x208), TRAMPOLINE + 28);
	end();
	CHECK_EQ(writes_with_a_thread_at(CODE + 0x20a), CODE + 0x20a);
	end();
}

static void count_blocked(const struct detour *j UNUSED, void *arg)
{
	++*(unsigned *)arg;
}

TEST(a_handler_that_returns_among_them_is_in_the_way)
{
	unsigned nblocked = 0;

	begin();
	add_hosted();
	handler_returns_to = CODE + 0x205; /* whether something begins there or not */
	detours_prepare(&js);
	detours_look(&js);
	detours_write(&js);
	detours_drop(&js, count_blocked, &nblocked);
	CHECK_EQ(nblocked, 3);
	CHECK_EQ(memcmp(code, untouched, SIZE), 0);
	end();
}

TEST(who_is_in_the_way_may_have_gone_on_at_the_next_look)
{
	begin();
	add(CODE + 0x200, CODE + 0x200, false);
	detours_prepare(&js);
	thread_at = CODE + 0x202;
	CHECK(!detours_look(&js));
	thread_at = 0;
	handler_returns_to = CODE + 0x203;
	CHECK(!detours_look(&js));
	handler_returns_to = 0;
	CHECK(detours_look(&js));
	detours_write(&js);
	detours_drop(&js, NULL, NULL);
	CHECK(is_ours(CODE + 0x200, JUMP_LEN));
	end();
}

/* The instructions behind those that a jump replaces run elsewhere as well. */
TEST(a_window_that_has_changed_behind_its_jump_is_not_written)
{
	uint8_t window[12];
	struct detour j = {.addr = CODE + 0x100,
			   .len = JUMP_LEN,
			   .function = CODE + 0x100,
			   .window = window,
			   .window_size = sizeof(window)};

	for (unsigned changed = 0; changed < 2; changed++) {
		unsigned nblocked = 0;

		begin();
		memcpy(window, untouched + 0x100, sizeof(window));
		memset(j.code, 0xee, j.len);
		memcpy(j.orig, window, j.len);
		detours_add(&js, &j);
		window[11] ^= (uint8_t)changed;
		detours_prepare(&js);
		detours_look(&js);
		detours_write(&js);
		detours_drop(&js, count_blocked, &nblocked);
		CHECK_EQ(nblocked, changed);
		CHECK_EQ(is_ours(CODE + 0x100, JUMP_LEN), !changed);
		end();
	}
}

/* A page that cannot be read is in the way of those that lie in it. */
/* They come file by file, in any order, or all mixed. */
TEST(jumps_are_found_by_their_addresses_however_they_came)
{
	static const unsigned strides[] = {1, 3, 7, 11, 37};
	const unsigned n = 64;

	for (unsigned k = 0; k < ARRAY_SIZE(strides); k++) {
		begin();
		for (unsigned i = 0; i < n; i++)
			add(CODE + 16 * (i * strides[k] % n), CODE + 16 * i, false);
		write_all();
		for (unsigned i = 0; i < n; i++) {
			CHECK(is_ours(CODE + 16 * i, JUMP_LEN));
			CHECK(detours_begin_at(&js, CODE + 16 * i));
		}
		end();
	}
}

TEST(a_page_that_cannot_be_read_keeps_others_from_nothing)
{
	unsigned nblocked = 0;

	begin();
	add(CODE + PAGE - 0x100, CODE + PAGE - 0x100, false);
	add(CODE + PAGE + 0x100, CODE + PAGE + 0x100, false);
	add(CODE + 2 * PAGE + 0x100, CODE + 2 * PAGE + 0x100, false);
	unreadable = CODE + PAGE;
	detours_prepare(&js);
	detours_look(&js);
	detours_write(&js);
	detours_drop(&js, count_blocked, &nblocked);
	CHECK_EQ(nblocked, 1);
	CHECK(is_ours(CODE + PAGE - 0x100, JUMP_LEN));
	CHECK(is_as_before(CODE + PAGE + 0x100, JUMP_LEN));
	CHECK(is_ours(CODE + 2 * PAGE + 0x100, JUMP_LEN));
	end();
}

TEST(who_stands_at_an_island_makes_its_jump_before_it_goes)
{
	begin();
	add_hosted();
	write_all();
	thread_at = CODE + 0x205;
	end();
	CHECK_EQ(thread_at, CODE + 0x205 + JUMP_LEN + 0x500);

	/* at the jump of a window: its first instruction is the same as ever */
	begin();
	add_hosted();
	write_all();
	thread_at = CODE + 0x200;
	end();
	CHECK_EQ(thread_at, CODE + 0x200);
}

TEST(an_island_that_a_handler_returns_to_stays_with_its_function)
{
	begin();
	add_hosted();
	add(CODE + 0x300, CODE + 0x300, false);
	write_all();
	handler_returns_to = CODE + 0x205;
	CHECK(!detours_give_back(&js, CODE + 0x100));
	CHECK(detours_give_back(&js, CODE + 0x300));
	CHECK(is_as_before(CODE + 0x300, JUMP_LEN));
	add(CODE + 0x300, CODE + 0x300, false);
	write_all();
	CHECK(!detours_take_out(&js));
	CHECK(is_as_before(CODE + 0x300, JUMP_LEN));
	CHECK(is_ours(CODE + 0x200, JUMP_LEN));
	CHECK(is_ours(CODE + 0x120, 2));
	CHECK_EQ(code[0x205], 0xe9);
	detours_release(&js);
}

/* In padding it is in nobody's way: the function has its code again. */
TEST(a_function_is_given_back_without_an_island_in_padding)
{
	begin();
	add_hosted();
	js.v[1].is_inside = false;
	write_all();
	handler_returns_to = CODE + 0x205;
	CHECK(detours_give_back(&js, CODE + 0x100));
	CHECK(is_as_before(CODE + 0x200, JUMP_LEN));
	CHECK(is_as_before(CODE + 0x120, 2));
	CHECK_EQ(code[0x205], 0xe9);
	handler_returns_to = 0;
	end();
	CHECK_EQ(memcmp(code, untouched, SIZE), 0);
}

/* It was called for a fault of the first instruction of a window, and may go on at the second. */
TEST(a_handler_that_may_go_on_behind_is_in_the_way)
{
	for (unsigned second = 0; second < 2; second++) {
		struct detour j = {.addr = CODE + 0x100,
				   .len = JUMP_LEN,
				   .function = CODE + 0x100,
				   .trampoline = CODE + 0x800};
		unsigned nblocked = 0;

		begin();
		memset(j.code, 0xee, j.len);
		memcpy(j.orig, untouched + 0x100, j.len);
		j.new_offset[3] = second ? 9 : 0;
		detours_add(&js, &j);
		handler_returns_to = CODE + 0x100;
		detours_prepare(&js);
		detours_look(&js);
		detours_write(&js);
		detours_drop(&js, count_blocked, &nblocked);
		handler_returns_to = 0;
		CHECK_EQ(nblocked, second);
		end();
	}
}

static void count_dropped(const struct detour *j, void *arg)
{
	CHECK(!j->is_call);
	++*(unsigned *)arg;
}

/* A function whose jump cannot be written has no calls that lead to its hook. */
TEST(blocked_with_its_function)
{
	unsigned ndropped = 0;

	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x401, CODE + 0x100, true);
	code[0x102] = 0xcc; /* another tracer */
	detours_prepare(&js);
	detours_look(&js);
	detours_write(&js);
	CHECK(is_as_before(CODE + 0x401, 4));
	CHECK_EQ(js.v[0].state, DETOUR_BLOCKED);
	CHECK_EQ(js.v[1].state, DETOUR_BLOCKED);
	code[0x102] = untouched[0x102];
	detours_drop(&js, count_dropped, &ndropped);
	CHECK_EQ(ndropped, 1);
	end();
}

/* The list of a copy is that of its parent, until one of them changes it. */
TEST(a_copy_goes_on_with_its_parents_jumps)
{
	struct detours copy;

	begin();
	add(CODE + 0x100, CODE + 0x100, false);
	add(CODE + 0x300, CODE + 0x300, false);
	write_all();
	detours_init(&copy, js.proc);
	CHECK_EQ(detours_inherit(&copy, &js), 1);
	CHECK_EQ(copy.v, js.v);
	detours_take_out(&copy);
	CHECK_EQ(copy.n, 0);
	CHECK_EQ(js.n, 2);
	CHECK_EQ(js.v[0].state, DETOUR_ON);
	CHECK(is_as_before(CODE + 0x100, JUMP_LEN));
	detours_release(&copy);

	/* what is there in the copy counts */
	memset(code + 0x300, 0xee, JUMP_LEN);
	detours_init(&copy, js.proc);
	CHECK_EQ(detours_inherit(&copy, &js), 0);
	CHECK(copy.v != js.v);
	CHECK_EQ(copy.n, 1);
	CHECK_EQ(copy.v[0].addr, CODE + 0x300);
	detours_release(&copy);
	end();
	detours_release(&js);
}

TEST_MAIN();
