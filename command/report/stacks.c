/* stacks.c: aggregations by stacks as lines of frames: the folded form, of which pictures are made.
 */
#include <stdlib.h>

#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printagg.h"
#include "symbols/kallsyms.h"
#include "symbols/symbols.h"

/* ---- which aggregation ---- */

static bool has_stack(const struct aggvar *var)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (report_is_stack(&var->keys[i]))
			return true;
	return false;
}

static bool is_additive(const struct aggvar *var)
{
	return var->func->id == AGG_COUNT || var->func->id == AGG_SUM;
}

static struct aggcopy *choose(const struct report *r)
{
	const struct aggstore *aggs = r->data->aggs;
	struct aggcopy *chosen = NULL;

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		struct aggcopy *c = aggs->copies[i];

		if (c && !chosen && has_stack(c->var) && is_additive(c->var))
			chosen = c;
		else if (c)
			report_note(r, "@%s (%s) left out",
				    strcmp(c->var->name, "_") ? c->var->name : "",
				    c->var->func->name);
	}
	if (!chosen)
		report_note(r, "no aggregation that counts or sums up has a stack for a key");
	return chosen;
}

/* ---- lines ---- */

struct folding {
	struct folded *to;
	struct printer pr;
	struct strbuf line, word;
	size_t room;
	uint64_t nleft; /* rows whose value is not above 0 */
};

static void add_frame(struct folding *f, const char *text, size_t n)
{
	size_t start;

	if (f->line.len)
		strbuf_addc(&f->line, ';');
	start = f->line.len;
	report_add_text(&f->line, text, n);
	for (size_t i = start; i < f->line.len; i++)
		if (f->line.s[i] == ';')
			f->line.s[i] = ':';
}

/* Never an address: those of the next run are others. */
static void add_symbol(struct folding *f, const struct symname *name)
{
	if (name->function) {
		add_frame(f, name->function, strlen(name->function));
		return;
	}
	strbuf_clear(&f->word);
	strbuf_addf(&f->word, "[%s]", name->object ? name->object : "unknown");
	add_frame(f, f->word.s, f->word.len);
}

/* What a caller has called last comes last. */
static void add_stack(struct folding *f, const struct rec *rec, const char *data)
{
	uint32_t n = 0, most = (uint32_t)rec->arg, aspace = 0;
	uint64_t word, pc;

	if (rec->kind == REC_USTACK) {
		memcpy(&word, data, sizeof(word));
		aspace = (uint32_t)(word >> 32);
		data += sizeof(word);
	}
	for (; n < most; n++) {
		memcpy(&pc, data + n * sizeof(pc), sizeof(pc));
		if (!pc)
			break;
	}
	while (n-- > 0) {
		struct symname name = {0};

		memcpy(&pc, data + n * sizeof(pc), sizeof(pc));
		if (rec->kind == REC_USTACK)
			printer_frame_name(&f->pr, aspace, pc, n == 0, &name);
		else if (f->pr.ksyms)
			kallsyms_lookup(f->pr.ksyms, pc, &name);
		if (rec->kind == REC_STACK && !name.object)
			name.object = "kernel";
		add_symbol(f, &name);
	}
}

static void add_stacks(struct folding *f, const struct aggvar *var, const char *key,
		       enum rec_kind kind)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (var->keys[i].kind == kind)
			add_stack(f, &var->keys[i], key + var->keys[i].offset);
}

static void add_key(struct folding *f, const struct rec *rec, const char *data)
{
	const char *text;
	size_t n;

	strbuf_clear(&f->word);
	printer_key(&f->pr, rec, data);
	text = f->word.s;
	n = f->word.len;
	while (n && *text == ' ') {
		text++;
		n--;
	}
	while (n && text[n - 1] == ' ')
		n--;
	add_frame(f, text, n);
}

static void add_line(struct folding *f, uint64_t value)
{
	struct folded *to = f->to;

	if (to->nlines == f->room) {
		f->room = MAX(2 * f->room, 256);
		to->lines = xrealloc(to->lines, f->room * sizeof(*to->lines));
	}
	to->lines[to->nlines++] = (struct folded_line){strdup(f->line.s), value};
	to->total += value;
}

/* Keys in front of the first stack stand outside; then what the program did, then the kernel for
 * it; then the other keys. */
static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct folding *f = arg;
	const struct aggvar *var = v->var;
	bool behind = false;

	if (aggvalue_signed(v) <= 0) {
		f->nleft++;
		return;
	}
	strbuf_clear(&f->line);
	for (unsigned i = 0; i < var->nkeys; i++) {
		const struct rec *rec = &var->keys[i];

		if (!report_is_stack(rec)) {
			add_key(f, rec, key + rec->offset);
		} else if (!behind) {
			behind = true;
			add_stacks(f, var, key, REC_USTACK);
			add_stacks(f, var, key, REC_STACK);
		}
	}
	add_line(f, (uint64_t)aggvalue_signed(v));
}

/* The end of a frame comes before any character: what begins with the same frame stands together.
 */
static int by_frames(const void *a, const void *b)
{
	const struct folded_line *x = a, *y = b;
	const char *p = x->frames, *q = y->frames;

	for (; *p && *p == *q; p++)
		q++;
	return (*p == ';' ? 1 : (unsigned char)*p) - (*q == ';' ? 1 : (unsigned char)*q);
}

/* Equal ones are one. */
static void sort_lines(struct folded *to)
{
	size_t n = 0;

	if (to->nlines)
		qsort(to->lines, to->nlines, sizeof(*to->lines), by_frames);
	for (size_t i = 0; i < to->nlines; i++) {
		if (n && !strcmp(to->lines[n - 1].frames, to->lines[i].frames)) {
			to->lines[n - 1].value += to->lines[i].value;
			free(to->lines[i].frames);
		} else {
			to->lines[n++] = to->lines[i];
		}
	}
	to->nlines = n;
}

void folded_make(struct folded *out, const struct report *r)
{
	struct folding f = {.to = out, .pr = r->data->pr};
	struct aggcopy *copy = choose(r);

	*out = (struct folded){.var = copy ? copy->var : NULL};
	if (!copy)
		return;
	strbuf_init(&f.line);
	strbuf_init(&f.word);
	f.pr.out = &f.word;
	printer_each_row(&f.pr, &copy, 1, add_row, &f);
	sort_lines(out);
	if (f.nleft)
		report_note(r, "%llu rows of @%s left out: their values are not above 0",
			    (unsigned long long)f.nleft, copy->var->name);
	strbuf_release(&f.line);
	strbuf_release(&f.word);
}

void folded_release(struct folded *f)
{
	for (size_t i = 0; i < f->nlines; i++)
		free(f->lines[i].frames);
	free(f->lines);
}

static int by_text(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Sorted as lines: a blank in a name comes before the one in front of a value. */
void report_folded(struct report *r)
{
	struct folded f;
	struct strbuf line;
	char **lines;

	folded_make(&f, r);
	lines = xcalloc(f.nlines + 1, sizeof(*lines));
	for (size_t i = 0; i < f.nlines; i++) {
		strbuf_init(&line);
		strbuf_addf(&line, "%s %llu\n", f.lines[i].frames,
			    (unsigned long long)f.lines[i].value);
		lines[i] = strbuf_detach(&line);
		strbuf_release(&line);
	}
	qsort(lines, f.nlines, sizeof(*lines), by_text);
	for (size_t i = 0; i < f.nlines; i++) {
		strbuf_adds(&r->out, lines[i]);
		free(lines[i]);
	}
	free(lines);
	folded_release(&f);
}
