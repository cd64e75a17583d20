/* viewdraw.c: a view as lines of text with SGR sequences (ECMA-48). */
#include <limits.h>

#include "base/utf8.h"
#include "command/live/view.h"
#include "dlang/print/keytext.h"
#include "dlang/print/printagg.h"

#define REVERSE	  "\033[7m"
#define BOLD	  "\033[1m"
#define PLAIN	  "\033[m"
#define END_LINE  "\033[K\r\n"
#define LEAST_KEY 12 /* columns */
#define NBARS	  8

/* ---- lines ---- */

struct page_text {
	struct strbuf *out;
	unsigned rows, columns; /* of the screen */
	unsigned nlines;	/* so far */
};

/* As much of a text as there are columns for. Returns how many it takes. */
static unsigned add_cut(struct strbuf *out, const char *s, size_t n, unsigned columns)
{
	unsigned at = 0;

	for (size_t i = 0, len; i < n; i += len) {
		len = MAX(utf8_length(s + i, n - i), 1U);
		if (at + utf8_columns(s + i, len) > columns)
			break;
		at += (unsigned)utf8_columns(s + i, len);
		strbuf_add(out, s + i, len);
	}
	return at;
}

static void add_blanks(struct strbuf *out, unsigned n)
{
	while (n-- > 0)
		strbuf_addc(out, ' ');
}

/* The last column stays free: a terminal wraps behind it. */
static unsigned width_of(const struct page_text *t)
{
	return t->columns - 1;
}

static void add_line(struct page_text *t, const char *style, const char *text, size_t n)
{
	unsigned used;

	if (t->nlines == t->rows)
		return;
	strbuf_adds(t->out, style);
	used = add_cut(t->out, text, n, width_of(t));
	if (*style) {
		add_blanks(t->out, width_of(t) - used);
		strbuf_adds(t->out, PLAIN);
	}
	/* no new line behind the last one: the screen would move up */
	t->nlines++;
	strbuf_adds(t->out, t->nlines == t->rows ? "\033[K" : END_LINE);
}

/* ---- cells ---- */

static void add_right(struct strbuf *out, const char *text, unsigned width)
{
	size_t n = strlen(text);

	add_blanks(out, n < width ? width - (unsigned)n : 1);
	add_cut(out, text, n, width - 1);
}

static void add_bound(struct strbuf *out, const struct aggvar *var, unsigned bucket, unsigned width)
{
	struct bucket_bounds b = {"", ""};
	char text[64];

	if (bucket != UINT_MAX)
		bucket_bounds(var, bucket, &b);
	snprintf(text, sizeof(text), "%s%s",
		 *b.from ? b.from
		 : *b.to ? "<="
			 : "",
		 *b.from ? "" : b.to);
	add_right(out, text, width);
}

/* The buckets that any row has something in, as so many bars. */
static void add_bars(struct strbuf *out, const struct view *v, const struct view_page *page,
		     const struct view_cell *cell, unsigned var)
{
	static const char *const utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
	const unsigned n = page->vars[var]->nwords;
	unsigned first = n, last = 0;
	uint64_t bars[NBARS] = {0}, most = 0;

	for (size_t i = 0; i < page->nshown; i++) {
		const struct view_cell *c = &page->shown[i]->cells[var];

		for (unsigned b = 0; c->buckets && b < n; b++)
			if (view_bucket(v, c, b)) {
				first = MIN(first, b);
				last = MAX(last, b);
			}
	}
	for (unsigned b = first; cell->buckets && b <= last && b < n; b++) {
		unsigned at = (b - first) * NBARS / MAX(last - first + 1, NBARS);

		bars[at] += view_bucket(v, cell, b);
		most = MAX(most, bars[at]);
	}
	strbuf_adds(out, "  ");
	for (unsigned i = 0; i < NBARS; i++) {
		unsigned height = most ? (unsigned)((bars[i] * 8 + most - 1) / most) : 0;

		strbuf_adds(out, v->has_utf8 ? utf8[height] : ascii[height]);
	}
}

static void add_cell(struct strbuf *out, const struct view *v, const struct view_page *page,
		     const struct view_row *row, const struct view_column *column)
{
	const struct view_cell *cell = &row->cells[column->var];
	const struct aggvar *var = page->vars[column->var];
	char text[32] = "";

	if (!cell->is_there) {
		add_blanks(out, column->width);
	} else if (column->kind == COLUMN_BARS) {
		add_bars(out, v, page, cell, column->var);
	} else if (column->kind == COLUMN_MEDIAN) {
		add_bound(out, var, view_median(v, cell, var->nwords), column->width);
	} else if (column->kind == COLUMN_MOST) {
		add_bound(out, var, view_most(v, cell, var->nwords), column->width);
	} else {
		snprintf(text, sizeof(text), column->kind == COLUMN_CHANGE ? "%+lld" : "%lld",
			 (long long)view_number(v, row, column, page));
		add_right(out, text, column->width);
	}
}

