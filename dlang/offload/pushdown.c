#include "dlang/offload/pushdown.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "dlang/run/vm.h"

/* Of one predicate: more is not looked at. */
#define MAX_STEPS 4096

/* What a register holds, as far as it follows from the code alone. */
struct term {
	enum {
		TERM_UNKNOWN,
		TERM_CONST,
		TERM_TEXT,    /* text */
		TERM_BUILTIN, /* id */
		TERM_ADDRESS, /* args[id] + off */
		TERM_FIELD,   /* size bytes at that address */
	} kind;
	uint64_t value; /* CONST */
	const char *text;
	unsigned id, size;
	int64_t off;
	bool is_signed;
	uint64_t mask; /* of BUILTIN and FIELD: these bits of it; 0: all */
};

/* What a branch looks at. */
struct compared {
	bool are_texts;
	struct term a, b;
};

struct state {
	struct term regs[DIF_NREGS];
	struct compared last;
};

struct walk {
	struct sieve *sieve;
	const struct sieve_source *source;
	const struct probe *probe;
	const struct difo *difo;
	unsigned nsteps;
};

/* ---- the graph ---- */

static bool is_same_test(const struct sieve_test *a, const struct sieve_test *b)
{
	return a->of == b->of && a->id == b->id && a->off == b->off && a->size == b->size &&
	       a->is_signed == b->is_signed && a->op == b->op && a->value == b->value &&
	       (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0));
}

static uint8_t give_up(struct sieve *s)
{
	s->is_exact = false;
	return SIEVE_PASS;
}

static uint8_t put(struct sieve *s, const struct sieve_test *t, uint8_t yes, uint8_t no)
{
	if (yes == no)
		return yes;
	for (unsigned i = 0; i < s->n; i++)
		if (s->nodes[i].yes == yes && s->nodes[i].no == no &&
		    is_same_test(&s->nodes[i].test, t))
			return (uint8_t)i;
	if (s->n == SIEVE_NODES)
		return give_up(s);
	s->nodes[s->n] = (struct sieve_node){*t, yes, no};
	return (uint8_t)s->n++;
}

/* What passes at one of them. */
static uint8_t join(struct sieve *s, uint8_t a, uint8_t b)
{
	struct sieve_node node;

	if (a == b || b == SIEVE_STOP || a == SIEVE_PASS)
		return a;
	if (a == SIEVE_STOP || b == SIEVE_PASS)
		return b;
	node = s->nodes[a];
	return put(s, &node.test, join(s, node.yes, b), join(s, node.no, b));
}

/* ---- the predicate ---- */

static uint8_t follow(struct walk *w, unsigned at, struct state st);

static bool holds(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DIF_OP_BE:
		return a == b;
	case DIF_OP_BNE:
		return a != b;
	case DIF_OP_BG:
		return (int64_t)a > (int64_t)b;
	case DIF_OP_BGU:
		return a > b;
	case DIF_OP_BGE:
		return (int64_t)a >= (int64_t)b;
	case DIF_OP_BGEU:
		return a >= b;
	case DIF_OP_BL:
		return (int64_t)a < (int64_t)b;
	case DIF_OP_BLU:
		return a < b;
	case DIF_OP_BLE:
		return (int64_t)a <= (int64_t)b;
	default:
		return a <= b;
	}
}

/* "const op x" as "x op const". */
static unsigned turned(unsigned op)
{
	switch (op) {
	case DIF_OP_BG:
		return DIF_OP_BL;
	case DIF_OP_BGU:
		return DIF_OP_BLU;
	case DIF_OP_BGE:
		return DIF_OP_BLE;
	case DIF_OP_BGEU:
		return DIF_OP_BLEU;
	case DIF_OP_BL:
		return DIF_OP_BG;
	case DIF_OP_BLU:
		return DIF_OP_BGU;
	case DIF_OP_BLE:
		return DIF_OP_BGE;
	case DIF_OP_BLEU:
		return DIF_OP_BGEU;
	default:
		return op;
	}
}

