#include "command/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

/* Both halves. */
static double cpu_seconds(const struct session *s, bool has_engine)
{
	clockid_t clock;
	struct timespec ts;
	struct rusage waited;
	double sum = 0;

	if (!has_engine && getrusage(RUSAGE_CHILDREN, &waited) == 0)
		sum += seconds(&waited.ru_utime) + seconds(&waited.ru_stime);
	if (has_engine && clock_getcpuclockid(s->engine_pid, &clock) == 0 &&
	    clock_gettime(clock, &ts) == 0)
		sum += (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		sum += (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	return sum;
}

static const char *fate(const struct cmd_target *t, const struct summary *sum)
{
	bool is_there = t->pid > 0 && (kill(t->pid, 0) == 0 || errno == EPERM);

	if (t->command && sum->ends_programs)
		return "is ended";
	return is_there ? "runs on" : "has ended";
}

void summary_targets(const struct session *s, const struct cmdline *cmd, struct strbuf *out)
{
	for (unsigned i = 0; i < cmd->ntargets; i++) {
		const struct cmd_target *t = &cmd->targets[i];
		pid_t pid = t->command && !i ? s->target_pid : t->pid; /* $target is the first */

		if (i)
			strbuf_adds(out, ", ");
		if (t->command || t->is_name)
			strbuf_adds(out, t->command ? t->command : t->pid_text);
		if (pid)
			strbuf_addf(out, t->command || t->is_name ? " (pid %d)" : "pid %d",
				    (int)pid);
	}
}

void summary_show(const struct session *s, const struct cmdline *cmd, const struct summary *sum)
{
	static const char *const ends[] = {[SUMMARY_OVER] = "",
					   [SUMMARY_INTERRUPTED] = "interrupted: ",
					   [SUMMARY_FAILED] = "failed: "};
	uint64_t lost = session_drops(s), nrecords = sum->nrecords;

	if (!isatty(STDERR_FILENO) || opt_on(&s->options, OPT_QUIET))
		return;
	fprintf(stderr, "%s: %s%" PRIu64 " record%s, %" PRIu64 " drop%s, %.2f s of CPU for tracing",
		s->progname, ends[sum->end], nrecords, nrecords == 1 ? "" : "s", lost,
		lost == 1 ? "" : "s", cpu_seconds(s, sum->has_engine));
	if (s->sampled)
		fprintf(stderr, "; samples by %s", s->sampled);
	for (unsigned i = 0; i < cmd->ntargets; i++) {
		const struct cmd_target *t = &cmd->targets[i];

		if (t->command)
			fprintf(stderr, "; %s %s", t->command, fate(t, sum));
		else
			fprintf(stderr, "; pid %d %s", (int)t->pid, fate(t, sum));
	}
	fputc('\n', stderr);
}
