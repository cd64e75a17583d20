/*
 * enabling.c: clauses and probes become ECBs; what each probe must capture; start and end of
 * tracing.
 */
#include <errno.h>
#include <unistd.h>

#include "base/endreq.h"
#include "dlang/errtags.h"
#include "dlang/kernelmem.h"
#include "dlang/run/buffer.h"
#include "dlang/run/fire_priv.h"
#include "dlang/session_priv.h"

static void add_ecb(struct session *s, struct clause *c, struct probe *p)
{
	uint32_t i = s->necbs;
	struct ecb *chunk;

	if (i == (uint64_t)SESSION_CHUNK * SESSION_MAX_CHUNKS)
		die("more than %u enablings", i);
	chunk = s->ecb_chunks[i / SESSION_CHUNK];
	if (!chunk) {
		chunk = arena_alloc(s->arena, SESSION_CHUNK * sizeof(*chunk));
		s->ecb_chunks[i / SESSION_CHUNK] = chunk;
	}
	chunk[i % SESSION_CHUNK] = (struct ecb){.epid = i + 1, .probe = p, .clause = c};
	*p->ecbs_tail = &chunk[i % SESSION_CHUNK];
	p->ecbs_tail = &chunk[i % SESSION_CHUNK].next;
	p->needs |= c->needs;
	s->unarmed_id = MIN(s->unarmed_id, p->id);
	atomic_store_explicit(&s->necbs, i + 1, memory_order_release);
}

void session_enable(struct session *s, const struct program *prog)
{
	for (struct clause *c = prog->clauses; c; c = c->next)
		for (unsigned i = 0; i < c->nprobes; i++)
			add_ecb(s, c, c->probes[i]);
}

/* The clause that carries faults to the front, after all of the user's. */
static void add_error_clause(struct session *s)
{
	struct clause *c = ARENA_NEW(s->arena, struct clause);

	c->has_record = true;
	c->is_error = true;
	c->payload = sizeof(struct fault_rec);
	c->counted = MIN(4 + c->payload, (uint32_t)MIN(opt(&s->options, OPT_BUFSIZE), INT32_MAX));
	add_ecb(s, c, s->error_probe);
}

static bool has_destructive(struct session *s)
{
	for (uint32_t id = 1; id <= s->necbs; id++)
		if (session_ecb(s, id)->clause->is_destructive)
			return true;
	return false;
}

/* Every record must fit into an empty buffer; the hidden ones of ERROR always do. */
static int check_records(struct session *s, struct err *err)
{
	uint64_t bufsize = (uint64_t)opt(&s->options, OPT_BUFSIZE);

	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct clause *c = session_ecb(s, id)->clause;

		if (c->has_record && !c->is_error && c->counted > bufsize)
			return err_set(err, -EFBIG, "Enabling exceeds size of buffer");
	}
	return 0;
}

/* With the policy fill the records of END find room in a full buffer. */
static int keep_room_for_end(struct session *s, struct err *err)
{
	uint64_t bytes = 0;

	if (opt(&s->options, OPT_BUFPOLICY) != BUFPOLICY_FILL)
		return 0;
	for (const struct ecb *e = s->end_probe->ecbs; e; e = e->next)
		if (e->clause->has_record)
			bytes += e->clause->counted;
	return firing_keep(s, bytes, err);
}

/* ERROR fires with the event of the faulting clause, so its needs must be captured there. */
static void add_error_needs(struct session *s)
{
	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct ecb *e = session_ecb(s, id);

		if (e->clause->can_fault)
			e->probe->needs |= s->error_probe->needs;
	}
}

/* Probes of a recording, or of one that is made, that has nothing for them: those with the same
 * reason are told together. */
struct missing {
	const struct probe *first; /* NULL: none */
	unsigned n;
	struct err why;
};

static void tell_missing(struct session *s, struct missing *m)
{
	const struct probe *p = m->first;
	char others[32] = "";

	if (!p)
		return;
	if (m->n > 1)
		snprintf(others, sizeof(others), " and %u more", m->n - 1);
	session_message(s, MSG_ERR, false, "probe %s:%s:%s:%s%s %s no events: %s", p->prov, p->mod,
			p->func, p->name, others, m->n > 1 ? "have" : "has", m->why.text);
	m->first = NULL;
	m->n = 0;
}

