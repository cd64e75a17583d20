/* proc_signals.c: signals of a recording. */
#include <signal.h>

#include "providers/system/tracepoints/proc_sideband.h"

/* Of one tracepoint; rows share it. */
struct signals {
	struct perf *perf;
	const struct tpformat *format;
	enum bpf_proc_row row;
	procsignal_fn *fn;
	void *arg;
};

static int field(const struct signals *g, const struct perf_sample *sm, const char *name)
{
	const struct tpfield *f = tpformat_field(g->format, name);

	return f ? (int)tpfield_int(f, sm->raw, sm->rawlen) : 0;
}

/* As the kernel's exceptions send them, in the thread that has made one. */
static bool is_fault(int sig, int code)
{
	return (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
		sig == SIGTRAP) &&
	       code > 0;
}

static bool is_ignored(int sig, int handler)
{
	return handler == (int)(intptr_t)SIG_IGN ||
	       (!handler && (sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH));
}

static bool is_of_row(const struct signals *g, const struct perf_sample *sm)
{
	switch (g->row) {
	case PROC_SIGNAL_SEND:
		return field(g, sm, "result") == 0;
	case PROC_SIGNAL_DISCARD:
		return field(g, sm, "result") != 0;
	case PROC_FAULT:
		return is_fault(field(g, sm, "sig"), field(g, sm, "code"));
	default:
		return !is_ignored(field(g, sm, "sig"), field(g, sm, "sa_handler"));
	}
}

static void on_sample(void *arg, const struct perf_sample *sm)
{
	const struct signals *g = arg;
	const struct tpfield *handler = tpformat_field(g->format, "sa_handler"),
			     *comm = tpformat_field(g->format, "comm");
	struct procsignal sig = {.row = g->row,
				 .number = field(g, sm, "sig"),
				 .error = field(g, sm, "errno"),
				 .code = field(g, sm, "code"),
				 .to = tpformat_field(g->format, "pid") ? field(g, sm, "pid")
									: sm->tid};
	const char *name;
	struct event ev;
	size_t n = 0;

	if (!is_of_row(g, sm))
		return;
	if (handler)
		sig.handler = tpfield_int(handler, sm->raw, sm->rawlen);
	perf_event_init(g->perf, &ev, sm);
	name = comm ? tpfield_bytes(comm, sm->raw, sm->rawlen, &n) : ev.task->comm;
	if (name)
		memcpy(sig.comm, name, strnlen(name, MIN(comm ? n : 15, sizeof(sig.comm) - 1)));
	g->fn(g->arg, &sig, &ev);
}

int proc_signals_listen(struct world *w, enum bpf_proc_row row, unsigned flags, procsignal_fn *fn,
			void *arg, struct err *err)
{
	const char *name = row == PROC_SIGNAL_HANDLE ? "signal_deliver" : "signal_generate";
	const struct tpformat *fmt = tracefs_format(world_tracefs(w), "signal", name);
	struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				 .scope = PERF_SYSTEM,
				 .flags = PERF_RAW | PERF_RARE | flags,
				 .fn = on_sample};
	struct signals *g;

	if (row != PROC_SIGNAL_SEND && row != PROC_SIGNAL_DISCARD && row != PROC_SIGNAL_HANDLE &&
	    row != PROC_FAULT)
		return perf_lacks_all(w, NULL, err);
	if (!fmt)
		return perf_lacks(w, "signal", name, err);
	g = ARENA_NEW(w->session->arena, struct signals);
	*g = (struct signals){w->perf, fmt, row, fn, arg};
	want.config = fmt->id;
	want.format = fmt;
	want.arg = g;
	return perf_add(w->perf, &want, err);
}
