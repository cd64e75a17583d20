#include "base/clock.h"
#include "command/recording/progress.h"

#include <unistd.h>

#include "base/hash.h"

#define PATIENCE_NS 300000000U /* what is over sooner needs no line */
#define READING_NS  500000000U /* the same of a recording */
#define EVERY_NS    200000000U
#define MANY	    500 /* probes: then the line at the end says how long they took */

void progress_init(struct progress *p, struct session *s)
{
	*p = (struct progress){.is_wanted =
				       isatty(STDERR_FILENO) && !opt_on(&s->options, OPT_QUIET),
			       .since_ns = now_mono()};
}

static void count_enabled(struct session *s, unsigned *nprobes, unsigned *nfunctions)
{
	struct hash probes, functions;
	uint32_t necbs = s->necbs;

	hash_init(&probes);
	hash_init(&functions);
	for (uint32_t epid = 1; epid <= necbs; epid++) {
		const struct ecb *e = session_ecb(s, epid);
		struct probe *p = e ? e->probe : NULL;

		if (!p || p == s->error_probe)
			continue;
		hash_put(&probes, p->id, p);
		hash_put(&functions, hash_u64((uintptr_t)p->func) ^ (uintptr_t)p->mod, p);
	}
	*nprobes = (unsigned)probes.n;
	*nfunctions = (unsigned)functions.n;
	hash_release(&probes);
	hash_release(&functions);
}

static void tell_end(struct progress *p, struct session *s)
{
	double seconds = (double)(now_mono() - p->since_ns) / 1e9;
	unsigned nprobes, nfunctions;

	p->is_told = true;
	if (s->necbs < MANY)
		return;
	count_enabled(s, &nprobes, &nfunctions);
	fprintf(stderr, "%s: %u probes on %u functions in %.2f s\n", s->progname, nprobes,
		nfunctions, seconds);
}

uint64_t progress_read(struct progress *p, const char *progname, uint64_t bytes, uint64_t of)
{
	const uint64_t now = now_mono();
	int n;

	if (!p->is_wanted)
		return UINT64_MAX;
	if (now < p->since_ns + READING_NS)
		return p->since_ns + READING_NS;
	progress_clear(p);
	n = of ? fprintf(stderr, "%s: reading the recording, %u %% so far ...", progname,
			 (unsigned)(100.0 * (double)MIN(bytes, of) / (double)of))
	       : fprintf(stderr, "%s: reading the recording, %.1f MB so far ...", progname,
			 (double)bytes / 1e6);
	fflush(stderr);
	p->shown = n > 0 ? (unsigned)n : 0;
	return now + EVERY_NS;
}

uint64_t progress_show(struct progress *p, struct session *s)
{
	const uint64_t now = now_mono(), bytes = s->read_bytes;
	int n;

	if (p->is_wanted && !p->is_told && s->state >= SESSION_ACTIVE && !s->fatal)
		tell_end(p, s);
	if (bytes)
		return progress_read(p, s->progname, bytes - 1, s->read_of);
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
