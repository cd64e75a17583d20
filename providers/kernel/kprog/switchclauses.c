#include "providers/kernel/kprog/switchclauses.h"

#include <string.h>

static const char *refuses(void *arg UNUSED, const struct session *s, const struct clause *c)
{
	static const char *const names[] = {"off-cpu", "sleep",	  "preempt", "on-cpu",
					    "wakeup",  "enqueue", "dequeue"};

	for (unsigned i = 0; i < c->nprobes; i++) {
		unsigned n = 0;

		while (n < ARRAY_SIZE(names) && strcmp(c->probes[i]->name, names[n]) != 0)
			n++;
		if (n == ARRAY_SIZE(names))
			return WHY(SWITCHES);
	}
	return clausecode_refuses(&(struct clause_unit){.session = s, .kind = CLAUSES_OF_SWITCHES},
				  c);
}

static bool owns(void *arg UNUSED, const struct probe *p)
{
	return strcmp(p->prov, "sched") == 0;
}

struct rows {
	struct probe *const *probes;
	unsigned n;
};

static int prepare(void *arg, struct clause_set *set)
{
	const struct rows *r = arg;

	for (unsigned i = 0; i < r->n; i++)
		if (r->probes[i] && clause_set_has(set, r->probes[i]))
			clause_set_row(set, i, r->probes[i]);
	return 0;
}

struct clause_set *switch_clauses_load(struct session *s, struct bpf *b,
				       struct probe *const *probes, unsigned nrows)
{
	static const char *const events[] = {"sched_switch", "sched_wakeup", "sched_wakeup_new",
					     "sched_migrate_task"};
	static const struct clause_unit units[] = {{.kind = CLAUSES_OF_SWITCHES},
						   {.kind = CLAUSES_OF_WAKEUPS},
						   {.kind = CLAUSES_OF_WAKEUPS},
						   {.kind = CLAUSES_OF_MIGRATIONS}};
	struct rows rows = {probes, nrows};
	const struct clause_source source = {.owns = owns,
					     .events = events,
					     .units = units,
					     .nunits = ARRAY_SIZE(units),
					     .refuses = refuses,
					     .prepare = prepare,
					     .arg = &rows};

	return clause_set_load(clause_set_find(s, b, &source), &source);
}
