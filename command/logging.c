/*
 * logging.c: a run whose events go to a file as well (-E, and the file is new).
 */
#include "base/strbuf.h"
#include "command/engine_priv.h"
#include "providers/hits/hitlog.h"
#include "providers/kernel/perf.h"
#include "providers/perfwrite/perfwrite.h"

int engine_open_log(struct engine *e, struct err *err)
{
	const struct cmdline *cmd = e->run->cmd;
	struct perf *perf;

	e->world.log = perfwrite_new(cmd->log);
	perfwrite_limit(e->world.log, (uint64_t)MAX(opt(&e->s->options, OPT_LOGMAX), 0),
			(uint64_t)MAX(opt(&e->s->options, OPT_LOGRING), 0));
	e->world.log_only = !cmd->runs_all;
	e->s->is_logged = true;
	e->world.hitlog = hitlog_new(&e->world);
	if (world_perf(&e->world, &perf, err) < 0) /* also where no probe needs it */
		return err_wrap(err, "cannot log events to %s", cmd->log);
	return 0;
}

int engine_begin_log(struct engine *e, struct err *err)
{
	if (!e->world.log)
		return 0;
	perfwrite_clock(e->world.log, session_now(e->s));
	return perfwrite_make(e->world.log, err);
}

/* Once for each provider. */
void engine_tell_log(struct engine *e)
{
	const struct provider *told = NULL;
	bool has_more = false;

	for (uint32_t id = 1; e->world.log && id <= e->s->nprobes; id++) {
		const struct probe *p = probe_by_id(e->s, id);

		if (!p->enabled)
			continue;
		has_more |= !p->is_timer && (p->provider->reads_files || p->hits == HITS_ARGS);
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
				"read, or now as well with -g",
				e->run->cmd->log);
}

bool engine_log_is_over(const struct engine *e)
{
	return e->world.log && e->world.log_only && perfwrite_is_full(e->world.log);
}

void engine_end_log(struct engine *e)
{
	struct perfwrite *w = e->world.log;
	struct err err;

	if (!w)
		return;
	hitlog_end(e->world.hitlog);
	if (perfwrite_end(w, &err) < 0) {
		session_message(e->s, MSG_ERR, false, "%s", err.text);
		e->s->incomplete = 1;
		return;
	}
	if (perfwrite_nleft_out(w))
		session_message(
			e->s, MSG_ERR, false,
			"%s is as large as option logmax lets it be: %llu %s events are not in it",
			perfwrite_path(w), (unsigned long long)perfwrite_nleft_out(w),
			opt(&e->s->options, OPT_LOGRING) == OPT_UNSET ? "later" : "earlier");
	session_message(e->s, MSG_ERR, true, "%llu events are in %s, %llu bytes",
			(unsigned long long)perfwrite_nsamples(w), perfwrite_path(w),
			(unsigned long long)perfwrite_size(w));
}

void engine_free_log(struct engine *e)
{
	hitlog_free(e->world.hitlog);
	if (e->world.log)
		perfwrite_undo(e->world.log);
	perfwrite_free(e->world.log);
}
