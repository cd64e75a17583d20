#include "inject/stacktab.h"

#include <stdlib.h>

#include "symbols/cfi/dwarfexpr.h"
#include "tracer/unwind/ustack.h"

#define WORD 8

/* A module whose rules are in the tables. */
struct known {
	uint64_t id;
	struct hook_module m;
};

struct stacktab {
	struct stacktab_room room;
	uint32_t n; /* rules; the first is HOOK_RULE_NONE */
	size_t lists_used;
	const struct hook_modules *shown; /* the list that the target has now */
	struct known *known;
	unsigned nknown, known_room;
	/* while they are brought up to date */
	struct hook_module *now;
	unsigned nnow, now_room;
	struct hook_module *open; /* whose rows come */
	uint64_t covered;	  /* up to here */
};

struct stacktab *stacktab_new(const struct stacktab_room *room)
{
	struct stacktab *t = xcalloc(1, sizeof(*t));

	t->room = *room;
	t->n = 1;
	return t;
}

void stacktab_free(struct stacktab *t)
{
	if (!t)
		return;
	free(t->known);
	free(t->now);
	free(t);
}

/* ---- rules ---- */

/* What an expression of a row says for any thread; the CFA is on its stack. */
static bool evaluate(const struct cfi_rule *r, struct dwexpr_location *at)
{
	static const struct dwexpr_context any = {.first = NULL};

	return dwexpr_eval(&(struct dwexpr){.bytes = r->expr, .n = r->len}, &any, at) == 0 &&
	       at->kind == DWEXPR_MEMORY;
}

/* The CFA is a register and an offset, or lies in memory there. */
static void find_cfa(const struct cfi_rule *cfa, struct hook_rule *rule)
{
	struct dwexpr_location at = {
		.value = {.base = DWEXPR_REG, .reg = cfa->reg, .off = (uint64_t)cfa->off}};
	const struct dwexpr_value *v = &at.value;
	bool by_rsp;

	if (cfa->how == CFI_VALEXPR && !evaluate(cfa, &at))
		return;
	by_rsp = v->reg == CFI_RSP;
	if (v->base != DWEXPR_REG || !(by_rsp || v->reg == CFI_RBP) ||
	    (int64_t)v->off != (int32_t)v->off || v->add > UINT8_MAX)
		return;
	rule->off = (int32_t)v->off;
	rule->add = (uint8_t)v->add;
	if (v->is_loaded)
		rule->how = by_rsp ? HOOK_RULE_AT_RSP : HOOK_RULE_AT_RBP;
	else
		rule->how = by_rsp ? HOOK_RULE_RSP : HOOK_RULE_RBP;
}

static bool is_lost(const struct cfi_rule *r)
{
	return r->how == CFI_SAME || r->how == CFI_UNDEFINED;
}

/* How the caller's rbp is found; false: in a way that a rule cannot say. */
static bool find_rbp(const struct cfi_rule *r, struct hook_rule *rule)
{
	struct dwexpr_location at;

	if (is_lost(r))
		return true;
	if (r->how == CFI_EXPR) {
		rule->rbp = HOOK_RBP_AT_RBP;
		return evaluate(r, &at) && dwexpr_is_offset(&at, DWEXPR_REG) &&
		       at.value.reg == CFI_RBP && !at.value.off;
	}
	if (r->how != CFI_SAVED || r->off % WORD || r->off / WORD <= INT16_MIN ||
	    r->off / WORD > INT16_MAX || !r->off)
		return false;
	rule->rbp = (int16_t)(r->off / WORD);
	return true;
}

struct hook_rule stacktab_rule(const struct cfi_row *row)
{
	static const struct hook_rule odd = {.how = HOOK_RULE_ODD};
	const struct cfi_rule *ra = &row->regs[CFI_RA];
	struct hook_rule rule = odd;

	if (row->is_signal)
		return (struct hook_rule){.how = HOOK_RULE_SIGNAL};
	if (is_lost(ra))
		return (struct hook_rule){.how = HOOK_RULE_END};
	if (ra->how != CFI_SAVED || ra->off != -WORD || row->regs[CFI_RSP].how != CFI_SAME ||
	    !find_rbp(&row->regs[CFI_RBP], &rule))
		return odd;
	find_cfa(&row->cfa, &rule);
	return rule.how == HOOK_RULE_ODD ? odd : rule;
}

/* ---- tables ---- */

