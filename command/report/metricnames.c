#include "command/report/metricnames.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* ---- words ---- */

void metric_add_word(struct strbuf *out, const char *s)
{
	if (isdigit((unsigned char)*s))
		strbuf_addc(out, '_');
	for (; *s; s++)
		strbuf_addc(out, isalnum((unsigned char)*s) ? *s : '_');
}

void metric_add_name(struct strbuf *out, const struct options *o, const struct aggvar *var,
		     struct unit *unit)
{
	const char *prefix = o->text[OPT_METRICSPREFIX];

	metric_add_word(out, prefix ? prefix : "dtrace_");
	metric_add_word(out, strcmp(var->name, "_") ? var->name : "unnamed");
	if (unit_of(o, var, unit))
		strbuf_addf(out, "_%s", unit->base);
	else
		*unit = (struct unit){.shift = 0};
}

/* ---- what is taken ---- */

#define SUFFIXES_MAX 5

/* Of samples, in both formats, and "" of the family that they belong to. */
static const char *const suffixes[AGG_NFUNCS][SUFFIXES_MAX] = {
	[AGG_COUNT] = {"", "_total", "_created"},
	[AGG_SUM] = {""},
	[AGG_MIN] = {""},
	[AGG_MAX] = {""},
	[AGG_AVG] = {"", "_count", "_sum", "_created"},
	[AGG_STDDEV] = {"", "_count", "_sum", "_created", "_squares"},
	[AGG_QUANTIZE] = {"", "_bucket", "_count", "_sum", "_created"},
	[AGG_LQUANTIZE] = {"", "_bucket", "_count", "_sum", "_created"},
	[AGG_LLQUANTIZE] = {"", "_bucket", "_count", "_sum", "_created"},
};

/* Stands for what is told of the run itself. */
static const struct aggvar own = {.name = "dtrace itself"};

static void take(struct metric_names *names, const char *name, const char *suffix,
		 const struct aggvar *var)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%s%s", name, suffix);
	strmap_put(&names->by_name, strbuf_detach(&text), (void *)(uintptr_t)var);
	strbuf_release(&text);
}

void metric_names_init(struct metric_names *names)
{
	static const char *const own_names[] = {
		"dtrace_metric_rows",  "dtrace_drops", "dtrace_drops_total", "dtrace_resets",
		"dtrace_resets_total", "dtrace_build", "dtrace_build_info"};

	strmap_init(&names->by_name);
	for (unsigned i = 0; i < ARRAY_SIZE(own_names); i++)
		take(names, own_names[i], "", &own);
}

void metric_names_release(struct metric_names *names)
{
	for (size_t i = 0; i < names->by_name.nslots; i++)
		free((char *)(uintptr_t)names->by_name.slots[i].key);
	strmap_release(&names->by_name);
}

/* The first of these names that another one has; NULL: none. *text is that name then. */
static const struct aggvar *holder_of(const struct metric_names *names, const char *name,
				      const struct aggvar *var, struct strbuf *text)
{
	for (unsigned i = 0; i < SUFFIXES_MAX && suffixes[var->func->id][i]; i++) {
		const struct aggvar *other;

		strbuf_clear(text);
		strbuf_addf(text, "%s%s", name, suffixes[var->func->id][i]);
		other = strmap_get(&names->by_name, text->s);
		if (other)
			return other;
	}
	return NULL;
}

int metric_names_take(struct metric_names *names, const struct options *o, const struct aggvar *var,
		      struct err *err)
{
	const struct aggvar *other;
	struct strbuf name, text;
	struct unit unit;
	int rc = 0;

	strbuf_init(&name);
	strbuf_init(&text);
	metric_add_name(&name, o, var, &unit);
	other = holder_of(names, name.s, var, &text);
	if (other)
		rc = err_set(err, -EEXIST,
			     "@%s and %s%s would both be the metric %s: give one of them another "
			     "name",
			     keytext_aggname(var), other == &own ? "" : "@", keytext_aggname(other),
			     text.s);
	for (unsigned i = 0; !rc && i < SUFFIXES_MAX && suffixes[var->func->id][i]; i++)
		take(names, name.s, suffixes[var->func->id][i], var);
	strbuf_release(&text);
	strbuf_release(&name);
	return rc;
}
