#include "providers/system/tracepoints/tpnames.h"

#include "base/glob.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "providers/kernel/perf.h"

struct naming {
	const struct probe_desc *desc;
	enum desc_field field;
	void (*fn)(void *, const char *);
	void *arg;
	const char *last; /* system */
};

static void name_one(void *arg, const char *system, const char *event)
{
	struct naming *nm = arg;
	char prov[128];

	snprintf(prov, sizeof(prov), "linux-%s", system);
	if (nm->field == DESC_NAME && glob_field(nm->desc->prov, prov))
		nm->fn(nm->arg, event);
	if (nm->field == DESC_PROV && (!nm->last || strcmp(nm->last, system) != 0))
		nm->fn(nm->arg, prov);
	nm->last = system;
}

void tracepoint_suggest(struct session *s, const struct probe_desc *d, enum desc_field field,
			void (*fn)(void *, const char *), void *arg)
{
	struct naming nm = {d, field, fn, arg, NULL};

	if (!d->mod[0] && !d->func[0] && (field == DESC_NAME || field == DESC_PROV))
		tracefs_each(world_tracefs(world_of(s)), name_one, &nm);
}
