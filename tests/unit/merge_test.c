/* Late events of several sources, in the order of time. */
#include <errno.h>

#include "base/endreq.h"
#include "dlang/session_priv.h"

#include "tests/unit/test.h"

/* session_now() of session.c is replaced: the test says what time it is. */
static uint64_t now;
uint64_t session_now(const struct session *s UNUSED)
{
	return now;
}

#define MS 1000000ULL

static uint64_t fired[64];
static unsigned nfired;
static struct session *session;

struct fake {
	uint64_t times[64];
	unsigned n, gathered, next; /* of times: there are, have been taken in, have been fired */
	unsigned visible;	    /* what a gather finds */
	bool tells;		    /* of what has happened: no event */
};

static void gather(void *arg)
{
	struct fake *f = arg;

	f->gathered = f->visible;
}

static uint64_t peek(void *arg)
{
	const struct fake *f = arg;

	return f->next < f->gathered ? f->times[f->next] : UINT64_MAX;
}

static void fire(void *arg)
{
	struct fake *f = arg;

	if (!f->tells)
		merge_until(session, f->times[f->next]); /* as event_fire */
	fired[nfired++] = f->times[f->next++];
}

static uint64_t complete_ns = UINT64_MAX;
static uint64_t complete(void *arg UNUSED)
{
	return complete_ns;
}

static const struct event_source ops = {
	.gather = gather, .peek = peek, .fire = fire, .complete = complete};

static struct session_engine *fresh_engine(void)
{
	static struct session_engine engine;

	engine = (struct session_engine){0};
	return &engine;
}

static void begin(struct session *s, struct fake *a, struct fake *b)
{
	*s = (struct session){.engine = fresh_engine()};
	session = s;
	nfired = 0;
	a->visible = a->n;
	b->visible = b->n;
	session_add_source(s, &ops, a);
	session_add_source(s, &ops, b);
}

TEST(an_event_fires_in_the_round_after_it_was_seen)
{
	struct fake a = {.times = {10, 30}, .n = 2}, b = {.times = {20, 40}, .n = 2};
	struct session s;

	begin(&s, &a, &b);
	now = 100 * MS;
	CHECK(session_run_sources(&s) > now); /* nobody knows yet whether something older comes */
	CHECK_EQ(nfired, 0);
	now = 200 * MS;
	session_run_sources(&s);
	CHECK_EQ(nfired, 4);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(fired[i], 10 * (i + 1));
	CHECK_EQ(session_late_events(&s), 0);
}

TEST(what_is_younger_than_the_round_waits)
{
	struct fake a = {.times = {10, 150 * MS}, .n = 2}, b = {.n = 0};
	struct session s;

	begin(&s, &a, &b);
	now = 100 * MS;
	session_run_sources(&s);
	now = 200 * MS;
	session_run_sources(&s);
	CHECK_EQ(nfired, 1);
	now = 300 * MS;
	session_run_sources(&s);
	CHECK_EQ(nfired, 2);
}

TEST(a_round_that_is_too_short_is_none)
{
	struct fake a = {.times = {10, 100 * MS + 10}, .n = 2}, b = {.n = 0};
	struct session s;

	begin(&s, &a, &b);
	now = 100 * MS;
	session_run_sources(&s);
	now += MS / 10;
	session_run_sources(&s);
	now += MS / 10;
	session_run_sources(&s);
	CHECK_EQ(nfired, 0);
	now += 2 * MS;
	session_run_sources(&s);
	CHECK_EQ(nfired, 1);
}

TEST(what_one_source_still_waits_for_holds_the_others_back)
{
	struct fake a = {.times = {10, 30}, .n = 2}, b = {.n = 0};
	struct session s;

	begin(&s, &a, &b);
	complete_ns = 20;
	now = 100 * MS;
	session_run_sources(&s);
	now = 200 * MS;
	session_run_sources(&s);
	CHECK_EQ(nfired, 1);
	complete_ns = UINT64_MAX;
	session_run_sources(&s);
	CHECK_EQ(nfired, 2);
}

