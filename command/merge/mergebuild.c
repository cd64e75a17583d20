#include "command/merge/mergebuild.h"

#include <errno.h>
#include <stdlib.h>

#include "command/merge/mergekey.h"
#include "dlang/print/aggvalue.h"
#include "dlang/run/histogram.h"

#define MEMORY_MAX  (4ULL << 30) /* what all rows may take */
#define BUCKETS_MAX (1U << 20)

struct building {
	struct merged *out;
	bool has_hosts;
	struct merge_names names;
	struct strbuf notes;
	struct err *err;
	uint32_t naggs;
	uint64_t memory;
};

/* An aggregation, of all runs. */
struct part {
	const struct merge_set *set; /* of one run: its last state */
	struct part *next;
};

struct whole {
	const char *name;
	int64_t id; /* the least of all runs: in that order they are printed */
	struct aggvar *var;
	struct aggvar *sums; /* of the values of a histogram: all rows of all runs have them */
	const char *unit;
	uint64_t normal;
	struct part *parts; /* in order of runs */
	struct whole *next;
};

/* ---- which states ---- */

static int by_run(const void *a, const void *b)
{
	struct merge_run *const *x = a, *const *y = b;

	if ((*x)->wall_ns != (*y)->wall_ns)
		return (*x)->wall_ns < (*y)->wall_ns ? -1 : 1;
	return strcmp((*x)->id, (*y)->id);
}

/* All runs in the order in which they began, NULL behind the last. The caller frees. */
static struct merge_run **sorted_runs(const struct merge_input *in)
{
	struct merge_run **v;
	size_t n = 0;

	for (struct merge_run *r = in->runs; r; r = r->next)
		n++;
	v = xcalloc(n + 1, sizeof(struct merge_run *));
	n = 0;
	for (struct merge_run *r = in->runs; r; r = r->next)
		v[n++] = r;
	qsort(v, n, sizeof(struct merge_run *), by_run);
	return v;
}

/* By runs, then aggregations, the last state first. */
static int by_age(const void *a, const void *b)
{
	struct merge_set *const *x = a, *const *y = b;
	int rc = by_run(&(*x)->run, &(*y)->run);

	if (!rc)
		rc = strcmp((*x)->name, (*y)->name);
	return rc ? rc : (*x)->seq < (*y)->seq ? 1 : (*x)->seq > (*y)->seq ? -1 : 0;
}

/* NULL behind the last. The caller frees. */
static struct merge_set **sorted_sets(const struct merge_input *in)
{
	struct merge_set **v;
	size_t n = 0;

	for (struct merge_set *s = in->sets; s; s = s->next)
		n++;
	v = xcalloc(n + 1, sizeof(struct merge_set *));
	n = 0;
	for (struct merge_set *s = in->sets; s; s = s->next)
		v[n++] = s;
	qsort(v, n, sizeof(struct merge_set *), by_age);
	return v;
}

static bool is_whole(const struct merge_set *set)
{
	return set->agg && set->nrows == set->nsaid;
}

static struct whole *whole_of(struct whole **all, const struct merge_set *set, struct arena *a)
{
	struct whole **at = all;
	int64_t id = INT64_MAX;

	json_int(json_member(set->agg, "id"), &id);
	while (*at && strcmp((*at)->name, set->name) != 0)
		at = &(*at)->next;
	if (!*at) {
		*at = ARENA_NEW(a, struct whole);
		**at = (struct whole){.name = set->name, .id = id};
	}
	(*at)->id = MIN((*at)->id, id);
	return *at;
}

/* A run that says it has ended has all its rows, or lines are missing. */
static int missing_rows(const struct building *b, const struct merge_set *set)
{
	return err_set(b->err, -EINVAL,
		       "%s: @%s of run %s has %llu rows, of which %llu are here: lines are missing",
		       set->run->file, set->name, set->run->id, (unsigned long long)set->nsaid,
		       (unsigned long long)set->nrows);
}

/* Of each run and aggregation the last state that is whole. */
static int choose(struct building *b, struct merge_set *const *sets, struct whole **all)
{
	const struct merge_set *before = NULL;
	bool is_chosen = false;

	for (; *sets; before = *sets++) {
		const struct merge_set *set = *sets;
		bool is_last =
			!before || before->run != set->run || strcmp(before->name, set->name) != 0;
		struct part *part, **tail;

		if (is_last && set->run->has_end && !is_whole(set))
			return missing_rows(b, set);
		is_chosen &= !is_last;
		if (is_chosen || !is_whole(set))
			continue;
		is_chosen = true;
		tail = &whole_of(all, set, &b->out->arena)->parts;
		while (*tail)
			tail = &(*tail)->next;
		part = ARENA_NEW(&b->out->arena, struct part);
		part->set = set;
		*tail = part;
	}
	return 0;
}

