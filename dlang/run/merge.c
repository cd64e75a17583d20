/*
 * merge.c: sources of late events become one sequence in time (the round rule of trace files,
 * live): in each round the sources take in what has arrived; then everything fires that is not
 * younger than the beginning of the round before, because by now no source can bring anything
 * older: a round lasts longer than a CPU takes from the time of an event to the end of its record.
 * A source that knows of such a record holds the others back. What fires at once (a breakpoint, a
 * timer) does not wait for a round: all that is older fires first. When the end is asked for, what
 * has arrived fires for a bounded time.
 */
#include <stdlib.h>
#include <time.h>

#include "base/endreq.h"
#include "base/pulse.h"
#include "dlang/session_priv.h"

#define SLICE_NS     100000U
#define ROUND_GAP_NS 2000000U /* what a round lasts at least */
#define CLOCK_EVERY  16
#define WAIT_NS	     1000000U /* at the end, between two looks at what is not complete */
/* What has arrived is taken in for this long after the end was asked for, the rest is dropped:
 * targets may write faster than events fire, and whoever pressed ^C waits. */
#define LAST_NS 500000000U
/* Rings that wake nobody are looked at this often: while there is much, and when there was little
 * for long. A ring of the kernel holds what comes in the longer time. What waits for the next round
 * waits so long as well, where there is little. */
#define BUSY_GAP_NS  4000000U
#define QUIET_GAP_NS 28000000U
#define MUCH	     256U /* events in the longer gap */

struct merge {
	struct {
		const struct event_source *source;
		void *arg;
	} * v;
	unsigned n;
	bool is_firing;
	unsigned nfired;    /* since the gap was last chosen */
	uint64_t round_ns;  /* the beginning of the round before, by the clocks of the sources */
	uint64_t clock_ns;  /* and of this one */
	uint64_t begun_ns;  /* by ours */
	uint64_t fired_ns;  /* of the youngest event that has been fired */
	uint64_t gap_ns;    /* until the sources are looked at again */
	uint64_t chosen_ns; /* when that was chosen */
	uint64_t last_ns;   /* nothing fires that can be dropped then; 0: no end was asked for */
	bool is_over;	    /* that time has come */
	bool has_leapt;	    /* of a recording: ticks have been left out */
	uint64_t nlate;
	uint64_t late_ns; /* of what is being fired, if it comes too late; 0: it does not */
};

void session_add_source(struct session *s, const struct event_source *source, void *arg)
{
	struct merge *m = s->engine->merge;

	if (!m)
		s->engine->merge = m = xcalloc(1, sizeof(*m));
	m->v = xrealloc(m->v, (m->n + 1) * sizeof(*m->v));
	m->v[m->n].source = source;
	m->v[m->n++].arg = arg;
}

uint64_t session_late_events(const struct session *s)
{
	return s->engine->merge ? s->engine->merge->nlate : 0;
}

int session_start_sources(struct session *s, struct err *err)
{
	const struct merge *m = s->engine->merge;
	int rc = 0;

	for (unsigned i = 0; m && i < m->n && rc == 0; i++)
		if (m->v[i].source->start)
			rc = m->v[i].source->start(m->v[i].arg, err);
	return rc;
}

void session_stop_sources(struct session *s)
{
	const struct merge *m = s->engine->merge;

	/* perf is the first: it tells of processes that the others have events of */
	for (unsigned i = m ? m->n : 0; i-- > 0;)
		if (m->v[i].source->stop)
			m->v[i].source->stop(m->v[i].arg);
}

void session_snapshot_sources(struct session *s)
{
	const struct merge *m = s->engine->merge;

	for (unsigned i = 0; m && i < m->n; i++)
		if (m->v[i].source->snapshot)
			m->v[i].source->snapshot(m->v[i].arg);
}

void session_free_sources(struct session *s)
{
	struct merge *m = s->engine->merge;

	for (unsigned i = m ? m->n : 0; i-- > 0;)
		if (m->v[i].source->free)
			m->v[i].source->free(m->v[i].arg);
	if (m)
		free(m->v);
	free(m);
	s->engine->merge = NULL;
}

