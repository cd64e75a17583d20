#include "command/recording/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/strbuf.h"

#define PATIENCE_NS 500000000U /* what is over sooner needs no line */
#define DRAWN_NS    200000000U
#define LISTED_NS   1000000000U
#define MANY	    500 /* probes: then the line at the end says how long they took */
#define MB	    1e6

static const struct stage_text {
	const char *word, *text;
	bool is_bytes;
	bool is_setup; /* one of those that come before tracing: patience is theirs together */
} texts[NSTAGES] = {
	[STAGE_SYMBOLS] = {"symbols", "reading symbols", false, true},
	[STAGE_PROBES] = {"probes", "making probes", false, true},
	[STAGE_ARMING] = {"arming", "arming probes", false, true},
	[STAGE_TAKING_OUT] = {"removing", "taking breakpoints out", false, false},
	[STAGE_READING] = {"reading", "reading the recording", true, false},
	[STAGE_WRITING] = {"writing", "writing reports", false, false},
};

void progress_init(struct progress *p, struct session *s, const struct stages *stages)
{
	*p = (struct progress){
		.session = s,
		.stages = stages,
		.is_drawn = isatty(STDERR_FILENO) && !opt_on(&s->options, OPT_QUIET) &&
			    !opt_on(&s->options, OPT_PROGRESS),
		.is_listed = opt_on(&s->options, OPT_PROGRESS),
		.since_ns = now_mono(),
	};
}

/* ---- how many there are ---- */

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

static void tell_end(struct progress *p)
{
	struct session *s = p->session;
	double seconds = (double)(now_mono() - p->since_ns) / 1e9;
	unsigned nprobes, nfunctions;

	p->is_told = true;
	progress_end(p);
	if (!p->is_drawn || s->necbs < MANY)
		return;
	count_enabled(s, &nprobes, &nfunctions);
	fprintf(stderr, "%s: %u probes on %u functions in %.2f s\n", s->progname, nprobes,
		nfunctions, seconds);
}

/* ---- one stage ---- */

struct reached {
	enum stage_id which;
	uint64_t since_ns, done, of;
	const char *of_what;
};

/* done never is above of: the other half may be between the two. */
static struct reached look(const struct progress *p, enum stage_id which)
{
	const struct stage_count *c = &p->stages->counts[which];
	struct reached r = {which, c->since_ns, c->done, c->of, c->of_what};

	if (r.of)
		r.done = MIN(r.done, r.of);
	return r;
}

/* In seconds, as it went so far. False: that says nothing yet. */
static bool time_left(const struct reached *r, uint64_t now, uint64_t *seconds)
{
	double per_one;

	if (!r->done || r->done >= r->of || now < r->since_ns + PATIENCE_NS / 2)
		return false;
	per_one = (double)(now - r->since_ns) / (double)r->done / 1e9;
	*seconds = (uint64_t)(per_one * (double)(r->of - r->done) + 1);
	return true;
}

static void add_count(struct strbuf *out, const struct reached *r)
{
	if (texts[r->which].is_bytes && r->of)
		strbuf_addf(out, ": %.1f of %.1f MB", (double)r->done / MB, (double)r->of / MB);
	else if (texts[r->which].is_bytes)
		strbuf_addf(out, ": %.1f MB so far", (double)r->done / MB);
	else if (r->of)
		strbuf_addf(out, ": %llu of %llu", (unsigned long long)r->done,
			    (unsigned long long)r->of);
	if (r->of)
		strbuf_addf(out, ", %u %%", (unsigned)(100.0 * (double)r->done / (double)r->of));
	if (r->of_what)
		strbuf_addf(out, " (%s)", r->of_what);
}

/* ---- the line on the terminal ---- */

static void draw(struct progress *p, const struct strbuf *line)
{
	struct winsize size = {0};
	size_t n = line->len;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		n = MIN(n, (size_t)size.ws_col - 1); /* one that wraps is not wiped */
	progress_clear(p);
	fwrite(line->s, 1, n, stderr);
	fflush(stderr);
	p->shown = (unsigned)n;
}