/* ---- what they are ---- */

static const char *where(const struct merge_set *set)
{
	return strcmp(set->run->host, "?") ? set->run->host : set->run->file;
}

/* "lquantize(0,10,2)" */
static void add_function(struct strbuf *out, const struct aggvar *var)
{
	unsigned n = var->func->id == AGG_LQUANTIZE ? 3 : var->func->id == AGG_LLQUANTIZE ? 4 : 0;

	strbuf_adds(out, var->func->name);
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(out, "%s%lld", i ? "," : "(", (long long)var->params[i]);
	if (n)
		strbuf_addc(out, ')');
}

static int bad_agg(const struct building *b, const struct merge_set *set, const char *what)
{
	return err_set(b->err, -EINVAL, "%s: @%s: %s", set->run->file, set->name, what);
}

static int read_params(const struct building *b, const struct merge_set *set, struct aggvar *var)
{
	const struct json *params = json_member(set->agg, "params"), *p;
	unsigned n = 0;

	for (p = params ? params->first : NULL; p && n < ARRAY_SIZE(var->params); p = p->next)
		if (!json_int(p, &var->params[n++]))
			return bad_agg(b, set, "parameters that are no numbers");
	if (var->func->hist && !histogram_params_fit(var->func->hist, var->params))
		return bad_agg(b, set, "parameters that no histogram has");
	return 0;
}

static int read_keys(const struct building *b, const struct merge_set *set, struct aggvar *var)
{
	const struct json *keys = json_member(set->agg, "keys");
	const char **names;
	unsigned n = b->has_hosts;

	if (!keys || keys->kind != JSON_ARRAY || keys->n + n > AGG_MAX_KEYS)
		return bad_agg(b, set, "no keys, or more than 32");
	names = arena_alloc(&b->out->arena, (keys->n + 1) * sizeof(*names));
	var->key_names = names;
	if (n) {
		names[0] = "host";
		var->keys[0] = (struct rec){.kind = REC_STRING, .size = 1, .align = 8};
	}
	for (const struct json *k = keys->first; k; k = k->next, n++) {
		names[n] = json_text(json_member(k, "name"));
		if (!names[n] || !merge_key_kind(&b->out->arena, k, &var->keys[n]))
			return bad_agg(b, set, "a key whose kind is not known");
	}
	var->nkeys = n;
	return 0;
}

static int read_agg(const struct building *b, const struct merge_set *set, struct aggvar *var,
		    uint64_t *normal)
{
	const char *func = json_text(json_member(set->agg, "func"));
	int rc;

	*var = (struct aggvar){.name = *set->name ? set->name : "_"};
	var->func = func ? aggfunc_find(func) : NULL;
	if (!var->func)
		return bad_agg(b, set, "a function that is not known");
	*normal = 1;
	if (json_member(set->agg, "normal") &&
	    (!json_unsigned(json_member(set->agg, "normal"), normal) || !*normal))
		return bad_agg(b, set, "a normal that is none");
	rc = read_params(b, set, var);
	return rc ? rc : read_keys(b, set, var);
}

static bool same_keys(const struct aggvar *a, const struct aggvar *b)
{
	if (a->nkeys != b->nkeys)
		return false;
	for (unsigned i = 0; i < a->nkeys; i++)
		if (!merge_key_same_kind(&a->keys[i], &b->keys[i]))
			return false;
	return true;
}

static int refuse_functions(const struct building *b, const struct whole *w,
			    const struct merge_set *set, const struct aggvar *var)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "@%s: ", w->name);
	add_function(&text, w->var);
	strbuf_addf(&text, " on %s, ", where(w->parts->set));
	add_function(&text, var);
	strbuf_addf(&text, " on %s: not merged", where(set));
	err_set(b->err, -EINVAL, "%s", text.s);
	strbuf_release(&text);
	return -EINVAL;
}

static int compare(const struct building *b, const struct whole *w, const struct merge_set *set,
		   const struct aggvar *var, uint64_t normal)
{
	if (w->var->func != var->func ||
	    memcmp(w->var->params, var->params, sizeof(var->params)) != 0)
		return refuse_functions(b, w, set, var);
	if (!same_keys(w->var, var))
		return err_set(b->err, -EINVAL,
			       "@%s: its keys on %s are of other kinds than on %s: not merged",
			       w->name, where(set), where(w->parts->set));
	if (w->normal != normal)
		return err_set(b->err, -EINVAL,
			       "@%s: normalize(%llu) on %s, normalize(%llu) on %s: not merged",
			       w->name, (unsigned long long)w->normal, where(w->parts->set),
			       (unsigned long long)normal, where(set));
	return 0;
}

