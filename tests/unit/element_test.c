/*
 * Arrays of a thread whose signal handlers use them, too, by one number and by two. A trap after
 * any instruction of the hook object runs a handler that assigns and loads elements, meets a trap
 * itself, comes back, or never does: wherever that is, each key has one pair at most, and the
 * values are those of some order in which all of it may have been done.
 */
#include "hook/tuple.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/base.h"
#include "hook/hook_proto.h"
#include "inject/hookobj.h"
#include "tests/unit/test.h"

#define TRAP_FLAG  0x100 /* of the flags: SDM 1 §3.4.3 */
#define KEYS	   6	 /* that have the same first pair */
#define OTHERS	   5	 /* that have it, too, and stay: there is no room for all among the few; */
#define OTHER_ROWS 1	 /* or, of rows, in front of all */
#define DEEPEST	   3
#define STEPS	   600 /* of most calls, and more */
#define MANY_BITS  8
#define PLACE	   64
#define ARRAY	   HOOK_ARRAY(PLACE, MANY_BITS)
#define SECOND	   12345 /* of two keys */
#define ROWS_AT	   ROUND_UP(PLACE + HOOK_ARRAY_SIZE(MANY_BITS), 64)
#define ROWS	   HOOK_TUPLES(ROWS_AT, 2, MANY_BITS)
#define TABLE_SIZE ROUND_UP(ROWS_AT + HOOK_TUPLES_SIZE(2, MANY_BITS), 4096)

static uint8_t *code;
static char *table;
static struct hook_block *block;
static struct elements a;
static struct tuples rows;
static bool by_two; /* keys */
static uint64_t keys[KEYS + OTHERS];

static uint64_t seed = 1;

static unsigned below(unsigned max)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % max;
}

/* ---- what may be ---- */

/* The values of the keys, as they may be; by their bits, which of the calls that are under way have
 * been done. */
struct state {
	uint64_t values[KEYS];
	unsigned done;
};
static struct state states[4096];
static unsigned nstates;

struct op {
	bool stores;
	unsigned key;
	uint64_t value;
};

static void apply(struct state *s, const struct op *op)
{
	if (op->stores)
		s->values[op->key] = op->value;
}

/* It is done, or will be. */
static void interrupt(const struct op *op, unsigned level)
{
	unsigned n = nstates;

	for (unsigned i = 0; i < n; i++) {
		CHECK(nstates < ARRAY_SIZE(states));
		states[nstates] = states[i];
		apply(&states[nstates], op);
		states[nstates++].done |= 1U << level;
	}
}

static void forget_twice(void)
{
	for (unsigned i = 0; i < nstates; i++)
		for (unsigned k = i + 1; k < nstates; k++)
			if (!memcmp(&states[i], &states[k], sizeof(states[i])))
				states[k--] = states[--nstates];
}

static void end(const struct op *op, unsigned level, bool is_left)
{
	for (unsigned i = 0; i < nstates; i++) {
		if (!(states[i].done >> level & 1) && !is_left)
			apply(&states[i], op);
		states[i].done &= ~(1U << level);
	}
	forget_twice();
}

static bool may_be(unsigned key, uint64_t value)
{
	for (unsigned i = 0; i < nstates; i++)
		if (states[i].values[key] == value)
			return true;
	return false;
}

/* ---- calls, and what comes in between ---- */

static struct level {
	volatile unsigned left; /* steps until a handler runs */
	const struct op *op;
	sigjmp_buf env;
} levels[DEEPEST + 1];
static volatile unsigned level; /* of calls that are under way */

/* As a native clause calls. steps: there is a trap after each instruction. */
static uint64_t call(enum hook_function fn, uint64_t rdx, uint64_t rcx, bool steps)
{
	uint64_t at = (uintptr_t)code + ((const struct hook_object *)(void *)code)->functions[fn];

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
		: [block] "r"(block), [steps] "r"((int)steps), [flag] "i"(TRAP_FLAG), [fn] "r"(at)
		: "r11", "memory", "cc");
	return rcx;
}

static uint64_t store(uint64_t key, uint64_t value, bool steps)
{
	static const struct hook_tuple what = {.array = ROWS, .op = HOOK_TUPLE_STORE, .nkeys = 2};
	uint64_t keys_and_value[] = {key, by_two ? SECOND : value, value};

	return by_two ? call(HOOK_FN_TUPLE, (uintptr_t)keys_and_value, (uintptr_t)&what, steps)
		      : call(HOOK_FN_STORE_ELEMENT, (uintptr_t)keys_and_value, ARRAY, steps);
}

static uint64_t load(uint64_t key, bool steps)
{
	static const struct hook_tuple what = {.array = ROWS, .nkeys = 2};
	uint64_t both[] = {key, SECOND, 0};

	return by_two ? call(HOOK_FN_TUPLE, (uintptr_t)both, (uintptr_t)&what, steps)
		      : call(HOOK_FN_LOAD_ELEMENT, key, ARRAY, steps);
}

