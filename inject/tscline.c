#include "inject/tscline.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/procfile.h"

#define TRIES	     16
#define FIRST_FIT_NS 2000000U
#define FIT_NS	     5000000U /* between two moments */
#define BASE_NS	     1000000000U

static uint64_t read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* The clock between two readings of the counter, as close as can be had. Returns their distance. */
static uint64_t read_both(uint64_t good, struct tscmoment *m)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < TRIES && best > good + good / 4; i++) {
		uint64_t before = read_tsc(), now = now_mono(), after = read_tsc();

		if (after - before >= best)
			continue;
		best = after - before;
		m->tsc = before + best / 2;
		m->ns = now;
	}
	return best;
}

static void set_slope(struct tscline *l)
{
	uint64_t ticks = l->now.tsc - l->base.tsc, ns = l->now.ns - l->base.ns;

	l->mult = (uint64_t)(((unsigned __int128)ns << TSCLINE_BITS) / ticks);
}

void tscline_start(struct tscline *l)
{
	*l = (struct tscline){0};
	l->gap = read_both(0, &l->base);
	l->mid = l->base;
	do
		l->gap = MIN(l->gap, read_both(l->gap, &l->now));
	while (l->now.ns < l->base.ns + FIRST_FIT_NS);
	set_slope(l);
}

uint64_t tscline_fit(struct tscline *l)
{
	struct tscmoment m = l->now;
	uint64_t gap;

	if (now_mono() - l->now.ns < FIT_NS)
		return now_mono();
	gap = read_both(l->gap, &m);
	l->gap = MIN(l->gap, gap);
	if (gap > 2 * l->gap || m.tsc <= l->now.tsc)
		return m.ns;
	l->now = m;
	if (m.ns - l->mid.ns > BASE_NS) {
		l->base = l->mid;
		l->mid = m;
	}
	set_slope(l);
	return m.ns;
}

uint64_t tscline_ns(const struct tscline *l, uint64_t tsc)
{
	uint64_t back = l->now.tsc - tsc;

	if (tsc >= l->now.tsc)
		return l->now.ns +
		       (uint64_t)((unsigned __int128)(tsc - l->now.tsc) * l->mult >> TSCLINE_BITS);
	back = (uint64_t)((unsigned __int128)back * l->mult >> TSCLINE_BITS);
	return back < l->now.ns ? l->now.ns - back : 0;
}

const char *tscline_unusable(void)
{
	char text[CPUINFO_TEXT];

	slurp_start(CPUINFO_FILE, text, sizeof(text));
	return cpuinfo_has_flag(text, "constant_tsc") && cpuinfo_has_flag(text, "nonstop_tsc")
		       ? NULL
		       : "the processor's time stamp counter is not steady";
}