/* ---- the table ---- */

/* How many columns there is room for, and what is left for the key. */
static unsigned fit_columns(const struct page_text *t, const struct view_column *columns,
			    unsigned n, unsigned *key_width)
{
	unsigned left = width_of(t), fit = 1;

	while (fit < n && left >= columns[fit].width + LEAST_KEY)
		left -= columns[fit++].width;
	*key_width = left;
	return fit;
}

static void name_column(char *text, size_t size, const struct view *v, const struct view_page *page,
			const struct view_column *column)
{
	static const char *const what[] = {
		[COLUMN_KEY] = "",	    [COLUMN_VALUE] = "", [COLUMN_RATE] = "/s",
		[COLUMN_CHANGE] = "change", [COLUMN_BARS] = "",	 [COLUMN_MEDIAN] = "median",
		[COLUMN_MOST] = "most",
	};
	const char *name = keytext_aggname(page->vars[column->var]);

	if (*what[column->kind])
		snprintf(text, size, "%s", what[column->kind]);
	else
		snprintf(text, size, "@%s%s", name, v->shows_interval ? " now" : "");
}

static void add_head(struct page_text *t, const struct view *v, const struct view_page *page,
		     const struct view_column *columns, unsigned n, unsigned key_width)
{
	const char *names[AGG_MAX_KEYS];
	struct strbuf line, keys;
	char text[64];

	strbuf_init(&line);
	strbuf_init(&keys);
	keytext_names(v->data.session, page->vars[0], names);
	if (v->sort == 0)
		strbuf_addc(&keys, v->is_reversed ? '^' : 'v');
	for (unsigned i = 0; i < page->vars[0]->nkeys; i++)
		strbuf_addf(&keys, "%s%s", i ? "  " : "", names[i]);
	add_blanks(&line, key_width - add_cut(&line, keys.s, keys.len, key_width));
	for (unsigned i = 1; i < n; i++) {
		char name[80];

		name_column(text, sizeof(text), v, page, &columns[i]);
		snprintf(name, sizeof(name), "%s%s",
			 v->sort != i	  ? ""
			 : v->is_reversed ? "^"
					  : "v",
			 text);
		add_right(&line, name, columns[i].width);
	}
	add_line(t, BOLD, line.s, line.len);
	strbuf_release(&line);
	strbuf_release(&keys);
}

static void add_row(struct page_text *t, const struct view *v, const struct view_page *page,
		    size_t at, const struct view_column *columns, unsigned n, unsigned key_width)
{
	const struct view_row *row = page->shown[at];
	struct strbuf line;

	strbuf_init(&line);
	add_blanks(&line, key_width - add_cut(&line, row->key, strlen(row->key), key_width - 1));
	for (unsigned i = 1; i < n; i++)
		add_cell(&line, v, page, row, &columns[i]);
	add_line(t, at == v->cursor ? REVERSE : "", line.s, line.len);
	strbuf_release(&line);
}

static void add_table(struct page_text *t, struct view *v, const struct view_page *page,
		      unsigned room)
{
	struct view_column columns[VIEW_MAX_COLUMNS];
	unsigned key_width, n = view_columns(page, columns);

	n = fit_columns(t, columns, n, &key_width);
	add_head(t, v, page, columns, n, key_width);
	room = room > 1 ? room - 1 : 0;
	if (v->cursor < v->top)
		v->top = v->cursor;
	if (room && v->cursor >= v->top + room)
		v->top = v->cursor - room + 1;
	for (size_t i = v->top; i < page->nshown && i < v->top + room; i++)
		add_row(t, v, page, i, columns, n, key_width);
}

/* ---- one row, help ---- */

/* Lines of a text from a number on, as many as there is room for. */
static void add_text(struct page_text *t, const char *text, size_t skip, unsigned room)
{
	while (*text && room) {
		size_t n = strcspn(text, "\n");

		if (skip)
			skip--;
		else if (room--)
			add_line(t, "", text, n);
		text += n + (text[n] == '\n');
	}
}

