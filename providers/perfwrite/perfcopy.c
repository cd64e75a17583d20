#include "providers/perfwrite/perfcopy_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "providers/perfwrite/perfwrite.h"

/* Above those of kernels, and what merging gives out; records have 16 bits for it. */
#define FIRST_NUMBER 0xc000U
#define LAST_NUMBER  0xffffU
#define FORMATS_MAX  16384

/* ---- ids ---- */

static char is_taken;

static uint64_t new_id(struct perfcopy *c)
{
	while (!c->next_id || hash_get(&c->taken, c->next_id))
		c->next_id++;
	hash_put(&c->taken, c->next_id, &is_taken);
	return c->next_id;
}

/* What an id of a file is in the copy: itself, where no file before it has it. */
static uint64_t take_id(struct perfcopy *c, struct hash *changed, uint64_t id)
{
	uint64_t new;

	if (!hash_get(&c->taken, id)) {
		hash_put(&c->taken, id, &is_taken);
		return id;
	}
	new = new_id(c);
	hash_put(changed, id, (void *)(uintptr_t) new);
	return new;
}

/* ---- formats ---- */

static void note_format(void *arg, const char *system, const char *text)
{
	struct perfcopy *c = arg;
	struct copy_format *f;
	const char *rest;
	uint32_t number;

	if (!system || !perfdata_format_number(text, &number, &rest))
		return;
	f = ARENA_NEW(&c->arena, struct copy_format);
	f->system = arena_strdup(&c->arena, system);
	f->text = arena_strdup(&c->arena, text);
	hash_put(&c->formats, number, f);
}

static void read_formats(struct perfcopy *c)
{
	struct err err;

	if (c->has_formats)
		return;
	c->has_formats = true;
	perfdata_each_format(c->from, note_format, c, &err); /* damage is told with the file's */
}

static bool is_named(const char *text, const char *name)
{
	const size_t n = strlen(name);

	text += strncmp(text, "name:", 5) == 0 ? 5 : 0;
	text += strspn(text, " ");
	return strncmp(text, name, n) == 0 && text[n] == '\n';
}

bool perfcopy_has(struct perfcopy *c, const char *system, const char *name)
{
	const struct copy_format *f;

	read_formats(c);
	for (size_t i = 0; (f = hash_each(&c->formats, &i, NULL));)
		if (strcmp(f->system, system) == 0 && is_named(f->text, name))
			return true;
	for (const struct write_format *w = c->w->formats; w; w = w->next)
		if (strcmp(w->system, system) == 0 && is_named(w->text, name))
			return true;
	return false;
}

static bool is_number_in_use(const struct perfcopy *c, uint32_t number)
{
	for (unsigned i = 0; i < perfdata_nevents(c->from); i++) {
		const struct perf_event_attr *a = &perfdata_event(c->from, i)->attr;

		if (a->type == PERF_TYPE_TRACEPOINT && a->config == number)
			return true;
	}
	return hash_get(&c->formats, number);
}

uint32_t perfcopy_number(struct perfcopy *c)
{
	read_formats(c);
	while (c->next_number < LAST_NUMBER && is_number_in_use(c, c->next_number))
		c->next_number++;
	return c->next_number++;
}

static void add_format(struct perfcopy *c, const char *system, const char *text)
{
	perfwrite_format(c->w, system, text);
}

/* No kernel has more. */
static void add_other_format(void *arg, const char *system, const char *text)
{
	struct perfcopy *c = arg;

	if (c->nother++ < FORMATS_MAX)
		add_format(c, system, text);
}

/* Whose TRACING_DATA begins that of the copy; NULL: none has any. */
static struct perfdata *first_with_formats(const struct perfcopy *c)
{
	size_t size;

	for (unsigned i = 0; i < perfdata_nparts(c->from); i++)
		if (perfdata_feature(perfdata_part(c->from, i), PERFDATA_F_TRACING_DATA, &size))
			return perfdata_part(c->from, i);
	return NULL;
}

/* ---- events ---- */

/* As perf would call it; "": nobody knows. */
static const char *name_of(struct perfcopy *c, const struct perfdata_event *e)
{
	const struct copy_format *f = NULL;
	const char *name;

	if (e->name && *e->name)
		return e->name;
	if (e->attr.type == PERF_TYPE_TRACEPOINT) {
		read_formats(c);
		f = hash_get(&c->formats, e->attr.config);
	}
	name = f && strncmp(f->text, "name:", 5) == 0 ? f->text + 5 : NULL;
	if (name) {
		name += strspn(name, " ");
		return arena_printf(&c->arena, "%s:%.*s", f->system, (int)strcspn(name, "\n"),
				    name);
	}
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_CPU_CLOCK
		       ? "cpu-clock"
		       : "";
}

