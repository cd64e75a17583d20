/*
 * engineloop.c: waits for stops, timers and sources, whichever comes first, until the run is to
 * end.
 */
#include <time.h>

#include "base/clock.h"
#include "base/pulse.h"
#include "command/engine_priv.h"
#include "providers/perfdata/perfdata.h"
#include "providers/pid/pid.h"

/* The same for the timer's own signal, which then comes again. */
#define TIMER_REPEAT_NS 2000000U
/* Of a file: so many events between two looks at what else there is to do, and how long the front
 * is waited for. */
#define REPLAY_SLICE  64
#define FRONT_WAIT_NS 100000
/* Waits up to this long may be repeated by the timer itself. */
#define MAX_PERIOD_NS 30000000U

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000U), (long)(ns % 1000000000U)};
}

static void wait_for_signal(uint64_t ns)
{
	const struct timespec ts = to_timespec(ns);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, ENGINE_SIGNAL);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &ts);
}

/* When the timer's signal comes next; 0: it has to be set. */
static uint64_t next_alarm(const struct engine *e, uint64_t now)
{
	if (e->armed_ns > now || !e->period_ns)
		return e->armed_ns > now ? e->armed_ns : 0;
	return e->armed_ns + ((now - e->armed_ns) / e->period_ns + 1) * e->period_ns;
}

/*
 * waitpid() knows no timeout: a signal ends it. A wait of a length that is asked for again and
 * again, because nothing happens, does not set the timer each time.
 */
static void arm_timer(struct engine *e, uint64_t now, uint64_t deadline_ns)
{
	const uint64_t ns = deadline_ns - now, next = next_alarm(e, now);
	const bool is_steady = ns >= TIMER_REPEAT_NS && ns <= MAX_PERIOD_NS;
	const struct itimerspec it = {.it_value = to_timespec(deadline_ns),
				      .it_interval = to_timespec(is_steady ? ns : TIMER_REPEAT_NS)};

	if (next && next <= deadline_ns && (e->armed_ns > now || deadline_ns - next < ns / 4))
		return;
	timer_settime(e->timer, TIMER_ABSTIME, &it, NULL);
	e->armed_ns = deadline_ns;
	e->period_ns = is_steady ? ns : 0;
}

static void wait_for_something(struct engine *e, uint64_t deadline_ns)
{
	uint64_t now = session_now(e->s);

	deadline_ns = MIN(deadline_ns, now + ENGINE_WAIT_NS);
	if (e->world.tracer && tracer_nprocs(e->world.tracer) > 0) {
		if (deadline_ns <= now) { /* a source has more: stops have their turn */
			tracer_poll(e->world.tracer);
			return;
		}
		arm_timer(e, now, deadline_ns);
		tracer_wait(e->world.tracer, deadline_ns);
	} else if (deadline_ns > now) {
		wait_for_signal(deadline_ns - now);
	}
}

/* Its end is a signal, too, which ends a wait; one system call for each wait is one too many. */
static bool looks_for_front(struct engine *e)
{
	const uint64_t now = session_now(e->s);

	if (now < e->looks_ns)
		return false;
	e->looks_ns = now + ENGINE_WAIT_NS;
	return true;
}

/* Tables of a tick hold what there was until then: the front reads them before more comes. */
static void await_front(struct engine *e)
{
	const struct timespec ts = {.tv_nsec = FRONT_WAIT_NS};
	struct session *s = e->s;

	while (session_awaits_front(s) && !s->stop_request && !engine_front_is_gone(e)) {
		pulse();
		session_swap_aggs(s);
		s->read_now = 1;
		session_wake(s);
		nanosleep(&ts, NULL);
	}
}

static void tell_reading(struct engine *e)
{
	uint64_t of;
	const uint64_t bytes = perfdata_nread(e->world.recording, &of);

	stage_reach(bytes, of, NULL);
}

static void replay(struct engine *e)
{
	struct session *s = e->s;
	uint64_t looks_ns = 0;

	while (s->state == SESSION_ACTIVE && !s->stop_request) {
		const uint64_t limit_ns = session_run_timers(s), now = now_mono();

		pulse();
		if (!session_replay(s, limit_ns, REPLAY_SLICE))
			return;
		session_swap_aggs(s);
		await_front(e);
		session_await_room(s); /* the file waits */
		if (now < looks_ns)
			continue;
		looks_ns = now + ENGINE_WAIT_NS;
		tell_reading(e);
		if (engine_front_is_gone(e)) {
			e->is_orphan = true;
			return;
		}
	}
}

void engine_replay(struct engine *e)
{
	stage_begin(STAGE_READING, 0);
	tell_reading(e);
	session_wake(e->s);
	replay(e);
	tell_reading(e);
	stage_end();
}

void engine_loop(struct engine *e)
{
	struct session *s = e->s;
	struct world *w = &e->world;
	uint64_t deadline_ns;

	while (s->state == SESSION_ACTIVE && !s->stop_request) {
		pulse();
		engine_reap_untraced(e);
		if (w->nawaited > 0 && w->nlive == 0)
			return;
		deadline_ns = MIN(session_run_timers(s), pid_proc_ops.poll(w));
		deadline_ns = MIN(deadline_ns, session_run_sources(s));
		session_swap_aggs(s);
		engine_dump_log(e);
		if (s->state != SESSION_ACTIVE || engine_log_is_over(e))
			return;
		wait_for_something(e, deadline_ns);
		if (looks_for_front(e) && engine_front_is_gone(e)) {
			e->is_orphan = true;
			return;
		}
	}
}