static uint64_t do_it(const struct op *op, bool steps)
{
	if (!op->stores)
		return load(keys[op->key], steps);
	store(keys[op->key], op->value, steps);
	return 0;
}

/* What is called next, instead of anything. */
static const struct op *script;
static unsigned nscript;

/* Handlers are likely to come upon what they have interrupted. */
static struct op any_op(void)
{
	static uint64_t value;
	unsigned key;

	if (nscript) {
		nscript--;
		return *script++;
	}
	key = level && below(2) ? levels[0].op->key : below(KEYS);

	return (struct op){below(5) != 0, key, below(5) > 1 ? ++value : 0};
}

/* steps: a handler comes behind so many; 0: none does. False: it has ended before. */
static bool run(unsigned steps)
{
	const struct op op = any_op();
	unsigned at = level++;
	struct level *l = &levels[at];
	uint64_t got, before = states[0].values[op.key];

	CHECK(at || nstates == 1);
	*l = (struct level){.left = steps, .op = &op};
	if (sigsetjmp(l->env, 1)) {
		level = at;
		end(&op, at, true);
		return true;
	}
	got = do_it(&op, steps != 0);
	level = at;
	end(&op, at, false);
	if (!op.stores && at == 0)
		CHECK(got == before || may_be(op.key, got));
	return !l->left;
}

static void on_trap(int sig UNUSED, siginfo_t *info UNUSED, void *context)
{
	unsigned at = level - 1;
	struct level *l = &levels[at];

	if (--l->left)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	interrupt(l->op, at);
	if (nscript) {
		while (nscript)
			run(0);
		return;
	}
	for (unsigned i = 1 + below(3); i > 0; i--)
		run(level <= DEEPEST - 1 && below(2) ? 1 + below(STEPS) : 0);
	if (!below(3))
		siglongjmp(l->env, 1);
}

/* ---- what is there ---- */

static unsigned nothers(void)
{
	return by_two ? OTHER_ROWS : OTHERS;
}

struct found {
	uint64_t values[KEYS];
	unsigned n[KEYS], nothers;
};

static void find(void *arg, uint64_t key, uint64_t value)
{
	struct found *f = arg;

	for (unsigned k = 0; k < KEYS; k++)
		if (keys[k] == key) {
			f->values[k] = value;
			f->n[k]++;
			return;
		}
	f->nothers++;
}

static void find_row(void *arg, const struct hook_pair *row, uint64_t value)
{
	CHECK_EQ(row[2].key, SECOND);
	find(arg, row[1].key, value);
}

static void each(element_fn *fn, tuple_fn *row_fn, void *arg)
{
	if (by_two)
		tuple_each(&rows, row_fn, arg);
	else
		element_each(&a, fn, arg);
}

/* Then it is known what the values are. */
static void look(void)
{
	struct found f = {.n = {0}};
	unsigned i = 0;

	each(find, find_row, &f);
	CHECK_EQ(f.nothers, nothers());
	for (unsigned k = 0; k < KEYS; k++) {
		struct op op = {.key = k};

		CHECK(f.n[k] <= 1);
		CHECK_EQ(do_it(&op, false), f.values[k]);
	}
	while (i < nstates && memcmp(states[i].values, f.values, sizeof(f.values)))
		i++;
	CHECK(i < nstates);
	memcpy(states[0].values, f.values, sizeof(f.values));
	states[0].done = 0;
	nstates = 1;
}