static void gather(struct merge *m)
{
	for (unsigned i = 0; i < m->n; i++)
		m->v[i].source->gather(m->v[i].arg);
}

/* Nothing older than this can come any more. */
static uint64_t complete(const struct merge *m)
{
	uint64_t until = UINT64_MAX;

	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].source->complete)
			until = MIN(until, m->v[i].source->complete(m->v[i].arg));
	return until;
}

/* By the clock that is furthest behind. */
static uint64_t clocks(const struct merge *m, uint64_t now)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].source->now)
			now = MIN(now, m->v[i].source->now(m->v[i].arg));
	return now;
}

/* Nobody will see what fires now, or the time for it is over. */
static bool is_dropped(const struct session *s, const struct event_source *source)
{
	return source->drop && (s->engine->merge->is_over || s->state == SESSION_DRAINING ||
				s->state == SESSION_DONE);
}

static void look_at_clock(struct session *s)
{
	struct merge *m = s->engine->merge;

	if (m->is_over || !endreq_asked())
		return;
	if (!m->last_ns)
		m->last_ns = session_now(s) + LAST_NS;
	m->is_over = session_now(s) >= m->last_ns;
}

/* Where two have events of the same time, the one that was added first goes first. */
struct oldest {
	unsigned source;
	uint64_t at_ns;	  /* UINT64_MAX: there is none */
	uint64_t next_ns; /* of the other sources */
};

static struct oldest find_oldest(const struct merge *m)
{
	struct oldest o = {.at_ns = UINT64_MAX, .next_ns = UINT64_MAX};

	for (unsigned i = 0; i < m->n; i++) {
		uint64_t t = m->v[i].source->peek(m->v[i].arg);

		if (t < o.at_ns)
			o = (struct oldest){.source = i, .at_ns = t, .next_ns = o.at_ns};
		else
			o.next_ns = MIN(o.next_ns, t);
	}
	return o;
}

/* What is older than an event that has fired is told of, one by one. */
static uint64_t fire_found(struct merge *m, const struct oldest *o, uint64_t limit_ns,
			   unsigned *left)
{
	const struct event_source *source = m->v[o->source].source;
	const unsigned before = *left;
	uint64_t last_ns = o->at_ns;

	m->late_ns = o->at_ns < m->fired_ns ? o->at_ns : 0;
	m->is_firing = true;
	if (source->fire_some && !m->late_ns) {
		last_ns =
			source->fire_some(m->v[o->source].arg, MIN(limit_ns, o->next_ns - 1), left);
	} else {
		source->fire(m->v[o->source].arg);
		--*left;
	}
	m->is_firing = false;
	m->fired_ns = MAX(m->fired_ns, last_ns);
	m->nfired += before - *left;
	return last_ns;
}

/* Fires the oldest event if it is not younger than limit_ns, and perhaps those of its source behind
 * it; *left at most, which is less by so many then. Returns the time of the last that has fired,
 * else of the oldest, or UINT64_MAX. */
static uint64_t fire_oldest(struct session *s, uint64_t limit_ns, unsigned *left)
{
	struct merge *m = s->engine->merge;
	const struct oldest o = find_oldest(m);

	if (o.at_ns > limit_ns || o.at_ns == UINT64_MAX)
		return o.at_ns;
	if (!is_dropped(s, m->v[o.source].source))
		return fire_found(m, &o, limit_ns, left);
	m->v[o.source].source->drop(m->v[o.source].arg,
				    s->state == SESSION_ACTIVE || o.at_ns < s->engine->exit_ns);
	--*left;
	return o.at_ns;
}

void merge_until(struct session *s, uint64_t time_ns)
{
	struct merge *m = s->engine->merge;

	if (m->is_firing) { /* what a source has, but not what it knows besides */
		m->nlate += m->late_ns && time_ns == m->late_ns;
		return;
	}
	m->nlate += time_ns < m->fired_ns;
	gather(m);
	for (unsigned left = CLOCK_EVERY; fire_oldest(s, time_ns - 1, &left) < time_ns;)
		if (!left) {
			left = CLOCK_EVERY;
			look_at_clock(s);
		}
	m->fired_ns = MAX(m->fired_ns, time_ns);
}

