#include "dlang/offload/terms.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "dlang/run/vm.h"

/* ---- the graph ---- */

static bool is_same_test(const struct filter_test *a, const struct filter_test *b)
{
	return a->of == b->of && a->id == b->id && a->off == b->off && a->size == b->size &&
	       a->is_signed == b->is_signed && a->op == b->op && a->value == b->value &&
	       (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0));
}

static uint8_t give_up(struct filter *s)
{
	s->is_exact = false;
	return FILTER_PASS;
}

static uint8_t put(struct filter *s, const struct filter_test *t, uint8_t yes, uint8_t no)
{
	if (yes == no)
		return yes;
	for (unsigned i = 0; i < s->n; i++)
		if (s->nodes[i].yes == yes && s->nodes[i].no == no &&
		    is_same_test(&s->nodes[i].test, t))
			return (uint8_t)i;
	if (s->n == FILTER_NODES)
		return give_up(s);
	s->nodes[s->n] = (struct filter_node){*t, yes, no};
	return (uint8_t)s->n++;
}

/* What passes at one of them. */
static uint8_t join(struct filter *s, uint8_t a, uint8_t b)
{
	struct filter_node node;

	if (a == b || b == FILTER_STOP || a == FILTER_PASS)
		return a;
	if (a == FILTER_STOP || b == FILTER_PASS)
		return b;
	node = s->nodes[a];
	return put(s, &node.test, join(s, node.yes, b), join(s, node.no, b));
}

/* ---- the predicate ---- */

static uint8_t follow(struct walk *w, unsigned at, struct state st);

/* The branch as one of the tests there are; *is_not: it is taken where the test fails. */
static enum filter_op op_of(unsigned op, bool *is_not)
{
	static const struct {
		uint8_t op;
		bool is_not;
	} tests[DIF_NOPS] = {
		[DIF_OP_BE] = {FILTER_EQ, false},    [DIF_OP_BNE] = {FILTER_EQ, true},
		[DIF_OP_BL] = {FILTER_LT, false},    [DIF_OP_BGE] = {FILTER_LT, true},
		[DIF_OP_BLE] = {FILTER_LE, false},   [DIF_OP_BG] = {FILTER_LE, true},
		[DIF_OP_BLU] = {FILTER_LTU, false},  [DIF_OP_BGEU] = {FILTER_LTU, true},
		[DIF_OP_BLEU] = {FILTER_LEU, false}, [DIF_OP_BGU] = {FILTER_LEU, true},
	};

	*is_not = tests[op].is_not;
	return tests[op].op;
}

/* D compares as much of a text as its strings hold (-x strsize). */
static bool is_whole(const struct walk *w, const char *text)
{
	return (int64_t)strlen(text) < opt(&w->probe->session->options, OPT_STRSIZE);
}

static enum filter_means make_test(const struct walk *w, unsigned op, const struct term *a,
				   const struct term *b, struct filter_test *t, bool *is_not)
{
	*t = (struct filter_test){
		.of = a->kind == TERM_BUILTIN ? FILTER_BUILTIN : FILTER_FIELD,
		.id = a->id,
		.off = a->off,
		.size = a->size,
		.is_signed = a->is_signed,
		.op = op_of(op, is_not),
		.value = b->value,
		.text = b->text,
	};
	if (t->text && (t->op != FILTER_EQ || !is_whole(w, t->text)))
		return FILTER_UNKNOWN;
	if (a->mask) {
		if (t->op != FILTER_EQ || t->value)
			return FILTER_UNKNOWN;
		t->op = FILTER_AND;
		t->value = a->mask;
		*is_not = !*is_not;
	}
	return w->source->means(w->source->arg, t);
}

/* A node for a test that D makes in this place. */
static uint8_t put_test(struct filter *s, enum filter_means means, const struct filter_test *t,
			uint8_t yes, uint8_t no)
{
	if (means == FILTER_EQUAL)
		return put(s, t, yes, no);
	s->is_exact = false;
	return means == FILTER_UNKNOWN ? join(s, yes, no) : put(s, t, join(s, yes, no), no);
}