static void note_part(struct building *b, const struct merge_set *set)
{
	const struct json *cut = json_member(set->agg, "truncated"),
			  *cleared = json_member(set->agg, "cleared");

	if (cut && cut->kind == JSON_TRUE)
		strbuf_addf(&b->notes,
			    "@%s: trunc() had cut rows off on %s: values are lower bounds (>=)\n",
			    set->name, where(set));
	if (cleared && cleared->kind == JSON_TRUE)
		strbuf_addf(&b->notes, "@%s: of %s it is what came after the last clear()\n",
			    set->name, where(set));
}

static int describe(struct building *b, struct whole *w)
{
	for (const struct part *p = w->parts; p; p = p->next) {
		struct aggvar *var = ARENA_NEW(&b->out->arena, struct aggvar);
		const char *unit = json_text(json_member(p->set->agg, "unit"));
		uint64_t normal;
		int rc = read_agg(b, p->set, var, &normal);

		if (rc)
			return rc;
		if (w->var)
			rc = compare(b, w, p->set, var, normal);
		if (rc)
			return rc;
		note_part(b, p->set);
		if (w->var)
			continue;
		w->var = var;
		w->normal = normal;
		w->unit = unit ? unit : "";
	}
	w->var->nwords = w->var->func->nwords ? w->var->func->nwords
					      : w->var->func->hist->nbuckets(w->var->params);
	w->var->id = ++b->naggs;
	if (w->var->nwords > BUCKETS_MAX)
		return bad_agg(b, w->parts->set, "more buckets than can be merged");
	return 0;
}

/* ---- keys ---- */

static int bad_row(const struct building *b, const struct merge_set *set, const char *what)
{
	return err_set(b->err, -EINVAL, "%s: a row of @%s does not fit it: %s", set->run->file,
		       set->name, what);
}

static int measure_row(struct building *b, const struct whole *w, const struct merge_set *set,
		       const struct json *line)
{
	const struct json *keys = json_member(line, "k"), *k;
	unsigned i = b->has_hosts;

	if (!keys || keys->kind != JSON_ARRAY || keys->n + i != w->var->nkeys)
		return bad_row(b, set, "another number of keys");
	for (k = keys->first; k; k = k->next, i++) {
		const char *wrong = merge_key_measure(&b->names, k, &w->var->keys[i]);

		if (wrong)
			return bad_row(b, set, wrong);
	}
	return 0;
}

static int measure(struct building *b, struct whole *w)
{
	uint64_t nrows = 0;
	uint32_t offset = 0;
	int rc = 0;

	for (const struct part *p = w->parts; p && !rc; p = p->next) {
		uint32_t host = (uint32_t)strlen(p->set->run->host) + 1;

		if (b->has_hosts)
			w->var->keys[0].size = MAX(w->var->keys[0].size, host);
		nrows += p->set->nrows;
		for (const struct merge_row *r = p->set->rows; r && !rc; r = r->next)
			rc = measure_row(b, w, p->set, r->line);
	}
	if (rc)
		return rc;
	for (unsigned i = 0; i < w->var->nkeys; i++) {
		w->var->keys[i].offset = offset;
		offset += (w->var->keys[i].size + 7) & ~7U;
	}
	w->var->keysize = offset;
	b->memory += nrows * (sizeof(struct aggent) + offset + 8ULL * w->var->nwords);
	if (b->memory > MEMORY_MAX)
		return err_set(b->err, -E2BIG,
			       "@%s: its rows take more than %llu MB of memory; merge in steps",
			       w->name, MEMORY_MAX >> 20);
	return 0;
}

/* ---- values ---- */

/* Buckets by their lower bounds; "under" and "over" stand for those that have none, or no upper
 * one. */
struct bucket_index {
	struct strmap by_bound;
	struct bucket_bounds *bounds; /* of each */
};

static void index_buckets(struct bucket_index *ix, const struct aggvar *var)
{
	strmap_init(&ix->by_bound);
	ix->bounds = NULL;
	if (!var->func->hist)
		return;
	ix->bounds = xcalloc(var->nwords, sizeof(*ix->bounds));
	for (unsigned i = 0; i < var->nwords; i++) {
		struct bucket_bounds *at = &ix->bounds[i];

		if (!var->func->hist->exists(var->params, i))
			continue;
		bucket_bounds(var, i, at);
		strmap_put(&ix->by_bound,
			   !*at->from ? "under"
			   : !*at->to ? "over"
				      : at->from,
			   (void *)(uintptr_t)(i + 1));
	}
}

