#include "providers/kernel/pushreport.h"

#include "providers/kernel/bpf.h"
#include "providers/kernel/perf.h"

void pushdown_report(const struct world *w, const char *source, unsigned nprobes, const char *text)
{
	if (w->is_verbose)
		session_message(w->session, MSG_ERR, true,
				"filtered in the kernel: %u probe%s of %s: %s", nprobes,
				nprobes == 1 ? "" : "s", source, text);
}

void pushdown_report_records(const struct world *w)
{
	if (w->is_verbose && w->perf)
		session_message(w->session, MSG_ERR, true,
				"records read: %llu of perf events, %llu of BPF programs",
				(unsigned long long)perf_nread(w->perf),
				(unsigned long long)(w->bpf ? bpf_nread(w->bpf) : 0));
}
