/*
 * walk.c: the callers of a function, by the rules of hook_proto.h. Every read lies between the
 * stack pointer and the end of the thread's own stack: all of that is mapped as long as the thread
 * runs. On another stack (of a signal, of a coroutine) only the page of the stack pointer is known
 * to be.
 */
#include "hook/hook.h"

/* The kernel's frame of a signal, where rsp is when its handler has returned: struct ucontext,
 * whose registers begin at 40 (asm/sigcontext.h). */
enum { SIGNAL_RBP = 120, SIGNAL_RSP = 160, SIGNAL_RIP = 168 };

#define RED_ZONE 128 /* bytes below the stack pointer */

struct walk {
	const struct hook_block *block;
	struct hook_stack *notes; /* of what is read; NULL: they are not wanted, or too many */
	uint64_t lo, hi;	  /* may be read */
	uint64_t pc, sp, rbp;
	uint64_t rbp_at;   /* where rbp was saved; 0: it is the one of the beginning */
	unsigned rbp_word; /* of the notes: the first one that was read when rbp was that */
	unsigned n;	   /* pcs */
	/* What the notes held before, and holds from their end on; npcs: 0: nothing. */
	struct last {
		unsigned npcs, nwords;
		bool is_whole;
		uint8_t what;	    /* of the word that was noted last, if it is the same */
		unsigned kept_from; /* that pc and those behind it are as they were */
		unsigned differ;    /* up to there it is of no use: something has changed */
	} last;
	bool is_lost;  /* nothing is known of memory at sp: pc is the last that can be had */
	bool is_exact; /* the thread was interrupted at pc; else it is a return address */
};

static inline bool read_word(const struct walk *w, uint64_t at, uint64_t *v)
{
	if (at < w->lo || at > w->hi - sizeof(*v))
		return false;
	__builtin_memcpy(v, (const void *)at, sizeof(*v));
	return true;
}

/* The walk depends on this word. */
static inline void note(struct walk *w, uint64_t at, uint64_t value, uint8_t what)
{
	struct hook_stack *st = w->notes;

	if (!st)
		return;
	if (st->nwords == HOOK_STACK_WORDS) {
		w->notes = NULL;
		return;
	}
	st->words[st->nwords].at = at;
	st->words[st->nwords].value = value;
	st->what[st->nwords++] = what;
}

static inline bool word_at(struct walk *w, uint64_t at, uint64_t *v)
{
	if (!read_word(w, at, v))
		return false;
	note(w, at, *v, HOOK_WORD_OTHER);
	return true;
}

/* Is it the word that was noted at this place for the last stack? Then it may be the same from here
 * on (walk_as_before()). */
static inline uint8_t noted_before(const struct walk *w, uint64_t at, uint64_t value)
{
	const struct hook_stack *st = w->notes;
	unsigned i = st ? st->nwords : 0;

	return st && i < w->last.nwords && i >= w->last.differ && st->words[i].at == at &&
			       st->words[i].value == value
		       ? st->what[i]
		       : HOOK_WORD_OTHER;
}

static inline bool return_address_at(struct walk *w, uint64_t at)
{
	if (!read_word(w, at, &w->pc))
		return false;
	w->last.what = noted_before(w, at, w->pc);
	note(w, at, w->pc, w->n < HOOK_STACK_PCS ? (uint8_t)w->n : HOOK_WORD_OTHER);
	return true;
}

/* Most functions use rbp for anything: it matters where it came from only if the walk needs it. */
static inline uint64_t use_rbp(struct walk *w)
{
	struct hook_stack *st = w->notes;

	for (unsigned i = w->rbp_word; st && i < st->nwords; i++)
		if (!w->rbp_at)
			st->what[i] = HOOK_WORD_OTHER;
		else if (st->what[i] < HOOK_STACK_PCS)
			st->what[i] |= HOOK_WORD_RBP;
	if (w->rbp_at)
		note(w, w->rbp_at, w->rbp, HOOK_WORD_SAVED);
	else if (st)
		st->needs_rbp = 1;
	return w->rbp;
}

/* Behind the return address. */
static inline bool load_rbp(struct walk *w, uint64_t at)
{
	w->rbp_at = at;
	w->rbp_word = w->notes ? w->notes->nwords - 1U : 0;
	return read_word(w, at, &w->rbp);
}