static void draw_stage(struct progress *p, const struct reached *r, uint64_t now)
{
	struct strbuf line;
	uint64_t seconds;

	strbuf_init(&line);
	strbuf_addf(&line, "%s: ", p->session->progname);
	if (r->which == STAGE_NONE) {
		strbuf_addf(&line, "preparing, %u probes so far", p->session->nprobes);
	} else {
		strbuf_adds(&line, texts[r->which].text);
		add_count(&line, r);
		if (time_left(r, now, &seconds))
			strbuf_addf(&line, ", about %llu s left", (unsigned long long)seconds);
	}
	strbuf_adds(&line, " ...");
	draw(p, &line);
	strbuf_release(&line);
}

static bool is_setup(const struct progress *p, enum stage_id which)
{
	return which == STAGE_NONE ? p->session->state == SESSION_SETUP : texts[which].is_setup;
}

/* Returns when to look again. */
static uint64_t show_line(struct progress *p, enum stage_id which, uint64_t now)
{
	struct reached r = look(p, which);
	uint64_t from_ns = is_setup(p, which) ? p->since_ns : r.since_ns;

	if (which == STAGE_NONE && !is_setup(p, which))
		return UINT64_MAX;
	if (now < from_ns + PATIENCE_NS)
		return from_ns + PATIENCE_NS;
	if (p->shown && now < p->next_ns)
		return p->next_ns;
	draw_stage(p, &r, now);
	p->next_ns = now + DRAWN_NS;
	return p->next_ns;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)p->shown, "");
	p->shown = 0;
}

/* ---- lines ---- */

static void print_stage(const struct progress *p, const struct reached *r, uint64_t now)
{
	struct strbuf line;
	uint64_t seconds;

	strbuf_init(&line);
	strbuf_addf(&line, "%s: progress stage=%s done=%llu", p->session->progname,
		    texts[r->which].word, (unsigned long long)r->done);
	if (r->of)
		strbuf_addf(&line, " total=%llu", (unsigned long long)r->of);
	if (time_left(r, now, &seconds))
		strbuf_addf(&line, " left=%llus", (unsigned long long)seconds);
	strbuf_addc(&line, '\n');
	fputs(line.s, stderr);
	strbuf_release(&line);
}

/* What has changed and was not said for a while, or is over. */
static void list(struct progress *p, uint64_t now, bool is_over)
{
	for (enum stage_id i = STAGE_NONE + 1; p->is_listed && i < NSTAGES; i++) {
		struct reached r = look(p, i);
		bool is_new = r.since_ns != p->listed[i].since_ns || r.done != p->listed[i].done;

		/* its beginning is news where it takes long */
		if (!r.since_ns || !is_new ||
		    (!is_over && now < MAX(p->listed[i].ns, r.done ? 0 : r.since_ns) + LISTED_NS))
			continue;
		print_stage(p, &r, now);
		p->listed[i].ns = now;
		p->listed[i].since_ns = r.since_ns;
		p->listed[i].done = r.done;
	}
}

void progress_end(struct progress *p)
{
	progress_clear(p);
	list(p, now_mono(), true);
}

void progress_answer(struct progress *p, uint64_t nrecords)
{
	const struct reached r = look(p, p->stages->now);
	const uint64_t now = now_mono();
	struct session *s = p->session;

	progress_clear(p);
	if (r.which != STAGE_NONE)
		print_stage(p, &r, now);
	else if (s->state == SESSION_SETUP)
		fprintf(stderr, "%s: progress stage=preparing probes=%u\n", s->progname,
			s->nprobes);
	else
		fprintf(stderr, "%s: progress stage=tracing seconds=%llu records=%llu drops=%llu\n",
			s->progname, (unsigned long long)((now - p->since_ns) / 1000000000U),
			(unsigned long long)nrecords, (unsigned long long)session_drops(s));
}

uint64_t progress_show(struct progress *p)
{
	const enum stage_id which = p->stages->now;
	const uint64_t now = now_mono();
	const struct session *s = p->session;

	if (!p->is_told && s->state >= SESSION_ACTIVE && !s->fatal)
		tell_end(p);
	if (p->is_listed) {
		list(p, now, false);
		return which != STAGE_NONE || s->state == SESSION_SETUP ? now + DRAWN_NS
									: UINT64_MAX;
	}
	return p->is_drawn ? show_line(p, which, now) : UINT64_MAX;
}
