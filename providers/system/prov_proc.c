/*
 * prov_proc.c: processes and threads that begin and end, programs that are executed, signals
 * (docs/spec/providers.md §4.4), seen by providers/kernel/bpf/proc.bpf.c. What is told in the name
 * of a new process is fired from the record that its parent made, at the same time: it has not run
 * yet.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "providers/kernel/kprog/eventclauses.h"
#include "providers/world/images.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"
#include "providers/system/call_tracepoints.h"
#include "providers/system/tracepoints/proc_sideband.h"
#include "providers/system/procends.h"
#include "providers/system/taskdetail.h"
#include "providers/system/system.h"
#include "providers/providers.h"
#include "providers/kernel/features.h"

_Static_assert(offsetof(struct bpf_proc, task) == BPF_PROC_SHORT, "short records");

/* clang-format off */
static const struct bpf_probe_row rows[PROC_NROWS] = {
	[PROC_CREATE] =         {"create",         "on_creation on_new", 1},
	[PROC_START] =          {"start",          "on_new", 1},
	[PROC_EXIT] =           {"exit",           "on_exit", 1},
	[PROC_LWP_CREATE] =     {"lwp-create",     "on_creation on_new", 2},
	[PROC_LWP_START] =      {"lwp-start",      "on_new", 2},
	[PROC_LWP_EXIT] =       {"lwp-exit",       "on_exit", 0},
	[PROC_EXEC] =           {"exec",           "on_enter on_late_exec on_late", 1},
	[PROC_EXEC_SUCCESS] =   {"exec-success",   "on_return", 0},
	[PROC_EXEC_FAILURE] =   {"exec-failure",   "on_return", 1},
	[PROC_SIGNAL_SEND] =    {"signal-send",    "on_generate", 3},
	[PROC_SIGNAL_DISCARD] = {"signal-discard", "on_generate", 3},
	[PROC_SIGNAL_HANDLE] =  {"signal-handle",  "on_deliver", 3},
	[PROC_SIGNAL_CLEAR] =   {"signal-clear",   "on_return on_read", 1},
	[PROC_FAULT] =          {"fault",          "on_generate", 2},
	[PROC_MODULE_LOAD] =    {"module-load",    "on_unmap on_exit", 1},
	[PROC_MODULE_UNLOAD] =  {"module-unload",  "on_unmap on_exit", 1},
};
/* clang-format on */

#define BIT(row) (1U << PROC_##row)

static const struct event_row clause_rows[] = {
	{BIT(CREATE) | BIT(LWP_CREATE), "task_newtask", "create_clauses", true},
	{BIT(START) | BIT(LWP_START), "task_newtask", "new_clauses", false},
	{BIT(EXIT) | BIT(LWP_EXIT), "sched_process_exit", "exit_clauses", true},
	{BIT(EXEC), "sys_enter", "enter_clauses", true},
	{BIT(EXEC_SUCCESS) | BIT(EXEC_FAILURE), "sys_exit", "return_clauses", true},
	{BIT(SIGNAL_SEND) | BIT(SIGNAL_DISCARD) | BIT(FAULT), "signal_generate", "generate_clauses",
	 true},
	{BIT(SIGNAL_HANDLE), "signal_deliver", "deliver_clauses", true},
};

/* Words that programs of clauses have; those of an exit are the reason and its code. */
#define SIGNALS (BIT(SIGNAL_SEND) | BIT(SIGNAL_DISCARD))
#define NUMBER(at, id, n, m)                                                                       \
	{                                                                                          \
		.rows = (at), .word = (id), .arg = (n), .is_member = true, .size = 4,              \
		.off = offsetof(struct bpf_task, m), .is_signed = true                             \
	}
