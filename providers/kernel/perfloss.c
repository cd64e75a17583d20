/* perfloss.c: what nobody has told of yet when all events have been stopped and read. */
#include <unistd.h>

#include "providers/kernel/perfidle.h"

bool perf_read_event(int fd, uint64_t format, unsigned at_member, struct perf_reading *r)
{
	uint64_t words[3 + 2 * PERF_MEMBERS_MAX] = {0}, *at = words;
	bool is_group = format & PERF_FORMAT_GROUP,
	     has_times = format & PERF_FORMAT_TOTAL_TIME_ENABLED;

	*r = (struct perf_reading){0};
	if (fd < 0 || read(fd, words, sizeof(words)) < (ssize_t)sizeof(words[0]))
		return false;
	if (is_group)
		at++;
	else
		r->value = *at++;
	if (has_times) {
		r->enabled_ns = *at++;
		r->running_ns = *at++;
	}
	if (is_group) {
		at += (size_t)at_member * (1 + !!(format & PERF_FORMAT_LOST));
		r->value = *at++;
	}
	r->lost = *at;
	return format & PERF_FORMAT_LOST;
}

/* What was lost after the last record that found room. A record of losses is of the event that has
 * found room, and of all in the ring that have not. */
static void count_last_drops(struct perf *p)
{
	struct perf_reading r;
	uint64_t lost = 0;

	for (unsigned i = 0; i < p->ncpus; i++)
		if (perf_read_event(p->cpus[i].leader, p->cpus[i].read_format, 0, &r))
			lost += r.lost;
	for (const struct kevent *e = p->events; e; e = e->next)
		for (unsigned i = 0; i < e->nfds && !e->is_counter; i++)
			if (perf_read_event(e->fds[i], e->layout.read_format, e->group_at, &r))
				lost += r.lost;
	lost = (lost > p->nlost ? lost - p->nlost : 0) + perf_idle_lost(p);
	if (lost && p->world->log)
		perfwrite_lost(p->world->log, lost, session_now(p->world->session));
	if (lost)
		perf_lost(p, 0, lost, session_now(p->world->session));
}

/* Does it count as many as it should have recorded? Those of single threads leave none out. */
static bool is_comparable(const struct perf *p, const struct kevent *e)
{
	bool is_everywhere = e->want.scope == PERF_SYSTEM || !p->world->nprocs;

	return e->want.type == PERF_TYPE_TRACEPOINT && is_everywhere && p->is_system &&
	       !e->is_counter && !(e->want.flags & PERF_WEIGHTED);
}

/* What the kernel has counted more than it has recorded or told to be lost. */
static uint64_t unrecorded(const struct kevent *e)
{
	uint64_t counted = 0, told = e->nread;
	struct perf_reading r;

	for (unsigned i = 0; i < e->nfds; i++) {
		if (!perf_read_event(e->fds[i], e->layout.read_format, e->group_at, &r))
			return 0;
		counted += r.value;
		told += r.lost;
	}
	return counted - MIN(counted, told);
}

void perf_count_losses(struct perf *p)
{
	struct session *s = p->world->session;
	uint64_t n = 0;

	count_last_drops(p);
	for (const struct kevent *e = p->events; e; e = e->next)
		if (is_comparable(p, e))
			n += unrecorded(e);
	atomic_fetch_add_explicit(&s->drops[p->idle_output ? DROP_HIDDEN : DROP_UNRECORDED], n,
				  memory_order_relaxed);
}
