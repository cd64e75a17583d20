/*
 * replay.c: a run whose events come from a file (-E).
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/strbuf.h"
#include "command/engine_priv.h"
#include "providers/hits/hits.h"
#include "providers/perfdata/perfdata.h"

/* CLOCK_REALTIME at time 0 of the file's clock. */
static int64_t wall_offset(const struct perfdata *d, uint64_t first_ns)
{
	uint64_t last_ns = first_ns;
	const char *bytes;
	int64_t offset;
	size_t size;

	if (perfdata_wall_offset(d, &offset))
		return offset;
	/* it was written last when its last event had happened */
	bytes = perfdata_feature(d, PERFDATA_F_SAMPLE_TIME, &size);
	if (bytes && size >= 2 * sizeof(last_ns))
		memcpy(&last_ns, bytes + sizeof(last_ns), sizeof(last_ns));
	return (int64_t)(perfdata_mtime_ns(d) - last_ns);
}

static void tell_trouble(void *arg, const char *text)
{
	struct session *s = arg;

	session_message(s, MSG_ERR, false, "%s", text);
	s->incomplete = 1;
}

void engine_report_recording(struct engine *e)
{
	if (e->world.recording)
		perfdata_each_trouble(e->world.recording, ": what comes before has been read",
				      tell_trouble, e->s);
}

int engine_open_recording(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	const char *names = e->s->options.text[OPT_KALLSYMS];
	struct perfdata *d = NULL;
	int rc;

	if (cmd->ntargets)
		return err_set(err, -EINVAL,
			       "-E: events come from %s: there is nothing to trace with -c or -p",
			       cmd->recording);
	if (names && access(names, R_OK) < 0)
		return err_set(err, -errno, "-x kallsyms: cannot read %s: %s", names,
			       strerror(errno));
	rc = opt_on(&e->s->options, OPT_STRICT)
		     ? perfdata_check(cmd->recording, tell_trouble, e->s, err)
		     : 0;
	if (rc == 0)
		rc = perfdata_open(cmd->recording, &d, err);
	if (rc < 0)
		return rc;
	e->world.recording = d;
	for (unsigned i = 0; perfdata_note(d, i); i++)
		session_message(e->s, MSG_ERR, false, "%s", perfdata_note(d, i));
	e->s->engine->kernelmem = NULL;
	e->s->engine->feed_logged = hits_feed_record;
	procfile_hide_others();
	/* until the recording says that its kernel is the one that runs */
	e->s->kernel_names = names ? names : "";
	session_set_clock(e->s, perfdata_first_ns(d));
	e->s->target_pid = perfdata_target(d);
	e->s->engine->recorded_wall_ns = wall_offset(d, session_now(e->s));
	return 0;
}

/* ---- -l ---- */

struct counting {
	uint64_t *events; /* by probe ID */
	uint32_t nprobes;
};

static void count(void *arg, const struct event *ev, bool was_taken UNUSED,
		  const taddr_t *pcs UNUSED, unsigned npcs UNUSED)
{
	const struct counting *c = arg;

	if (ev->probe->id <= c->nprobes)
		c->events[ev->probe->id]++;
}

/* Of the probes that are meant those that the file has events for. */
static void enable_meant(struct session *s, bool *is_meant, bool has_programs)
{
	struct err err;

	for (const struct program *pg = s->programs; pg; pg = pg->next)
		for (const struct clause *c = pg->clauses; c; c = c->next)
			for (unsigned i = 0; i < c->nprobes; i++)
				is_meant[c->probes[i]->id] = true;
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);

		is_meant[id] =
			(is_meant[id] || !has_programs) && probe_enable_recorded(p, &err) == 0;
	}
}

static void list_counts(struct session *s, const bool *is_meant, const struct counting *c)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "%10s ", "EVENTS");
	list_header(&text);
	for (uint32_t id = 1; id <= c->nprobes; id++) {
		if (!is_meant[id])
			continue;
		strbuf_addf(&text, "%10llu ", (unsigned long long)c->events[id]);
		list_line(&text, probe_by_id(s, id));
	}
	session_message(s, MSG_OUT, false, "%s", text.s);
	strbuf_release(&text);
}

int engine_list_recording(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	const uint32_t n = s->nprobes;
	bool *is_meant = xcalloc((size_t)n + 1, sizeof(*is_meant));
	struct counting c = {.events = xcalloc((size_t)n + 1, sizeof(*c.events)), .nprobes = n};
	const struct event_watch watch = {count, &c, NULL};
	int rc;

	enable_meant(s, is_meant, s->programs);
	s->engine->watch = &watch;
	rc = session_start(s, err);
	if (rc == 0)
		rc = session_start_sources(s, err);
	if (rc == 0) {
		engine_replay(e);
		list_counts(s, is_meant, &c);
		engine_report_recording(e);
	}
	s->engine->watch = NULL;
	free(c.events);
	free(is_meant);
	return rc;
}
