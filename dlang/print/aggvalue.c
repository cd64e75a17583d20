#include "dlang/print/aggvalue.h"

#include "dlang/print/printval.h"

/* ---- numbers ---- */

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

int64_t divide_signed(int64_t value, uint64_t by)
{
	uint64_t q = magnitude(value) / by;

	return (int64_t)(value < 0 ? -q : q);
}

/* avg: count, sum */
static int64_t average(const uint64_t *data, uint64_t normal)
{
	return data[0] ? divide_signed(divide_signed((int64_t)data[1], normal), data[0]) : 0;
}

/* The largest integer whose square is not above v. */
static uint64_t square_root(unsigned __int128 v)
{
	uint64_t root = 0;

	for (int bit = 63; bit >= 0; bit--) {
		uint64_t more = root | UINT64_C(1) << bit;

		if ((unsigned __int128)more * more <= v)
			root = more;
	}
	return root;
}

/* stddev: count, sum, low and high word of the sum of squares */
static int64_t deviation(const uint64_t *data, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)data[3] << 64 | data[2];
	uint64_t mean;

	if (!data[0])
		return 0;
	mean = magnitude(average(data, normal));
	squares = squares / normal / data[0];
	if (squares < (unsigned __int128)mean * mean) /* by truncation, or the sum wrapped */
		return 0;
	return (int64_t)square_root(squares - (unsigned __int128)mean * mean);
}

/* Of those whose value is made of several words; of others it is the first, signed or not. */
static int64_t (*const made[AGG_NFUNCS])(const uint64_t *data, uint64_t normal) = {
	[AGG_AVG] = average,
	[AGG_STDDEV] = deviation,
};

int64_t aggvalue_signed(const struct aggvalue *v)
{
	if (!v->data)
		return 0;
	if (made[v->var->func->id])
		return made[v->var->func->id](v->data, v->normal);
	return divide_signed((int64_t)v->data[0], v->normal);
}

uint64_t aggvalue_unsigned(const struct aggvalue *v)
{
	if (!v->data || made[v->var->func->id])
		return (uint64_t)aggvalue_signed(v);
	return v->data[0] / v->normal;
}

struct aggvalue aggvalue_of_cpu(const struct aggvalue *v, unsigned cpu,
				uint64_t start[AGGVALUE_START])
{
	struct aggvalue part = {.var = v->var, .normal = v->normal, .data = v->by_cpu[cpu]};

	if (!part.data && !v->var->func->is_hist) {
		v->var->func->init(start, v->var);
		part.data = start;
	}
	return part;
}

/* ---- buckets ---- */

static const char *as_text(char *buf, size_t size, __int128 v)
{
	bool fits = v >= INT64_MIN && v <= INT64_MAX;

	if (fits)
		snprintf(buf, size, "%lld", (long long)v);
	else
		snprintf(buf, size, "%s%llu", v < 0 ? "-" : "",
			 (unsigned long long)(v < 0 ? -v : v));
	return buf;
}

void bucket_bounds(const struct aggvar *var, unsigned i, struct bucket_bounds *out)
{
	const size_t size = sizeof(out->from);
	char *from = out->from, *to = out->to;
	const struct histogram *h = var->func->hist;
	struct bucket_label l = h->label(var->params, i), next = l, before = l;
	bool is_upper = l.value < 0 && var->func->id != AGG_LQUANTIZE;

	for (unsigned k = i + 1; k < var->nwords && next.value == l.value; k++)
		if (h->exists(var->params, k))
			next = h->label(var->params, k);
	for (unsigned k = i; k-- > 0 && before.value == l.value;)
		if (h->exists(var->params, k))
			before = h->label(var->params, k);
	*from = *to = '\0';
	switch (l.form) {
	case BUCKET_BELOW:
		as_text(to, size, l.value - 1);
		break;
	case BUCKET_ATMOST:
		as_text(to, size, l.value);
		break;
	case BUCKET_ATLEAST:
		as_text(from, size, l.value);
		break;
	case BUCKET_MIDDLE:
		as_text(from, size, -(l.value - 1));
		as_text(to, size, l.value - 1);
		break;
	case BUCKET_FROM:
		as_text(from, size,
			is_upper && before.value != l.value ? before.value + 1 : l.value);
		as_text(to, size,
			is_upper		? l.value
			: next.value != l.value ? next.value - 1
						: INT64_MAX);
		break;
	}
}

/* ---- order of values ---- */

/* What a bucket's count weighs. */
static long double bucket_weight(const struct aggvar *var, unsigned index)
{
	const struct histogram *hist = var->func->hist;
	struct bucket_label label = hist->label(var->params, index);

	switch (label.form) {
	case BUCKET_BELOW:
		return (long double)label.value - 1;
	case BUCKET_MIDDLE:
		return 0;
	case BUCKET_ATLEAST:
		if (hist->top_weight)
			return (long double)hist->top_weight(var->params, label.value);
		break;
	case BUCKET_ATMOST:
	case BUCKET_FROM:
		break;
	}
	return (long double)label.value;
}

struct aggrank aggrank_of(const struct aggvar *var, const uint64_t *data)
{
	const struct aggvalue v = {.var = var, .data = data, .normal = 1};
	struct aggrank rank = {0};

	if (!data)
		return rank;
	if (!var->func->is_hist) {
		rank.num = aggvalue_signed(&v);
		return rank;
	}
	for (unsigned i = 0; i < var->nwords; i++)
		if (data[i])
			rank.weight += bucket_weight(var, i) * (long double)(int64_t)data[i];
	rank.zero = (int64_t)data[var->func->hist->index(var->params, 0)];
	return rank;
}

int aggrank_compare(const struct aggrank *a, const struct aggrank *b)
{
	if (a->num != b->num)
		return a->num < b->num ? -1 : 1;
	if (a->weight < b->weight || a->weight > b->weight)
		return a->weight < b->weight ? -1 : 1;
	return a->zero < b->zero ? -1 : a->zero > b->zero;
}

/* ---- order of keys ---- */

static uint64_t word(const char *data, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, data, MIN(size, sizeof(v)));
	return v;
}

/* Word by word as unsigned numbers; the first holds pid | aspace << 32: the pid counts most. */
static int compare_words(const char *a, const char *b, uint32_t size, bool first_is_pid)
{
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t x = word(a + i, size - i), y = word(b + i, size - i);

		if (first_is_pid && i == 0) {
			x = x << 32 | x >> 32;
			y = y << 32 | y >> 32;
		}
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_key(const struct rec *rec, const char *a, const char *b)
{
	a += rec->offset;
	b += rec->offset;
	switch (rec->kind) {
	case REC_INT:
	case REC_STACK:
	case REC_SYM:
	case REC_MOD:
		return compare_words(a, b, rec->size, false);
	case REC_USTACK:
	case REC_USYM:
	case REC_UMOD:
	case REC_UADDR:
		return compare_words(a, b, rec->size, true);
	case REC_STRING:
	case REC_BYTES:
	case REC_POINTEE:
	case REC_NONE:
	case REC_NKINDS:
		break;
	}
	return memcmp(a, b, rec->size);
}

int aggkey_compare(const struct aggvar *var, const char *a, const char *b, unsigned first)
{
	int rc = 0;

	for (unsigned i = 0; i < var->nkeys && rc == 0; i++)
		rc = compare_key(&var->keys[(first + i) % var->nkeys], a, b);
	return rc;
}