static void release_buckets(struct bucket_index *ix)
{
	strmap_release(&ix->by_bound);
	free(ix->bounds);
}

static bool add_count(const struct bucket_index *ix, const char *bound, const struct json *v,
		      uint64_t *data)
{
	uintptr_t at = (uintptr_t)strmap_get(&ix->by_bound, bound);
	int64_t n;

	if (!v || !json_int(v, &n))
		return false;
	if (!at)
		return n == 0;
	data[at - 1] += (uint64_t)n;
	return true;
}

static bool read_buckets(const struct bucket_index *ix, const struct json *line, uint64_t *data)
{
	const struct json *b = json_member(line, "b");

	if (!b || b->kind != JSON_OBJECT)
		return false;
	for (const struct json *v = b->first; v; v = v->next)
		if (!add_count(ix, v->name, v, data))
			return false;
	return add_count(ix, "under", json_member(line, "under"), data) &&
	       add_count(ix, "over", json_member(line, "over"), data);
}

/* 32 hexadecimal digits: high word, low word. */
static bool read_squares(const struct json *v, uint64_t *low, uint64_t *high)
{
	const char *s = json_text(v);
	char half[17] = "";

	if (!s || v->len != 32 || strspn(s, "0123456789abcdef") != 32)
		return false;
	memcpy(half, s, 16);
	*high = strtoull(half, NULL, 16);
	*low = strtoull(s + 16, NULL, 16);
	return true;
}

static bool read_data(const struct aggvar *var, const struct bucket_index *ix,
		      const struct json *line, uint64_t *data)
{
	bool has_n = var->func->id == AGG_AVG || var->func->id == AGG_STDDEV;

	memset(data, 0, var->nwords * sizeof(*data));
	if (var->func->hist)
		return read_buckets(ix, line, data);
	if (has_n && !json_int(json_member(line, "n"), (int64_t *)&data[0]))
		return false;
	if (!json_int(json_member(line, "raw"), (int64_t *)&data[has_n]))
		return false;
	return var->func->id != AGG_STDDEV ||
	       read_squares(json_member(line, "sq"), &data[2], &data[3]);
}

/* Sums of some rows alone would be those of none. */
static bool rows_have_sums(const struct whole *w)
{
	int64_t sum;

	for (const struct part *p = w->parts; p; p = p->next)
		for (const struct merge_row *r = p->set->rows; r; r = r->next)
			if (!json_int(json_member(r->line, "sum"), &sum))
				return false;
	return w->var->func->hist;
}

/* As a program that asks for them has them. */
static void describe_sums(struct building *b, struct whole *w)
{
	if (!rows_have_sums(w))
		return;
	w->sums = ARENA_NEW(&b->out->arena, struct aggvar);
	*w->sums = *w->var;
	w->sums->func = &aggfunc_sum;
	w->sums->nwords = w->sums->func->nwords;
	w->sums->sums_of = w->var;
}

static void add_row_sum(struct building *b, const struct whole *w, const struct json *line,
			const char *key)
{
	int64_t sum;

	if (w->sums && json_int(json_member(line, "sum"), &sum))
		aggcopy_add(aggstore_sums(&b->out->aggs, w->sums), key,
			    &(const uint64_t){(uint64_t)sum});
}

static int add_rows(struct building *b, const struct whole *w, const struct merge_set *set,
		    const struct bucket_index *ix, char *key)
{
	const struct aggvar *var = w->var;
	uint64_t *data = xcalloc(var->nwords, sizeof(*data));
	struct aggcopy *copy = aggstore_copy(&b->out->aggs, var);
	int rc = 0;

	for (const struct merge_row *r = set->rows; r && !rc; r = r->next) {
		const struct json *k = json_member(r->line, "k")->first;

		memset(key, 0, var->keysize + 1);
		if (b->has_hosts)
			memcpy(key, set->run->host, strlen(set->run->host));
		for (unsigned i = b->has_hosts; i < var->nkeys; i++, k = k->next)
			merge_key_put(&b->names, k, &var->keys[i], key + var->keys[i].offset);
		if (read_data(var, ix, r->line, data))
			aggcopy_add(copy, key, data);
		else
			rc = bad_row(b, set, "its values are missing, or none of its function");
		add_row_sum(b, w, r->line, key);
	}
	free(data);
	return rc;
}

