#include "inject/tscline.h"

#include <stdlib.h>
#include <time.h>

#include "base/err.h"

#define TRIES	     3
#define SHORTEST_FIT 200000U /* ticks between two moments: a slope of less is noise */
#define FIRST_FIT_NS 2000000U

static uint64_t read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

static uint64_t read_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/* The clock between two readings of the counter, as close as can be had. */
static void read_both(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = read_tsc(), now = read_ns(), after = read_tsc();

		if (after - before >= best)
			continue;
		best = after - before;
		*tsc = before + best / 2;
		*ns = now;
	}
}

static uint64_t slope(uint64_t ticks, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

void tscline_start(struct tscline *l)
{
	uint64_t until;

	read_both(&l->old_tsc, &l->old_ns);
	until = l->old_ns + FIRST_FIT_NS;
	do
		read_both(&l->tsc, &l->ns);
	while (l->ns < until);
	l->mult = slope(l->tsc - l->old_tsc, l->ns - l->old_ns);
}

uint64_t tscline_fit(struct tscline *l)
{
	uint64_t tsc, ns;

	read_both(&tsc, &ns);
	if (tsc <= l->tsc + SHORTEST_FIT || ns <= l->ns)
		return ns;
	l->mult = slope(tsc - l->tsc, ns - l->ns);
	l->old_tsc = l->tsc;
	l->old_ns = l->ns;
	l->tsc = tsc;
	l->ns = ns;
	return ns;
}

uint64_t tscline_ns(const struct tscline *l, uint64_t tsc)
{
	uint64_t back = l->tsc - tsc;

	if (tsc >= l->tsc)
		return l->ns + (uint64_t)((unsigned __int128)(tsc - l->tsc) * l->mult >> 32);
	back = (uint64_t)((unsigned __int128)back * l->mult >> 32);
	return back < l->ns ? l->ns - back : 0;
}

const char *tscline_unusable(void)
{
	static const char flags[] = "flags";
	bool constant = false, nonstop = false;
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		if (!strncmp(line, flags, sizeof(flags) - 1)) {
			constant = strstr(line, " constant_tsc") != NULL;
			nonstop = strstr(line, " nonstop_tsc") != NULL;
			break;
		}
	free(line);
	if (f)
		fclose(f);
	return constant && nonstop ? NULL : "the processor's time stamp counter is not steady";
}
