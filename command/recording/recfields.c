#include "command/recording/recfields.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanname.h"
#include "base/hash.h"
#include "providers/kernel/tracefs/tracefs.h"

#define LIST_MAX 64   /* elements of an array that are shown */
#define TEXT_MAX 4096 /* bytes of a text */

struct recfields {
	struct arena arena;
	struct hash formats; /* by number */
	struct hash names;   /* of struct perfdata_event */
	const struct perfdata *file;
};

static void add_format(void *arg, const char *system, const char *text)
{
	struct recfields *rf = arg;
	struct tpformat *f = tpformat_parse(&rf->arena, system, text);

	if (f)
		hash_put(&rf->formats, f->id, f);
}

struct recfields *recfields_new(const struct perfdata *d)
{
	struct recfields *rf = xcalloc(1, sizeof(*rf));
	struct err err;

	arena_init(&rf->arena);
	hash_init(&rf->formats);
	hash_init(&rf->names);
	rf->file = d;
	perfdata_each_format(d, add_format, rf, &err); /* damage is told with the file's others */
	return rf;
}

void recfields_free(struct recfields *rf)
{
	hash_release(&rf->formats);
	hash_release(&rf->names);
	arena_release(&rf->arena);
	free(rf);
}

static const struct tpformat *format_of(const struct recfields *rf, const struct perfdata_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT ? hash_get(&rf->formats, e->attr.config) : NULL;
}

static const char *make_name(struct recfields *rf, const struct perfdata_event *e)
{
	const struct tpformat *f = format_of(rf, e);

	if (f)
		return name_cleaned(&rf->arena,
				    arena_printf(&rf->arena, "%s:%s", f->system, f->name));
	if (e->name && *e->name)
		return name_cleaned(&rf->arena, e->name);
	if (e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_CPU_CLOCK)
		return "cpu-clock";
	return arena_printf(&rf->arena, "event-%u-%#" PRIx64, e->attr.type,
			    (uint64_t)e->attr.config);
}

const char *recfields_name(struct recfields *rf, const struct perfdata_event *e)
{
	const char *name = hash_get(&rf->names, (uintptr_t)e);

	if (name)
		return name;
	name = make_name(rf, e);
	hash_put(&rf->names, (uintptr_t)e, (void *)(uintptr_t)name);
	return name;
}

/* ---- values ---- */

void recfields_clean(struct strbuf *out, const char *text, size_t n)
{
	const char *end = text + MIN(n, (size_t)TEXT_MAX);

	while (text < end) {
		size_t plain = 0;

		while (text + plain < end && text[plain] != '"' && text[plain] != '\\')
			plain++;
		name_clean(out, text, plain);
		text += plain;
		if (text < end) {
			strbuf_addc(out, '\\');
			strbuf_addc(out, *text++);
		}
	}
}

static void add_number(struct strbuf *out, uint64_t v, const struct tpfield *f)
{
	if (strchr(f->type, '*'))
		strbuf_addf(out, "%#" PRIx64, v);
	else if (f->is_signed)
		strbuf_addf(out, "%" PRId64, (int64_t)v);
	else
		strbuf_addf(out, "%" PRIu64, v);
}

static bool is_text(const struct tpfield *f)
{
	return strcmp(f->type, "char") == 0 && (f->nelems || f->place != TP_INLINE);
}

/* Elements of size bytes, of which `bytes` has n. */
static void add_list(struct strbuf *out, const struct tpfield *f, const char *bytes, size_t n,
		     uint32_t size)
{
	struct tpfield one = *f;

	one.place = TP_INLINE;
	one.offset = 0;
	one.size = size;
	one.nelems = 0;
	strbuf_addc(out, '[');
	for (size_t i = 0; (i + 1) * size <= n; i++) {
		if (i)
			strbuf_addc(out, ',');
		if (i == LIST_MAX) {
			strbuf_adds(out, "...");
			break;
		}
		add_number(out, tpfield_int(&one, bytes + i * size, size), &one);
	}
	strbuf_addc(out, ']');
}

/* Of an array without a length in the format: by its type. */
static uint32_t element_of(const struct tpfield *f)
{
	static const struct {
		const char *type;
		uint32_t size;
	} sizes[] = {{"u64", 8}, {"s64", 8}, {"long", 8}, {"u32", 4},  {"s32", 4},
		     {"int", 4}, {"u16", 2}, {"s16", 2},  {"short", 2}};

	if (f->place == TP_INLINE)
		return f->size / f->nelems;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
		if (strstr(f->type, sizes[i].type))
			return sizes[i].size;
	return 1;
}

