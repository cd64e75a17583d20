#include "providers/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static uint64_t losses(const struct session *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++)
		n += s->buffer_drops[i] + s->agg_drops[i];
	for (unsigned i = 0; i < DROP_NKINDS; i++)
		n += s->drops[i];
	return n;
}

/* Both halves. */
static double cpu_seconds(const struct session *s)
{
	clockid_t clock;
	struct timespec ts;
	double sum = 0;

	if (clock_getcpuclockid(s->engine_pid, &clock) == 0 && clock_gettime(clock, &ts) == 0)
		sum += (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		sum += (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	return sum;
}

void summary_show(const struct session *s, const struct cmdline *cmd, uint64_t nrecords)
{
	uint64_t lost = losses(s);

	if (!isatty(STDERR_FILENO) || opt_on(&s->options, OPT_QUIET))
		return;
	fprintf(stderr,
		"%s: interrupted: %" PRIu64 " record%s, %" PRIu64
		" drop%s, %.2f s of CPU for tracing",
		s->progname, nrecords, nrecords == 1 ? "" : "s", lost, lost == 1 ? "" : "s",
		cpu_seconds(s));
	if (s->sampled)
		fprintf(stderr, "; samples by %s", s->sampled);
	for (unsigned i = 0; i < cmd->ntargets; i++) {
		const struct cmd_target *t = &cmd->targets[i];

		if (t->command)
			fprintf(stderr, "; %s is ended", t->command);
		else
			fprintf(stderr, "; pid %d %s", (int)t->pid,
				kill(t->pid, 0) == 0 || errno == EPERM ? "runs on" : "has ended");
	}
	fputc('\n', stderr);
}
