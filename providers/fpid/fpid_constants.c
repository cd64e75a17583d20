#include "providers/fpid/fpid_constants.h"

#include "dlang/run/vm.h"

unsigned fpid_ways_to(const struct difo *d, unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < at; i++)
		n += insn_class[DIF_OP(d->text[i])] & INSN_BRANCH && DIF_GETLABEL(d->text[i]) == at;
	return n;
}

bool fpid_is_text_builtin(unsigned id)
{
	switch (id) {
	case BUILTIN_EXECNAME:
	case BUILTIN_PROBEPROV:
	case BUILTIN_PROBEMOD:
	case BUILTIN_PROBEFUNC:
	case BUILTIN_PROBENAME:
		return true;
	default:
		return false;
	}
}

static const char *text_of(unsigned id, const struct probe *p, const struct taskinfo *task)
{
	switch (id) {
	case BUILTIN_EXECNAME:
		return task->comm;
	case BUILTIN_PROBEPROV:
		return p->prov;
	case BUILTIN_PROBEMOD:
		return p->mod;
	case BUILTIN_PROBEFUNC:
		return p->func;
	case BUILTIN_PROBENAME:
		return p->name;
	default:
		return NULL;
	}
}

const char *fpid_chosen_text(const struct difo *d, uint64_t chosen, const struct probe *p,
			     const struct taskinfo *task)
{
	if (d && chosen < d->strslen)
		return d->strs + chosen;
	return chosen > UINT32_MAX ? NULL : text_of((unsigned)(UINT32_MAX - chosen), p, task);
}

/* ---- registers ---- */

void fpid_constants_begin(struct fpid_constants *c, const struct session *s, const struct difo *d,
			  const struct probe *p, const struct taskinfo *task)
{
	c->difo = d;
	c->probe = p;
	c->task = task;
	c->strsize = s ? (size_t)opt(&s->options, OPT_STRSIZE) : 0;
	c->numbers = c->texts = c->npushed = 0;
	c->key.n = 0;
	c->key.is_known = false;
}

void fpid_constants_label(struct fpid_constants *c, unsigned insn)
{
	if (!fpid_ways_to(c->difo, insn))
		return;
	c->numbers = c->texts = 0;
	c->key.is_known = false;
}

bool fpid_may_be_0(const struct fpid_constants *c, unsigned reg)
{
	return !(c->numbers >> reg & 1) || !c->number[reg];
}

static void set_number(struct fpid_constants *c, unsigned reg, uint64_t value)
{
	c->numbers |= 1U << reg;
	c->texts &= ~(1U << reg);
	c->number[reg] = value;
}

static void set_text(struct fpid_constants *c, unsigned reg, uint32_t text)
{
	c->texts |= 1U << reg;
	c->numbers &= ~(1U << reg);
	c->text[reg] = c->probe || text < c->difo->strslen
			       ? fpid_chosen_text(c->difo, text, c->probe, c->task)
			       : "";
}

static void forget(struct fpid_constants *c, unsigned regs)
{
	c->numbers &= ~regs;
	c->texts &= ~regs;
}

/* Constants are cut to the type of a key by shifts. */
static void shift(struct fpid_constants *c, uint32_t insn)
{
	unsigned a = DIF_R1(insn), b = DIF_R2(insn), op = DIF_OP(insn), by;
	unsigned both = 1U << a | 1U << b;

	if ((c->numbers & both) != both) {
		forget(c, 1U << DIF_RD(insn));
		return;
	}
	by = (unsigned)c->number[b] & 63;
	set_number(c, DIF_RD(insn),
		   op == DIF_OP_SLL   ? c->number[a] << by
		   : op == DIF_OP_SRL ? c->number[a] >> by
				      : (uint64_t)((int64_t)c->number[a] >> by));
}

static void push_word(struct fpid_key *k, uint64_t word)
{
	k->is_known &= k->n < FPID_KEY_WORDS;
	if (k->is_known)
		k->words[k->n++] = word;
}

static void push_text(struct fpid_key *k, const char *text, size_t strsize)
{
	size_t len = strnlen(text, strsize);

	push_word(k, len);
	for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, text + i, MIN(len - i, sizeof(word)));
		push_word(k, word);
	}
}

static void push(struct fpid_constants *c, uint32_t insn)
{
	unsigned reg = DIF_RD(insn), op = DIF_OP(insn), at = c->npushed++;

	if (at < ARRAY_SIZE(c->pushed)) {
		c->pushed_number[at] = c->numbers >> reg & 1;
		c->pushed_text[at] = c->texts >> reg & 1;
		c->pushed[at] = c->pushed_number[at] ? c->number[reg] : 0;
		c->text_pushed[at] = c->pushed_text[at] ? c->text[reg] : NULL;
	}
	if (op == DIF_OP_PUSHTV && c->numbers >> reg & 1)
		push_word(&c->key, c->number[reg]);
	else if (op == DIF_OP_PUSHTR && DIF_R1(insn) == DIF_PUSH_STRING && c->texts >> reg & 1)
		push_text(&c->key, c->text[reg], c->strsize);
	else
		c->key.is_known = false;
}

void fpid_constants_insn(struct fpid_constants *c, uint32_t insn)
{
	unsigned rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);

	switch (DIF_OP(insn)) {
	case DIF_OP_SETX:
		set_number(c, rd, c->difo->ints[ix]);
		break;
	case DIF_OP_SETS:
		set_text(c, rd, ix);
		break;
	case DIF_OP_LDGS:
		if (fpid_is_text_builtin(ix))
			set_text(c, rd, FPID_TEXT_OF(ix));
		else
			forget(c, 1U << rd);
		break;
	case DIF_OP_SLL:
	case DIF_OP_SRL:
	case DIF_OP_SRA:
		shift(c, insn);
		break;
	case DIF_OP_SCMP: /* the result takes their place */
		forget(c, 1U << DIF_R1(insn) | 1U << DIF_R2(insn));
		break;
	case DIF_OP_FLUSHTS:
		c->key.n = c->npushed = 0;
		c->key.is_known = true;
		break;
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		push(c, insn);
		break;
	case DIF_OP_CMP:
	case DIF_OP_TST:
	case DIF_OP_NOP:
	case DIF_OP_RET:
		break;
	default:
		if (!(insn_class[DIF_OP(insn)] & INSN_BRANCH))
			forget(c, 1U << rd);
	}
}

void fpid_each_element(struct fpid_constants *c, fpid_element_fn *fn, void *arg)
{
	for (unsigned i = 0; i < c->difo->ninsns && c->difo->nregs <= FPID_REGS; i++) {
		uint32_t insn = c->difo->text[i];
		unsigned op = DIF_OP(insn);

		fpid_constants_label(c, i);
		if (op == DIF_OP_LDTAA || op == DIF_OP_STTAA)
			fn(arg, (uint16_t)DIF_GETINDEX(insn), &c->key);
		fpid_constants_insn(c, insn);
	}
}
