/* typedump.c: -x ctypes, -x dtypes: the named types of one container as text, sorted by name. */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "dlang/dlang.h"
#include "dlang/session_engine.h"

static int by_name(const void *a, const void *b)
{
	const struct strmap_slot *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

static void add_type(struct strbuf *out, const struct type *t)
{
	char text[256];

	strbuf_addf(out, "%s %llu", type_name(t, text, sizeof(text)),
		    (unsigned long long)type_size(t));
	if (t->kind == TYPE_TYPEDEF)
		strbuf_addf(out, " = %s", type_name(t->ref, text, sizeof(text)));
	strbuf_addc(out, '\n');
	for (unsigned i = 0; i < t->nmembers; i++)
		strbuf_addf(out, "\t%llu %s %s\n", (unsigned long long)t->members[i].bit_offset / 8,
			    type_name(t->members[i].type, text, sizeof(text)), t->members[i].name);
}

static void add_all(struct strbuf *out, const struct types *ts, const char *module)
{
	const struct strmap_slot **v = xcalloc(ts->names.n + 1, sizeof(const struct strmap_slot *));
	size_t n = 0;

	for (size_t i = 0; i < ts->names.nslots; i++) {
		const struct type *t = ts->names.slots[i].value;

		if (t && ts->names.slots[i].key && t->module && !strcmp(t->module, module))
			v[n++] = &ts->names.slots[i];
	}
	qsort(v, n, sizeof(const struct strmap_slot *), by_name);
	for (size_t i = 0; i < n; i++)
		add_type(out, v[i]->value);
	free(v);
}

static int write_types(const struct session *s, enum opt_id id, const char *module, struct err *err)
{
	const char *path = s->options.text[id];
	struct strbuf text;
	FILE *f;
	int rc = 0;

	if (!path)
		return 0;
	strbuf_init(&text);
	add_all(&text, &s->engine->types, module);
	f = fopen(path, "we");
	if (!f || fwrite(text.s, 1, text.len, f) != text.len)
		rc = err_set(err, -errno, "failed to write types to %s: %s", path, strerror(errno));
	if (f && fclose(f) && rc == 0)
		rc = err_set(err, -errno, "failed to write types to %s: %s", path, strerror(errno));
	strbuf_release(&text);
	return rc;
}

int dlang_write_types(const struct session *s, struct err *err)
{
	int rc = write_types(s, OPT_CTYPES, "C", err);

	return rc ? rc : write_types(s, OPT_DTYPES, "D", err);
}
