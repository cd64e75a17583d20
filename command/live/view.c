#include "command/live/view.h"

#include <limits.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/utf8.h"
#include "command/live/keyboard.h"
#include "dlang/print/keytext.h"
#include "dlang/print/aggvalue.h"

#define FASTEST_NS 100000000U
#define SLOWEST_NS 10000000000U

void view_init(struct view *v, uint64_t interval_ns, bool has_utf8)
{
	*v = (struct view){
		.interval_ns = MAX(interval_ns, FASTEST_NS), .sort = 1, .has_utf8 = has_utf8};
	strbuf_init(&v->filter);
}

static void release_row(struct view_row *row)
{
	for (unsigned i = 0; i < VIEW_MAX_AGGS; i++) {
		free(row->cells[i].buckets);
		free(row->cells[i].buckets_before);
	}
	free(row->key);
	free(row);
}

void view_release(struct view *v)
{
	uint64_t number;
	void *known;

	for (unsigned i = 0; i < v->npages; i++) {
		for (size_t k = 0; k < v->pages[i].nrows; k++)
			release_row(v->pages[i].rows[k]);
		free(v->pages[i].rows);
		free(v->pages[i].shown);
		strmap_release(&v->pages[i].by_key);
		for (size_t k = 0; (known = hash_each(&v->pages[i].by_bytes, &k, &number));)
			free(known);
		hash_release(&v->pages[i].by_bytes);
	}
	free(v->pages);
	strbuf_release(&v->filter);
}

/* ---- what snapshots say ---- */

static bool are_side_by_side(const struct aggvar *a, const struct aggvar *b)
{
	if (a->nkeys != b->nkeys || a->keysize != b->keysize)
		return false;
	for (unsigned i = 0; i < a->nkeys; i++)
		if (a->keys[i].kind != b->keys[i].kind || a->keys[i].size != b->keys[i].size)
			return false;
	return true;
}

/* Where an aggregation stands; *at is its place there. */
static struct view_page *page_of(struct view *v, const struct aggvar *var, unsigned *at)
{
	struct view_page *page;

	for (unsigned i = 0; i < v->npages; i++) {
		page = &v->pages[i];
		for (*at = 0; *at < page->nvars; (*at)++)
			if (page->vars[*at] == var)
				return page;
		if (page->nvars < VIEW_MAX_AGGS && are_side_by_side(page->vars[0], var)) {
			page->vars[page->nvars++] = var;
			return page;
		}
	}
	v->pages = xrealloc(v->pages, (v->npages + 1) * sizeof(*v->pages));
	page = &v->pages[v->npages++];
	*page = (struct view_page){.vars = {var}, .nvars = 1};
	strmap_init(&page->by_key);
	hash_init(&page->by_bytes);
	*at = 0;
	return page;
}

/* What acts on a terminal, and what is no character, is '?'. */
static void add_clean(struct strbuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i += MAX(utf8_length(s + i, n - i), 1U)) {
		size_t len = utf8_shown(s + i, n - i);

		if (len)
			strbuf_add(out, s + i, len);
		else
			strbuf_addc(out, '?');
	}
}

static char *key_text(const struct report_data *data, const struct aggvar *var, const char *key)
{
	struct strbuf all, one;
	char *text;

	strbuf_init(&all);
	strbuf_init(&one);
	for (unsigned i = 0; i < var->nkeys; i++) {
		strbuf_clear(&one);
		keytext_add(&data->pr, &one, &var->keys[i], key + var->keys[i].offset);
		if (i)
			strbuf_adds(&all, "  ");
		add_clean(&all, one.s, one.len);
	}
	text = strbuf_detach(&all);
	strbuf_release(&all);
	strbuf_release(&one);
	return text;
}

static struct view_row *row_of(struct view_page *page, char *key)
{
	struct view_row *row = strmap_get(&page->by_key, key);

	if (row) {
		free(key);
		return row;
	}
	if (page->nrows == page->room) {
		page->room = page->room ? 2 * page->room : 64;
		page->rows = xrealloc(page->rows, page->room * sizeof(struct view_row *));
		page->shown = xrealloc(page->shown, page->room * sizeof(struct view_row *));
	}
	row = xcalloc(1, sizeof(*row));
	row->key = key;
	page->rows[page->nrows++] = row;
	strmap_put(&page->by_key, key, row);
	return row;
}

/* A key that has been seen: stacks are not given names again and again. */
struct known {
	struct view_row *row;
	char bytes[];
};

static struct view_row *row_of_bytes(struct view *v, struct view_page *page,
				     const struct aggvar *var, const char *key)
{
	uint64_t number = hash_bytes(key, var->keysize);
	struct known *known = hash_get(&page->by_bytes, number);
	struct view_row *row;

	if (known && !memcmp(known->bytes, key, var->keysize))
		return known->row;
	row = row_of(page, key_text(&v->data, var, key));
	if (!known) {
		known = xmalloc(sizeof(*known) + var->keysize);
		known->row = row;
		memcpy(known->bytes, key, var->keysize);
		hash_put(&page->by_bytes, number, known);
	}
	return row;
}

