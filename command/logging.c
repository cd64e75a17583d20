/*
 * logging.c: a run whose events go to a file as well (-E, and the file is new).
 */
#include <errno.h>
#include <limits.h>

#include "base/strbuf.h"
#include "command/engine_priv.h"
#include "providers/hits/hitlog.h"
#include "providers/hits/procfacts.h"
#include "providers/kernel/perf.h"
#include "providers/perfwrite/perfwrite.h"

#define LOG_LEVEL 1 /* of compression: as perf has it */
#define DUMPS_MAX 10000
#define DUMP_NS	  1000000000U /* at most one in so long */

int engine_open_log(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	struct perf *perf;

	e->world.log = perfwrite_new(cmd->log);
	e->world.log_only = !cmd->runs_all;
	e->s->is_logged = true;
	e->world.hitlog = hitlog_new(&e->world);
	if (world_perf(&e->world, &perf, err) < 0) /* also where no probe needs it */
		return err_wrap(err, "cannot log events to %s", cmd->log);
	return 0;
}

static bool has_ring(const struct engine *e)
{
	return opt(&e->s->options, OPT_LOGRING) != OPT_UNSET;
}

/* NEED_* of all probes that are enabled. */
static unsigned all_needs(struct session *s)
{
	unsigned needs = 0;

	for (uint32_t id = 1; id <= s->nprobes; id++)
		needs |= probe_by_id(s, id)->needs;
	return needs;
}

int engine_begin_log(struct engine *e, struct err *err)
{
	const struct options *o = &e->s->options;
	struct perfwrite *w = e->world.log;

	if (!w)
		return 0;
	hitlog_begin(e->world.hitlog);
	procfacts_log(&e->world, all_needs(e->s));
	perfwrite_limit(w, (uint64_t)MAX(opt(o, OPT_LOGMAX), 0),
			(uint64_t)MAX(opt(o, OPT_LOGRING), 0));
	if (opt_on(o, OPT_LOGCOMPRESS) && perfwrite_compress(w, LOG_LEVEL, err) < 0)
		return err->code;
	return perfwrite_make(w, err);
}

void engine_time_log(struct engine *e)
{
	if (e->world.log)
		perfwrite_clock(e->world.log, e->s->engine->begin_ns);
}

/* FILE.1, or the next that is not there. */
static int copy_log(struct engine *e, char *path, size_t size, uint64_t *nsamples, struct err *err)
{
	int rc;

	do {
		e->ndumps++;
		snprintf(path, size, "%s.%u", e->run->cmd->log, e->ndumps);
		rc = perfwrite_copy(e->world.log, path, nsamples, err);
	} while (rc == -EEXIST && e->ndumps < DUMPS_MAX);
	return rc;
}

void engine_dump_log(struct engine *e)
{
	const uint32_t asked = e->s->dump_request;
	char path[PATH_MAX + 16];
	uint64_t nsamples;
	struct err err;

	if (asked == e->dumps_seen || session_now(e->s) < e->dump_ns)
		return;
	e->dumps_seen = asked;
	e->dump_ns = session_now(e->s) + DUMP_NS;
	if (!e->world.log || !has_ring(e)) {
		if (!e->ndumps++)
			session_message(
				e->s, MSG_ERR, false,
				"nothing is written now: there is no ring of events (-E FILE "
				"-x logring=TIME)");
		return;
	}
	if (copy_log(e, path, sizeof(path), &nsamples, &err) < 0)
		session_message(e->s, MSG_ERR, false, "%s", err.text);
	else
		session_message(e->s, MSG_ERR, false, "%llu events are in %s",
				(unsigned long long)nsamples, path);
}

/* Clauses ask which files are open, and do not run. */
static void tell_files(const struct engine *e)
{
	if (e->world.log_only && all_needs(e->s) & NEED_FILES)
		session_message(e->s, MSG_ERR, false,
				"fds[] will not be in %s, but of clauses that run now: which files "
				"a process has open is asked when they do (-g)",
				e->run->cmd->log);
}

/* Once for each provider. */
void engine_tell_log(struct engine *e)
{
	const struct provider *told = NULL;
	bool has_more = false;

	if (e->world.log)
		tell_files(e);
	for (uint32_t id = 1; e->world.log && id <= e->s->nprobes; id++) {
		struct probe *p = probe_by_id(e->s, id);

		if (!p->enabled)
			continue;
		if (p->provider->is_of_kernel) /* they are few */
			hitlog_expect(e->world.hitlog, p);
		has_more |= !p->is_timer && (p->provider->reads_files || p->hits == HITS_ARGS ||
					     p->hits == HITS_RECORD);
		if (p->provider->reads_files || p->hits || p->provider == told)
			continue;
		told = p->provider;
		session_message(e->s, MSG_ERR, false,
				"what %s traces runs its clauses, and is not in %s", p->prov,
				e->run->cmd->log);
	}
	if (has_more && e->world.log_only)
		session_message(e->s, MSG_ERR, true,
				"events are logged to %s; clauses of frequent ones run when it is "
				"read, or now as well with -g%s",
				e->run->cmd->log,
				e->world.log_acts ? "; those that end the run, write files or act "
						    "on processes run now"
						  : "");
}

bool engine_log_is_over(const struct engine *e)
{
	return e->world.log && e->world.log_only && perfwrite_is_full(e->world.log);
}

static void tell_left_out(const struct engine *e, const struct perfwrite *w)
{
	const unsigned long long n = perfwrite_nleft_out(w);

	if (has_ring(e) || !e->world.log_only)
		session_message(
			e->s, MSG_ERR, false,
			"%s is as large as option logmax lets it be: %llu %s events are not in it",
			perfwrite_path(w), n, has_ring(e) ? "earlier" : "later");
	else
		session_message(e->s, MSG_ERR, false,
				"%s is as large as option logmax lets it be, and the run has "
				"ended: %llu events that came meanwhile are not in it (-x "
				"logring: the last events; -g: clauses go on)",
				perfwrite_path(w), n);
}

void engine_end_log(struct engine *e)
{
	struct perfwrite *w = e->world.log;
	struct err err;

	if (!w)
		return;
	e->s->engine->end_ns = session_now(e->s);
	if (perfwrite_end(w, e->s->engine->end_ns, &err) < 0) {
		session_message(e->s, MSG_ERR, false, "%s", err.text);
		e->s->incomplete = 1;
		return;
	}
	if (perfwrite_nleft_out(w))
		tell_left_out(e, w);
	session_message(e->s, MSG_ERR, true, "%llu events are in %s, %llu bytes",
			(unsigned long long)perfwrite_nsamples(w), perfwrite_path(w),
			(unsigned long long)perfwrite_size(w));
}

void engine_free_log(struct engine *e)
{
	procfacts_free(&e->world);
	hitlog_free(e->world.hitlog);
	if (e->world.log)
		perfwrite_undo(e->world.log);
	perfwrite_free(e->world.log);
}
