#include "dlang/run/vmvars.h"

#include <errno.h>

#include "dlang/run/dynvars.h"
#include "dlang/session_engine.h"
#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

enum { V = DIF_VAR_USER };

static struct varslot *slot(enum dif_scope scope, unsigned n)
{
	return rig.session->engine->vars->slots[scope][n];
}

static uint64_t own(const char *s)
{
	return rig_text(s);
}

static const char *string_at(uint64_t addr)
{
	return addr ? (const char *)(uintptr_t)addr : "(NULL)";
}

static void define(enum dif_scope scope, unsigned n, const struct type *type, bool is_array)
{
	vars_define(rig.session->engine->vars, scope, (uint16_t)(V + n), "v", type, is_array);
}

static uint64_t dyn_load(enum dif_scope scope, unsigned n)
{
	return dynvar_load(rig.vm, scope, (uint16_t)(V + n), slot(scope, n));
}

static void dyn_store(enum dif_scope scope, unsigned n, uint64_t value)
{
	dynvar_store(rig.vm, scope, (uint16_t)(V + n), slot(scope, n), value);
}

static void key_int(uint64_t v)
{
	rig.vm->keys[0] = (struct vm_key){.value = v, .kind = DIF_PUSH_INT};
	rig.vm->nkeys = 1;
}

static void key_str(uint64_t addr)
{
	rig.vm->keys[0] = (struct vm_key){.value = addr, .kind = DIF_PUSH_STRING};
	rig.vm->nkeys = 1;
}

static uint64_t drops(void)
{
	return rig.session->drops[DROP_DYNAMIC];
}

/* The number of a thread that has ended is given to another one. */
TEST(a_new_thread_sees_nothing_of_an_old_one_with_its_number)
{
	struct tidreuse *tidreuse;

	rig_new(256, 1 << 16);
	tidreuse = &rig.session->engine->vars->tidreuse;
	define(DIF_SCOPE_SELF, 0, &rig_int, false);
	rig_start();
	rig.ev.tid = 77;
	tidreuse_begin(tidreuse, 77);
	tidreuse_begin(tidreuse, 78);
	dyn_store(DIF_SCOPE_SELF, 0, 5);
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 5);
	tidreuse_begin(tidreuse, 77);
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
	dyn_store(DIF_SCOPE_SELF, 0, 6);
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 6);
	rig.ev.tid = 78;
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
	tidreuse_begin(tidreuse, -1);
	tidreuse_begin(tidreuse, 1 << 22);
	CHECK_EQ(tidreuse_of(tidreuse, 77), 1);
	CHECK_EQ(tidreuse_of(tidreuse, -1), 0);
	hash_release(&tidreuse->again);
	free(tidreuse->seen);
}

TEST(scalars_are_cut_and_extended)
{
	rig_new(256, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_char, false);
	define(DIF_SCOPE_GLOBAL, 1, &rig_uint8, false);
	define(DIF_SCOPE_GLOBAL, 2, &rig_int, false);
	rig_start();
	CHECK_EQ(var_load(slot(0, 0)), 0);
	var_store(rig.vm, slot(0, 0), 128);
	CHECK_EQ(var_load(slot(0, 0)), -128);
	var_store(rig.vm, slot(0, 1), 0x1ff);
	CHECK_EQ(var_load(slot(0, 1)), 255);
	var_store(rig.vm, slot(0, 2), 5000000000);
	CHECK_EQ(var_load(slot(0, 2)), 705032704);
	CHECK_EQ(var_load(slot(0, 1)), 255);
}

TEST(strings_know_null_from_empty)
{
	rig_new(5, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_string, false);
	rig_start();
	CHECK_STR(string_at(var_load(slot(0, 0))), "");
	var_store(rig.vm, slot(0, 0), own("abcdefgh"));
	CHECK_STR(string_at(var_load(slot(0, 0))), "abcde");
	var_store(rig.vm, slot(0, 0), 0);
	CHECK_EQ(var_load(slot(0, 0)), 0);
	var_store(rig.vm, slot(0, 0), own(""));
	CHECK_STR(string_at(var_load(slot(0, 0))), "");
}

TEST(string_may_be_stored_into_itself)
{
	uint64_t addr;

	rig_new(16, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_string, false);
	rig_start();
	var_store(rig.vm, slot(0, 0), own("hello"));
	addr = var_load(slot(0, 0));
	var_store(rig.vm, slot(0, 0), addr);
	CHECK_STR(string_at(addr), "hello");
	var_store(rig.vm, slot(0, 0), addr + 2);
	CHECK_STR(string_at(addr), "llo");
}

TEST(string_of_the_target_is_copied)
{
	rig_new(16, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_string, false);
	rig_start();
	memcpy(rig.memory, "there", 6);
	var_store(rig.vm, slot(0, 0), TARGET_BASE);
	CHECK_STR(string_at(var_load(slot(0, 0))), "there");
	var_store(rig.vm, slot(0, 0), TARGET_BASE + TARGET_SIZE);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	CHECK_EQ(rig.vm->fault_value, TARGET_BASE + TARGET_SIZE);
	CHECK_STR(string_at(var_load(slot(0, 0))), "there");
}