static void add_whole_key(struct strbuf *out, const char *key, unsigned columns)
{
	size_t n = strlen(key);

	while (n) {
		size_t from = out->len;

		add_cut(out, key, n, columns);
		if (out->len == from)
			return;
		key += out->len - from;
		n -= out->len - from;
		strbuf_addc(out, '\n');
	}
}

static void add_one_row(struct page_text *t, const struct view *v, const struct view_page *page,
			unsigned room)
{
	const struct view_row *row = page->shown[v->cursor];
	struct printer pr = v->data.pr;
	struct strbuf text;

	strbuf_init(&text);
	pr.out = &text;
	add_whole_key(&text, row->key, width_of(t));
	for (unsigned i = 0; i < page->nvars; i++) {
		const struct view_cell *cell = &row->cells[i];
		struct aggvalue value = {.var = page->vars[i], .data = cell->buckets, .normal = 1};

		if (!cell->is_there)
			continue;
		strbuf_addf(&text, "\n@%s: %lld\n", keytext_aggname(page->vars[i]),
			    (long long)cell->now);
		if (value.data)
			printer_histogram(&pr, &value);
	}
	add_text(t, text.s, v->scroll, room);
	strbuf_release(&text);
}

static const char help[] =
	"q            end: everything is printed as ever\n"
	"space        hold this picture; tracing goes on\n"
	"< >          sort by the column before, behind\n"
	"r            the other way round\n"
	"c            what there is since the start, or what the last interval brought\n"
	"+ -          longer, shorter intervals\n"
	"/            only keys with a text, or that a pattern matches (* ? [])\n"
	"arrows       move; PgUp, PgDn, Home, End\n"
	"Enter        the whole key and all of its values; Esc goes back\n"
	"Tab          the next table\n"
	"?            this\n";

/* ---- all ---- */

static void add_title(struct page_text *t, const struct view *v, const struct view_facts *facts)
{
	const struct view_page *page = v->npages ? &v->pages[v->page] : NULL;
	struct strbuf line;

	strbuf_init(&line);
	strbuf_adds(&line, "dtrace ");
	for (unsigned i = 0; page && i < page->nvars; i++)
		strbuf_addf(&line, " @%s", keytext_aggname(page->vars[i]));
	if (v->npages > 1)
		strbuf_addf(&line, " (table %u of %u)", v->page + 1, v->npages);
	strbuf_addf(&line, "  %zu rows, every %.3g s", page ? page->nshown : 0,
		    (double)v->interval_ns / 1e9);
	if (v->filter.len)
		strbuf_addf(&line, ", with %s", v->filter.s);
	if (facts->drops)
		strbuf_addf(&line, ", %llu DROPS", (unsigned long long)facts->drops);
	if (v->is_frozen)
		strbuf_adds(&line, ", FROZEN");
	if (*facts->note)
		strbuf_addf(&line, "; %s", facts->note);
	add_line(t, facts->drops ? REVERSE : BOLD, line.s, line.len);
	strbuf_release(&line);
}

static void add_foot(struct page_text *t, const struct view *v)
{
	static const char keys[] =
		"q end  space hold  <> sort  r reverse  / filter  c since/now  +- interval  "
		"Enter row  Tab table  ? help";
	struct strbuf line;

	if (!v->asks_filter) {
		add_line(t, "", keys, sizeof(keys) - 1);
		return;
	}
	strbuf_init(&line);
	strbuf_addf(&line, "keys with: %s_", v->filter.s);
	add_line(t, BOLD, line.s, line.len);
	strbuf_release(&line);
}

void view_draw(struct view *v, const struct view_facts *facts, unsigned rows, unsigned columns,
	       struct strbuf *out)
{
	struct page_text t = {.out = out, .rows = MAX(rows, 2U), .columns = MAX(columns, 2U)};
	struct view_page *page = v->npages ? &v->pages[v->page] : NULL;
	unsigned below = facts->noutput ? facts->noutput + 1 : 0, last = t.rows - 1, room;

	below = below < last / 2 ? below : 0;
	add_title(&t, v, facts);
	room = last - below - 1;
	if (v->shows_help)
		add_text(&t, help, 0, room);
	else if (page && v->shows_row && page->nshown)
		add_one_row(&t, v, page, room);
	else if (page && room)
		add_table(&t, v, page, room);
	while (t.nlines < last - below)
		add_line(&t, "", "", 0);
	for (unsigned i = 0; below && i <= facts->noutput; i++) {
		const char *text = i ? facts->output[i - 1] : "output of the program:";

		add_line(&t, i ? "" : BOLD, text, strlen(text));
	}
	add_foot(&t, v);
}