/* What was, is what was before; what is gone by clear() or trunc() is 0. */
static void age(struct view *v)
{
	for (unsigned i = 0; i < v->npages; i++)
		for (size_t k = 0; k < v->pages[i].nrows; k++)
			for (unsigned c = 0; c < v->pages[i].nvars; c++) {
				struct view_cell *cell = &v->pages[i].rows[k]->cells[c];
				uint64_t *buckets = cell->buckets;

				cell->before = cell->now;
				cell->now = 0;
				cell->is_there = false;
				cell->buckets = cell->buckets_before;
				cell->buckets_before = buckets;
				if (cell->buckets)
					memset(cell->buckets, 0,
					       v->pages[i].vars[c]->nwords * sizeof(*buckets));
			}
}

static void set_cell(struct view_cell *cell, const struct aggvalue *value)
{
	const size_t size = value->var->nwords * sizeof(*value->data);

	cell->is_there = true;
	if (!value->var->func->is_hist) {
		cell->now = aggvalue_signed(value);
		return;
	}
	if (!cell->buckets)
		cell->buckets = xcalloc(1, size);
	if (!cell->buckets_before)
		cell->buckets_before = xcalloc(1, size);
	memcpy(cell->buckets, value->data, size);
	cell->now = 0;
	for (unsigned i = 0; i < value->var->nwords; i++)
		cell->now += (int64_t)value->data[i];
}

static void take_aggregation(struct view *v, const struct aggcopy *copy)
{
	unsigned at;
	struct view_page *page = page_of(v, copy->var, &at);

	for (size_t i = 0; i < copy->nents; i++) {
		struct aggvalue value = {
			.var = copy->var, .data = copy->ents[i]->data, .normal = copy->normal};

		set_cell(&row_of_bytes(v, page, copy->var, copy->ents[i]->key)->cells[at], &value);
	}
}

/* ---- order ---- */

unsigned view_columns(const struct view_page *page, struct view_column columns[VIEW_MAX_COLUMNS])
{
	unsigned n = 0;

	columns[n++] = (struct view_column){COLUMN_KEY, 0, 0};
	for (unsigned i = 0; i < page->nvars; i++) {
		const struct aggfunc *func = page->vars[i]->func;

		if (func->is_hist) {
			columns[n++] = (struct view_column){COLUMN_BARS, i, 10};
			columns[n++] = (struct view_column){COLUMN_MEDIAN, i, 14};
			columns[n++] = (struct view_column){COLUMN_MOST, i, 14};
		} else {
			columns[n++] = (struct view_column){COLUMN_VALUE, i, 16};
			columns[n++] = (struct view_column){
				func->has_bars ? COLUMN_RATE : COLUMN_CHANGE, i, 12};
		}
	}
	return n;
}

uint64_t view_bucket(const struct view *v, const struct view_cell *cell, unsigned i)
{
	uint64_t now = cell->buckets[i], before = cell->buckets_before[i];

	return !v->shows_interval ? now : now > before ? now - before : 0;
}

unsigned view_median(const struct view *v, const struct view_cell *cell, unsigned n)
{
	uint64_t all = 0, sum = 0;

	for (unsigned i = 0; cell->buckets && i < n; i++)
		all += view_bucket(v, cell, i);
	for (unsigned i = 0; all && i < n; i++) {
		sum += view_bucket(v, cell, i);
		if (2 * sum >= all)
			return i;
	}
	return UINT_MAX;
}

unsigned view_most(const struct view *v, const struct view_cell *cell, unsigned n)
{
	for (unsigned i = cell->buckets ? n : 0; i-- > 0;)
		if (view_bucket(v, cell, i))
			return i;
	return UINT_MAX;
}

int64_t view_number(const struct view *v, const struct view_row *row,
		    const struct view_column *column, const struct view_page *page)
{
	const struct view_cell *cell = &row->cells[column->var];
	const unsigned n = page->vars[column->var]->nwords;
	int64_t change = (int64_t)((uint64_t)cell->now - (uint64_t)cell->before);

	switch (column->kind) {
	case COLUMN_KEY:
		return 0;
	case COLUMN_RATE:
		return v->elapsed_ns ? (int64_t)((double)change * 1e9 / (double)v->elapsed_ns) : 0;
	case COLUMN_CHANGE:
		return change;
	case COLUMN_MEDIAN:
		return (int64_t)(view_median(v, cell, n) + 1U);
	case COLUMN_MOST:
		return (int64_t)(view_most(v, cell, n) + 1U);
	default:
		return v->shows_interval ? change : cell->now;
	}
}

struct order {
	const struct view *view;
	const struct view_page *page;
	struct view_column column;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct view_row *x = *(struct view_row *const *)a, *y = *(struct view_row *const *)b;
	const struct order *o = arg;
	int64_t i = view_number(o->view, x, &o->column, o->page);
	int64_t k = view_number(o->view, y, &o->column, o->page);
	int c = i < k ? 1 : i > k ? -1 : strcmp(x->key, y->key);

	return o->view->is_reversed ? -c : c;
}