/* The branch as one of the tests there are; *is_not: it is taken where the test fails. */
static enum sieve_op op_of(unsigned op, bool *is_not)
{
	*is_not = op == DIF_OP_BNE || op == DIF_OP_BG || op == DIF_OP_BGU || op == DIF_OP_BGE ||
		  op == DIF_OP_BGEU;
	switch (op) {
	case DIF_OP_BL:
	case DIF_OP_BGE:
		return SIEVE_LT;
	case DIF_OP_BLE:
	case DIF_OP_BG:
		return SIEVE_LE;
	case DIF_OP_BLU:
	case DIF_OP_BGEU:
		return SIEVE_LTU;
	case DIF_OP_BLEU:
	case DIF_OP_BGU:
		return SIEVE_LEU;
	default:
		return SIEVE_EQ;
	}
}

/* D compares as much of a text as its strings hold (-x strsize). */
static bool is_whole(const struct walk *w, const char *text)
{
	return (int64_t)strlen(text) < opt(&w->probe->session->options, OPT_STRSIZE);
}

static enum sieve_means make_test(const struct walk *w, unsigned op, const struct term *a,
				  const struct term *b, struct sieve_test *t, bool *is_not)
{
	*t = (struct sieve_test){
		.of = a->kind == TERM_BUILTIN ? SIEVE_BUILTIN : SIEVE_FIELD,
		.id = a->id,
		.off = a->off,
		.size = a->size,
		.is_signed = a->is_signed,
		.op = op_of(op, is_not),
		.value = b->value,
		.text = b->text,
	};
	if (t->text && (t->op != SIEVE_EQ || !is_whole(w, t->text)))
		return SIEVE_UNKNOWN;
	if (a->mask) {
		if (t->op != SIEVE_EQ || t->value)
			return SIEVE_UNKNOWN;
		t->op = SIEVE_AND;
		t->value = a->mask;
		*is_not = !*is_not;
	}
	return w->source->means(w->source->arg, t);
}

/* A node for a test that D makes in this place. */
static uint8_t put_test(struct sieve *s, enum sieve_means means, const struct sieve_test *t,
			uint8_t yes, uint8_t no)
{
	if (means == SIEVE_EQUAL)
		return put(s, t, yes, no);
	s->is_exact = false;
	return means == SIEVE_UNKNOWN ? join(s, yes, no) : put(s, t, join(s, yes, no), no);
}

static bool is_number(const struct term *t)
{
	return t->kind == TERM_BUILTIN || t->kind == TERM_FIELD;
}

/* A string of D's own, or one in a record; a built-in number may be an address of anything. */
static bool is_text(const struct term *t)
{
	if (t->kind == TERM_BUILTIN)
		return strcmp(builtin_by_id((uint16_t)t->id)->type, "string") == 0;
	return t->kind == TERM_ADDRESS || t->kind == TERM_TEXT;
}

/* Reading a text that lies somewhere may fault, which D tells of. */
static bool may_fault(const struct walk *w, const struct compared *c)
{
	return c->are_texts && (!is_text(&c->a) || !is_text(&c->b) ||
				(!w->source->has_records &&
				 (c->a.kind == TERM_ADDRESS || c->b.kind == TERM_ADDRESS)));
}

/* A comparison of what is known by now. */
static bool is_decided(const struct walk *w, const struct compared *c, unsigned op, bool *is_taken)
{
	if (c->are_texts && c->a.kind == TERM_TEXT && c->b.kind == TERM_TEXT &&
	    is_whole(w, c->a.text) && is_whole(w, c->b.text) &&
	    (op == DIF_OP_BE || op == DIF_OP_BNE)) {
		*is_taken = (strcmp(c->a.text, c->b.text) == 0) == (op == DIF_OP_BE);
		return true;
	}
	if (c->are_texts || c->a.kind != TERM_CONST || c->b.kind != TERM_CONST)
		return false;
	*is_taken = holds(op, c->a.value, c->b.value);
	return true;
}

static uint8_t branch(struct walk *w, uint32_t insn, unsigned at, const struct state *st)
{
	const struct compared *c = &st->last;
	const struct term *a = &c->a, *b = &c->b;
	unsigned op = DIF_OP(insn);
	enum sieve_means means = SIEVE_UNKNOWN;
	bool is_taken, is_not = false;
	struct sieve_test test;
	uint8_t yes, no;

	if (may_fault(w, c))
		return give_up(w->sieve);
	if (is_decided(w, c, op, &is_taken))
		return follow(w, is_taken ? DIF_GETLABEL(insn) : at, *st);
	if (a->kind == TERM_CONST || a->kind == TERM_TEXT) {
		a = &c->b;
		b = &c->a;
		op = turned(op);
	}
	if (c->are_texts ? b->kind == TERM_TEXT : is_number(a) && b->kind == TERM_CONST)
		means = make_test(w, op, a, b, &test, &is_not);
	yes = follow(w, DIF_GETLABEL(insn), *st);
	no = follow(w, at, *st);
	return put_test(w->sieve, means, &test, is_not ? no : yes, is_not ? yes : no);
}