static void *map(size_t n, int prot)
{
	void *p = mmap(NULL, n, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static bool is_chosen(uint64_t key)
{
	const struct tuple two = {(const uint64_t[]){key, SECOND}, 2};

	if (by_two)
		return (tuple_hash(&two) & rows.mask) == 253;
	return element_number(&a, key, false, 0) == 77 &&
	       element_number(&a, key, true, 0) == HOOK_FEW + 255;
}

/* Their first pairs are the same, and their first ones among the many; or their first rows. */
static void choose_keys(void)
{
	unsigned n = 0;

	for (uint64_t key = 1; n < KEYS + OTHERS; key++)
		if (is_chosen(key))
			keys[n++] = key;
}

static void set_up(bool two)
{
	struct sigaction act = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};

	if (!code) {
		code = map(ROUND_UP(HOOKOBJ_SIZE, 4096), PROT_READ | PROT_WRITE | PROT_EXEC);
		memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
		table = map(TABLE_SIZE, PROT_READ | PROT_WRITE);
		block = map(HOOK_BLOCK_HEADER, PROT_READ | PROT_WRITE);
		block->table = (uintptr_t)table;
		a = elements_of(table, ARRAY);
		rows = tuples_of(table, ROWS);
	}
	if (!keys[0] || by_two != two) {
		by_two = two;
		choose_keys();
	}
	memset(table, 0, TABLE_SIZE);
	memset(states, 0, sizeof(states));
	nstates = 1;
	sigaction(SIGTRAP, &act, NULL);
}

static void put_others(void)
{
	for (unsigned k = KEYS; k < KEYS + nothers(); k++)
		store(keys[k], k, false);
}

/* ---- tests ---- */

static void interrupt_at_each_instruction(bool two)
{
	set_up(two);
	put_others();
	for (unsigned round = 0; round < (two ? 1 : 2); round++)
		for (unsigned steps = 1; steps < STEPS; steps++) {
			level = 0;
			run(steps);
			look();
			for (unsigned i = below(4); i > 0; i--) {
				run(0);
				look();
			}
		}
}

TEST(handlers_at_each_instruction_leave_one_pair_of_each_key)
{
	interrupt_at_each_instruction(false);
}

TEST(handlers_at_each_instruction_leave_one_row_of_each_tuple)
{
	interrupt_at_each_instruction(true);
}

/* Key 0 lies in front of where key 1 is about to be put. */
static void put_elsewhere(bool two)
{
	static const struct op scripts[][5] = {
		{{true, 0, 1}, {true, 1, 2}, {true, 0, 0}, {true, 1, 3}},
		{{true, 0, 1}, {true, 1, 2}, {true, 1, 3}, {true, 0, 0}, {true, 1, 0}},
		{{true, 0, 1}, {true, 1, 2}, {true, 2, 3}, {true, 0, 0}, {true, 1, 4}},
		{{true, 0, 1}, {true, 1, 0}, {true, 0, 0}, {true, 1, 2}},
		{{true, 0, 1}, {true, 0, 2}, {true, 0, 0}, {true, 2, 3}, {true, 0, 4}},
		{{true, 0, 1}, {false, 0, 0}, {true, 0, 0}, {true, 1, 3}},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(scripts); i++) {
		bool is_interrupted = true;

		for (unsigned steps = 1; is_interrupted; steps++) {
			set_up(two);
			put_others();
			script = scripts[i];
			nscript = scripts[i][4].value || scripts[i][4].stores ? 5 : 4;
			level = 0;
			run(0);
			is_interrupted = run(steps);
			nscript = 0;
			look();
		}
	}
}

TEST(a_key_that_a_handler_has_put_elsewhere_is_not_put_twice)
{
	put_elsewhere(false);
}

TEST(a_tuple_that_a_handler_has_put_elsewhere_is_not_put_twice)
{
	put_elsewhere(true);
}

static void fill(bool two)
{
	const struct hook_table *t = (const void *)table;
	uint64_t n = 0, v = 0;

	set_up(two);
	for (uint64_t i = 1; i <= 4000; i++)
		store(i * 64, i, false);
	CHECK(t->lost);
	for (uint64_t i = 1; i <= 4000; i++) {
		v = load(i * 64, false);
		CHECK(!v || v == i);
		n += v != 0;
	}
	CHECK_EQ(n + t->lost, 4000);
	CHECK(n > ((two ? 0 : HOOK_FEW) + (1U << MANY_BITS)) / 2);
	for (uint64_t i = 1; i <= 4000; i++)
		store(i * 64, 0, false);
	CHECK_EQ(n + t->lost, 4000); /* to free is no loss */
	store(64, 5, false);
	CHECK_EQ(load(64, false), 5);
}

TEST(what_finds_no_room_is_counted)
{
	fill(false);
	fill(true);
}

static void count(void *arg, uint64_t key UNUSED, uint64_t value UNUSED)
{
	++*(unsigned *)arg;
}

static void count_row(void *arg, const struct hook_pair *row UNUSED, uint64_t value UNUSED)
{
	++*(unsigned *)arg;
}

TEST(the_next_thread_finds_nothing)
{
	for (int two = 0; two < 2; two++) {
		unsigned n = 0;

		set_up(two);
		for (uint64_t i = 1; i <= 200; i++)
			store(i, i, false);
		array_clear(table, two ? ROWS : ARRAY);
		for (uint64_t i = 0; i < HOOK_FEW + a.many; i++)
			n += a.pairs[i].value != 0;
		for (uint32_t i = 0; i <= rows.mask; i++)
			n += tuple_row(&rows, i)->value != 0;
		each(count, count_row, &n);
		CHECK_EQ(n, 0);
	}
}

/* The program can write there. */
TEST(nonsense_is_not_followed)
{
	uint64_t value;

	set_up(false);
	for (unsigned round = 0; round < 2000; round++) {
		const struct tuple two = {(const uint64_t[]){below(4), below(2)}, 2};
		struct hook_pair seen;

		for (unsigned i = 0; i < TABLE_SIZE / 8; i++)
			((uint64_t *)(void *)table)[i] = below(2) ? UINT64_MAX : below(1 << 20);
		for (unsigned i = 0; i < 2 * (HOOK_FEW + a.many); i++)
			((uint64_t *)(void *)a.pairs)[i] = below(2) ? below(4) : UINT64_MAX;
		element_find(&a, below(4), &value);
		element_store(&a, below(4), below(2));
		element_each(&a, count, &(unsigned){0});
		tuple_find(&rows, &two, &seen);
		tuple_store(&rows, &two, below(2));
		tuple_each(&rows, count_row, &(unsigned){0});
	}
	array_clear(table, ARRAY);
	array_clear(table, ROWS);
}

TEST_MAIN();