/* Without a wildcard, anywhere in the key. */
static bool is_wanted(const struct view *v, const char *key)
{
	if (!v->filter.len)
		return true;
	return glob_is_pattern(v->filter.s) ? glob_match(v->filter.s, key)
					    : strstr(key, v->filter.s) != NULL;
}

static bool is_there(const struct view_page *page, const struct view_row *row)
{
	for (unsigned i = 0; i < page->nvars; i++)
		if (row->cells[i].is_there)
			return true;
	return false;
}

static void put_in_order(struct view *v)
{
	struct view_page *page = v->npages ? &v->pages[v->page] : NULL;
	struct view_column columns[VIEW_MAX_COLUMNS];
	struct order o = {.view = v, .page = page};

	if (!page)
		return;
	v->sort = MIN(v->sort, view_columns(page, columns) - 1);
	o.column = columns[v->sort];
	page->nshown = 0;
	for (size_t i = 0; i < page->nrows; i++)
		if (is_there(page, page->rows[i]) && is_wanted(v, page->rows[i]->key))
			page->shown[page->nshown++] = page->rows[i];
	if (page->nshown)
		qsort_r(page->shown, page->nshown, sizeof(struct view_row *), compare_rows, &o);
	v->cursor = page->nshown ? MIN(v->cursor, page->nshown - 1) : 0;
}

void view_update(struct view *v, const struct report_data *data, uint64_t now_ns)
{
	if (v->is_frozen)
		return;
	v->data = *data;
	v->elapsed_ns = v->last_ns ? now_ns - v->last_ns : 0;
	v->last_ns = now_ns;
	age(v);
	for (uint32_t i = 0; i < data->aggs->ncopies; i++)
		if (data->aggs->copies[i])
			take_aggregation(v, data->aggs->copies[i]);
	put_in_order(v);
}

/* ---- keys ---- */

static void move_cursor(struct view *v, int64_t by)
{
	size_t n = v->npages ? v->pages[v->page].nshown : 0;
	size_t *at = v->shows_row ? &v->scroll : &v->cursor;

	if (by < 0)
		*at -= MIN(*at, (size_t)-by);
	else
		*at += (size_t)by;
	if (!v->shows_row)
		*at = n ? MIN(*at, n - 1) : 0;
}

static void edit_filter(struct view *v, uint32_t key)
{
	if (key == KEY_ENTER || key == KEY_ESCAPE)
		v->asks_filter = false;
	if (key == KEY_ESCAPE)
		strbuf_clear(&v->filter);
	if (key == KEY_BACKSPACE && v->filter.len)
		strbuf_cut(&v->filter, v->filter.len - 1);
	if (key >= ' ' && key < 0x7f && v->filter.len < 200)
		strbuf_addc(&v->filter, (char)key);
}

static void next_page(struct view *v)
{
	v->page = v->npages ? (v->page + 1) % v->npages : 0;
	v->cursor = v->top = 0;
	v->sort = 1;
}

static void press(struct view *v, uint32_t key)
{
	struct view_column columns[VIEW_MAX_COLUMNS];
	unsigned ncolumns = v->npages ? view_columns(&v->pages[v->page], columns) : 1;

	switch (key) {
	case ' ':
		v->is_frozen = !v->is_frozen;
		v->last_ns = v->is_frozen ? v->last_ns : 0;
		break;
	case '<':
		v->sort = (v->sort + ncolumns - 1) % ncolumns;
		break;
	case '>':
		v->sort = (v->sort + 1) % ncolumns;
		break;
	case 'r':
		v->is_reversed = !v->is_reversed;
		break;
	case 'c':
		v->shows_interval = !v->shows_interval;
		break;
	case '+':
		v->interval_ns = MIN(v->interval_ns * 2, SLOWEST_NS);
		break;
	case '-':
		v->interval_ns = MAX(v->interval_ns / 2, FASTEST_NS);
		break;
	case '/':
		v->asks_filter = true;
		break;
	case '?':
		v->shows_help = true;
		break;
	case KEY_TAB:
		next_page(v);
		break;
	case KEY_ENTER:
		v->shows_row = !v->shows_row && v->npages && v->pages[v->page].nshown;
		v->scroll = 0;
		break;
	case KEY_ESCAPE:
		v->shows_row = false;
		break;
	case KEY_UP:
		move_cursor(v, -1);
		break;
	case KEY_DOWN:
		move_cursor(v, 1);
		break;
	case KEY_PAGE_UP:
		move_cursor(v, -10);
		break;
	case KEY_PAGE_DOWN:
		move_cursor(v, 10);
		break;
	case KEY_HOME:
		move_cursor(v, INT32_MIN);
		break;
	case KEY_END:
		move_cursor(v, v->shows_row ? 0 : INT32_MAX);
		break;
	default:
		break;
	}
}

bool view_key(struct view *v, uint32_t key)
{
	if (v->asks_filter)
		edit_filter(v, key);
	else if (v->shows_help)
		v->shows_help = false;
	else if (key == 'q')
		return false;
	else
		press(v, key);
	put_in_order(v);
	return true;
}
