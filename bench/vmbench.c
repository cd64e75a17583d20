/*
 * vmbench: nanoseconds per clause in the machine alone, no event source and no record around it.
 * Each row runs a clause ROUNDS times, RUNS times over, and prints the median and the spread.
 */
#include <stdlib.h>
#include <time.h>

#include "dlang/run/aggtable.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"
#include "tests/unit/vmrig.h"

enum { ROUNDS = 1000000, RUNS = 9 };

static const struct difo *pred, *value;
static struct aggvar aggvar;
static struct aggtable *table;

static const struct difo *verified(void)
{
	const struct difo *d = rig_end();
	struct err err;

	if (verify_difo(d, &err))
		die("%s", err.text);
	return d;
}

/* pid == 7 */
static const struct difo *compile_predicate(void)
{
	rig_begin();
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_PID, 1));
	rig_setx(7, 2);
	rig_emit(DIF_FMT(DIF_OP_CMP, 1, 2, 0));
	rig_emit(DIF_LABEL(DIF_OP_BE, 6));
	rig_emit(DIF_FMT(DIF_OP_MOV, 0, 0, 1));
	rig_emit(DIF_LABEL(DIF_OP_BA, 7));
	rig_setx(1, 1);
	rig_emit(DIF_FMT(DIF_OP_NOP, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return verified();
}

/* arg0 + 1 */
static const struct difo *compile_value(void)
{
	rig_begin();
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_ARG0, 1));
	rig_setx(1, 2);
	rig_emit(DIF_FMT(DIF_OP_ADD, 1, 2, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return verified();
}

/* self->x = timestamp */
static const struct difo *compile_store(void)
{
	rig_begin();
	rig_var(DIF_SCOPE_SELF, 0x500, false);
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_TIMESTAMP, 1));
	rig_emit(DIF_INDEX(DIF_OP_STTS, 0x500, 1));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	return verified();
}

/* a[arg0]++ */
static const struct difo *compile_array(void)
{
	rig_begin();
	rig_var(DIF_SCOPE_GLOBAL, 0x501, true);
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_ARG0, 1));
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, 0, 0, 1));
	rig_emit(DIF_INDEX(DIF_OP_LDGAA, 0x501, 2));
	rig_setx(1, 3);
	rig_emit(DIF_FMT(DIF_OP_ADD, 2, 3, 3));
	rig_emit(DIF_INDEX(DIF_OP_STGAA, 0x501, 3));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 2));
	return verified();
}

/* probefunc == "malloc_consolidate" */
static const struct difo *compile_string(void)
{
	rig_begin();
	rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_PROBEFUNC, 1));
	rig_sets("malloc_consolidate", 2);
	rig_emit(DIF_FMT(DIF_OP_SCMP, 1, 2, 0));
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 0));
	return verified();
}

static uint64_t run_clause(unsigned i, bool aggregates)
{
	uint64_t v = 1;

	rig.ev.args[0] = i & 63;
	vm_begin_firing(rig.vm, &rig.ev);
	vm_begin_clause(rig.vm, &rig.ecb);
	if (pred && (!vm_run(rig.vm, pred, &v) || !v))
		return 0;
	if (value)
		vm_run(rig.vm, value, &v);
	if (aggregates)
		aggvar.func->add(aggtable_find(table, &aggvar, &rig.ev.args[0], 0), &aggvar,
				 (int64_t)v, 1);
	return v;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

static void measure(const char *what, const struct difo *p, const struct difo *v, const char *func)
{
	double ns[RUNS];
	uint64_t sum = 0;

	pred = p;
	value = v;
	if (func) {
		aggvar.func = aggfunc_find(func);
		aggvar.nwords = aggvar.func->nwords;
		aggvar.id++;
	}
	for (unsigned run = 0; run < RUNS; run++) {
		uint64_t start = now_ns();

		for (unsigned i = 0; i < ROUNDS; i++)
			sum += run_clause(i, func != NULL);
		ns[run] = (double)(now_ns() - start) / ROUNDS;
	}
	qsort(ns, RUNS, sizeof(*ns), by_value);
	printf("%-40s %7.1f ns  (%.1f .. %.1f)%s\n", what, ns[RUNS / 2], ns[0], ns[RUNS - 1],
	       sum == 1 ? " " : "");
}

int main(void)
{
	rig_new(256, 1 << 20);
	vars_define(rig.session->engine->vars, DIF_SCOPE_SELF, 0x500, "x", &rig_int64, false);
	vars_define(rig.session->engine->vars, DIF_SCOPE_GLOBAL, 0x501, "a", &rig_int64, true);
	rig_start();
	table = aggtable_new(&rig.arena, 4 << 20, NULL);
	aggvar = (struct aggvar){.name = "a", .keysize = 8};
	measure("trace(arg0 + 1)", NULL, compile_value(), NULL);
	measure("/pid == 7/ trace(arg0 + 1)", compile_predicate(), compile_value(), NULL);
	measure("@[arg0] = count()", NULL, NULL, "count");
	measure("@[arg0] = quantize(arg0 + 1)", NULL, compile_value(), "quantize");
	measure("self->x = timestamp", NULL, compile_store(), NULL);
	measure("a[arg0]++", NULL, compile_array(), NULL);
	measure("probefunc == \"malloc_consolidate\"", NULL, compile_string(), NULL);
	return 0;
}