static void add_value(struct strbuf *out, const struct tpfield *f, const void *raw, size_t n)
{
	const bool is_array = f->nelems || f->place != TP_INLINE;
	const char *bytes;
	uint32_t size;
	size_t len;

	if (!is_array && f->size <= sizeof(uint64_t)) {
		add_number(out, tpfield_int(f, raw, n), f);
		return;
	}
	if (is_text(f)) {
		bytes = tpfield_bytes(f, raw, n, &len);
		strbuf_addc(out, '"');
		if (bytes)
			recfields_clean(out, bytes, strnlen(bytes, len));
		strbuf_addc(out, '"');
		return;
	}
	size = is_array ? element_of(f) : 1;
	bytes = tpfield_place(f, raw, n, &len);
	add_list(out, f, bytes, bytes ? len : 0,
		 size == 1 || size == 2 || size == 4 || size == 8 ? size : 1);
}

/* What is sampled of events that have no format. */
static const struct {
	const char *name;
	uint64_t sample_type;
	size_t offset;
	bool is_address;
} sampled[] = {
	{"ip", PERF_SAMPLE_IP, offsetof(struct perf_sample, ip), true},
	{"addr", PERF_SAMPLE_ADDR, offsetof(struct perf_sample, addr), true},
	{"period", PERF_SAMPLE_PERIOD, offsetof(struct perf_sample, period), false},
};

/* A member of a group has a period whatever its records would have (perfdecode.h). */
static bool has_sampled(const struct perfdata_event *e, const struct perf_sample *sm, unsigned i)
{
	return e->layout.sample_type & sampled[i].sample_type ||
	       (sampled[i].sample_type == PERF_SAMPLE_PERIOD && sm->period);
}

static void add_sampled(struct strbuf *out, unsigned i, const struct perf_sample *sm)
{
	uint64_t v;

	memcpy(&v, (const char *)sm + sampled[i].offset, sizeof(v));
	strbuf_addf(out, sampled[i].is_address ? "%#" PRIx64 : "%" PRIu64, v);
}

static void add_raw(struct strbuf *out, const struct perf_sample *sm)
{
	const struct tpfield bytes = {.type = "unsigned char"};

	add_list(out, &bytes, sm->raw, sm->rawlen, 1);
}

static void separate(struct strbuf *out, const char *name, size_t from)
{
	if (out->len > from)
		strbuf_addc(out, ' ');
	strbuf_addf(out, "%s=", name);
}

void recfields_all(struct recfields *rf, const struct perfdata_event *e,
		   const struct perf_sample *sm, struct strbuf *out)
{
	const struct tpformat *f = format_of(rf, e);
	const size_t from = out->len;

	for (unsigned i = 0; f && i < f->nfields; i++) {
		separate(out, f->fields[i].name, from);
		add_value(out, &f->fields[i], sm->raw, sm->rawlen);
	}
	for (unsigned i = 0; !f && i < ARRAY_SIZE(sampled); i++) {
		if (!has_sampled(e, sm, i))
			continue;
		separate(out, sampled[i].name, from);
		add_sampled(out, i, sm);
	}
	if (!f && sm->rawlen) {
		separate(out, "raw", from);
		add_raw(out, sm);
	}
}

bool recfields_one(struct recfields *rf, const struct perfdata_event *e,
		   const struct perf_sample *sm, const char *name, struct strbuf *out)
{
	const struct tpformat *f = format_of(rf, e);
	const struct tpfield *field = f ? tpformat_field(f, name) : NULL;

	if (field) {
		add_value(out, field, sm->raw, sm->rawlen);
		return true;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(sampled); i++)
		if (strcmp(sampled[i].name, name) == 0 && has_sampled(e, sm, i)) {
			add_sampled(out, i, sm);
			return true;
		}
	return false;
}

bool recfields_has(struct recfields *rf, const char *name)
{
	for (unsigned i = 0; i < perfdata_nevents(rf->file); i++) {
		const struct tpformat *f = format_of(rf, perfdata_event(rf->file, i));

		if (f && tpformat_field(f, name))
			return true;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(sampled); i++)
		if (strcmp(sampled[i].name, name) == 0)
			return true;
	return false;
}