/* Its attributes as they are in the copy, of attr_size bytes. */
static char *attr_of(const struct perfcopy *c, const struct perfdata_event *e, bool is_tagged)
{
	const uint32_t size = (uint32_t)c->w->attr_size;
	char *attr = xcalloc(1, size);
	uint64_t word;

	memcpy(attr, e->bytes, MIN(e->nbytes, c->w->attr_size));
	if (e->nbytes != size)
		memcpy(attr + offsetof(struct perf_event_attr, size), &size, sizeof(size));
	word = e->attr.config; /* of several files: another number */
	memcpy(attr + offsetof(struct perf_event_attr, config), &word, sizeof(word));
	word = e->attr.sample_type | (is_tagged ? PERF_SAMPLE_IDENTIFIER : 0U);
	memcpy(attr + offsetof(struct perf_event_attr, sample_type), &word, sizeof(word));
	return attr;
}

static struct copy_event *new_event(struct perfcopy *c, const struct perf_layout *l)
{
	struct copy_event *to = ARENA_NEW(&c->arena, struct copy_event);

	to->layout = *l;
	if (c->tags && !(l->sample_type & PERF_SAMPLE_IDENTIFIER)) {
		to->is_tagged = true;
		to->layout.sample_type |= PERF_SAMPLE_IDENTIFIER;
	}
	return to;
}

static struct copy_event *find_alike(const struct hash *alike, uint64_t sum,
				     const struct perfwrite *w, const char *attr, const char *name)
{
	struct copy_event *to = hash_get(alike, sum);

	return to && memcmp(w->events[to->number].attr, attr, w->attr_size) == 0 &&
			       strcmp(w->events[to->number].name, name) == 0
		       ? to
		       : NULL;
}

static struct copy_event *take_event(struct perfcopy *c, unsigned part,
				     const struct perfdata_event *e, struct hash *alike)
{
	struct copy_event *to = new_event(c, &e->layout), *same;
	char *attr = attr_of(c, e, to->is_tagged);
	const char *name = name_of(c, e);
	const uint64_t sum = hash_bytes(attr, c->w->attr_size) ^ hash_bytes(name, strlen(name));

	same = part ? find_alike(alike, sum, c->w, attr, name) : NULL;
	if (same) {
		to = same;
	} else {
		to->number = write_add_event(c->w, attr, name);
		to->config = (uint32_t)e->attr.config;
		hash_put(alike, sum, to);
	}
	free(attr);
	for (unsigned i = 0; i < e->nids; i++) {
		const uint64_t id = take_id(c, &c->ids[part], e->ids[i]);

		perfwrite_id(c->w, to->number, id);
		if (!to->id)
			to->id = id;
	}
	if (!to->id && (to->is_tagged || c->tags)) {
		to->id = new_id(c);
		perfwrite_id(c->w, to->number, to->id);
	}
	hash_put(&c->events, (uintptr_t)e, to);
	if (!c->carrier)
		c->carrier = to;
	return to;
}

/* A pipe may tell of more while it is read. */
const struct copy_event *copy_event_of(struct perfcopy *c, const struct perfdata_record *r)
{
	struct copy_event *to = hash_get(&c->events, (uintptr_t)r->event);
	struct hash alike;

	if (to)
		return to;
	hash_init(&alike);
	to = take_event(c, copy_part_of(c, r->file), r->event, &alike);
	hash_release(&alike);
	return to;
}

unsigned copy_part_of(struct perfcopy *c, const struct perfdata *file)
{
	unsigned i = 0;

	while (perfdata_part(c->from, i) != file)
		i++;
	return i;
}

static int take_events(struct perfcopy *c, struct err *err)
{
	const struct perfdata *first = perfdata_part(c->from, 0);
	struct hash alike;

	for (unsigned p = 0; p < perfdata_nparts(c->from); p++) {
		const struct perfdata *d = perfdata_part(c->from, p);

		if (perfdata_event(d, 0)->layout.has_trailer !=
		    perfdata_event(first, 0)->layout.has_trailer)
			return err_set(err, -ENOTSUP,
				       "%s and %s cannot be written as one: the records of one of "
				       "them do not say when they were made (sample_id_all)",
				       perfdata_path(first), perfdata_path(d));
		for (unsigned i = 0; i < perfdata_nevents(d); i++)
			c->w->attr_size = MAX(c->w->attr_size,
					      MIN(perfdata_event(d, i)->nbytes, WRITE_ATTR_MAX));
	}
	hash_init(&alike);
	for (unsigned p = 0; p < perfdata_nparts(c->from); p++) {
		const struct perfdata *d = perfdata_part(c->from, p);

		for (unsigned i = 0; i < perfdata_nevents(d); i++)
			take_event(c, p, perfdata_event(d, i), &alike);
	}
	hash_release(&alike);
	return 0;
}

