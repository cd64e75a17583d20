/*
 * Random bytes as a DIFO: the verifier refuses it, or the machine runs it to its end without
 * touching what is not D's. The first half of the input is the text, the rest constants; variables
 * of every kind exist.
 */
#include <stdlib.h>

#include "dlang/run/vars.h"
#include "dlang/session_engine.h"
#include "tests/fuzz/fuzz.h"

#include "tests/unit/vmrig.h"

static const struct {
	uint8_t scope;
	bool is_array;
	const struct type *type;
} kinds[] = {
	{DIF_SCOPE_GLOBAL, false, &rig_int},	{DIF_SCOPE_GLOBAL, false, &rig_string},
	{DIF_SCOPE_GLOBAL, true, &rig_int64},	{DIF_SCOPE_GLOBAL, true, &rig_string},
	{DIF_SCOPE_GLOBAL, false, &rig_struct}, {DIF_SCOPE_SELF, false, &rig_char},
	{DIF_SCOPE_SELF, false, &rig_string},	{DIF_SCOPE_SELF, true, &rig_struct},
	{DIF_SCOPE_THIS, false, &rig_uint8},	{DIF_SCOPE_THIS, false, &rig_string},
};

static void start(void)
{
	rig_new(32, 4096);
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		vars_define(rig.session->engine->vars, kinds[i].scope, (uint16_t)(DIF_VAR_USER + i),
			    "v", kinds[i].type, kinds[i].is_array);
	rig_start();
}

/* What lies around scratch memory is nobody's, and zero. */
static void check_guards(void)
{
	static const char zeros[256];
	const struct vm_area *a = &rig.vm->scratch;

	if (memcmp(a->start - sizeof(zeros), zeros, sizeof(zeros)) != 0 ||
	    memcmp(a->end, zeros, sizeof(zeros)) != 0)
		abort();
}

/* Numbers a mutator will not guess: addresses of each sort of memory. */
static void add_addresses(uint64_t *ints)
{
	ints[0] = (uintptr_t)rig.vm->scratch.start;
	ints[1] = (uintptr_t)rig.session->engine->vars->mem;
	ints[2] = TARGET_BASE;
	ints[3] = (uintptr_t)rig.session;
	memset(rig.memory, 'a', TARGET_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char *mark;
	size_t ntext = MIN(n / 8, ARRAY_SIZE(rig.text)), nrest = MIN(n - ntext * 4, 128);
	const struct difo *d;
	uint64_t result;

	if (!mark)
		start();
	else
		rig.arena.next = mark; /* what the last input left behind */
	mark = rig.arena.next;
	rig_begin();
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		rig_var(kinds[i].scope, (uint16_t)(DIF_VAR_USER + i), kinds[i].is_array);
	memcpy(rig.text, data, ntext * 4);
	rig.difo.ninsns = (unsigned)ntext;
	add_addresses(rig.ints);
	memcpy(rig.ints + 4, data + ntext * 4, nrest);
	rig.difo.nints = 4 + 16;
	memcpy(rig.strs, data + ntext * 4, nrest);
	rig.strs[nrest] = '\0';
	rig.difo.strslen = (unsigned)nrest + 1;
	d = rig_end();
	if (verify_difo(d, NULL))
		return 0;
	vm_begin_firing(rig.vm, &rig.ev);
	vm_begin_clause(rig.vm, &rig.ecb);
	vm_alloca(rig.vm, 64);
	vm_run(rig.vm, d, &result);
	check_guards();
	return 0;
}
