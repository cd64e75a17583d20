#include "inject/stacktab.h"
#include "tracer/unwind/ustack.h"

#include <dwarf.h>
#include <stdlib.h>

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

static bool is_base(uint8_t reg)
{
	return reg == CFI_RSP || reg == CFI_RBP;
}

/* A one- or two-byte signed LEB128 number. Returns its length, or 0. */
static unsigned small_sleb(const uint8_t *p, unsigned n, int32_t *v)
{
	if (n >= 1 && !(p[0] & 0x80)) {
		*v = (int32_t)(p[0] & 0x3f) - (int32_t)(p[0] & 0x40);
		return 1;
	}
	if (n >= 2 && !(p[1] & 0x80)) {
		*v = (int32_t)(p[0] & 0x7f) + (p[1] & 0x3f) * 128 - (p[1] & 0x40) * 128;
		return 2;
	}
	return 0;
}

/* The CFA lies in memory: breg N; deref; and perhaps plus_uconst M. */
static void in_memory(const struct cfi_rule *cfa, struct hook_rule *rule)
{
	const uint8_t *p = cfa->expr;
	unsigned n = cfa->len, len;
	uint8_t reg;

	if (n < 3 || p[0] < DW_OP_breg0 || !is_base(reg = (uint8_t)(p[0] - DW_OP_breg0)))
		return;
	len = small_sleb(p + 1, n - 1, &rule->off);
	if (!len || n < len + 2 || p[len + 1] != DW_OP_deref)
		return;
	p += len + 2;
	n -= len + 2;
	if (n == 2 && p[0] == DW_OP_plus_uconst && !(p[1] & 0x80))
		rule->add = p[1];
	else if (n)
		return;
	rule->how = reg == CFI_RSP ? HOOK_RULE_AT_RSP : HOOK_RULE_AT_RBP;
}

static bool is_lost(const struct cfi_rule *r)
{
	return r->how == CFI_SAME || r->how == CFI_UNDEFINED;
}

/* How the caller's rbp is found; false: in a way that a rule cannot say. */
static bool find_rbp(const struct cfi_rule *r, struct hook_rule *rule)
{
	if (is_lost(r))
		return true;
	if (r->how == CFI_EXPR && r->len == 2 && r->expr[0] == DW_OP_breg0 + CFI_RBP &&
	    !r->expr[1]) {
		rule->rbp = HOOK_RBP_AT_RBP;
		return true;
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
	if (row->cfa.how == CFI_VALEXPR) {
		in_memory(&row->cfa, &rule);
	} else if (is_base(row->cfa.reg) && row->cfa.off == (int32_t)row->cfa.off) {
		rule.how = row->cfa.reg == CFI_RSP ? HOOK_RULE_RSP : HOOK_RULE_RBP;
		rule.off = (int32_t)row->cfa.off;
	}
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
