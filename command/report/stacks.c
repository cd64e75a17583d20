/* stacks.c: aggregations by stacks as lines of frames: the folded form, of which pictures are made.
 */
#include <stdlib.h>

#include "command/report/report_priv.h"
#include "dlang/print/aggvalue.h"
#include "dlang/print/printagg.h"

/* ---- frames ---- */

#define FRAMES_STEP 64

struct walking {
	stack_fn *fn;
	void *arg;
	struct printer pr;
	struct strbuf word;
	struct strbuf texts; /* each ends with a NUL */
	struct {
		size_t name, module; /* offsets there */
		const char *key;
		bool is_number;
	} * at;
	struct frame *frames;
	unsigned n, room;
	uint64_t nleft;
	const char *keys[AGG_MAX_KEYS]; /* their names */
};

static size_t add_text(struct walking *w, const char *text, size_t n)
{
	size_t at = w->texts.len;

	keytext_add_line(&w->texts, text, n);
	strbuf_addc(&w->texts, '\0');
	return at;
}

static void add_frame(struct walking *w, const char *text, size_t n, const char *module)
{
	if (w->n == w->room) {
		w->room += FRAMES_STEP;
		w->at = xrealloc(w->at, w->room * sizeof(*w->at));
		w->frames = xrealloc(w->frames, w->room * sizeof(*w->frames));
	}
	w->at[w->n].name = add_text(w, text, n);
	w->at[w->n].key = NULL;
	w->at[w->n].is_number = false;
	w->at[w->n].module = add_text(w, module, strlen(module));
	w->n++;
}

/* Never an address: those of the next run are others. */
static void add_symbol(struct walking *w, const struct symname *name)
{
	const char *module = name->object ? name->object : "";

	if (name->function) {
		add_frame(w, name->function, strlen(name->function), module);
		return;
	}
	strbuf_clear(&w->word);
	strbuf_addf(&w->word, "[%s]", *module ? module : "unknown");
	add_frame(w, w->word.s, w->word.len, module);
}

/* What a caller has called last comes last. */
static void add_stack(struct walking *w, const struct rec *rec, const char *data)
{
	for (unsigned n = stack_depth(rec, data); n-- > 0;) {
		struct symname name;

		stack_name(&w->pr, rec, data, n, &name);
		if (rec->kind == REC_STACK && !name.object)
			name.object = "kernel";
		add_symbol(w, &name);
	}
}

static void add_stacks(struct walking *w, const struct aggvar *var, const char *key,
		       enum rec_kind kind)
{
	for (unsigned i = 0; i < var->nkeys; i++)
		if (var->keys[i].kind == kind)
			add_stack(w, &var->keys[i], key + var->keys[i].offset);
}

static void add_key(struct walking *w, const struct rec *rec, const char *data, const char *name)
{
	const char *text;
	size_t n;

	strbuf_clear(&w->word);
	printer_key(&w->pr, rec, data);
	text = w->word.s;
	n = w->word.len;
	while (n && *text == ' ') {
		text++;
		n--;
	}
	while (n && text[n - 1] == ' ')
		n--;
	add_frame(w, text, n, "");
	w->at[w->n - 1].key = name;
	w->at[w->n - 1].is_number = rec->kind == REC_INT;
}

static void walk_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct walking *w = arg;
	const struct aggvar *var = v->var;
	bool behind = false;

	if (aggvalue_signed(v) <= 0) {
		w->nleft++;
		return;
	}
	strbuf_clear(&w->texts);
	w->n = 0;
	for (unsigned i = 0; i < var->nkeys; i++) {
		const struct rec *rec = &var->keys[i];

		if (!rec_is_stack(rec)) {
			add_key(w, rec, key + rec->offset, w->keys[i]);
		} else if (!behind) {
			behind = true;
			add_stacks(w, var, key, REC_USTACK);
			add_stacks(w, var, key, REC_STACK);
		}
	}
	for (unsigned i = 0; i < w->n; i++)
		w->frames[i] =
			(struct frame){w->texts.s + w->at[i].name, w->texts.s + w->at[i].module,
				       w->at[i].key, w->at[i].is_number};
	w->fn(w->arg, w->frames, w->n, (uint64_t)aggvalue_signed(v));
}

uint64_t stacks_each(const struct report *r, struct aggcopy *copy, stack_fn *fn, void *arg)
{
	struct walking w = {.fn = fn, .arg = arg, .pr = r->data->pr};

	strbuf_init(&w.word);
	strbuf_init(&w.texts);
	w.pr.out = &w.word;
	keytext_names(r->data->session, copy->var, w.keys);
	printer_each_row(&w.pr, &copy, 1, walk_row, &w);
	strbuf_release(&w.word);
	strbuf_release(&w.texts);
	free(w.at);
	free(w.frames);
	return w.nleft;
}