TEST(an_event_that_fires_at_once_has_all_older_ones_before_it)
{
	struct fake a = {.times = {10, 50}, .n = 2}, b = {.times = {20}, .n = 1};
	struct session s;

	begin(&s, &a, &b);
	merge_until(&s, 30);
	CHECK_EQ(nfired, 2);
	CHECK_EQ(fired[1], 20);
	session_flush_sources(&s);
	CHECK_EQ(nfired, 3);
}

/* Something older comes later: how many late events that makes. */
static uint64_t late(bool tells)
{
	struct fake a = {.times = {50}, .n = 1}, b = {.times = {20}, .n = 1, .tells = tells};
	struct session s;

	begin(&s, &a, &b);
	b.visible = 0;
	session_flush_sources(&s);
	b.visible = 1;
	session_flush_sources(&s);
	CHECK_EQ(nfired, 2);
	return session_late_events(&s);
}

TEST(an_older_event_that_comes_later_is_counted)
{
	CHECK_EQ(late(false), 1);
}

/* A source has other records than events, whose place among them nobody sees. */
TEST(what_is_no_event_is_not_counted)
{
	CHECK_EQ(late(true), 0);
}

/* As many as it may, at least one. */
static unsigned ntimes, nleft[64];
static uint64_t fire_some(void *arg, uint64_t limit_ns, unsigned *left)
{
	const struct fake *f = arg;

	nleft[ntimes++] = *left;
	do {
		fire(arg);
		--*left;
	} while (*left && peek(arg) <= limit_ns && session->state == SESSION_ACTIVE);
	return f->times[f->next - 1];
}

static const struct event_source of_many = {
	.gather = gather, .peek = peek, .fire = fire, .fire_some = fire_some};

/* Two sources that both may fire several at a time. */
static void begin_many(struct session *s, struct fake *a, struct fake *b)
{
	*s = (struct session){.engine = fresh_engine(), .state = SESSION_ACTIVE};
	session = s;
	nfired = ntimes = 0;
	a->visible = a->n;
	b->visible = b->n;
	session_add_source(s, &of_many, a);
	session_add_source(s, &of_many, b);
}

TEST(several_that_follow_each_other_fire_at_once_up_to_the_next_of_another_source)
{
	struct fake a = {.times = {10, 20, 30, 60}, .n = 4}, b = {.times = {30, 40, 70}, .n = 3};
	const uint64_t order[] = {10, 20, 30, 30, 40, 60, 70};
	struct session s;

	begin_many(&s, &a, &b);
	session_flush_sources(&s);
	CHECK_EQ(nfired, 7);
	for (unsigned i = 0; i < nfired; i++)
		CHECK_EQ(fired[i], order[i]);
	CHECK(ntimes < nfired);
	CHECK_EQ(session_late_events(&s), 0);
}

TEST(several_that_fire_at_once_are_not_younger_than_what_they_are_fired_for)
{
	struct fake a = {.times = {10, 20, 30}, .n = 3}, b = {.n = 0};
	struct session s;

	begin_many(&s, &a, &b);
	merge_until(&s, 30);
	CHECK_EQ(nfired, 2);
	CHECK_EQ(ntimes, 1);
}

/* Between so many the engine looks at the clock. */
TEST(no_more_than_sixteen_fire_at_once)
{
	struct fake a = {.n = 40}, b = {.n = 0};
	struct session s;

	for (unsigned i = 0; i < a.n; i++)
		a.times[i] = 10 + i;
	begin_many(&s, &a, &b);
	session_flush_sources(&s);
	CHECK_EQ(nfired, 40);
	CHECK_EQ(ntimes, 3);
	for (unsigned i = 0; i < ntimes; i++)
		CHECK_EQ(nleft[i], 16);
}

TEST(an_older_event_of_many_is_counted_once)
{
	struct fake a = {.times = {50}, .n = 1}, b = {.times = {20, 60}, .n = 2};
	struct session s;

	begin_many(&s, &a, &b);
	b.visible = 0;
	session_flush_sources(&s);
	b.visible = 2;
	session_flush_sources(&s);
	CHECK_EQ(nfired, 3);
	CHECK_EQ(session_late_events(&s), 1);
}

static unsigned ndropped, nlost;
static void drop(void *arg, bool is_lost)
{
	((struct fake *)arg)->next++;
	ndropped++;
	nlost += is_lost;
}

