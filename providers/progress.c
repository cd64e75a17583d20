#include "providers/progress.h"

#include <unistd.h>

#define PATIENCE_NS 300000000U /* what is over sooner needs no line */
#define EVERY_NS    200000000U

void progress_init(struct progress *p, struct session *s)
{
	*p = (struct progress){.is_wanted =
				       isatty(STDERR_FILENO) && !opt_on(&s->options, OPT_QUIET),
			       .since_ns = session_now(s)};
}

uint64_t progress_show(struct progress *p, const struct session *s)
{
	uint64_t now = session_now(s);
	int n;

	if (!p->is_wanted || s->state != SESSION_SETUP)
		return UINT64_MAX;
	if (now < p->since_ns + PATIENCE_NS)
		return p->since_ns + PATIENCE_NS;
	n = fprintf(stderr, "%s: preparing, %u probes so far ...", s->progname, s->nprobes);
	fflush(stderr);
	p->shown = n > 0 ? (unsigned)n : 0;
	return now + EVERY_NS;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)p->shown, "");
	p->shown = 0;
}
