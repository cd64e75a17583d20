/*
 * prov_dtrace.c: BEGIN, END and ERROR. ERROR is fired by event_fire() itself.
 */

#include "dlang/session_engine.h"
#include "providers/providers.h"

#define STABLE                                                                                     \
	{                                                                                          \
		STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON                                   \
	}
#define PRIVATE                                                                                    \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN                                \
	}

static const struct provattrs attrs = {STABLE, PRIVATE, PRIVATE, STABLE, STABLE};

static int dtrace_provide(struct session *s, const struct probe_desc *desc, int *tag UNUSED,
			  struct err *err UNUSED)
{
	if (desc)
		return 0;
	s->begin_probe = probe_create(s, &prov_dtrace, "dtrace", "", "", "BEGIN", NULL);
	s->end_probe = probe_create(s, &prov_dtrace, "dtrace", "", "", "END", NULL);
	s->error_probe = probe_create(s, &prov_dtrace, "dtrace", "", "", "ERROR", NULL);
	return 0;
}

static int dtrace_enable(struct probe *p UNUSED, struct err *err UNUSED)
{
	return 0;
}

/* The command itself is the process behind these probes. */
static void fire(struct session *s, struct probe *p, uint64_t time_ns)
{
	const struct event ev = {
		.probe = p,
		.pid = s->front_pid,
		.tid = s->front_pid,
		.cpu = session_cpu(s),
		.time_ns = time_ns,
	};

	event_fire(s, &ev);
}

static int dtrace_start(struct session *s, struct err *err UNUSED)
{
	s->engine->begin_ns = session_now(s);
	fire(s, s->begin_probe, s->engine->begin_ns);
	return 0;
}

static void dtrace_stop(struct session *s)
{
	fire(s, s->end_probe, s->engine->end_ns ? s->engine->end_ns : session_now(s));
}

const struct provider prov_dtrace = {
	.name = "dtrace",
	.is_of_kernel = true,
	.provide = dtrace_provide,
	.enable = dtrace_enable,
	.start = dtrace_start,
	.stop = dtrace_stop,
	.attrs = &attrs,
	.reads_files = true,
};
