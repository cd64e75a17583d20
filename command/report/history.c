#include "command/report/history.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "command/report/report_priv.h"

static uint64_t size_limit(const struct options *o)
{
	int64_t size = opt(o, OPT_REPORTSIZE);

	return size > 0 ? (uint64_t)size : 0;
}

/* Not more often than aggregations are read. */
static uint64_t rate_ns(const struct options *o)
{
	return (uint64_t)MAX(MAX(opt(o, OPT_REPORTRATE), opt(o, OPT_AGGRATE)), 0);
}

struct report_history *report_history_new(const struct session *s)
{
	unsigned needs = report_needs(&s->options);
	struct report_history *h;

	if (!needs)
		return NULL;
	h = xcalloc(1, sizeof(*h));
	intervals_init(&h->intervals, size_limit(&s->options), rate_ns(&s->options) / 2);
	timeline_init(&h->timeline, s, size_limit(&s->options));
	if (needs & REPORT_LAST)
		h->last = last_records_new(size_limit(&s->options));
	h->session = s;
	h->has_records = needs & REPORT_RECORDS;
	h->clocks.realtime_ns = clock_ns(CLOCK_REALTIME);
	h->clocks.monotonic_ns = now_mono();
	h->clocks.boottime_ns = clock_ns(CLOCK_BOOTTIME);
	h->began_ns = h->run_ns = session_now(s);
	h->due_ns = now_mono() + rate_ns(&s->options);
	return h;
}

void report_history_free(struct report_history *h)
{
	if (!h)
		return;
	intervals_release(&h->intervals);
	timeline_release(&h->timeline);
	last_records_free(h->last);
	free(h);
}

bool report_history_has_records(const struct report_history *h)
{
	return h->has_records || h->last;
}

void report_history_record(void *arg, const struct printer *pr, const struct rec_head *head,
			   const struct ecb *ecb, const char *data)
{
	struct report_history *h = arg;

	if (h->has_records)
		timeline_add(&h->timeline, pr, head, ecb, data);
	if (h->last)
		last_records_add(h->last, pr, head, ecb, data);
}

bool report_history_is_due(const struct report_history *h)
{
	return now_mono() >= h->due_ns;
}

void report_history_interval(struct report_history *h, struct aggstore *aggs)
{
	uint64_t now = session_now(h->session), ndrops = session_drops(h->session);

	timeline_renew_names(&h->timeline);
	intervals_add(&h->intervals, aggs, h->began_ns, now, ndrops - h->ndrops);
	h->began_ns = now;
	h->ndrops = ndrops;
	h->due_ns = now_mono() + rate_ns(&h->session->options);
}

void report_history_end(struct report_history *h)
{
	intervals_end(&h->intervals);
	timeline_finish(&h->timeline);
}