void session_fire_until(struct session *s, uint64_t time_ns)
{
	if (s->engine->merge)
		merge_until(s, time_ns);
}

/* Chooses the time until the sources are looked at again by the rate of events since that was last
 * chosen. Returns whether there is much. */
static bool choose_gap(struct merge *m, uint64_t now)
{
	const bool is_much = m->nfired * (uint64_t)QUIET_GAP_NS > MUCH * (now - m->chosen_ns);

	m->gap_ns = is_much ? BUSY_GAP_NS : MIN(2 * m->gap_ns + BUSY_GAP_NS, QUIET_GAP_NS);
	m->chosen_ns = now;
	m->nfired = 0;
	return is_much;
}

/* A timer is next, and then an event. Between two of a recording may lie years, if it says so:
 * there would be no end of ticks. */
#define LEAP_NS ((uint64_t)86400 * 1000000000)

static void leap(struct session *s, uint64_t from_ns, uint64_t to_ns)
{
	struct merge *m = s->engine->merge;

	if (to_ns - from_ns <= LEAP_NS)
		return;
	session_leap_timers(s, to_ns);
	if (!m->has_leapt)
		session_message(
			s, MSG_ERR, false,
			"nothing is recorded for more than a day, until %llu.%09llu s: ticks "
			"before that are left out",
			(unsigned long long)(to_ns / 1000000000),
			(unsigned long long)(to_ns % 1000000000));
	m->has_leapt = true;
}

bool session_replay(struct session *s, uint64_t limit_ns, unsigned max)
{
	const struct merge *m = s->engine->merge;
	uint64_t t = m ? 0 : UINT64_MAX;

	for (unsigned i = 0, left = 1;
	     i < max && t < limit_ns && s->state == SESSION_ACTIVE && !session_awaits_front(s);
	     i++, left = 1)
		t = fire_oldest(s, limit_ns - 1, &left);
	if (t == UINT64_MAX)
		return false;
	if (t >= limit_ns) { /* a timer is next */
		session_set_clock(s, limit_ns);
		leap(s, limit_ns, t);
	}
	return true;
}

uint64_t session_run_sources(struct session *s)
{
	struct merge *m = s->engine->merge;
	uint64_t now, limit_ns, t;

	if (!m)
		return UINT64_MAX;
	now = session_now(s);
	if (now - m->begun_ns >= ROUND_GAP_NS) {
		m->round_ns = m->clock_ns;
		m->clock_ns = clocks(m, now);
		m->begun_ns = now;
	}
	gather(m);
	limit_ns = MIN(m->round_ns, complete(m));
	for (unsigned left = CLOCK_EVERY; (t = fire_oldest(s, limit_ns, &left)) <= limit_ns;)
		if (!left) {
			left = CLOCK_EVERY;
			if (session_now(s) - now > SLICE_NS)
				return now;
		}
	if (choose_gap(m, now) && t != UINT64_MAX)
		return m->begun_ns + ROUND_GAP_NS;
	return now + m->gap_ns;
}

void session_flush_sources(struct session *s)
{
	struct merge *m = s->engine->merge;

	if (!m)
		return;
	gather(m);
	/* as much as there was when we looked: it may be much, and comes to an end */
	for (unsigned left = CLOCK_EVERY; fire_oldest(s, UINT64_MAX - 1, &left) != UINT64_MAX;)
		if (!left) {
			left = CLOCK_EVERY;
			pulse();
			look_at_clock(s);
		}
}

void session_drain_sources(struct session *s)
{
	const struct timespec wait = {.tv_nsec = WAIT_NS};
	const struct merge *m = s->engine->merge;

	if (!m)
		return;
	session_flush_sources(s);
	while (s->state == SESSION_ACTIVE && complete(m) != UINT64_MAX) {
		pulse();
		nanosleep(&wait, NULL);
		session_flush_sources(s);
	}
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].source->give_up)
			m->v[i].source->give_up(m->v[i].arg);
	session_flush_sources(s);
}