static bool is_number(const struct term *t)
{
	return (t->kind == TERM_BUILTIN || t->kind == TERM_FIELD) && !t->shifted && !t->nbits;
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
	*is_taken = insn_is_taken(op, c->a.value, c->b.value);
	return true;
}

static uint8_t branch(struct walk *w, uint32_t insn, unsigned at, const struct state *st)
{
	const struct compared *c = &st->last;
	const struct term *a = &c->a, *b = &c->b;
	unsigned op = DIF_OP(insn);
	enum filter_means means = FILTER_UNKNOWN;
	bool is_taken, is_not = false;
	struct filter_test test;
	uint8_t yes, no;

	if (may_fault(w, c))
		return give_up(w->filter);
	if (is_decided(w, c, op, &is_taken))
		return follow(w, is_taken ? DIF_GETLABEL(insn) : at, *st);
	if (a->kind == TERM_CONST || a->kind == TERM_TEXT) {
		a = &c->b;
		b = &c->a;
		op = insn_turned(op);
	}
	if (c->are_texts ? b->kind == TERM_TEXT : is_number(a) && b->kind == TERM_CONST)
		means = make_test(w, op, a, b, &test, &is_not);
	yes = follow(w, DIF_GETLABEL(insn), *st);
	no = follow(w, at, *st);
	return put_test(w->filter, means, &test, is_not ? no : yes, is_not ? yes : no);
}