enum { WORD_ARG0, WORD_ARG1, NWORDS = 11 };
static const struct bpf_word clause_words[NWORDS] = {
	[WORD_ARG0] = {.rows = BIT(EXIT), .word = 0, .arg = 0},
	[WORD_ARG1] = {.rows = BIT(EXIT), .word = 1, .arg = 1},
	{.rows = BIT(EXEC_FAILURE) | BIT(SIGNAL_HANDLE), .word = 0, .arg = 0},
	{.rows = BIT(SIGNAL_HANDLE), .word = 1, .arg = 2},
	{.rows = SIGNALS, .word = 0, .arg = 2},
	NUMBER(SIGNALS, 1, 1, pid),
	NUMBER(SIGNALS, 2, 0, tid),
	{.rows = BIT(FAULT), .word = 3, .arg = 0},
	NUMBER(BIT(CREATE), 0, 0, pid),
	NUMBER(BIT(LWP_CREATE), 0, 0, pid),
	NUMBER(BIT(LWP_CREATE), 1, 0, tid),
};

struct proc_world {
	struct bpf_probes probes;
	struct bpf_word words[NWORDS];
	struct taskdetail *texts;
	struct bpf_proc copy;	     /* what D reads of a record */
	struct images *images;	     /* NULL: nobody asks for modules */
	struct proc_sideband *tasks; /* NULL: BPF tells */
	struct procends *ends;	     /* without BPF: how; NULL: nobody asks */
	bool follows;		     /* descendants of the traced, whose ends are to be told */
	char path[PATH_MAX];
};

static struct proc_world *proc_of(const struct session *s)
{
	return world_of(s)->proc;
}

/* ---- arguments ---- */

/* Why a process has ended (CLD_ of wait(2)), and with what: its exit status, or the signal. */
static void exit_args(const struct session *s, uint64_t args[EVENT_ARGS], int status)
{
	uint64_t reason = !WIFSIGNALED(status) ? CLD_EXITED
			  : WCOREDUMP(status)  ? CLD_DUMPED
					       : CLD_KILLED;
	uint64_t code =
		WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : (uint64_t)WEXITSTATUS(status);
	bool reason_first = opt(&s->options, OPT_PROCEXIT) == PROCEXIT_REASON;

	args[0] = reason_first ? reason : code;
	args[1] = reason_first ? code : reason;
}

static void set_args(const struct proc_world *pw, uint64_t args[EVENT_ARGS])
{
	const struct bpf_proc *pr = &pw->copy;
	uintptr_t task = (uintptr_t)&pr->task;

	switch ((enum bpf_proc_row)pr->row) {
	case PROC_EXIT:
		exit_args(pw->probes.session, args, pr->number);
		break;
	case PROC_EXEC:
		args[0] = (uintptr_t)pr->path;
		break;
	case PROC_EXEC_FAILURE:
	case PROC_SIGNAL_CLEAR:
		args[0] = (uint64_t)pr->number;
		break;
	case PROC_SIGNAL_HANDLE:
		args[0] = (uint64_t)pr->number;
		args[1] = (uintptr_t)&pr->info;
		args[2] = pr->handler;
		break;
	case PROC_FAULT:
		args[0] = (uint64_t)pr->info.code;
		args[1] = (uintptr_t)&pr->info;
		break;
	default:
		args[0] = args[1] = task;
		args[2] = (uint64_t)pr->number;
	}
}

/* ---- modules ---- */

static void fire_module(struct proc_world *pw, unsigned row, struct event *ev,
			const struct image *im)
{
	snprintf(pw->path, sizeof(pw->path), "%s", im->path);
	ev->raw = pw->path;
	ev->rawlen = sizeof(pw->path);
	ev->args[0] = (uintptr_t)pw->path;
	ev->args[1] = im->base;
	bpf_probes_fire(&pw->probes, row, ev);
}

static void on_mapping(void *arg, const struct perf_mapping *m)
{
	struct proc_world *pw = arg;
	struct perf *perf = world_of(pw->probes.session)->perf;
	const struct image new = {m->start, m->end, m->start - m->file_off,
				  (char *)(uintptr_t)m->path};
	struct event ev;

	perf_event_init(perf, &ev, &m->at);
	fire_module(pw, PROC_MODULE_LOAD, &ev, images_add(pw->images, m->at.pid, &new));
}