/* Time passes while events fire. */
static void fire_slowly(void *arg)
{
	fire(arg);
	now += 100 * MS;
}

static bool asked(void *arg)
{
	return *(bool *)arg;
}

/* Of 64 events that take 100 ms each. */
static unsigned fired_at_end(const struct event_source *source, bool is_asked)
{
	struct fake f = {.n = 64, .visible = 64};
	struct session s = {.engine = fresh_engine()};

	for (unsigned i = 0; i < f.n; i++)
		f.times[i] = i + 1;
	session = &s;
	nfired = ndropped = 0;
	endreq_set(asked, &is_asked);
	session_add_source(&s, source, &f);
	session_flush_sources(&s);
	endreq_set(NULL, NULL);
	CHECK_EQ(nfired + ndropped, f.n);
	return nfired;
}

TEST(when_the_end_is_asked_for_the_rest_is_dropped)
{
	static const struct event_source slow = {
		.gather = gather, .peek = peek, .fire = fire_slowly, .drop = drop};
	static const struct event_source kept = {
		.gather = gather, .peek = peek, .fire = fire_slowly};
	unsigned n = fired_at_end(&slow, true);

	CHECK(n > 0 && n < 64);
	CHECK_EQ(fired_at_end(&slow, false), 64);
	CHECK_EQ(fired_at_end(&kept, true), 64); /* it cannot drop */
}

/* After the end nothing fires any more. */
TEST(what_comes_after_the_end_is_dropped_at_once)
{
	static const struct event_source source = {
		.gather = gather, .peek = peek, .fire = fire, .drop = drop};
	struct fake a = {.times = {10, 20}, .n = 2, .visible = 2};
	struct session s = {.engine = fresh_engine(), .state = SESSION_DRAINING};

	nfired = ndropped = nlost = 0;
	session_add_source(&s, &source, &a);
	session_flush_sources(&s);
	CHECK_EQ(nfired, 0);
	CHECK_EQ(ndropped, 2);
	CHECK_EQ(nlost, 0);
}

/* exit() in a timer: what its source could not offer before. */
TEST(what_happened_before_the_exit_and_is_dropped_is_lost)
{
	static const struct event_source source = {
		.gather = gather, .peek = peek, .fire = fire, .drop = drop};
	struct fake a = {.times = {10, 20}, .n = 2, .visible = 2};
	struct session s = {.engine = fresh_engine(), .state = SESSION_DRAINING};

	s.engine->exit_ns = 15;
	nfired = ndropped = nlost = 0;
	session_add_source(&s, &source, &a);
	session_flush_sources(&s);
	CHECK_EQ(ndropped, 2);
	CHECK_EQ(nlost, 1);
}

/* ---- the end, while something is being written ---- */

/* As many looks as it takes; 0: it never comes. */
static unsigned nlooks, whole_at;

static void gather_whole(void *arg)
{
	struct fake *f = arg;

	if (++nlooks == whole_at)
		f->visible = f->n;
	gather(arg);
}

static uint64_t complete_until(void *arg UNUSED)
{
	return nlooks < (whole_at ? whole_at : 5) ? 0 : UINT64_MAX;
}

static unsigned ngiven_up;
static void give_up(void *arg)
{
	struct fake *f = arg;

	ngiven_up += f->visible < f->n;
	f->visible = f->n;
}

/* Of three events the first is whole at once. */
static void drain(unsigned is_whole_at)
{
	static const struct event_source source = {.gather = gather_whole,
						   .peek = peek,
						   .fire = fire,
						   .complete = complete_until,
						   .give_up = give_up};
	struct fake f = {.times = {10, 20, 30}, .n = 3, .visible = 1};
	struct session s = {.engine = fresh_engine(), .state = SESSION_ACTIVE};

	session = &s;
	nfired = nlooks = ngiven_up = 0;
	whole_at = is_whole_at;
	session_add_source(&s, &source, &f);
	session_drain_sources(&s);
}

TEST(what_is_being_written_at_the_end_is_waited_for)
{
	drain(3);
	CHECK_EQ(nfired, 3);
	CHECK_EQ(ngiven_up, 0);
}

TEST(what_is_behind_a_record_that_never_comes_is_not_forgotten)
{
	drain(0);
	CHECK_EQ(nfired, 3);
	CHECK_EQ(ngiven_up, 1);
}

