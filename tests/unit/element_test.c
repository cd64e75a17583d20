/*
 * Arrays of a thread whose signal handlers use them, too. A trap after any instruction of the hook
 * object runs a handler that assigns and loads elements, meets a trap itself, comes back, or never
 * does: wherever that is, each key has one pair at most, and the values are those of some order in
 * which all of it may have been done.
 */
#include "hook/element.h"

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
#define OTHERS	   5	 /* that have it, too, and stay: there is no room for all among the few */
#define DEEPEST	   3
#define STEPS	   600 /* of a call, and more */
#define MANY_BITS  8
#define PLACE	   64
#define ARRAY	   HOOK_ARRAY(PLACE, MANY_BITS)
#define TABLE_SIZE ROUND_UP(PLACE + HOOK_ARRAY_SIZE(MANY_BITS), 4096)

static uint8_t *code;
static char *table;
static struct hook_block *block;
static struct elements a;
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
static uint64_t call(enum hook_function fn, uint64_t rdx, bool steps)
{
	uint64_t at = (uintptr_t)code + ((const struct hook_object *)(void *)code)->functions[fn];
	uint64_t rcx = ARRAY;

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

static uint64_t do_it(const struct op *op, bool steps)
{
	uint64_t key_and_value[2] = {keys[op->key], op->value};

	if (!op->stores)
		return call(HOOK_FN_LOAD_ELEMENT, keys[op->key], steps);
	call(HOOK_FN_STORE_ELEMENT, (uintptr_t)key_and_value, steps);
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

/* steps: a handler comes behind so many; 0: none does. */
static void run(unsigned steps)
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
		return;
	}
	got = do_it(&op, steps != 0);
	level = at;
	end(&op, at, false);
	if (!op.stores && at == 0)
		CHECK(got == before || may_be(op.key, got));
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

/* Then it is known what the values are. */
static void look(void)
{
	struct found f = {.n = {0}};
	unsigned i = 0;

	element_each(&a, find, &f);
	CHECK_EQ(f.nothers, OTHERS);
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

/* Their first pairs are the same, and their first ones among the many. */
static void choose_keys(void)
{
	unsigned n = 0;

	for (uint64_t key = 1; n < KEYS + OTHERS; key++)
		if (element_number(&a, key, false, 0) == 77 &&
		    element_number(&a, key, true, 0) == HOOK_FEW + 255)
			keys[n++] = key;
}

static void set_up(void)
{
	struct sigaction act = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};

	if (!code) {
		code = map(ROUND_UP(HOOKOBJ_SIZE, 4096), PROT_READ | PROT_WRITE | PROT_EXEC);
		memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
		table = map(TABLE_SIZE, PROT_READ | PROT_WRITE);
		block = map(HOOK_BLOCK_HEADER, PROT_READ | PROT_WRITE);
		block->table = (uintptr_t)table;
		a = elements_of(table, ARRAY);
		choose_keys();
	}
	memset(table, 0, TABLE_SIZE);
	memset(states, 0, sizeof(states));
	nstates = 1;
	sigaction(SIGTRAP, &act, NULL);
}

/* ---- tests ---- */

TEST(handlers_at_each_instruction_leave_one_pair_of_each_key)
{
	set_up();
	for (unsigned k = KEYS; k < KEYS + OTHERS; k++)
		CHECK(element_store(&a, keys[k], k));
	for (unsigned round = 0; round < 2; round++)
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

/* Key 0 lies in front of where key 1 is about to be put. */
TEST(a_key_that_a_handler_has_put_elsewhere_is_not_put_twice)
{
	static const struct op scripts[][5] = {
		{{true, 0, 1}, {true, 1, 2}, {true, 0, 0}, {true, 1, 3}},
		{{true, 0, 1}, {true, 1, 2}, {true, 1, 3}, {true, 0, 0}, {true, 1, 0}},
		{{true, 0, 1}, {true, 1, 2}, {true, 2, 3}, {true, 0, 0}, {true, 1, 4}},
		{{true, 0, 1}, {true, 1, 0}, {true, 0, 0}, {true, 1, 2}},
		{{true, 0, 1}, {true, 0, 2}, {true, 0, 0}, {true, 2, 3}, {true, 0, 4}},
		{{true, 0, 1}, {false, 0, 0}, {true, 0, 0}, {true, 1, 3}},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(scripts); i++)
		for (unsigned steps = 1; steps < STEPS; steps++) {
			set_up();
			for (unsigned k = KEYS; k < KEYS + OTHERS; k++)
				CHECK(element_store(&a, keys[k], k));
			script = scripts[i];
			nscript = scripts[i][4].value || scripts[i][4].stores ? 5 : 4;
			level = 0;
			run(0);
			run(steps);
			look();
		}
}

TEST(what_finds_no_room_is_counted)
{
	const struct hook_table *t = (const void *)table;
	uint64_t n = 0, v = 0;

	set_up();
	for (uint64_t i = 1; i <= 4000; i++)
		call(HOOK_FN_STORE_ELEMENT, (uintptr_t)(const uint64_t[]){i * 64, i}, false);
	CHECK(t->lost);
	for (uint64_t i = 1; i <= 4000; i++) {
		v = call(HOOK_FN_LOAD_ELEMENT, i * 64, false);
		CHECK(!v || v == i);
		n += v != 0;
	}
	CHECK_EQ(n + t->lost, 4000);
	CHECK(n > (HOOK_FEW + (1U << MANY_BITS)) / 2);
	for (uint64_t i = 1; i <= 4000; i++)
		call(HOOK_FN_STORE_ELEMENT, (uintptr_t)(const uint64_t[]){i * 64, 0}, false);
	CHECK_EQ(n + t->lost, 4000); /* to free is no loss */
	call(HOOK_FN_STORE_ELEMENT, (uintptr_t)(const uint64_t[]){64, 5}, false);
	CHECK_EQ(call(HOOK_FN_LOAD_ELEMENT, 64, false), 5);
}

static void count(void *arg, uint64_t key UNUSED, uint64_t value UNUSED)
{
	++*(unsigned *)arg;
}

TEST(the_next_thread_finds_nothing)
{
	unsigned n = 0;

	set_up();
	for (uint64_t i = 1; i <= 300; i++)
		CHECK(element_store(&a, i, i));
	element_clear(&a);
	for (uint64_t i = 0; i < HOOK_FEW + a.many; i++)
		n += a.pairs[i].value != 0;
	element_each(&a, count, &n);
	CHECK_EQ(n, 0);
}

/* The program can write there. */
TEST(nonsense_is_not_followed)
{
	uint64_t value;

	set_up();
	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 0; i < HOOK_ARRAY_HEAD / 8; i++)
			((uint64_t *)(void *)a.head)[i] = below(2) ? UINT64_MAX : below(1 << 20);
		for (unsigned i = 0; i < 2 * (HOOK_FEW + a.many); i++)
			((uint64_t *)(void *)a.pairs)[i] = below(2) ? below(4) : UINT64_MAX;
		element_find(&a, below(4), &value);
		element_store(&a, below(4), below(2));
		element_each(&a, count, &(unsigned){0});
	}
	element_clear(&a);
}

TEST_MAIN();