/* Those in the range are gone. */
static void fire_unloads(struct proc_world *pw, struct event *ev, taddr_t start, taddr_t end)
{
	const struct proctab *procs = perf_procs(world_of(pw->probes.session)->perf);
	struct image im;

	while (images_take(pw->images, ev->pid, proctab_parent(procs, ev->pid), start, end, &im)) {
		fire_module(pw, PROC_MODULE_UNLOAD, ev, &im);
		free(im.path);
	}
}

/* The process has ended or executes a program: with -x imgexit each of its images is told of. */
static void leave_images(struct proc_world *pw, const struct event *at)
{
	struct event ev = *at;

	if (opt_on(&pw->probes.session->options, OPT_IMGEXIT))
		fire_unloads(pw, &ev, 0, UINT64_MAX);
	images_forget(pw->images, ev.pid);
}

/* The kernel tells of it before it maps the new program. */
static void on_exec(void *arg, const struct perf_task *t)
{
	struct proc_world *pw = arg;
	struct event ev;

	if (t->what != TASK_EXEC)
		return;
	perf_event_init(world_of(pw->probes.session)->perf, &ev, &t->at);
	leave_images(pw, &ev);
}

static void on_unmap(struct proc_world *pw, const struct bpf_head *h)
{
	const struct bpf_proc *pr = &pw->copy;
	struct event ev;

	bpf_event_init(pw->probes.bpf, &ev, h);
	fire_unloads(pw, &ev, pr->handler, pr->handler + pr->info.addr);
}

/* ---- records ---- */

/*
 * The page with the path of an exec was not there when the call was made: the kernel tells it
 * before the call is over. Where it does not, the call goes on still, and the process has the path.
 */
static void find_late_path(struct proc_world *pw, const struct bpf_head *h, struct target *t)
{
	struct bpf_proc *pr = &pw->copy;
	size_t n = MIN(sizeof(pr->path) - 1, 4096 - (pr->handler & 4095)), len;
	const struct bpf_proc_late *late;

	late = (const void *)bpf_await(pw->probes.bpf, BPF_KIND_PROC_LATE, h->tid, &len);
	if (late && len >= sizeof(*late) && late->entry_ns == h->time_ns) {
		memcpy(pr->path, late->path, sizeof(pr->path));
		return;
	}
	if (target_read(t, pr->handler, pr->path, n) != (ssize_t)n)
		pr->path[0] = '\0';
	else if (strlen(pr->path) == n && n < sizeof(pr->path) - 1)
		target_read(t, pr->handler + n, pr->path + n, sizeof(pr->path) - 1 - n);
}

static void keep_ids(const struct proc_world *pw, const struct bpf_task *t)
{
	proctab_ids(perf_procs(world_of(pw->probes.session)->perf), t->pid, (uint32_t)t->uid,
		    (uint32_t)t->gid);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct proc_world *pw = arg;
	struct bpf_proc *pr = &pw->copy;
	struct bpf_head child = *h;
	bool has_args = false;
	struct event ev;

	memset(pr, 0, sizeof(*pr));
	memcpy(pr, h, MIN(len, sizeof(*pr)));
	if (pr->row == PROC_MODULE_UNLOAD) {
		on_unmap(pw, h);
		return;
	}
	bpf_event_init(pw->probes.bpf, &ev, h);
	if (pw->images && pr->row == PROC_EXIT)
		leave_images(pw, &ev);
	if (len >= sizeof(*pr)) {
		has_args = pr->task.psargs[0];
		taskdetail_fill(pw->texts, &pr->task);
		keep_ids(pw, &pr->task);
		ev.raw = pr;
		ev.rawlen = sizeof(*pr);
		ev.psargs = has_args && pr->task.pid == ev.pid ? pr->task.psargs : NULL;
		if (pr->row == PROC_EXEC && !pr->path[0])
			find_late_path(pw, h, ev.target);
	}
	set_args(pw, ev.args);
	bpf_probes_fire(&pw->probes, pr->row, &ev);
	if (pr->row != PROC_CREATE && pr->row != PROC_LWP_CREATE)
		return;
	child.pid = (unsigned)pr->task.pid;
	child.tid = (unsigned)pr->task.tid;
	bpf_event_init(pw->probes.bpf, &ev, &child);
	ev.raw = pr;
	ev.rawlen = sizeof(*pr);
	ev.psargs = has_args ? pr->task.psargs : NULL;
	set_args(pw, ev.args);
	if (pr->row == PROC_CREATE)
		bpf_probes_fire(&pw->probes, PROC_START, &ev);
	bpf_probes_fire(&pw->probes, PROC_LWP_START, &ev);
}