/* The value is what the predicate comes to. */
static uint8_t finish(struct walk *w, const struct term t)
{
	const struct term zero = {.kind = TERM_CONST};
	struct sieve_test test;
	enum sieve_means means;
	bool is_not;

	if (t.kind == TERM_CONST)
		return t.value ? SIEVE_PASS : SIEVE_STOP;
	if (!is_number(&t))
		return give_up(w->sieve);
	means = make_test(w, DIF_OP_BNE, &t, &zero, &test, &is_not);
	return put_test(w->sieve, means, &test, is_not ? SIEVE_STOP : SIEVE_PASS,
			is_not ? SIEVE_PASS : SIEVE_STOP);
}

static struct term text_of(const char *text)
{
	return (struct term){.kind = TERM_TEXT, .text = text};
}

/* What is the same at each firing is known now. */
static struct term builtin(const struct walk *w, unsigned id)
{
	switch (id) {
	case BUILTIN_PROBEPROV:
		return text_of(w->probe->prov);
	case BUILTIN_PROBEMOD:
		return text_of(w->probe->mod);
	case BUILTIN_PROBEFUNC:
		return text_of(w->probe->func);
	case BUILTIN_PROBENAME:
		return text_of(w->probe->name);
	default:
		if (id >= DIF_VAR_USER)
			return (struct term){.kind = TERM_UNKNOWN};
		return (struct term){.kind = TERM_BUILTIN, .id = id};
	}
}

/* args[n] that is no address is argN. */
static struct term number(const struct term *t)
{
	if (t->kind == TERM_ADDRESS && !t->off)
		return (struct term){.kind = TERM_BUILTIN, .id = BUILTIN_ARG0 + t->id};
	return *t;
}

/* Of those that the code of predicates has: what is known behind it. */
static struct term calculated(unsigned op, const struct term *a, const struct term *b)
{
	struct term t = {.kind = TERM_UNKNOWN};

	if (a->kind == TERM_CONST && b->kind != TERM_CONST &&
	    (op == DIF_OP_AND || op == DIF_OP_ADD))
		return calculated(op, b, a);
	if (b->kind != TERM_CONST)
		return t;
	if (a->kind == TERM_CONST) {
		t = *a;
		t.value = op == DIF_OP_AND   ? a->value & b->value
			  : op == DIF_OP_ADD ? a->value + b->value
					     : a->value - b->value;
	} else if (a->kind == TERM_ADDRESS && op != DIF_OP_AND) {
		t = *a;
		t.off += (int64_t)(op == DIF_OP_ADD ? b->value : -b->value);
	} else if (op == DIF_OP_AND && !a->mask && b->value) {
		t = number(a);
		t.mask = b->value;
		if (!is_number(&t))
			t.kind = TERM_UNKNOWN;
	}
	return t;
}

static struct term loaded(unsigned op, const struct term *from)
{
	static const struct {
		uint8_t size;
		bool is_signed;
	} loads[DIF_NOPS] = {
		[DIF_OP_LDSB] = {1, true},   [DIF_OP_LDSH] = {2, true},
		[DIF_OP_LDSW] = {4, true},   [DIF_OP_LDUB] = {1, false},
		[DIF_OP_LDUH] = {2, false},  [DIF_OP_LDUW] = {4, false},
		[DIF_OP_LDX] = {8, false},   [DIF_OP_RLDSB] = {1, true},
		[DIF_OP_RLDSH] = {2, true},  [DIF_OP_RLDSW] = {4, true},
		[DIF_OP_RLDUB] = {1, false}, [DIF_OP_RLDUH] = {2, false},
		[DIF_OP_RLDUW] = {4, false}, [DIF_OP_RLDX] = {8, false},
	};
	struct term t = *from;

