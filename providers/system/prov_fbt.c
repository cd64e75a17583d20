/*
 * prov_fbt.c: functions of the kernel (docs/spec/providers.md §4.13): a BPF program at the entry
 * and one at the return of each (fentry, fexit). Where the kernel refuses such programs the refusal
 * says so, and names tracepoints that may do.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/glob.h"
#include "dlang/errtags.h"
#include "providers/kernel/kprog/kernprobe.h"
#include "providers/kernel/perf.h"
#include "providers/world/kernsyms.h"
#include "providers/providers.h"
#include "providers/kernel/features.h"

#define MAX_ENABLED 2000 /* taking that many out takes the kernel minutes */

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

/* ---- the functions there are ---- */

static bool is_side(const struct probe_desc *d, enum kprog_kind kind)
{
	return glob_field(d->name, kind == KPROG_ENTRY ? "entry" : "return");
}

static void create(struct session *s, const char *func, enum kprog_kind kind)
{
	struct probe *p = probe_create(s, &prov_fbt, "fbt", KERNEL_MODULE, func,
				       kind == KPROG_ENTRY ? "entry" : "return", NULL);
	struct kernpoint *pt;

	if (p->arg)
		return;
	p->arg = pt = ARENA_NEW(s->arena, struct kernpoint);
	pt->kind = kind;
	pt->target = p->func;
}

struct offer {
	struct session *session;
	const struct probe_desc *desc;
	struct strmap traceable; /* functions the kernel lists; empty: it does not say */
	bool has_list;
};

static void offer_function(void *arg, const char *func)
{
	const struct offer *o = arg;
	const struct probe_desc *d = o->desc;

	if (!glob_field(d->func, func) || (o->has_list && !strmap_get(&o->traceable, func)))
		return;
	for (unsigned kind = KPROG_ENTRY; kind <= KPROG_RETURN; kind++)
		if (is_side(d, kind))
			create(o->session, func, kind);
}

/* "vfs_read", "ext4_sync_file [ext4]": those of modules have types of their own. */
static void read_traceable(struct offer *o)
{
	FILE *f = tracefs_open(world_tracefs(world_of(o->session)), "available_filter_functions");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \n")] = '\0';
		strmap_put(&o->traceable, intern_str(&o->session->engine->intern, line), o);
		o->has_list = true;
	}
	if (f)
		fclose(f);
}

static int refuse(struct session *s, const struct probe_desc *d, struct err *err)
{
	struct world *w = world_of(s);
	struct search sr;
	const char *other = similar(w, d->func, &sr);

	return err_set(err, -EPERM, "%s; %s%s%s", feature_why(world_features(w), FEATURE_FENTRY),
		       feature_without(FEATURE_FENTRY),
		       other[0] ? "; a tracepoint of that name is " : "", other);
}

static int fbt_provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	struct offer o = {.session = s, .desc = d};

	if (!d || strcmp(d->prov, "fbt") != 0)
		return 0;
	if (!feature_works(world_features(world_of(s)), FEATURE_FENTRY) ||
	    !world_btf(world_of(s))) {
		*tag = D_PDESC_ZERO;
		return opt_on(&s->options, OPT_ZDEFS) ? 0 : refuse(s, d, err);
	}
	if (!glob_field(d->mod, KERNEL_MODULE))
		return 0;
	strmap_init(&o.traceable);
	if (glob_is_pattern(d->func) || !d->func[0])
		read_traceable(&o);
	kernel_btf_each(world_btf(world_of(s)), offer_function, &o);
	strmap_release(&o.traceable);
	return 0;
}

/* ---- enabling ---- */

struct fbt_world {
	unsigned nenabled; /* functions */
};

static int fbt_enable(struct probe *p, struct err *err)
{
	struct session *s = p->session;
	struct world *w = world_of(s);

	if (!w->fbt)
		w->fbt = xcalloc(1, sizeof(*w->fbt));
	if (++w->fbt->nenabled > MAX_ENABLED && !opt_on(&s->options, OPT_FORCE))
		return err_set(err, -E2BIG,
			       "fbt: more than %u functions are named, and each needs a program of "
			       "the kernel: name fewer, or use -x force",
			       MAX_ENABLED);
	return kernprobe_enable(p, err);
}

static void fbt_snapshot(struct session *s)
{
	kernprobe_snapshot(s, &prov_fbt);
}

static void fbt_free(struct session *s)
{
	free(world_of(s)->fbt);
	world_of(s)->fbt = NULL;
}

const struct provider prov_fbt = {
	.name = "fbt",
	.is_of_kernel = true,
	.on_demand = fbt_on_demand,
	.provide = fbt_provide,
	.enable = fbt_enable,
	.argtypes = kernprobe_argtypes,
	.stop = fbt_snapshot,
	.snapshot = fbt_snapshot,
	.free = fbt_free,
	.loss = LOSS_KERNEL,
};
