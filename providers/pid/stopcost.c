#include "providers/pid/stopcost.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/procfile.h"

/* To read what a thread has used takes longer than a tenth of a stop. */
#define SAMPLE_EVERY	   16U
#define SAMPLES_AT_FIRST   64U
#define SAMPLE_EVERY_LATER 256U
#define SAMPLE_MAX_NS	   2000000U /* what takes longer has slept for itself */
#define TRAP_MAX_NS	   20000U

/* On a CPU: schedstat (proc_pid_schedstat(5)) begins with it. */
static uint64_t cpu_time(pid_t tid)
{
	char text[64];

	return procfile_start(tid, "schedstat", text, sizeof(text)) > 0 ? strtoull(text, NULL, 10)
									: 0;
}

/* Reading takes time, too: it is none of what lies between. */
static void end_sample(struct stopcost *c, pid_t tid)
{
	uint64_t wall = now_mono() - c->from.wall_ns, cpu;

	if (c->sampled != tid || wall >= SAMPLE_MAX_NS)
		return;
	cpu = cpu_time(tid) - c->from.cpu_ns;
	if (cpu >= wall)
		return;
	c->least_cpu_ns = MIN(c->nsamples ? c->least_cpu_ns : TRAP_MAX_NS, cpu);
	c->off_ns += wall - cpu;
	c->nsamples++;
}

static bool is_time(const struct stopcost *c)
{
	return c->nstops % (c->nsamples < SAMPLES_AT_FIRST ? SAMPLE_EVERY : SAMPLE_EVERY_LATER) ==
	       0;
}

void stopcost_add(struct stopcost *c, pid_t tid)
{
	if (c->sampled)
		end_sample(c, tid);
	c->sampled = 0;
	if (is_time(c)) {
		c->sampled = tid;
		c->from.cpu_ns = cpu_time(tid);
		c->from.wall_ns = now_mono();
	}
	c->nstops++;
}

uint64_t stopcost_ns(const struct stopcost *c, uint64_t nstops)
{
	return c->nsamples ? nstops * (c->off_ns / c->nsamples + c->least_cpu_ns) : 0;
}
