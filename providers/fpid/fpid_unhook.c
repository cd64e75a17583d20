/*
 * fpid_unhook.c: what hooks have counted is handed over, and hooks are taken out again: of a
 * process that runs on, that is let go, or that is gone.
 */
#include <errno.h>
#include <time.h>

#include "base/hash.h"
#include "inject/hooks.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_explain.h"
#include "providers/fpid/fpid_fold.h"
#include "providers/fpid/fpid_tally.h"

void fpid_collect(struct pid_proc *pp)
{
	if (pp->fpid->hooks)
		hooks_look(pp->fpid->hooks);
	fpid_records_flush(pp);
	fpid_claims_collect(pp);
	fpid_hot_look(pp);
	fpid_folds_collect(pp);
	for (struct pid_site *site = fpid_first(pp); site && pp->fpid->hooks;
	     site = fpid_next(site)) {
		struct event ev = {.probe = site->probe->probe,
				   .pid = pp->pid,
				   .tid = pp->pid,
				   .task = &pp->fpid->task};
		uint64_t n;

		if ((site->fpid->hook != HOOK_ON && !site->fpid->was_hooked) ||
		    site->fpid->how != FPID_COUNTS)
			continue;
		n = hooks_cell(pp->fpid->hooks, site->fpid->counter);
		fpid_explain_counted(pp->pw, n - site->fpid->counted);
		if (n != site->fpid->counted)
			event_count(ev.probe->session, &ev, n - site->fpid->counted);
		site->fpid->counted = n;
	}
}

static void report_uncounted(struct pid_proc *pp)
{
	uint64_t n = hooks_uncounted(pp->fpid->hooks);

	if (n)
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: %lu thread%s of process %d had no counters of %s own: "
				"calls made there may be missing",
				n, n == 1 ? "" : "s", pp->pid, n == 1 ? "its" : "their");
	if (hooks_are_broken(pp->fpid->hooks))
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: memory that process %d shares with dtrace is gone, or the "
				"system had no more: its hooks ended, and counts of the last "
				"moment may be missing",
				pp->pid);
	n = hooks_damaged(pp->fpid->hooks);
	if (n)
		session_message(pp->pw->session, MSG_ERR, false,
				"fpid: rings of process %d were written over %lu time%s: records "
				"are missing",
				pp->pid, n, n == 1 ? "" : "s");
}

static void unmap(struct session *s, struct pid_proc *pp, int r, struct err *why)
{
	if (!r)
		r = hooks_unmap(pp->fpid->hooks, why);
	if (r && r != -ESRCH)
		session_message(s, MSG_ERR, false,
				"fpid: the memory of the hooks of process %d "
				"stays, without use: %s",
				pp->pid, why->text);
	fpid_forget(pp);
}

void fpid_leave(struct session *s, struct pid_proc *pp)
{
	struct err why;

	if (pp->fpid->hooks)
		unmap(s, pp, hooks_take_out(pp->fpid->hooks, &why), &why);
}

#define PART_TRIES 20
#define PART_NS	   1000000

/*
 * While it stands still. A thread in a trampoline may have more instructions before it than it is
 * stepped (a full table is searched to its end): once no jump leads there it is let run, and will
 * have left the next time. False: the process could not be halted.
 */
static bool take_out(struct pid_proc *pp, int *r, struct err *why)
{
	const struct timespec nap = {.tv_nsec = PART_NS};

	for (unsigned i = 0; i < PART_TRIES; i++) {
		if (proc_halt(pp->proc, NULL) < 0)
			return false;
		*r = hooks_take_out(pp->fpid->hooks, why);
		proc_go(pp->proc);
		if (*r != -EBUSY)
			break;
		tracer_serve(world_of(pp->pw->session)->tracer);
		nanosleep(&nap, NULL);
	}
	return true;
}

/* The last numbers are those of the moment in which the hooks are taken out; the process runs on
 * while they are read. */
static bool part(struct pid_proc *pp, int *r, struct err *why)
{
	bool is_out = pp->proc && take_out(pp, r, why);

	fpid_collect(pp);
	return is_out;
}

/* Where somebody is in its trampolines still, faults there are seen to until it is let go, with
 * patience; if it cannot be stopped it is about to end. */
void fpid_part(struct session *s, struct pid_proc *pp)
{
	struct err why;
	int r = 0;

	if (part(pp, &r, &why) && r != -EBUSY)
		unmap(s, pp, r, &why);
}

void fpid_end_broken(struct pid_proc *pp)
{
	struct err why;
	int r = 0;

	if (!pp->fpid->hooks || !pp->proc || !hooks_are_broken(pp->fpid->hooks))
		return;
	if (part(pp, &r, &why))
		unmap(pp->pw->session, pp, r, &why);
	else /* they count for nobody */
		fpid_forget(pp);
	pp->fpid->no_hooks = true;
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook == HOOK_ON)
			site->fpid->hook = HOOK_NONE;
}

/* It has ended, or has run without a C library. */
static void tell_early(struct pid_proc *pp)
{
	bool refused = !fpid_falls_back(pp);
	struct fpid_tally t = {.armed = refused ? 0 : pp->fpid->nearly,
			       .refused = refused ? pp->fpid->nearly : 0};

	if (pp->fpid->nearly) {
		err_set(&t.why, -EAGAIN, "%s", FPID_EARLY);
		fpid_tally_tell(pp->pw->session, pp, &t, FPID_FUNCTIONS);
	}
	pp->fpid->nearly = 0;
}

void fpid_forget(struct pid_proc *pp)
{
	struct codescan *scan;

	for (size_t i = 0; (scan = hash_each(&pp->fpid->scans, &i, NULL));)
		codescan_free(scan);
	hash_release(&pp->fpid->scans);
	hash_init(&pp->fpid->scans);
	fpid_folds_forget(pp);
	tell_early(pp);
	for (unsigned i = 0; i < FPID_NOUNS; i++) {
		fpid_tally_report(pp->pw->session, "", &pp->fpid->later[i], i);
		pp->fpid->later[i] = (struct fpid_tally){0};
		pp->fpid->is_told[i] = false;
	}
	pp->fpid->settled_ns = 0;
	pp->fpid->calls_ns = 0;
	fpid_records_forget(pp);
	if (pp->fpid->hooks)
		report_uncounted(pp);
	fpid_claims_free(pp->fpid->claims);
	pp->fpid->claims = NULL;
	hooks_free(pp->fpid->hooks);
	pp->fpid->hooks = NULL;
	pp->fpid->no_hooks = false;
}