static const struct hook_module *module_of(uint64_t pc)
{
	const struct hook_shared *sh = (const struct hook_shared *)hook_where.shared;
	uint64_t off = __atomic_load_n(&sh->modules, __ATOMIC_ACQUIRE), lo = 0, hi;
	const struct hook_modules *ms = (const struct hook_modules *)((const char *)sh + off);

	if (!off)
		return NULL;
	for (hi = ms->n; lo < hi;) {
		uint64_t mid = (lo + hi) / 2;

		if (pc >= ms->v[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ms->n && pc >= ms->v[lo].start ? &ms->v[lo] : NULL;
}

/* The number of its rule; HOOK_RULE_NONE stands at number 0. */
static uint32_t search(uint64_t pc)
{
	const struct hook_module *m = module_of(pc);
	const uint32_t *starts;
	uint32_t lo = 0, hi;

	if (!m || !m->nrules)
		return 0;
	starts = (const uint32_t *)hook_where.starts + m->first;
	for (hi = m->nrules; lo < hi;) {
		uint32_t mid = (lo + hi) / 2;

		if (starts[mid] <= pc - m->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? m->first + lo - 1 : 0;
}

static inline const struct hook_rule *rule_for(struct hook_block *b, uint64_t pc)
{
	const struct hook_rule *rules = (const struct hook_rule *)hook_where.rules;
	uint64_t *at = (uint64_t *)((char *)b + HOOK_CACHE) + (pc & ((1U << HOOK_CACHE_BITS) - 1));
	uint64_t tag = pc >> HOOK_CACHE_BITS << HOOK_CACHE_RULE, had = *at;
	uint32_t number = had & ((1U << HOOK_CACHE_RULE) - 1);

	if (number && had - number == tag)
		return &rules[number];
	number = search(pc);
	if (number)
		*at = tag | number;
	return &rules[number];
}

static inline bool by_rule(struct walk *w, const struct hook_rule *rule)
{
	uint64_t cfa =
		rule->how == HOOK_RULE_RBP || rule->how == HOOK_RULE_AT_RBP ? use_rbp(w) : w->sp;
	uint64_t saved;

	cfa += (uint64_t)(int64_t)rule->off;
	if (rule->how == HOOK_RULE_AT_RSP || rule->how == HOOK_RULE_AT_RBP) {
		if (!word_at(w, cfa, &cfa))
			return false;
		cfa += rule->add;
	}
	if (cfa <= w->sp || !return_address_at(w, cfa - 8))
		return false;
	if (rule->rbp) {
		saved = rule->rbp == HOOK_RBP_AT_RBP ? use_rbp(w)
						     : cfa + (uint64_t)(int64_t)rule->rbp * 8;
		if (!load_rbp(w, saved))
			return false;
	}
	w->sp = cfa;
	w->is_exact = false;
	return true;
}

/*
 * The interrupted code may have been on another stack than the handler. Where its stack pointer is
 * said to be is no proof that something is there: the handler may have changed it.
 */
static bool by_signal(struct walk *w)
{
	const struct hook_block *b = w->block;
	uint64_t sp;

	if (!word_at(w, w->sp + SIGNAL_RIP, &w->pc) || !load_rbp(w, w->sp + SIGNAL_RBP) ||
	    !word_at(w, w->sp + SIGNAL_RSP, &sp))
		return false;
	w->is_exact = true;
	w->is_lost = sp <= w->sp || sp >= w->hi;
	if (w->is_lost && sp >= b->stack_mapped && sp < b->stack_end) {
		w->is_lost = false;
		w->lo = sp;
		w->hi = b->stack_end;
	}
	w->sp = sp;
	return true;
}

#define UNKNOWN_MAX 32

/* Does a chain of frame pointers lead from code that is not known (made at run time, since the list
 * of modules was) to code that is? */
static bool leads_to_code(const struct walk *w, uint64_t rbp)
{
	uint64_t next, pc;

	for (unsigned i = 0; i < UNKNOWN_MAX; i++) {
		if (!read_word(w, rbp, &next) || !read_word(w, rbp + 8, &pc))
			return false;
		if (module_of(pc))
			return true;
		if (next <= rbp || next % 8)
			return false;
		rbp = next;
	}
	return false;
}

/* Code of which nothing is known: rbp points to the caller's, above it is the return address. It is
 * believed if that is code. */
static bool by_frame_pointer(struct walk *w)
{
	uint64_t rbp = use_rbp(w), pc;

	if (rbp < w->sp || rbp % 8 || !leads_to_code(w, rbp) || !word_at(w, rbp + 8, &pc) ||
	    !load_rbp(w, rbp))
		return false;
	w->sp = rbp + 16;
	w->pc = pc;
	w->is_exact = false;
	return true;
}

static bool step(struct walk *w, const struct hook_rule *rule)
{
	switch (rule->how) {
	case HOOK_RULE_NONE:
		return by_frame_pointer(w);
	case HOOK_RULE_SIGNAL:
		return by_signal(w);
	case HOOK_RULE_ODD:
		return false;
	default:
		return by_rule(w, rule);
	}
}

/*
 * The last stack that was noted there had the same return address at the same place, for the same
 * frame: what was found above it then is there still if all words are that it was found by. False:
 * something is not.
 */
static bool walk_as_before(struct walk *w, uint64_t *pcs, unsigned max)
{
	struct hook_stack *st = w->notes;
	struct last *last = &w->last;
	unsigned at = st->nwords - 1U, n = last->npcs < max ? last->npcs : max;
	uint64_t v;

	if ((last->what & ~HOOK_WORD_RBP) != w->n - 1 || (last->npcs < max && !last->is_whole))
		return false;
	if (last->what & HOOK_WORD_RBP &&
	    (!w->rbp_at || at + 1 >= last->nwords || st->what[at + 1] != HOOK_WORD_SAVED ||
	     st->words[at + 1].at != w->rbp_at))
		return false;
	for (unsigned i = at + 1; i < last->nwords; i++)
		if (!read_word(w, st->words[i].at, &v) || v != st->words[i].value) {
			last->differ = i + 1;
			return false;
		}
	last->kept_from = w->n;
	for (; w->n < n; w->n++)
		pcs[w->n] = st->pcs[w->n];
	st->what[at] = last->what;
	st->nwords = (uint16_t)last->nwords;
	return true;
}

/* From w->pc, a return address, on. */
static uint64_t walk(struct walk *w, struct hook_block *b, uint64_t *pcs, unsigned max)
{
	for (w->n = 0;;) {
		const struct hook_rule *rule;

		pcs[w->n++] = w->pc;
		if (w->n == max)
			return w->n;
		if (w->last.what != HOOK_WORD_OTHER && walk_as_before(w, pcs, max))
			return w->n;
		w->last.what = HOOK_WORD_OTHER;
		rule = rule_for(b, w->is_exact ? w->pc : w->pc - 1);
		if (rule->how == HOOK_RULE_END)
			return w->n;
		if (w->is_lost || !step(w, rule))
			return w->n | (rule->how == HOOK_RULE_NONE && !w->rbp ? 0 : HOOK_STACK_CUT);
		if (!w->pc)
			return w->n;
	}
}

/* ---- the last stacks ---- */

static struct hook_stack *stack_for(struct hook_block *b, uint64_t sp)
{
	struct hook_stack *stacks = (struct hook_stack *)((char *)b + HOOK_STACKS);

	return &stacks[(sp >> 4 ^ sp >> 8) & ((1U << HOOK_STACKS_BITS) - 1)];
}

/* Are the words that the walk depends on as they were? */
static inline bool is_same(const struct hook_stack *st, const uint64_t *sp, uint64_t rbp,
			   uint32_t fill)
{
	if (st->sp != (uint64_t)sp || fill & 1 || !st->npcs || (st->needs_rbp && st->rbp != rbp))
		return false;
	for (unsigned i = 0; i < st->nwords; i++)
		if (*(const uint64_t *)st->words[i].at != st->words[i].value)
			return false;
	return true;
}

/* 0: it is another stack. A signal handler may fill it in meanwhile: then it counts as another. */
static unsigned same_stack(const struct hook_stack *st, const uint64_t *sp, uint64_t rbp,
			   uint64_t *pcs, unsigned max)
{
	uint32_t fill = __atomic_load_n(&st->fill, __ATOMIC_RELAXED);
	unsigned n = st->npcs;

	if ((n < max && !st->is_whole) || !is_same(st, sp, rbp, fill))
		return 0;
	n = n < max ? n : max;
	for (unsigned i = 0; i < n; i++)
		pcs[i] = st->pcs[i];
	__asm__ volatile("" : : : "memory");
	return __atomic_load_n(&st->fill, __ATOMIC_RELAXED) == fill ? n : 0;
}

/* Only words of the thread's own stack: those of another may be gone when they are looked at. */
static struct hook_stack *begin_notes(struct walk *w, struct hook_stack *st, uint64_t rbp)
{
	if (w->hi != w->block->stack_end || st->fill & 1)
		return NULL;
	st->fill++;
	__asm__ volatile("" : : : "memory");
	if (st->npcs && st->npcs <= HOOK_STACK_PCS && st->nwords <= HOOK_STACK_WORDS) {
		w->last.npcs = st->npcs;
		w->last.nwords = st->nwords;
		w->last.is_whole = st->is_whole;
	}
	st->sp = w->lo;
	st->rbp = rbp;
	st->needs_rbp = 0;
	st->nwords = 1;
	st->words[0].at = w->lo;
	st->words[0].value = w->pc;
	st->what[0] = HOOK_WORD_OTHER;
	st->npcs = 0;
	return st;
}

static void end_notes(const struct walk *w, struct hook_stack *st, const uint64_t *pcs,
		      uint64_t word, unsigned max)
{
	unsigned n = (uint32_t)word;

	if (w->notes && w->hi == w->block->stack_end && n <= HOOK_STACK_PCS &&
	    !(word & HOOK_STACK_CUT)) {
		for (unsigned i = 0; i < n && i < w->last.kept_from; i++)
			st->pcs[i] = pcs[i];
		st->is_whole = n < max;
		st->npcs = (uint16_t)n;
	}
	__asm__ volatile("" : : : "memory");
	st->fill++;
}

/* Field by field: all of it at once would take longer than a frame. */
static inline void begin(struct walk *w, const struct hook_block *b, uint64_t pc,
			 const uint64_t *sp, uint64_t rbp)
{
	w->block = b;
	w->notes = NULL;
	w->lo = w->sp = (uint64_t)sp;
	w->hi = b->stack_end;
	if (w->lo < b->stack_start || w->lo >= w->hi)
		w->hi = (w->lo | (PAGE - 1)) + 1;
	w->pc = pc;
	w->rbp = rbp;
	w->rbp_at = w->rbp_word = w->n = 0;
	w->is_lost = w->is_exact = false;
	w->last.npcs = w->last.nwords = w->last.differ = 0;
	w->last.is_whole = false;
	w->last.what = HOOK_WORD_OTHER;
	w->last.kept_from = UINT32_MAX;
}

uint64_t hook_walk(struct hook_block *b, const uint64_t *sp, uint64_t rbp, uint64_t *pcs,
		   unsigned max)
{
	struct hook_stack *st = stack_for(b, (uint64_t)sp);
	uint64_t word = same_stack(st, sp, rbp, pcs, max);
	struct walk w;

	if (word)
		return word;
	begin(&w, b, *sp, sp, rbp);
	w.sp += sizeof(*sp);
	st = begin_notes(&w, st, rbp);
	w.notes = st;
	word = walk(&w, b, pcs, max);
	if (st)
		end_notes(&w, st, pcs, word, max);
	return word;
}

/*
 * Nothing is noted: what is noted of a stack pointer is the stack of a function that begins there.
 * What has been popped is said to lie where it was: the red zone (System V ABI), as nobody has
 * written there since.
 */
uint64_t hook_walk_within(struct hook_block *b, uint64_t pc, const uint64_t *sp, uint64_t rbp,
			  uint64_t *pcs, unsigned max)
{
	const struct hook_rule *rule = rule_for(b, pc);
	struct walk w;

	begin(&w, b, pc, sp, rbp);
	w.is_exact = true;
	w.lo -= RED_ZONE;
	if (rule->how == HOOK_RULE_END)
		return 0;
	if (!step(&w, rule))
		return HOOK_STACK_CUT;
	return w.pc ? walk(&w, b, pcs, max) : 0;
}

/* A handler between the two looks has filled it in anew: then the key belongs to what was before.
 */
uint32_t hook_known_key(struct hook_block *b, const uint64_t *sp, uint64_t rbp)
{
	const struct hook_stack *st = stack_for(b, (uint64_t)sp);
	uint32_t fill = __atomic_load_n(&st->fill, __ATOMIC_RELAXED);
	uint64_t key = __atomic_load_n(&st->key, __ATOMIC_RELAXED);

	return key >> 32 == fill && is_same(st, sp, rbp, fill) ? (uint32_t)key : 0;
}

void hook_keep_key(struct hook_block *b, const uint64_t *sp, uint32_t key)
{
	struct hook_stack *st = stack_for(b, (uint64_t)sp);
	uint32_t fill = __atomic_load_n(&st->fill, __ATOMIC_RELAXED);

	if (st->sp == (uint64_t)sp && st->npcs)
		__atomic_store_n(&st->key, (uint64_t)fill << 32 | key, __ATOMIC_RELAXED);
}