static unsigned add_event(struct perfcopy *c, struct copy_event *to, const char *attr,
			  const char *name)
{
	to->number = write_add_event(c->w, attr, name);
	to->id = new_id(c);
	perfwrite_id(c->w, to->number, to->id);
	c->added = xrealloc(c->added, (c->nadded + 1) * sizeof(*c->added));
	c->added[c->nadded] = to;
	c->is_changed = true;
	return c->nadded++;
}

unsigned perfcopy_tracepoint(struct perfcopy *c, const char *system, const char *name,
			     uint32_t number, const char *format)
{
	const struct perf_event_attr of = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = (uint32_t)c->w->attr_size,
		.config = number,
		.sample_period = 1,
		.sample_type = PERFWRITE_PREFIX | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.sample_id_all = c->carrier->layout.has_trailer,
		.exclude_guest = 1,
	};
	const struct perf_layout layout = perf_layout_of(&of);
	struct copy_event *to = new_event(c, &layout);
	char *attr = xcalloc(1, MAX(c->w->attr_size, sizeof(of))),
	     *full = xasprintf("%s:%s", system, name);
	unsigned n;

	memcpy(attr, &of, sizeof(of));
	to->config = number;
	add_format(c, system, format);
	n = add_event(c, to, attr, full);
	free(attr);
	free(full);
	return n;
}

unsigned perfcopy_like(struct perfcopy *c, const struct perfdata_event *e, const char *system,
		       const char *name)
{
	const struct copy_event *from = hash_get(&c->events, (uintptr_t)e);
	struct copy_event *to = new_event(c, &e->layout);
	char *attr = attr_of(c, e, to->is_tagged), *full = xasprintf("%s:%s", system, name);
	const struct copy_format *f;
	const char *rest;
	uint32_t number;
	uint64_t config;
	unsigned n;

	read_formats(c);
	f = e->attr.type == PERF_TYPE_TRACEPOINT ? hash_get(&c->formats, e->attr.config) : NULL;
	to->config = from->config;
	if (f && perfdata_format_number(f->text, &number, &rest)) {
		char *text;

		to->config = perfcopy_number(c);
		config = to->config;
		memcpy(attr + offsetof(struct perf_event_attr, config), &config, sizeof(config));
		text = xasprintf("name: %s\nID: %u%s", name, to->config, rest);
		add_format(c, system, text);
		free(text);
	}
	n = add_event(c, to, attr, full);
	free(attr);
	free(full);
	return n;
}

/* ---- what the file says of itself ---- */

static void copy_bytes(const struct perfdata *d, unsigned bit, struct strbuf *b)
{
	size_t size;
	const char *bytes = perfdata_feature(d, bit, &size);

	if (bytes)
		strbuf_add(b, bytes, size);
}

/* That of the first file, with what the others and we have besides. */
static void copy_formats(const struct perfcopy *c, struct strbuf *b)
{
	const struct perfdata *first = first_with_formats(c);
	size_t number, end, size;
	const char *bytes;
	uint32_t n;

	if (!c->w->formats || !first) {
		if (first)
			copy_bytes(first, PERFDATA_F_TRACING_DATA, b);
		else
			write_add_formats(c->w, b);
		return;
	}
	bytes = perfdata_feature(first, PERFDATA_F_TRACING_DATA, &size);
	if (!perfdata_systems(first, &number, &end)) { /* told as damage when it was opened */
		strbuf_add(b, bytes, size);
		return;
	}
	memcpy(&n, bytes + number, sizeof(n));
	{
		struct strbuf systems;

		strbuf_init(&systems);
		n += write_add_systems(c->w, &systems);
		strbuf_add(b, bytes, number);
		strbuf_add(b, &n, sizeof(n));
		strbuf_add(b, bytes + number + sizeof(n), end - number - sizeof(n));
		strbuf_add(b, systems.s, systems.len);
		strbuf_add(b, bytes + end, size - end);
		strbuf_release(&systems);
	}
}

static bool all_have_names(const struct perfwrite *w)
{
	for (unsigned i = 0; i < w->nevents; i++)
		if (!w->events[i].name[0])
			return false;
	return true;
}

static void copy_events(const struct perfcopy *c, struct strbuf *b)
{
	if (!c->is_changed)
		copy_bytes(c->from, PERFDATA_F_EVENT_DESC, b);
	else if (all_have_names(c->w))
		write_add_events(c->w, b);
}

static void copy_builds(const struct perfcopy *c, struct strbuf *b)
{
	for (unsigned i = 0; i < perfdata_nparts(c->from); i++)
		copy_bytes(perfdata_part(c->from, i), PERFDATA_F_BUILD_ID, b);
	copy_add_builds(c, b);
}

