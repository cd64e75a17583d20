/*
 * prov_fbt.c: functions of the kernel. They would be BPF programs at the entry and the return of
 * each function (fentry, fexit); there are none yet, and where the kernel refuses such programs the
 * refusal says so, and names tracepoints that may do.
 */
#include <errno.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/perf.h"

static bool fbt_on_demand(const char *prov)
{
	return strcmp(prov, "fbt") == 0;
}

struct search {
	const char *func;
	char found[96];
};

/* A tracepoint whose name begins with the function's. */
static void compare(void *arg, const char *system, const char *event)
{
	struct search *s = arg;

	if (!s->found[0] && strncmp(event, s->func, strlen(s->func)) == 0)
		snprintf(s->found, sizeof(s->found), "linux-%s:::%s", system, event);
}

static const char *similar(struct world *w, const char *func, struct search *s)
{
	s->func = func;
	s->found[0] = '\0';
	if (strlen(func) > 4 && !glob_is_pattern(func))
		tracefs_each(world_tracefs(w), compare, s);
	return s->found;
}

static int fbt_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct world *w = s->world;
	char text[512];
	struct search sr;
	const char *other;

	if (!d || strcmp(d->prov, "fbt") != 0 || opt_on(&s->options, OPT_ZDEFS))
		return 0;
	*tag = D_PDESC_ZERO;
	probe_desc_text(d, text, sizeof(text));
	if (feature_works(&w->features, FEATURE_FENTRY))
		return err_set(err, -ENOSYS,
			       "probe description %s: fbt is not there yet; tracepoints are "
			       "(dtrace -l -P 'linux-*')",
			       text);
	other = similar(w, d->func, &sr);
	return err_set(err, -EPERM, "probe description %s: %s; %s%s%s", text,
		       feature_why(&w->features, FEATURE_FENTRY), feature_without(FEATURE_FENTRY),
		       other[0] ? "; a tracepoint of that name is " : "", other);
}

static int fbt_enable(struct probe *p UNUSED, struct err *err)
{
	return err_set(err, -ENOSYS, "fbt has no probes");
}

const struct provider prov_fbt = {
	.name = "fbt",
	.on_demand = fbt_on_demand,
	.provide = fbt_provide,
	.enable = fbt_enable,
};