/* The value is what the predicate comes to. */
static uint8_t finish(struct walk *w, const struct term t)
{
	const struct term zero = {.kind = TERM_CONST};
	struct filter_test test;
	enum filter_means means;
	bool is_not;

	if (t.kind == TERM_CONST)
		return t.value ? FILTER_PASS : FILTER_STOP;
	if (!is_number(&t))
		return give_up(w->filter);
	means = make_test(w, DIF_OP_BNE, &t, &zero, &test, &is_not);
	return put_test(w->filter, means, &test, is_not ? FILTER_STOP : FILTER_PASS,
			is_not ? FILTER_PASS : FILTER_STOP);
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

struct term term_number(const struct term *t)
{
	if (t->kind == TERM_ADDRESS && !t->off)
		return (struct term){.kind = TERM_BUILTIN, .id = BUILTIN_ARG0 + t->id};
	return *t;
}

/* The first, or the second, of the shifts that make an integer of fewer bits. */
static bool narrow(unsigned op, uint64_t by, const struct term *a, struct term *t)
{
	*t = term_number(a);
	if ((t->kind != TERM_BUILTIN && t->kind != TERM_FIELD) || t->mask || !by || by > 63)
		return false;
	if (op == DIF_OP_SLL) {
		if (t->shifted || (t->nbits && t->nbits != 64 - by))
			return false;
		t->shifted = (uint8_t)by;
		return true;
	}
	if (t->shifted != by)
		return false;
	t->shifted = 0;
	if (t->kind == TERM_FIELD && (uint64_t)t->size * 8 == 64 - by &&
	    t->is_signed == (op == DIF_OP_SRA))
		return true; /* as it was loaded */
	t->nbits = (uint8_t)(64 - by);
	t->is_signed = op == DIF_OP_SRA;
	return true;
}

/* What is known behind it of its result. */
static struct term calculated(unsigned op, const struct term *a, const struct term *b)
{
	struct term t = {.kind = TERM_UNKNOWN};

	if (a->kind == TERM_CONST && b->kind == TERM_CONST) {
		t.kind = insn_compute(op, a->value, b->value, &t.value) ? TERM_CONST : TERM_UNKNOWN;
		return t;
	}
	if (a->kind == TERM_CONST && (op == DIF_OP_AND || op == DIF_OP_ADD))
		return calculated(op, b, a);
	if (b->kind != TERM_CONST)
		return t;
	if (op == DIF_OP_SLL || op == DIF_OP_SRL || op == DIF_OP_SRA)
		return narrow(op, b->value, a, &t) ? t : (struct term){.kind = TERM_UNKNOWN};
	if (a->kind == TERM_ADDRESS && (op == DIF_OP_ADD || op == DIF_OP_SUB)) {
		t = *a;
		t.off += (int64_t)(op == DIF_OP_ADD ? b->value : -b->value);
	} else if (op == DIF_OP_AND && !a->mask && !a->shifted && !a->nbits && b->value) {
		t = term_number(a);
		t.mask = b->value;
		if (!is_number(&t))
			t.kind = TERM_UNKNOWN;
	}
	return t;
}

static struct term loaded(const struct insn_load *load, const struct term *from)
{
	struct term t = *from;

	t.kind = TERM_FIELD;
	t.size = load->size;
	t.is_signed = load->is_signed;
	return t;
}

bool term_step(const struct walk *w, uint32_t insn, struct state *st)
{
	const struct difo *d = w->difo;
	/* of an instruction without registers these are anything */
	struct term *rd = &st->regs[DIF_RD(insn) % MAX_REGS];
	const struct term *r1 = &st->regs[DIF_R1(insn) % MAX_REGS];
	const struct term *r2 = &st->regs[DIF_R2(insn) % MAX_REGS];
	const struct insn_load *load = &insn_loads[DIF_OP(insn)];
	unsigned op = DIF_OP(insn);

	switch (op) {
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
		st->last = (struct compared){false, term_number(r1), term_number(r2)};
		return true;
	case DIF_OP_TST:
		st->last = (struct compared){false, term_number(r1), {.kind = TERM_CONST}};
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
		*rd = (struct term){.kind = TERM_UNKNOWN};
		return true;
	default:
		if (insn_class[op] & INSN_VALUE) {
			*rd = calculated(op, r1, r2);
			return true;
		}
		if (!w->source->has_records || r1->kind != TERM_ADDRESS || !load->size ||
		    load->is_user)
			return false;
		*rd = loaded(load, r1);
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
			return finish(w, term_number(&st.regs[DIF_RD(insn)]));
		if (op == DIF_OP_BA)
			at = DIF_GETLABEL(insn);
		else if (insn_class[op] & INSN_BRANCH)
			return branch(w, insn, at, &st);
		else if (!term_step(w, insn, &st))
			break;
	}
	return give_up(w->filter);
}

/* ---- a probe ---- */

static uint8_t root_of(struct walk *w)
{
	const struct state st = {.regs = {[0] = {.kind = TERM_CONST}}};

	if (!w->difo)
		return FILTER_PASS;
	return w->difo->nregs > MAX_REGS ? give_up(w->filter) : follow(w, 0, st);
}

void filter_init(struct filter *s)
{
	s->n = 0;
	s->root = FILTER_STOP;
	s->is_exact = true;
}

/* That of the first predicates of all is no joining. */
static void add_root(struct filter *s, uint8_t root, bool is_first)
{
	if (is_first)
		s->root = root;
	else if (s->root != root) {
		s->is_exact = false;
		s->root = join(s, s->root, root);
	}
}

void filter_add(struct filter *s, const struct probe *p, const struct filter_source *source)
{
	bool is_first = s->root == FILTER_STOP && s->n == 0;

	for (const struct ecb *e = p->ecbs; e; e = e->next) {
		struct walk w = {s, source, p, e->clause->pred, 0};

		add_root(s, root_of(&w), is_first);
		is_first = false;
	}
}

/* ---- as text ---- */

struct telling {
	const struct filter *filter;
	filter_name_fn *name;
	void *arg;
	size_t max;
	bool is_too_long;
	struct strbuf out;
};

static void name_builtin(const struct filter_test *t, char *to, size_t room)
{
	snprintf(to, room, "%s", builtin_by_id((uint16_t)t->id)->name);
}

/* The test, or its opposite. */
static void tell_test(struct telling *te, const struct filter_test *t, bool is_not)
{
	static const char *const words[][2] = {
		[FILTER_EQ] = {"==", "!="}, [FILTER_LT] = {"<", ">="},	[FILTER_LE] = {"<=", ">"},
		[FILTER_LTU] = {"<", ">="}, [FILTER_LEU] = {"<=", ">"}, [FILTER_AND] = {"&", "&"}};
	bool is_unsigned = t->op == FILTER_LTU || t->op == FILTER_LEU || t->op == FILTER_AND ||
			   (t->of == FILTER_FIELD && !t->is_signed);
	char name[128];

	if (te->name)
		te->name(te->arg, t, name, sizeof(name));
	else
		name_builtin(t, name, sizeof(name));
	if (is_not && t->op == FILTER_AND)
		strbuf_addf(&te->out, "!(");
	strbuf_addf(&te->out, "%s %s ", name, words[t->op][is_not]);
	if (t->text)
		strbuf_addf(&te->out, "\"%s\"", t->text);
	else if (is_unsigned)
		strbuf_addf(&te->out, "%llu", (unsigned long long)t->value);
	else
		strbuf_addf(&te->out, "%lld", (long long)t->value);
	if (is_not && t->op == FILTER_AND)
		strbuf_addf(&te->out, ")");
}

static void tell(struct telling *te, uint8_t at);

/* "test && rest" or "test || rest"; the rest in brackets where it is more than a test. */
static void tell_with(struct telling *te, const struct filter_node *n, bool is_not, const char *op,
		      uint8_t rest)
{
	const struct filter_node *r = &te->filter->nodes[rest];
	bool is_plain = r->yes >= FILTER_STOP && r->no >= FILTER_STOP;

	tell_test(te, &n->test, is_not);
	strbuf_addf(&te->out, " %s %s", op, is_plain ? "" : "(");
	tell(te, rest);
	strbuf_addf(&te->out, "%s", is_plain ? "" : ")");
}

static void tell(struct telling *te, uint8_t at)
{
	const struct filter_node *n = &te->filter->nodes[at];

	/* where paths come together again the text may be much longer than the graph */
	te->is_too_long |= te->out.len > te->max;
	if (te->is_too_long)
		return;
	if (n->yes >= FILTER_STOP && n->no >= FILTER_STOP) {
		tell_test(te, &n->test, n->yes == FILTER_STOP);
	} else if (n->no == FILTER_STOP) {
		tell_with(te, n, false, "&&", n->yes);
	} else if (n->yes == FILTER_PASS) {
		tell_with(te, n, false, "||", n->no);
	} else if (n->yes == FILTER_STOP) {
		tell_with(te, n, true, "&&", n->no);
	} else if (n->no == FILTER_PASS) {
		tell_with(te, n, true, "||", n->yes);
	} else {
		strbuf_addf(&te->out, "(");
		tell_with(te, n, false, "&&", n->yes);
		strbuf_addf(&te->out, ") || (");
		tell_with(te, n, true, "&&", n->no);
		strbuf_addf(&te->out, ")");
	}
}

char *filter_text(const struct filter *s, filter_name_fn *name, void *arg, size_t max)
{
	struct telling te = {.filter = s, .name = name, .arg = arg, .max = max};
	char *text;

	strbuf_init(&te.out);
	if (s->root == FILTER_PASS)
		strbuf_addf(&te.out, "1");
	else if (s->root == FILTER_STOP)
		strbuf_addf(&te.out, "0");
	else
		tell(&te, s->root);
	text = te.is_too_long || te.out.len > max ? NULL : xstrdup(te.out.len ? te.out.s : "");
	strbuf_release(&te.out);
	return text;
}