static void append(struct stacktab *t, uint64_t from, struct hook_rule rule)
{
	struct hook_module *m = t->open;

	if (m->nrules && !memcmp(&t->room.rules[t->n - 1], &rule, sizeof(rule)))
		return;
	if (t->n == t->room.nrules)
		return;
	t->room.starts[t->n] = (uint32_t)(from - m->start);
	t->room.rules[t->n++] = rule;
	m->nrules++;
}

static void add_row(void *arg, const struct cfi_row *row)
{
	struct stacktab *t = arg;
	taddr_t start = MAX(row->start, t->covered), end = MIN(row->end, t->open->end);

	if (start >= end)
		return;
	if (start > t->covered)
		append(t, t->covered, (struct hook_rule){.how = HOOK_RULE_NONE});
	append(t, start, stacktab_rule(row));
	t->covered = end;
}

static void learn(struct stacktab *t, struct hook_module *m, const struct cfi *cfi)
{
	t->open = m;
	t->covered = m->start;
	m->first = t->n;
	cfi_each_row(cfi, add_row, t);
	if (t->covered < m->end)
		append(t, t->covered, (struct hook_rule){.how = HOOK_RULE_NONE});
}

static const struct known *find(const struct stacktab *t, uint64_t id, taddr_t start, taddr_t end)
{
	for (unsigned i = 0; i < t->nknown; i++)
		if (t->known[i].id == id && t->known[i].m.start == start &&
		    t->known[i].m.end == end)
			return &t->known[i];
	return NULL;
}

static void remember(struct stacktab *t, uint64_t id, const struct hook_module *m)
{
	if (t->nknown == t->known_room) {
		t->known_room = 2 * t->known_room + 16;
		t->known = xrealloc(t->known, t->known_room * sizeof(*t->known));
	}
	t->known[t->nknown++] = (struct known){id, *m};
}

static void add_code(void *arg, const struct code_range *range, const struct cfi *cfi)
{
	struct stacktab *t = arg;
	struct hook_module m = {.start = range->start, .end = range->end};
	const struct known *k = find(t, range->id, range->start, range->end);

	if (k)
		m = k->m;
	else if (cfi && m.end - m.start <= UINT32_MAX)
		learn(t, &m, cfi);
	if (!k && cfi)
		remember(t, range->id, &m);
	if (t->nnow == t->now_room) {
		t->now_room = 2 * t->now_room + 16;
		t->now = xrealloc(t->now, t->now_room * sizeof(*t->now));
	}
	t->now[t->nnow++] = m;
}

/* The list is new; whoever walks by the old one still finds all that it names. */
static void publish(struct stacktab *t)
{
	size_t size = sizeof(struct hook_modules) + t->nnow * sizeof(struct hook_module);
	struct hook_modules *ms = (void *)(t->room.lists + t->lists_used);

	if (size > t->room.lists_size - t->lists_used)
		return;
	if (t->shown && t->shown->n == t->nnow &&
	    !memcmp(t->shown->v, t->now, t->nnow * sizeof(*t->now)))
		return;
	t->shown = ms;
	t->lists_used += ROUND_UP(size, WORD);
	ms->n = t->nnow;
	memcpy(ms->v, t->now, t->nnow * sizeof(*t->now));
	__atomic_store_n(&t->room.shared->modules,
			 t->room.distance + (uint64_t)((uint8_t *)ms - t->room.lists),
			 __ATOMIC_RELEASE);
}

void stacktab_update(struct stacktab *t, struct proc *p)
{
	t->nnow = 0;
	proc_each_code(p, add_code, t);
	publish(t);
}

static const struct hook_module *module_at(const struct stacktab *t, taddr_t pc)
{
	for (unsigned i = 0; i < t->nnow; i++)
		if (pc >= t->now[i].start && pc < t->now[i].end)
			return &t->now[i];
	return NULL;
}

/* The target may have written there: it is told no more than whether it gets a hook. */
bool stacktab_knows(const struct stacktab *t, taddr_t pc)
{
	const struct hook_module *m = module_at(t, pc);
	uint32_t lo = 0, hi = m ? m->nrules : 0;
	uint8_t how;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->room.starts[m->first + mid] <= pc - m->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	how = lo ? t->room.rules[m->first + lo - 1].how : HOOK_RULE_NONE;
	return how != HOOK_RULE_NONE && how != HOOK_RULE_SIGNAL && how < HOOK_RULE_ODD;
}