/* ---- without programs in the kernel ---- */

/* Of a run whose events go to a file only what the file tells. */
void proc_ended(struct world *w, pid_t pid, int status)
{
	if (w->proc && w->proc->ends && !world_is_recorded(w))
		procends_put(w->proc->ends, pid, status);
}

/* The kernel has told that the process ends; it has, or is about to. -1: it is none of ours, or a
 * recording has not told. */
static int await_status(struct proc_world *pw, pid_t pid)
{
	const struct timespec tick = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < 200; i++) {
		siginfo_t si = {0};
		int known;

		if (procends_take(pw->ends, pid, &known))
			return known;
		if (world_is_recorded(world_of(pw->probes.session)))
			return -1;
		if (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0)
			return -1;
		if (si.si_pid == pid)
			return si.si_code == CLD_EXITED	  ? si.si_status << 8
			       : si.si_code == CLD_DUMPED ? si.si_status | WCOREFLAG
							  : si.si_status;
		nanosleep(&tick, NULL);
	}
	return -1;
}

/* Of a process that is not traced, or of which a recording says nothing: -1, no reason. */
static void set_status(struct proc_world *pw, struct event *ev)
{
	int status = await_status(pw, ev->pid);

	if (status >= 0) {
		exit_args(pw->probes.session, ev->args, status);
		return;
	}
	ev->args[0] = (uint64_t)-1;
	ev->args[1] = 0;
}

/* Nothing else is known by which it is called. */
static void name_task(struct bpf_task *t, const char comm[static 16])
{
	memcpy(t->comm, comm, sizeof(t->comm));
	memcpy(t->tname, comm, sizeof(t->tname));
	memcpy(t->fname, comm, sizeof(t->comm));
}

/* As much of a task as /proc and the records of perf tell. */
static void on_task(void *arg, enum bpf_proc_row row, struct event *ev, pid_t other)
{
	struct proc_world *pw = arg;
	struct bpf_task *t = &pw->copy.task;
	bool is_new = other != ev->tid || row == PROC_START || row == PROC_LWP_START;

	if (pw->images && (row == PROC_EXIT || row == PROC_EXEC_SUCCESS))
		leave_images(pw, ev);
	if (row == PROC_EXIT && pw->ends)
		set_status(pw, ev);
	if (is_new && pw->probes.probes[row] && pw->probes.probes[row]->needs & NEED_ARGS) {
		memset(&pw->copy, 0, sizeof(pw->copy));
		if (!taskdetail_of_thread(pw->texts, other, t)) {
			t->tid = t->pid = other;
			t->ppid = proctab_parent(perf_procs(world_of(pw->probes.session)->perf),
						 other);
			if (ev->task)
				name_task(t, ev->task->comm);
		}
		ev->raw = &pw->copy;
		ev->rawlen = sizeof(pw->copy);
		ev->args[0] = ev->args[1] = (uintptr_t)t;
	}
	bpf_probes_fire(&pw->probes, row, ev);
}

/* As much of a signal as its tracepoint has. */
static void on_signal(void *arg, const struct procsignal *sig, struct event *ev)
{
	struct proc_world *pw = arg;
	struct bpf_proc *pr = &pw->copy;

	memset(pr, 0, sizeof(*pr));
	pr->row = sig->row;
	pr->number = sig->number;
	pr->handler = sig->handler;
	pr->info = (struct bpf_siginfo){
		.signo = sig->number, .code = sig->code, .error = sig->error, .pid = ev->pid};
	pr->task.tid = sig->to;
	pr->task.pid = proctab_process_of(perf_procs(world_of(pw->probes.session)->perf), sig->to);
	name_task(&pr->task, sig->comm);
	ev->raw = pr;
	ev->rawlen = sizeof(*pr);
	set_args(pw, ev->args);
	bpf_probes_fire(&pw->probes, pr->row, ev);
}

