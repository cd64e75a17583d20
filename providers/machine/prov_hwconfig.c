/*
 * prov_hwconfig.c: what the machine is, told once when tracing begins (docs/spec/providers.md
 * §4.15): a probe fires for each thing of its kind.
 */
#include <errno.h>

#include "base/glob.h"
#include "providers/machine/hwconfig.h"
#include "providers/providers.h"
#include "providers/world/world.h"

static const struct kind {
	const char *name;
	hw_reader *read;     /* NULL: there is no such thing here; it never fires */
	hw_recorded *replay; /* the same of a recording; NULL: it tells nothing */
	const char *type;    /* what arg0 points to (dscripts/lib/hwconfig.d) */
} kinds[] = {
	{"cpu", hw_read_cpu, hw_recorded_cpu, "hw_cpu_record_t"},
	{"processor", hw_read_processors, hw_recorded_processors, "hw_processor_record_t"},
	{"disk-phy", hw_read_disks, NULL, "hw_disk_record_t"},
	{"disk-log", hw_read_volumes, NULL, "hw_volume_record_t"},
	{"disk-optical", hw_read_opticals, NULL, "hw_disk_record_t"},
	{"nic", hw_read_nics, NULL, "hw_nic_record_t"},
	{"network", hw_read_network, NULL, "hw_network_record_t"},
	{"service", hw_read_services, NULL, "hw_service_record_t"},
	{"power", hw_read_power, NULL, "hw_power_record_t"},
	{"irq", hw_read_irqs, NULL, "hw_irq_record_t"},
	{"pnp", hw_read_pnp, NULL, "hw_device_record_t"},
	{"platform", hw_read_platform, NULL, "hw_platform_record_t"},
	{"virtualization", hw_read_virtualization, NULL, "hw_virtualization_record_t"},
	{"boot", hw_read_boot, hw_recorded_boot, "hw_boot_record_t"},
	{"code-integrity", hw_read_integrity, NULL, "hw_integrity_record_t"},
	{"video", hw_read_videos, NULL, "hw_video_record_t"},
	{"dpi", hw_read_screens, NULL, "hw_screen_record_t"},
	{"ide", NULL, NULL, NULL},
	{"telemetry", NULL, NULL, NULL},
	{"defrag", NULL, NULL, NULL},
	{"dev-family", NULL, NULL, NULL},
	{"flight-ids", NULL, NULL, NULL},
};

_Static_assert(ARRAY_SIZE(kinds) <= 32, "a bit for each");

static uint32_t bit_of(const struct kind *k)
{
	return UINT32_C(1) << (k - kinds);
}

static bool hwconfig_on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "hwconfig");
}

static int hwconfig_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			    struct err *err UNUSED)
{
	for (unsigned i = 0; d && i < ARRAY_SIZE(kinds); i++)
		if (glob_field(d->mod, "") && glob_field(d->func, "") &&
		    glob_field(d->name, kinds[i].name))
			probe_create(s, &prov_hwconfig, "hwconfig", "", "", kinds[i].name,
				     (void *)(uintptr_t)&kinds[i]);
	return 0;
}

static int hwconfig_enable(struct probe *p, struct err *err)
{
	const struct kind *k = p->arg;

	struct world *w = world_of(p->session);

	if (w->log)
		p->hits = HITS_RECORD; /* features of a file tell of a few kinds, and less */
	if (w->recording && !k->replay)
		return err_set(err, -ENOTSUP,
			       "a recording tells of the machine what hwconfig:::cpu, "
			       "processor and boot have");
	if (w->recording)
		w->hwconfig_told |= bit_of(k);
	if (!k->read)
		session_message(
			p->session, MSG_ERR, false,
			"probe description hwconfig:::%s: nothing tells of it here; it never "
			"fires",
			p->name);
	return 0;
}

/* What is told of the machine is told at the time of the beginning, before any tick. */
struct telling {
	struct probe *probe;
	uint64_t time_ns;
};

static void fire(void *arg, const void *record, size_t size)
{
	const struct telling *t = arg;
	struct probe *p = t->probe;
	struct session *s = p->session;
	const struct event ev = {
		.probe = p,
		.pid = s->front_pid,
		.tid = s->front_pid,
		.cpu = session_cpu(s),
		.time_ns = t->time_ns,
		.raw = record,
		.rawlen = size,
		.args = {(uintptr_t)record, size, 1, 0},
	};

	event_fire(s, &ev);
}

static uint64_t tell(struct session *s, void *arg UNUSED, uint64_t deadline_ns)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);
		const struct kind *k = p->arg;
		struct telling t = {p, deadline_ns};

		if (p->provider != &prov_hwconfig || !p->enabled || !k->read)
			continue;
		if (!world_of(s)->recording)
			k->read(fire, &t);
		else if (world_of(s)->hwconfig_told & bit_of(k)) /* else it is a record of ours */
			k->replay(world_of(s)->recording, fire, &t);
	}
	return UINT64_MAX;
}

static int hwconfig_start(struct session *s, struct err *err UNUSED)
{
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);

		if (p->provider == &prov_hwconfig && p->enabled) {
			session_add_timer(s, session_now(s), tell, NULL);
			break;
		}
	}
	return 0;
}

static void hwconfig_argtypes(struct probe *p, struct probe_args *args)
{
	struct types *ts = &p->session->engine->types;
	const struct kind *k = p->arg;
	const struct type *t = k->type ? types_lookup(ts, k->type) : NULL;
	struct probe_arg *v = arena_alloc(p->session->arena, 4 * sizeof(*v));

	for (unsigned i = 0; i < 4; i++)
		v[i] = (struct probe_arg){.type = ts->t_uword, .place = ARG_VALUE, .at = i};
	if (t) {
		v[0].type = type_pointer(ts, t);
		v[0].is_ours = true;
	}
	args->v = v;
	args->n = k->read ? 4 : 0;
}

const struct provider prov_hwconfig = {
	.name = "hwconfig",
	.is_of_kernel = true,
	.on_demand = hwconfig_on_demand,
	.provide = hwconfig_provide,
	.enable = hwconfig_enable,
	.argtypes = hwconfig_argtypes,
	.start = hwconfig_start,
	.attrs = &evolving_attrs,
	.reads_files = true,
	.is_rare = true,
};