static void copy_times(const struct perfcopy *c, struct strbuf *b)
{
	size_t size;

	if (perfdata_feature(c->from, PERFDATA_F_SAMPLE_TIME, &size))
		write_add_times(c->w, b);
}

static void copy_groups(const struct perfcopy *c, struct strbuf *b)
{
	if (perfdata_nparts(c->from) == 1) /* they go by the order of the events */
		copy_bytes(c->from, PERFDATA_F_GROUP_DESC, b);
}

static void copy_nothing(const struct perfcopy *c UNUSED, struct strbuf *b UNUSED)
{
}

static void add_feature(struct perfwrite *w, unsigned bit, struct strbuf *b)
{
	static const struct {
		enum perfdata_feature bit;
		void (*copy)(const struct perfcopy *, struct strbuf *);
	} rows[] = {
		{PERFDATA_F_TRACING_DATA, copy_formats},
		{PERFDATA_F_BUILD_ID, copy_builds},
		{PERFDATA_F_EVENT_DESC, copy_events},
		{PERFDATA_F_GROUP_DESC, copy_groups},
		{PERFDATA_F_SAMPLE_TIME, copy_times},
		/* the copy has neither AUX data nor compressed records, and is one file */
		{PERFDATA_F_AUXTRACE, copy_nothing},
		{PERFDATA_F_DIR_FORMAT, copy_nothing},
		{PERFDATA_F_COMPRESSED, copy_nothing},
	};
	const struct perfcopy *c = w->arg;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].bit == bit) {
			rows[i].copy(c, b);
			return;
		}
	copy_bytes(c->from, bit, b);
}

/* ---- begin and end ---- */

struct perfcopy *perfcopy_new(const char *path, struct perfdata *from)
{
	struct perfcopy *c = xcalloc(1, sizeof(*c));

	c->w = perfwrite_new(path);
	c->w->add_feature = add_feature;
	c->w->arg = c;
	c->w->attr_size = PERF_ATTR_SIZE_VER0;
	c->from = from;
	c->next_number = FIRST_NUMBER;
	c->maps_tail = &c->maps;
	arena_init(&c->arena);
	hash_init(&c->events);
	hash_init(&c->taken);
	hash_init(&c->formats);
	hash_init(&c->mapped);
	c->ids = xcalloc(perfdata_nparts(from), sizeof(*c->ids));
	for (unsigned i = 0; i < perfdata_nparts(from); i++)
		hash_init(&c->ids[i]);
	return c;
}

void perfcopy_free(struct perfcopy *c)
{
	if (!c)
		return;
	perfwrite_undo(c->w);
	perfwrite_free(c->w);
	for (unsigned i = 0; i < perfdata_nparts(c->from); i++)
		hash_release(&c->ids[i]);
	free(c->ids);
	free(c->added);
	hash_release(&c->events);
	hash_release(&c->taken);
	hash_release(&c->formats);
	hash_release(&c->mapped);
	arena_release(&c->arena);
	free(c);
}

static bool all_tell_ids(const struct perfdata *d)
{
	for (unsigned i = 0; i < perfdata_nevents(d); i++)
		if (!(perfdata_event(d, i)->layout.sample_type & PERF_SAMPLE_IDENTIFIER))
			return false;
	return true;
}

static int check_formats(struct perfcopy *c, struct err *err)
{
	const struct perfdata *first = first_with_formats(c);
	size_t number, end;

	if (first && !perfdata_systems(first, &number, &end))
		return err_set(err, -EBADMSG,
			       "%s: the formats of its tracepoints are damaged: none can be added "
			       "to them",
			       perfdata_path(first));
	return 0;
}

int perfcopy_make(struct perfcopy *c, bool tags, struct err *err)
{
	const bool is_merged = perfdata_nparts(c->from) > 1;
	int rc = 0;

	c->is_changed = tags || is_merged;
	c->tags = c->is_changed && !all_tell_ids(c->from);
	if (c->is_changed)
		rc = check_formats(c, err);
	if (rc == 0)
		rc = take_events(c, err);
	if (rc < 0)
		return rc;
	if (is_merged)
		perfdata_each_other_format(c->from, first_with_formats(c), add_other_format, c);
	rc = perfwrite_make(c->w, err);
	if (rc == 0)
		write_begin(c->w);
	c->is_made = rc == 0;
	return rc;
}

int perfcopy_end(struct perfcopy *c, struct err *err)
{
	return write_finish(c->w, err);
}

const char *perfcopy_path(const struct perfcopy *c)
{
	return perfwrite_path(c->w);
}

uint64_t perfcopy_nsamples(const struct perfcopy *c)
{
	return perfwrite_nsamples(c->w);
}

uint64_t perfcopy_size(const struct perfcopy *c)
{
	return perfwrite_size(c->w);
}

uint64_t perfcopy_ntoo_long(const struct perfcopy *c)
{
	return c->ntoo_long;
}