/* sigtimedwait(), which returns the number. */
static void on_wait_call(void *arg, struct recorded_call *c)
{
	struct proc_world *pw = arg;

	c->ev.args[0] = (uint64_t)c->result;
	if (c->result > 0)
		bpf_probes_fire(&pw->probes, PROC_SIGNAL_CLEAR, &c->ev);
}

/* execve() and execveat(), which have their path in memory. */
static void on_exec_call(void *arg, struct recorded_call *c)
{
	struct proc_world *pw = arg;
	struct bpf_proc *pr = &pw->copy;

	if ((c->nr != SYS_execve && c->nr != SYS_execveat) ||
	    (!c->is_entry && !recorded_call_failed(c)))
		return;
	memset(pr, 0, sizeof(*pr));
	pr->row = c->is_entry ? PROC_EXEC : PROC_EXEC_FAILURE;
	pr->number = (int)-c->result;
	snprintf(pr->path, sizeof(pr->path), "<unknown>");
	c->ev.raw = pr;
	c->ev.rawlen = sizeof(*pr);
	set_args(pw, c->ev.args);
	bpf_probes_fire(&pw->probes, pr->row, &c->ev);
}

static int use_recorded_calls(struct proc_world *pw, struct probe *p, unsigned row, struct err *err)
{
	static const unsigned execs[] = {SYS_execve, SYS_execveat}, wait = SYS_rt_sigtimedwait;
	struct world *w = world_of(p->session);
	const bool is_wait = row == PROC_SIGNAL_CLEAR;
	const struct call_listener l = {
		.is_entry = row == PROC_EXEC,
		.numbers = is_wait ? &wait : execs,
		.n = is_wait ? 1 : ARRAY_SIZE(execs),
		.flags = PERF_RARE | perf_flags(p->needs),
		.fn = is_wait ? on_wait_call : on_exec_call,
		.arg = pw,
	};
	int rc = call_tracepoints_listen(w, &l, err);

	if (rc < 0)
		return rc;
	perf_note_needs(w->perf, p->needs);
	bpf_probes_do_without(p, row == PROC_EXEC ? "[0] (path)" : NULL);
	return 0;
}

static int use_recorded_signals(struct proc_world *pw, struct probe *p, unsigned row,
				struct err *err)
{
	struct world *w = world_of(p->session);
	struct perf *perf;
	int rc = world_perf(w, &perf, err);

	if (rc == 0)
		rc = proc_signals_listen(w, row, perf_flags(p->needs), on_signal, pw, err);
	if (rc < 0)
		return rc;
	perf_note_needs(perf, p->needs);
	pw->probes.probes[row] = p;
	return 0;
}

static int use_tracepoints(struct proc_world *pw, struct probe *p, unsigned row, struct err *err)
{
	const bool is_call =
		row == PROC_EXEC || row == PROC_EXEC_FAILURE || row == PROC_SIGNAL_CLEAR;

	return is_call ? use_recorded_calls(pw, p, row, err)
		       : use_recorded_signals(pw, p, row, err);
}

/* What perf's records of tasks can tell; the reason why BPF cannot stays in err for the others. */
static int use_tasks(struct proc_world *pw, struct probe *p, unsigned row, struct err *err)
{
	struct world *w = world_of(p->session);
	const bool has_status = row == PROC_EXIT && p->needs & NEED_ARGS;
	struct perf *perf;
	int rc;

	if (!proc_sideband_tell(row) ||
	    (!w->nprocs && !feature_works(world_features(w), FEATURE_PERF_SYSTEM)) ||
	    (has_status && !world_is_recorded(w) && !world_can_stop(w)))
		return err->code;
	rc = world_perf(w, &perf, err);
	if (rc < 0)
		return rc;
	perf_note_needs(perf, p->needs);
	if (has_status && !pw->ends) {
		pw->ends = procends_new();
		if (world_is_recorded(w))
			bpf_probes_do_without(p, procends_listen(pw->ends, w));
	}
	if (row == PROC_EXIT || row == PROC_MODULE_LOAD)
		pw->probes.probes[row] = p;
	else
		bpf_probes_do_without(p, "pr_addr, pr_wchan");
	if (!pw->tasks)
		pw->tasks = proc_sideband_new(perf, on_task, pw);
	return 0;
}