TEST(clause_locals_are_new_in_each_firing)
{
	rig_new(256, 1 << 16);
	define(DIF_SCOPE_THIS, 0, &rig_int, false);
	define(DIF_SCOPE_THIS, 1, &rig_string, false);
	rig_start();
	var_store(rig.vm, slot(2, 0), 7);
	var_store(rig.vm, slot(2, 1), own("x"));
	vm_begin_clause(rig.vm, &rig.ecb);
	CHECK_EQ(var_load(slot(2, 0)), 7);
	CHECK_STR(string_at(var_load(slot(2, 1))), "x");
	var_store(rig.vm, slot(2, 1), 0);
	vm_begin_firing(rig.vm, &rig.ev);
	CHECK_EQ(var_load(slot(2, 0)), 0);
	CHECK_STR(string_at(var_load(slot(2, 1))), "");
}

TEST(structs_are_copied_whole)
{
	char bytes[24] = "twenty-three characters";
	uint64_t addr;

	rig_new(256, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_struct, false);
	define(DIF_SCOPE_SELF, 0, &rig_struct, false);
	rig_start();
	addr = (uintptr_t)vm_alloca(rig.vm, sizeof(bytes));
	memcpy((void *)(uintptr_t)addr, bytes, sizeof(bytes));
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
	var_store(rig.vm, slot(0, 0), addr);
	dyn_store(DIF_SCOPE_SELF, 0, var_load(slot(0, 0)));
	CHECK_STR(string_at(dyn_load(DIF_SCOPE_SELF, 0)), bytes);
	CHECK(vm_may_store(rig.vm, dyn_load(DIF_SCOPE_SELF, 0), 24));
	CHECK(!vm_may_store(rig.vm, dyn_load(DIF_SCOPE_SELF, 0), 25));
	CHECK(!vm_may_store(rig.vm, dyn_load(DIF_SCOPE_SELF, 0) - 1, 1));
}

TEST(thread_variables_belong_to_their_thread)
{
	rig_new(256, 1 << 16);
	define(DIF_SCOPE_SELF, 0, &rig_int, false);
	rig_start();
	dyn_store(DIF_SCOPE_SELF, 0, 5);
	rig.ev.tid = 9;
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
	dyn_store(DIF_SCOPE_SELF, 0, (uint64_t)-6);
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), -6);
	rig.ev.tid = 8;
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 5);
}

/* Of one thread, or of all; scalars and arrays; nothing else. */
TEST(variables_are_forgotten)
{
	rig_new(256, 1 << 16);
	define(DIF_SCOPE_SELF, 0, &rig_int, false);
	define(DIF_SCOPE_SELF, 1, &rig_int, true);
	define(DIF_SCOPE_SELF, 2, &rig_int, false);
	for (unsigned all = 0; all < 2; all++) {
		if (!all)
			rig_start();
		for (rig.ev.tid = 8; rig.ev.tid < 40; rig.ev.tid++) {
			dyn_store(DIF_SCOPE_SELF, 0, 5);
			dyn_store(DIF_SCOPE_SELF, 2, 6);
			for (uint64_t k = 0; k < 3; k++) {
				key_int(k);
				dyn_store(DIF_SCOPE_SELF, 1, k + 1);
			}
		}
		for (uint16_t id = 0; id < 2; id++)
			vars_forget(rig.session->engine->vars, DIF_VAR_USER + id, all ? 0 : 9);
		for (rig.ev.tid = 8; rig.ev.tid < 40; rig.ev.tid++) {
			bool is_left = !all && rig.ev.tid != 9;

			CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), is_left ? 5 : 0);
			CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 2), 6);
			for (uint64_t k = 0; k < 3; k++) {
				key_int(k);
				CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 1), is_left ? k + 1 : 0);
			}
		}
	}
}

TEST(unassigned_thread_string_is_null)
{
	rig_new(256, 1 << 16);
	define(DIF_SCOPE_SELF, 0, &rig_string, false);
	rig_start();
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
	dyn_store(DIF_SCOPE_SELF, 0, own("s"));
	CHECK_STR(string_at(dyn_load(DIF_SCOPE_SELF, 0)), "s");
	dyn_store(DIF_SCOPE_SELF, 0, 0);
	CHECK_EQ(dyn_load(DIF_SCOPE_SELF, 0), 0);
}

TEST(arrays_are_keyed_by_value)
{
	uint64_t hello, again;

	rig_new(256, 1 << 16);
	define(DIF_SCOPE_GLOBAL, 0, &rig_int64, true);
	define(DIF_SCOPE_GLOBAL, 1, &rig_int64, true);
	rig_start();
	hello = own("hello");
	again = own("hello");
	memcpy(rig.memory, "hello", 6);
	key_str(hello);
	dyn_store(DIF_SCOPE_GLOBAL, 0, 1);
	key_str(again);
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 1);
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 1), 0);
	key_str(TARGET_BASE);
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 1);
	key_str(own("hell"));
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 0);
	CHECK(rig.vm->temps.top == rig.vm->temps.start);
	key_str(0);
	dyn_load(DIF_SCOPE_GLOBAL, 0);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
}