	t.kind = TERM_FIELD;
	t.size = loads[op].size;
	t.is_signed = loads[op].is_signed;
	return t;
}

/* One instruction that goes on to the next. False: it may fault, or does more than to look. */
static bool step(const struct walk *w, uint32_t insn, struct state *st)
{
	const struct difo *d = w->difo;
	/* of an instruction without registers these are anything */
	struct term *rd = &st->regs[DIF_RD(insn) % DIF_NREGS];
	const struct term *r1 = &st->regs[DIF_R1(insn) % DIF_NREGS];
	const struct term *r2 = &st->regs[DIF_R2(insn) % DIF_NREGS];

	switch (DIF_OP(insn)) {
	case DIF_OP_NOP:
		return true;
	case DIF_OP_SETX:
		*rd = (struct term){.kind = TERM_CONST, .value = d->ints[DIF_GETINDEX(insn)]};
		return true;
	case DIF_OP_SETS:
		*rd = text_of(d->strs + DIF_GETINDEX(insn));
		return true;
	case DIF_OP_MOV:
		*rd = *r1;
		return true;
	case DIF_OP_SCMP:
		st->last = (struct compared){true, *r1, *r2};
		return true;
	case DIF_OP_CMP:
		st->last = (struct compared){false, number(r1), number(r2)};
		return true;
	case DIF_OP_TST:
		st->last = (struct compared){false, number(r1), {.kind = TERM_CONST}};
		return true;
	case DIF_OP_LDGS:
		*rd = builtin(w, DIF_GETINDEX(insn));
		return true;
	case DIF_OP_LDGA:
		if (DIF_R1(insn) != BUILTIN_ARGS || r2->kind != TERM_CONST ||
		    r2->value >= EVENT_ARGS)
			return false;
		*rd = (struct term){.kind = TERM_ADDRESS, .id = (unsigned)r2->value};
		return true;
	case DIF_OP_LDTS:
	case DIF_OP_LDLS:
	case DIF_OP_OR:
	case DIF_OP_XOR:
	case DIF_OP_SLL:
	case DIF_OP_SRL:
	case DIF_OP_SRA:
	case DIF_OP_MUL:
	case DIF_OP_NOT:
		*rd = (struct term){.kind = TERM_UNKNOWN};
		return true;
	case DIF_OP_AND:
	case DIF_OP_ADD:
	case DIF_OP_SUB:
		*rd = calculated(DIF_OP(insn), r1, r2);
		return true;
	default:
		if (!w->source->has_records || r1->kind != TERM_ADDRESS ||
		    !loaded(DIF_OP(insn), r1).size)
			return false;
		*rd = loaded(DIF_OP(insn), r1);
		return true;
	}
}

/* Where events that come to this instruction go. Branches lead forward only. */
static uint8_t follow(struct walk *w, unsigned at, struct state st)
{
	const struct difo *d = w->difo;

	while (at < d->ninsns && w->nsteps++ < MAX_STEPS) {
		uint32_t insn = d->text[at++];
		unsigned op = DIF_OP(insn);

		if (op == DIF_OP_RET)
			return finish(w, number(&st.regs[DIF_RD(insn)]));
		if (op == DIF_OP_BA)
			at = DIF_GETLABEL(insn);
		else if (op >= DIF_OP_BE && op <= DIF_OP_BLEU)
			return branch(w, insn, at, &st);
		else if (!step(w, insn, &st))
			break;
	}
	return give_up(w->sieve);
}

/* ---- a probe ---- */

void sieve_init(struct sieve *s)
{
	s->n = 0;
	s->root = SIEVE_STOP;
	s->is_exact = true;
}

/* That of the first predicates of all is no joining. */
static void add_root(struct sieve *s, uint8_t root, bool is_first)
{
	if (is_first)
		s->root = root;
	else if (s->root != root) {
		s->is_exact = false;
		s->root = join(s, s->root, root);
	}
}

void sieve_add(struct sieve *s, const struct probe *p, const struct sieve_source *source)
{
	bool is_first = s->root == SIEVE_STOP && s->n == 0;

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		struct walk w = {s, source, p, e->clause->pred, 0};
		struct state st = {.regs = {[0] = {.kind = TERM_CONST}}};

		add_root(s, w.difo ? follow(&w, 0, st) : SIEVE_PASS, is_first);
		is_first = false;
	}
}