static int add_whole(struct building *b, const struct whole *w)
{
	char *key = xcalloc(1, w->var->keysize + 1);
	struct bucket_index ix;
	int rc = 0;

	index_buckets(&ix, w->var);
	for (const struct part *p = w->parts; p && !rc; p = p->next)
		rc = add_rows(b, w, p->set, &ix, key);
	release_buckets(&ix);
	free(key);
	b->out->normals[w->var->id - 1] = w->normal;
	b->out->units[w->var->id - 1] = w->unit;
	return rc;
}

/* ---- all ---- */

struct known_module {
	const char *id;
	const struct merge_run *run; /* the first that has it */
};

static void note_run(struct building *b, const struct merge_run *run)
{
	if (!run->has_begin || !run->has_end)
		strbuf_addf(&b->notes, "run %s on %s (%s) was cut: it has no %s\n", run->id,
			    run->host, run->file, run->has_begin ? "end" : "beginning");
	if (run->drops)
		strbuf_addf(&b->notes, "%llu drops in run %s on %s (%s): its values are too low\n",
			    (unsigned long long)run->drops, run->id, run->host, run->file);
	b->out->drops += run->drops;
	if (run->wall_ns && (!b->out->began_ns || run->wall_ns < b->out->began_ns))
		b->out->began_ns = run->wall_ns;
}

/* Which builds there are of a module, by its name; where a run has another one than those before.
 */
static void note_modules(struct building *b, struct strmap *known, const struct merge_run *run)
{
	for (const struct merge_module *m = run->modules; m; m = m->next) {
		const struct known_module *k = strmap_get(known, m->name);
		struct known_module *fresh;

		if (k && k->run == run)
			continue; /* of several files of one name */
		if (k && strcmp(k->id, m->id) != 0)
			strbuf_addf(
				&b->notes,
				"%s on %s (%s) is another build than on %s (%s): frames in it are "
				"the same by function and offset alone\n",
				m->name, run->host, run->file, k->run->host, k->run->file);
		if (k)
			continue;
		fresh = ARENA_NEW(&b->out->arena, struct known_module);
		*fresh = (struct known_module){m->id, run};
		strmap_put(known, m->name, fresh);
	}
}

/* In the order in which a program names them. */
static struct whole *in_order(struct whole *all)
{
	struct whole *sorted = NULL;

	while (all) {
		struct whole *w = all, **at = &sorted;

		all = w->next;
		while (*at && ((*at)->id < w->id ||
			       ((*at)->id == w->id && strcmp((*at)->name, w->name) < 0)))
			at = &(*at)->next;
		w->next = *at;
		*at = w;
	}
	return sorted;
}

static int build(struct building *b, struct merge_run *const *runs, struct merge_set *const *sets)
{
	struct whole *all = NULL;
	struct strmap modules;
	size_t n = 0;
	int rc;

	strmap_init(&modules);
	for (; *runs; runs++) {
		note_run(b, *runs);
		note_modules(b, &modules, *runs);
	}
	strmap_release(&modules);
	rc = choose(b, sets, &all);
	if (rc)
		return rc;
	all = in_order(all);
	for (struct whole *w = all; w && !rc; w = w->next, n++) {
		rc = describe(b, w);
		if (!rc)
			rc = measure(b, w);
		if (!rc)
			describe_sums(b, w);
	}
	if (rc)
		return rc;
	merge_names_order(&b->names, &b->out->names);
	b->out->normals = arena_alloc(&b->out->arena, (n + 1) * sizeof(*b->out->normals));
	b->out->units = arena_alloc(&b->out->arena, (n + 1) * sizeof(*b->out->units));
	for (const struct whole *w = all; w && !rc; w = w->next)
		rc = add_whole(b, w);
	return rc;
}

int merge_build(struct merged *out, const struct merge_input *in, bool has_hosts, struct err *err)
{
	struct building b = {.out = out, .has_hosts = has_hosts, .err = err};
	struct merge_run **runs = sorted_runs(in);
	struct merge_set **sets = sorted_sets(in);
	int rc;

	*out = (struct merged){.drops = 0};
	arena_init(&out->arena);
	aggstore_init(&out->aggs);
	merge_names_init(&b.names, &out->arena);
	strbuf_init(&b.notes);
	rc = build(&b, runs, sets);
	out->notes = strbuf_detach(&b.notes);
	strbuf_release(&b.notes);
	merge_names_release(&b.names);
	free(runs);
	free(sets);
	return rc;
}

void merged_release(struct merged *m)
{
	aggstore_release(&m->aggs);
	arena_release(&m->arena);
	free(m->notes);
}