bool stacks_are_keys(const struct aggvar *var)
{
	return agg_has_stack(var) && (var->func->id == AGG_COUNT || var->func->id == AGG_SUM);
}

unsigned frame_number(struct frame_numbers *fn, const struct frame *f, bool *is_new)
{
	uint64_t key = hash_bytes(f->name, strlen(f->name) + 1) * 31 +
		       hash_bytes(f->module, strlen(f->module) + 1);
	uintptr_t number = (uintptr_t)hash_get(&fn->numbers, key);

	*is_new = !number;
	if (number)
		return (unsigned)number - 1;
	hash_put(&fn->numbers, key, (void *)(uintptr_t)(fn->n + 1));
	return fn->n++;
}

/* ---- folded ---- */

static void note_left_out(const struct report *r, const struct aggvar *var)
{
	report_note(r, "@%s (%s) left out", keytext_aggname(var), var->func->name);
}

void stacks_note_none(const struct report *r)
{
	report_note(r, "no aggregation that counts or sums up has a stack for a key");
}

/* The first such aggregation, the others are told of; NULL: there is none. */
static struct aggcopy *choose_first(const struct report *r)
{
	const struct aggstore *aggs = r->data->aggs;
	struct aggcopy *chosen = NULL;

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		struct aggcopy *c = aggs->copies[i];

		if (c && !chosen && stacks_are_keys(c->var))
			chosen = c;
		else if (c)
			note_left_out(r, c->var);
	}
	if (!chosen)
		stacks_note_none(r);
	return chosen;
}

static bool has_same_keys(const struct aggvar *a, const struct aggvar *b)
{
	if (a->nkeys != b->nkeys)
		return false;
	for (unsigned i = 0; i < a->nkeys; i++)
		if (a->keys[i].kind != b->keys[i].kind)
			return false;
	return true;
}

static unsigned choose_all(const struct report *r, bool is_alike, struct aggcopy ***out)
{
	const struct aggstore *aggs = r->data->aggs;
	struct aggcopy **v = xcalloc(aggs->ncopies + 1, sizeof(struct aggcopy *));
	unsigned n = 0;

	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		struct aggcopy *c = aggs->copies[i];

		if (c && stacks_are_keys(c->var) &&
		    (!n || !is_alike || has_same_keys(v[0]->var, c->var)))
			v[n++] = c;
		else if (c)
			note_left_out(r, c->var);
	}
	*out = v;
	return n;
}

unsigned stacks_choose_alike(const struct report *r, struct aggcopy ***out)
{
	unsigned n = choose_all(r, true, out);

	if (!n)
		stacks_note_none(r);
	return n;
}

unsigned stacks_choose_all(const struct report *r, struct aggcopy ***out)
{
	return choose_all(r, false, out);
}

void stacks_note_left(const struct report *r, const struct aggvar *var, uint64_t nleft)
{
	if (nleft)
		report_note(r, "%llu rows of @%s left out: their values are not above 0",
			    (unsigned long long)nleft, keytext_aggname(var));
}

struct folding {
	struct folded *to;
	struct strbuf line;
	size_t room;
};

void stack_add_name(struct strbuf *line, const char *name)
{
	for (; *name; name++)
		strbuf_addc(line, (char)(*name == ';' ? ':' : *name));
}

void stack_add_frames(struct strbuf *line, const struct frame *frames, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i)
			strbuf_addc(line, ';');
		stack_add_name(line, frames[i].name);
	}
}

static void add_line(void *arg, const struct frame *frames, unsigned n, uint64_t value)
{
	struct folding *f = arg;
	struct folded *to = f->to;

	strbuf_clear(&f->line);
	stack_add_frames(&f->line, frames, n);
	if (to->nlines == f->room) {
		f->room = MAX(2 * f->room, 256);
		to->lines = xrealloc(to->lines, f->room * sizeof(*to->lines));
	}
	to->lines[to->nlines++] = (struct folded_line){strdup(f->line.s), value};
	to->total += value;
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
	struct folding f = {.to = out};
	struct aggcopy *copy = choose_first(r);
	uint64_t nleft;

	*out = (struct folded){.var = copy ? copy->var : NULL};
	if (!copy)
		return;
	strbuf_init(&f.line);
	nleft = stacks_each(r, copy, add_line, &f);
	sort_lines(out);
	stacks_note_left(r, copy->var, nleft);
	strbuf_release(&f.line);
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