/* ---- as text ---- */

struct telling {
	const struct sieve *sieve;
	sieve_name_fn *name;
	void *arg;
	size_t max;
	bool is_too_long;
	struct strbuf out;
};

static void name_builtin(const struct sieve_test *t, char *to, size_t room)
{
	snprintf(to, room, "%s", builtin_by_id((uint16_t)t->id)->name);
}

/* The test, or its opposite. */
static void tell_test(struct telling *te, const struct sieve_test *t, bool is_not)
{
	static const char *const words[][2] = {
		[SIEVE_EQ] = {"==", "!="}, [SIEVE_LT] = {"<", ">="},  [SIEVE_LE] = {"<=", ">"},
		[SIEVE_LTU] = {"<", ">="}, [SIEVE_LEU] = {"<=", ">"}, [SIEVE_AND] = {"&", "&"}};
	bool is_unsigned = t->op == SIEVE_LTU || t->op == SIEVE_LEU || t->op == SIEVE_AND ||
			   (t->of == SIEVE_FIELD && !t->is_signed);
	char name[128];

	if (te->name)
		te->name(te->arg, t, name, sizeof(name));
	else
		name_builtin(t, name, sizeof(name));
	if (is_not && t->op == SIEVE_AND)
		strbuf_addf(&te->out, "!(");
	strbuf_addf(&te->out, "%s %s ", name, words[t->op][is_not]);
	if (t->text)
		strbuf_addf(&te->out, "\"%s\"", t->text);
	else if (is_unsigned)
		strbuf_addf(&te->out, "%llu", (unsigned long long)t->value);
	else
		strbuf_addf(&te->out, "%lld", (long long)t->value);
	if (is_not && t->op == SIEVE_AND)
		strbuf_addf(&te->out, ")");
}

static void tell(struct telling *te, uint8_t at);

/* "test && rest" or "test || rest"; the rest in brackets where it is more than a test. */
static void tell_with(struct telling *te, const struct sieve_node *n, bool is_not, const char *op,
		      uint8_t rest)
{
	const struct sieve_node *r = &te->sieve->nodes[rest];
	bool is_plain = r->yes >= SIEVE_STOP && r->no >= SIEVE_STOP;

	tell_test(te, &n->test, is_not);
	strbuf_addf(&te->out, " %s %s", op, is_plain ? "" : "(");
	tell(te, rest);
	strbuf_addf(&te->out, "%s", is_plain ? "" : ")");
}

static void tell(struct telling *te, uint8_t at)
{
	const struct sieve_node *n = &te->sieve->nodes[at];

	/* where paths come together again the text may be much longer than the graph */
	te->is_too_long |= te->out.len > te->max;
	if (te->is_too_long)
		return;
	if (n->yes >= SIEVE_STOP && n->no >= SIEVE_STOP) {
		tell_test(te, &n->test, n->yes == SIEVE_STOP);
	} else if (n->no == SIEVE_STOP) {
		tell_with(te, n, false, "&&", n->yes);
	} else if (n->yes == SIEVE_PASS) {
		tell_with(te, n, false, "||", n->no);
	} else if (n->yes == SIEVE_STOP) {
		tell_with(te, n, true, "&&", n->no);
	} else if (n->no == SIEVE_PASS) {
		tell_with(te, n, true, "||", n->yes);
	} else {
		strbuf_addf(&te->out, "(");
		tell_with(te, n, false, "&&", n->yes);
		strbuf_addf(&te->out, ") || (");
		tell_with(te, n, true, "&&", n->no);
		strbuf_addf(&te->out, ")");
	}
}

char *sieve_text(const struct sieve *s, sieve_name_fn *name, void *arg, size_t max)
{
	struct telling te = {.sieve = s, .name = name, .arg = arg, .max = max};
	char *text;

	strbuf_init(&te.out);
	if (s->root == SIEVE_PASS)
		strbuf_addf(&te.out, "1");
	else if (s->root == SIEVE_STOP)
		strbuf_addf(&te.out, "0");
	else
		tell(&te, s->root);
	text = te.is_too_long || te.out.len > max ? NULL : xstrdup(te.out.len ? te.out.s : "");
	strbuf_release(&te.out);
	return text;
}