/* ---- a clock of its own; start, stop, free ---- */

static uint64_t its_now;
static uint64_t its_clock(void *arg UNUSED)
{
	return its_now;
}

static void count_snapshot(void *arg)
{
	++*(unsigned *)arg;
}

TEST(sources_that_count_hand_over_at_a_snapshot)
{
	static const struct event_source counting = {
		.gather = gather, .peek = peek, .fire = fire, .snapshot = count_snapshot};
	struct fake a = {.n = 0};
	struct session s = {.engine = fresh_engine()};
	unsigned first = 0, second = 0;

	session_add_source(&s, &counting, &first);
	session_add_source(&s, &ops, &a);
	session_add_source(&s, &counting, &second);
	session_snapshot_sources(&s);
	CHECK_EQ(first, 1);
	CHECK_EQ(second, 1);
	session_snapshot_sources(&s);
	CHECK_EQ(first + second, 4);
	session_free_sources(&s);
}

TEST(events_wait_for_the_clock_that_is_behind)
{
	static const struct event_source recorded = {
		.gather = gather, .peek = peek, .fire = fire, .now = its_clock};
	struct fake a = {.times = {10 * MS, 30 * MS}, .n = 2, .visible = 2},
		    b = {.times = {20 * MS}, .n = 1, .visible = 1};
	struct session s = {.engine = fresh_engine(), .state = SESSION_ACTIVE};

	session = &s;
	nfired = 0;
	session_add_source(&s, &recorded, &a);
	session_add_source(&s, &ops, &b);
	its_now = 15 * MS;
	for (now = 100 * MS; now < 200 * MS; now += 10 * MS)
		session_run_sources(&s);
	CHECK_EQ(nfired, 1);
	CHECK_EQ(fired[0], 10 * MS);
	its_now = 40 * MS;
	for (; now < 300 * MS; now += 10 * MS)
		session_run_sources(&s);
	CHECK_EQ(nfired, 3);
	CHECK_EQ(fired[1], 20 * MS);
	CHECK_EQ(fired[2], 30 * MS);
	session_free_sources(&s);
}

static char steps[32];

static void step(char what, const void *arg)
{
	size_t n = strlen(steps);

	steps[n] = what;
	steps[n + 1] = *(const char *)arg;
}

static int start(void *arg, struct err *err)
{
	step('+', arg);
	return *(const char *)arg == 'x' ? err_set(err, -EPERM, "refused") : 0;
}

static void stop(void *arg)
{
	step('-', arg);
}

static void give_back(void *arg)
{
	step('~', arg);
}

static const struct event_source lives = {.gather = gather,
					  .peek = peek,
					  .fire = fire,
					  .start = start,
					  .stop = stop,
					  .free = give_back};

TEST(sources_start_in_their_order_and_are_stopped_and_freed_in_the_other)
{
	struct session s = {.engine = fresh_engine()};
	struct fake without = {.n = 0};
	char a[] = "a", b[] = "b";
	struct err err;

	memset(steps, 0, sizeof(steps));
	CHECK_EQ(session_start_sources(&s, &err), 0); /* there are none */
	session_stop_sources(&s);
	session_add_source(&s, &lives, a);
	session_add_source(&s, &ops, &without);
	session_add_source(&s, &lives, b);
	CHECK_EQ(session_start_sources(&s, &err), 0);
	session_stop_sources(&s);
	session_free_sources(&s);
	session_free_sources(&s); /* there are none any more */
	CHECK_STR(steps, "+a+b-b-a~b~a");
}

TEST(what_refuses_to_start_keeps_the_next_from_it)
{
	struct session s = {.engine = fresh_engine()};
	char a[] = "a", x[] = "x", b[] = "b";
	struct err err;

	memset(steps, 0, sizeof(steps));
	session_add_source(&s, &lives, a);
	session_add_source(&s, &lives, x);
	session_add_source(&s, &lives, b);
	CHECK_EQ(session_start_sources(&s, &err), -EPERM);
	CHECK_STR(err.text, "refused");
	CHECK_STR(steps, "+a+x");
	session_free_sources(&s);
}

TEST_MAIN();