static void miss(struct missing *m, const struct probe *p, const struct err *why)
{
	if (m->first && strcmp(m->why.text, why->text) != 0)
		tell_missing(p->session, m);
	if (!m->first)
		m->first = p;
	m->n++;
	m->why = *why;
}

int probe_enable_recorded(struct probe *p, struct err *err)
{
	const struct session_engine *e = p->session->engine;

	if (p->provider->is_of_kernel && e->feed_logged && e->feed_logged(p, err) == 0)
		return 0;
	if (!p->provider->reads_files)
		return err_set(err, -ENOTSUP, "no recording tells of what %s traces%s%s", p->prov,
			       p->provider->instead ? ": record " : "",
			       p->provider->instead ? p->provider->instead : "");
	return p->provider->enable(p, err);
}

/* What no record of the kernel's tells of is written as it is told here. */
static int enable_logged(struct probe *p, struct err *err)
{
	struct err why;
	int rc;

	if (probe_is_logged(p))
		p->needs |= NEED_ARGS;
	rc = p->provider->enable(p, err);
	if (rc == 0 || p->hits != HITS_NOT || !p->provider->is_of_kernel)
		return rc;
	p->hits = HITS_RECORD;
	p->needs |= NEED_ARGS;
	if (p->provider->enable(p, &why) == 0)
		return 0;
	p->hits = HITS_NOT;
	return rc;
}

static int arm(struct probe *p, struct missing *missing, struct err *err)
{
	int rc;

	if (!p->ecbs || p->enabled)
		return 0;
	rc = atomic_load(&p->session->recorded_ns) ? probe_enable_recorded(p, err)
	     : p->session->is_logged		   ? enable_logged(p, err)
						   : p->provider->enable(p, err);
	if (rc == 0)
		p->enabled = true;
	if (rc < 0 && (atomic_load(&p->session->recorded_ns) || p->session->is_logged)) {
		miss(missing, p, err);
		return 0;
	}
	return rc;
}

static void foresee(struct probe *p)
{
	struct err err;

	if (!p->ecbs || p->provider->foresee || probe_loss(p) != LOSS_KERNEL ||
	    p->provider->enable(p, &err) >= 0)
		return;
	probe_place(p, &(struct placement){
			       .runs = RUNS_NOWHERE,
			       .why = arena_strdup(p->session->arena, err.text),
		       });
}

void session_foresee(struct session *s)
{
	s->engine->foresees = true;
	for (const struct program *pg = s->programs; pg; pg = pg->next)
		session_enable(s, pg);
	for (uint32_t id = 1; id <= s->nprobes; id++)
		foresee(probe_by_id(s, id));
	for (unsigned i = 0; i < s->nproviders; i++)
		if (s->providers[i]->foresee)
			s->providers[i]->foresee(s);
}

int session_give_up(const struct session *s, struct err *err)
{
	return s->state == SESSION_SETUP && endreq_asked() ? err_set(err, -EINTR, "interrupted")
							   : 0;
}

/*
 * All that are enabled and not armed. Where processes are followed it is asked for each of them,
 * and as a rule there is none: probes that have been armed are not looked at again.
 */
static int arm_all(struct session *s, struct err *err)
{
	uint32_t id = MAX(s->unarmed_id, 1), left = 0;
	struct missing missing = {0};
	int rc = 0;

	if (id > s->nprobes)
		return 0;
	stage_begin(STAGE_ARMING, s->nprobes - id + 1);
	for (; rc == 0 && id <= s->nprobes; id++) {
		struct probe *p = probe_by_id(s, id);

		rc = arm(p, &missing, err);
		if (!left && p->ecbs && !p->enabled)
			left = id;
		if (rc == 0 && id % SESSION_LOOK_EVERY == 0)
			rc = session_give_up(s, err);
		stage_step();
	}
	stage_end();
	tell_missing(s, &missing);
	if (rc == 0)
		s->unarmed_id = left ? left : id;
	return rc;
}

static bool has_enabling(const struct probe *p, const struct clause *c)
{
	const struct ecb *e = p->ecbs;

	while (e && e->clause != c)
		e = e->next;
	return e != NULL;
}

