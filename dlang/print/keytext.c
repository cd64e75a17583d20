#include "dlang/print/keytext.h"

#include "base/utf8.h"
#include "symbols/symbols.h"

/* ---- names ---- */

struct naming {
	const struct aggvar *var;
	const char *names[AGG_MAX_KEYS];
	bool is_found;
};

/* A variable, or the only one that a function is called with. */
const char *keytext_expr_name(const struct difo *d)
{
	bool is_call = false;

	for (unsigned i = 0; d && i < d->ninsns; i++)
		is_call |= DIF_OP(d->text[i]) == DIF_OP_CALL;
	return d && d->nvars == 1 && (d->ninsns == 2 || is_call) ? d->vars[0].name : NULL;
}

static void name_keys(struct naming *nm, const struct stmt *st)
{
	unsigned k = 0;

	if (nm->is_found || !st->naggs || st->aggs[0] != nm->var)
		return;
	for (unsigned i = 0; i < st->nacts && k < nm->var->nkeys; i++) {
		const struct action *act = &st->acts[i];

		if (act->kind != ACT_AGGKEY)
			continue;
		nm->is_found = true;
		nm->names[k++] = act->rec.kind == REC_USTACK  ? "ustack"
				 : act->rec.kind == REC_STACK ? "stack"
							      : keytext_expr_name(act->difo);
	}
}

/* As the clause has them that was first to use it. */
static void find_names(const struct session *s, struct naming *nm)
{
	for (const struct program *p = s->programs; p; p = p->next)
		for (const struct clause *c = p->clauses; c; c = c->next)
			for (unsigned i = 0; i < c->nstmts; i++)
				name_keys(nm, &c->stmts[i]);
}

void keytext_names(const struct session *s, const struct aggvar *var,
		   const char *names[AGG_MAX_KEYS])
{
	static const char *const others[] = {"key1", "key2", "key3", "key4", "key5",
					     "key6", "key7", "key8", "key9"};
	struct naming nm = {.var = var};

	for (unsigned i = 0; var->key_names && i < var->nkeys; i++)
		nm.names[i] = var->key_names[i];
	if (!var->key_names)
		find_names(s, &nm);
	for (unsigned i = 0; i < var->nkeys; i++)
		names[i] = nm.names[i] ? nm.names[i] : i < ARRAY_SIZE(others) ? others[i] : "key";
}

const char *keytext_aggname(const struct aggvar *var)
{
	return strcmp(var->name, "_") ? var->name : "";
}

/* ---- stacks ---- */

bool rec_is_stack(const struct rec *rec)
{
	return rec->kind == REC_STACK || rec->kind == REC_USTACK;
}

bool agg_has_stack(const struct aggvar *var)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (rec_is_stack(&var->keys[i]))
			return true;
	return false;
}

/* Of a user stack a word stands in front (enum rec_kind). */
uint64_t stack_pc(const struct rec *rec, const char *data, unsigned frame)
{
	uint64_t word;

	frame += rec->kind == REC_USTACK;
	memcpy(&word, data + frame * sizeof(word), sizeof(word));
	return word;
}

unsigned stack_depth(const struct rec *rec, const char *data)
{
	unsigned n = 0;

	while (n < (uint32_t)rec->arg && stack_pc(rec, data, n))
		n++;
	return n;
}

void stack_name(const struct printer *pr, const struct rec *rec, const char *data, unsigned frame,
		struct symname *name)
{
	taddr_t pc = stack_pc(rec, data, frame);
	uint64_t word;

	*name = (struct symname){0};
	if (rec->kind == REC_USTACK) {
		memcpy(&word, data, sizeof(word));
		printer_frame_name(pr, (uint32_t)(word >> 32), pc, frame == 0, name);
	} else {
		printer_kernel_name(pr, pc, name);
	}
}

/* ---- texts ---- */

void keytext_add_line(struct strbuf *out, const char *text, size_t n)
{
	while (n) {
		size_t len = utf8_length(text, n);

		if (!len)
			strbuf_adds(out, "\357\277\275");
		else if (len == 1 && ((unsigned char)*text < ' ' || *text == '\177'))
			strbuf_addc(out, ' ');
		else
			strbuf_add(out, text, len);
		text += len ? len : 1;
		n -= len ? len : 1;
	}
}

/* The lines of a stack, innermost first, the other way round. */
static void add_stack_text(const struct printer *pr, struct strbuf *out, const struct rec *rec,
			   const char *data)
{
	struct printer to = *pr;
	struct strbuf lines;
	const char *end;
	bool is_first = true;

	strbuf_init(&lines);
	to.out = &lines;
	printer_stack(&to, rec, data, 0);
	for (end = lines.s + lines.len; end > lines.s;) {
		const char *start = end - 1;

		while (start > lines.s && start[-1] != '\n')
			start--;
		if (end - start > 1) {
			if (!is_first)
				strbuf_addc(out, ';');
			is_first = false;
			keytext_add_line(out, start, (size_t)(end - start) - 1);
		}
		end = start;
	}
	strbuf_release(&lines);
}

void keytext_add(const struct printer *pr, struct strbuf *out, const struct rec *rec,
		 const char *data)
{
	struct printer to = *pr;
	bool is_signed;
	uint64_t v;

	to.out = out;
	if (rec_is_stack(rec)) {
		add_stack_text(pr, out, rec, data);
	} else if (rec->kind == REC_INT) {
		v = rec_int(rec, data, &is_signed);
		if (is_signed)
			strbuf_addf(out, "%lld", (long long)v);
		else
			strbuf_addf(out, "%llu", (unsigned long long)v);
	} else if (rec->kind == REC_STRING) {
		strbuf_add(out, data, strnlen(data, rec->size));
	} else if (rec->kind == REC_BYTES) {
		for (uint32_t i = 0; i < rec->size; i++)
			strbuf_addf(out, "%02x", (unsigned char)data[i]);
	} else {
		printer_symbol(&to, rec, data);
	}
}