/* ---- enabling ---- */

static void listen_to_modules(struct proc_world *pw)
{
	if (pw->images)
		return;
	pw->probes.unclaimed |= BIT(EXIT); /* its record tells that images are gone */
	pw->images = images_new();
	images_seed(pw->images);
	if (pw->probes.wants) {
		pw->probes.wants->rows |= 1U << PROC_EXIT;
		perf_on_task(world_of(pw->probes.session)->perf, on_exec, pw);
	}
	perf_on_mapping(world_of(pw->probes.session)->perf, on_mapping, pw);
}

static void use_object(struct proc_world *pw)
{
	const bool reason_first =
		opt(&pw->probes.session->options, OPT_PROCEXIT) == PROCEXIT_REASON;

	bpf_on(pw->probes.bpf, BPF_KIND_PROC, on_record, pw);
	memcpy(pw->words, clause_words, sizeof(pw->words));
	pw->words[WORD_ARG0].word = !reason_first;
	pw->words[WORD_ARG1].word = reason_first;
	pw->probes.clause_words = pw->words;
	pw->probes.nclause_words = NWORDS;
	event_clauses_use(&pw->probes, clause_rows, ARRAY_SIZE(clause_rows));
}

static int proc_enable(struct probe *p, struct err *err)
{
	struct proc_world *pw = proc_of(p->session);
	bool is_module = strncmp(p->name, "module-", 7) == 0;
	int rc;

	/* whose modules they were is known as long as all that a process does is told */
	pw->probes.details_have_ids = !is_module;
	pw->probes.knows = is_module ? BPF_KNOWS_PID : BPF_KNOWS_IDS | BPF_KNOWS_NAME;
	if (bpf_probes_are_recorded(p) && !proc_sideband_tell(bpf_probes_row(p)))
		return use_tracepoints(pw, p, bpf_probes_row(p), err);
	rc = bpf_probes_enable(p, err);
	if (rc < 0)
		rc = use_tasks(pw, p, bpf_probes_row(p), err);
	if (rc < 0)
		return rc;
	if (!pw->texts)
		pw->texts = taskdetail_new(world_is_recorded(world_of(p->session)));
	if (pw->probes.opened)
		use_object(pw);
	if (is_module)
		listen_to_modules(pw);
	return 0;
}

static int proc_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			struct err *err UNUSED)
{
	struct proc_world *pw;

	if (d || world_of(s)->proc)
		return 0;
	pw = world_of(s)->proc = xcalloc(1, sizeof(*pw));
	pw->probes = (struct bpf_probes){.provider = &prov_proc,
					 .object = "proc",
					 .rows = rows,
					 .nrows = PROC_NROWS,
					 .counts_nothing = true,
					 .session = s};
	for (unsigned row = 0; row < PROC_NROWS; row++)
		pw->probes.without_bpf |= proc_sideband_tell(row) ? 1U << row : 0;
	bpf_probes_create(&pw->probes);
	return 0;
}

static int proc_start(struct session *s, struct err *err UNUSED)
{
	struct proc_world *pw = proc_of(s);

	if (pw)
		pw->follows = pw->ends && !world_is_recorded(world_of(s)) && system_can_follow(s);
	return 0;
}

bool proc_follows(const struct world *w)
{
	return w->proc && w->proc->follows;
}

static void proc_free(struct session *s)
{
	struct proc_world *pw = proc_of(s);

	if (!pw)
		return;
	proc_sideband_free(pw->tasks);
	images_free(pw->images);
	taskdetail_free(pw->texts);
	procends_free(pw->ends);
	free(pw);
	world_of(s)->proc = NULL;
}

const struct provider prov_proc = {
	.name = "proc",
	.is_of_kernel = true,
	.provide = proc_provide,
	.enable = proc_enable,
	.argtypes = bpf_probes_argtypes,
	.start = proc_start,
	.free = proc_free,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.is_rare = true,
	.reads_files = true,
};