/* Enables one clause on the probes that have come into being since. */
static int rematch_clause(struct session *s, struct clause *c, struct err *err)
{
	struct probe **probes;
	int n, tag = D_NONE, added = 0;

	n = probe_match(s, c->desc, &probes, &tag, err);
	for (int i = 0; i < n; i++)
		if (!has_enabling(probes[i], c)) {
			add_ecb(s, c, probes[i]);
			if (c->can_fault)
				probes[i]->needs |= s->error_probe->needs;
			added++;
		}
	return n < 0 ? n : added;
}

int session_rematch(struct session *s, struct err *err)
{
	int added = 0, rc;

	if (s->state < SESSION_READY)
		return 0;
	for (struct program *pg = s->programs; pg; pg = pg->next)
		for (struct clause *c = pg->clauses; c; c = c->next) {
			rc = rematch_clause(s, c, err);
			if (rc < 0)
				return rc;
			added += rc;
		}
	rc = arm_all(s, err);
	return rc < 0 ? rc : added;
}

/* What the clauses are known to read is opened before anything waits for it. */
static int open_kernel(struct session *s, struct err *err)
{
	for (uint32_t epid = 1; epid <= s->necbs; epid++)
		if (session_ecb(s, epid)->clause->needs & NEED_KERNEL)
			return s->engine->kernelmem ? s->engine->kernelmem->open(s, err) : 0;
	return 0;
}

int session_start(struct session *s, struct err *err)
{
	int rc;

	if (opt_on(&s->options, OPT_GRABANON))
		return err_set(err, -ENOENT, "No anonymous tracing state");
	if (opt_on(&s->options, OPT_CPU) &&
	    opt(&s->options, OPT_CPU) >= sysconf(_SC_NPROCESSORS_CONF))
		return err_set(err, -ENXIO, "CPU %lld does not exist",
			       (long long)opt(&s->options, OPT_CPU));
	if (has_destructive(s) && !opt_on(&s->options, OPT_DESTRUCTIVE))
		return err_set(err, -EPERM, "Destructive actions not allowed");
	add_error_clause(s);
	session_limit_rates(s);
	rc = session_limit_sizes(s, err);
	if (rc == 0)
		rc = check_records(s, err);
	if (rc == 0)
		rc = firing_init(s, err);
	if (rc == 0)
		rc = keep_room_for_end(s, err);
	if (rc == 0)
		rc = open_kernel(s, err);
	if (rc < 0)
		return rc;
	add_error_needs(s);
	emits_add_needs(s);
	rc = arm_all(s, err);
	if (rc < 0)
		return rc;
	session_set_state(s, SESSION_READY);
	for (unsigned i = 0; i < s->nproviders; i++) {
		if (!s->providers[i]->start)
			continue;
		rc = s->providers[i]->start(s, err);
		if (rc < 0)
			return rc;
	}
	if (s->state == SESSION_READY)
		session_set_state(s, SESSION_ACTIVE);
	return 0;
}

void session_swap_aggs(struct session *s)
{
	uint32_t asked = atomic_load(&s->snap_request);

	if (asked == atomic_load(&s->snap_done))
		return;
	for (unsigned i = 0; i < s->nproviders && s->state == SESSION_ACTIVE; i++)
		if (s->providers[i]->snapshot)
			s->providers[i]->snapshot(s);
	if (s->state == SESSION_ACTIVE)
		session_snapshot_sources(s);
	atomic_fetch_xor(&s->agg_active, 1);
	atomic_store(&s->snap_done, asked);
	session_wake(s);
}

void session_finish(struct session *s)
{
	session_drain_sources(s);
	if (s->state != SESSION_DRAINING)
		session_set_state(s, SESSION_DRAINING);
	firing_keep(s, 0, NULL);
	session_snapshot_sources(s);
	/* in reverse, so that dtrace comes last: END sees no other event after it */
	for (unsigned i = s->nproviders; i-- > 0;)
		if (s->providers[i]->stop)
			s->providers[i]->stop(s);
	if (s->engine->at_end)
		s->engine->at_end(s);
	session_set_state(s, SESSION_DONE);
}