TEST(storing_zero_frees)
{
	uint64_t i;

	rig_new(256, 1024);
	define(DIF_SCOPE_GLOBAL, 0, &rig_int, true);
	rig_start();
	for (i = 0; !drops(); i++) {
		key_int(i);
		dyn_store(DIF_SCOPE_GLOBAL, 0, i + 1);
	}
	CHECK_EQ(i, 1024 / (12 + 4) + 1); /* keys that nobody told: 4 + 8 */
	key_int(3);
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 4);
	dyn_store(DIF_SCOPE_GLOBAL, 0, (uint64_t)1 << 32); /* zero, as an int */
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 0);
	key_int(1000);
	dyn_store(DIF_SCOPE_GLOBAL, 0, 1);
	CHECK_EQ(drops(), 1);
	CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), 1);
}

TEST(strings_have_a_largest_size)
{
	struct err err;

	rig_new(256, 1 << 16);
	CHECK_EQ(vars_start(rig.session->engine->vars, (16 << 20) + 1, 1024, &err), -EINVAL);
	CHECK_STR(err.text, "strsize is at most 16777216 bytes");
}

TEST(no_room_for_one_is_refused)
{
	struct err err;

	rig_new(256, 3);
	define(DIF_SCOPE_SELF, 0, &rig_int, false);
	CHECK_EQ(vars_start(rig.session->engine->vars, 256, 3, &err), -EFBIG);
	CHECK_STR(err.text, "Enabling exceeds size of buffer");
}

TEST(variables_take_the_largest_tuple_and_value)
{
	static const struct type *const keys[] = {&rig_char, &rig_int64};

	rig_new(256, 2 * (4 + 12 + 8 + 4));
	define(DIF_SCOPE_GLOBAL, 0, &rig_char, true);
	vars_set_keys(rig.session->engine->vars, DIF_SCOPE_GLOBAL, V, keys, 2);
	define(DIF_SCOPE_SELF, 0, &rig_int, false);
	rig_start();
	dyn_store(DIF_SCOPE_SELF, 0, 1);
	for (uint64_t i = 0; i < 2; i++) {
		key_int(0);
		key_int(i);
		dyn_store(DIF_SCOPE_GLOBAL, 0, 1);
		CHECK_EQ(drops(), i);
	}
}

TEST(freed_small_blocks_make_a_large_one)
{
	struct dynvar_key k = {.key = ""};
	struct dynvars *d;
	bool is_new;

	rig_new(256, 1 << 16);
	CHECK_EQ(dynvars_new(&rig.arena, 16, 512, &d, NULL), 0);
	for (k.var = 0; k.var < 16; k.var++)
		CHECK(dynvars_make(d, &k, 8, &is_new));
	for (k.var = 0; k.var < 16; k.var++)
		dynvars_delete(d, &k);
	for (k.var = 0; k.var < 16; k.var++)
		CHECK(dynvars_make(d, &k, 512, &is_new));
	CHECK(!dynvars_make(d, &k, 8, &is_new));
}

/* Random stores against a plain array as the model. */
TEST(table_agrees_with_an_array)
{
	enum { NKEYS = 300 };
	uint64_t model[NKEYS] = {0}, seed = 1;

	rig_new(256, 3000 * 32); /* not a power of two */
	define(DIF_SCOPE_GLOBAL, 0, &rig_int64, true);
	rig_start();
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t k, v;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		k = (seed >> 33) % NKEYS;
		v = (seed >> 20) % 3;
		key_int(k);
		CHECK_EQ(dyn_load(DIF_SCOPE_GLOBAL, 0), model[k]);
		dyn_store(DIF_SCOPE_GLOBAL, 0, v);
		model[k] = v;
	}
	CHECK_EQ(drops(), 0);
}

TEST(region_is_used_to_the_last_granule)
{
	struct dynvars *d;
	struct dynvar_key k = {.key = ""};
	bool is_new;
	unsigned n = 0;

	rig_new(256, 1 << 16);
	CHECK_EQ(dynvars_new(&rig.arena, 37, 8, &d, NULL), 0);
	for (k.var = 0; dynvars_make(d, &k, 8, &is_new); k.var++)
		n++;
	CHECK_EQ(n, 37);
}

TEST(block_for_more_than_the_region_is_refused)
{
	struct dynvar_key k = {.key = ""};
	struct dynvars *d;
	bool is_new;

	rig_new(256, 1 << 16);
	CHECK_EQ(dynvars_new(&rig.arena, 1, 4096, &d, NULL), 0);
	CHECK(!dynvars_make(d, &k, 4097, &is_new));
	CHECK(!dynvars_make(d, &k, (uint64_t)1 << 40, &is_new));
	CHECK(dynvars_make(d, &k, 4096, &is_new));
}

TEST_MAIN();
