/*
 * provider.h: the contract between the engine of the language and the sources of events.
 * A provider is one const struct; BEGIN, END and ERROR are an ordinary provider.
 */
#ifndef DLANG_PROVIDER_H
#define DLANG_PROVIDER_H

#include "base/err.h"
#include "base/userregs.h"
#include "base/target.h"

struct session;
struct probe;
struct ecb;
struct type;   /* symbols/dwarf/types.h */
struct strbuf; /* base/strbuf.h */

/* A probe description: four patterns as written; "" matches all (docs/spec/d-language.md §4). */
struct probe_desc {
	const char *prov, *mod, *func, *name;
	uint32_t id; /* not 0: this probe ID, the rest is empty */
};

enum desc_field { DESC_PROV, DESC_MOD, DESC_FUNC, DESC_NAME };

/* What is known of a process that may be gone by the time its event fires. */
struct taskinfo {
	char comm[16];
	pid_t ppid;
	uid_t uid;
	gid_t gid; /* real ids */
};

#define EVENT_ARGS 10
#define EVENT_REG_ARGS                                                                             \
	6 /* of them the first come from registers; the others may be read only when               \
	   * NEED_STACKARGS says so */

/* One hit; lives for one event_fire(). */
struct event {
	struct probe *probe;
	struct target *target; /* NULL: none (BEGIN, tick without a target) */
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns; /* CLOCK_MONOTONIC; when it happened, not when we read it */
	uint64_t args[EVENT_ARGS];
	const uint64_t *more_args;   /* of static probes: those behind args; NULL: there are none */
	const struct regs *regs;     /* NULL: not captured */
	const struct fpregs *fpregs; /* the same */
	const taddr_t *pcs;	     /* user stack, if captured at the hit */
	unsigned npcs;
	/* Finds it when a clause asks, from `user`; NULL: the provider's ustack does. */
	unsigned (*walk)(const struct event *, taddr_t *pcs, unsigned max);
	const void *user;
	const uint64_t *kpcs;
	unsigned nkpcs;
	const void *raw;
	size_t rawlen;
	bool is_writable; /* raw may be changed: what it says then is written (rewrite.h) */
	const struct taskinfo *task; /* NULL: the process lives, /proc is asked */
	unsigned syscall; /* 1 + number of the call that it is the entry or return of; 0: of none */
	bool is_late;	/* fired some time after it happened: the time is time_ns to all clauses */
	bool is_of_run; /* about the run itself: it fires behind exit(), too, as long as END has not
			 */
	const char *psargs; /* of a late event: arguments of the process then; NULL: not known */
	/* what procnum[] asks for (dlang/osinfo/psinfo.h), as it was; NULL: /proc is asked */
	const struct procfacts *facts;
	uint64_t curthread; /* the kernel's address of the thread; 0: not known */
	uint64_t start_ns;  /* when that thread was made, by the kernel's clock; 0: not known */
	uint64_t vtime_ns;  /* of a late event: its thread's time on CPUs by then; 0: not known */
	void *source;	    /* the provider's own: the hit behind this event */
	const struct event *origin; /* whose clause has emitted this one; NULL: it just happened */
};

/* What the enabled clauses of a probe read (struct probe.needs). */
enum {
	NEED_ARGS = 1 << 0,	 /* arg0..arg9, args[] */
	NEED_REGS = 1 << 1,	 /* uregs[], ucaller, caller */
	NEED_USTACK = 1 << 2,	 /* ustack(), ucaller, ustackdepth */
	NEED_MEM = 1 << 3,	 /* copyin family, loads through target pointers */
	NEED_ACT = 1 << 4,	 /* stop(), raise(), copyout(): acts on the process */
	NEED_STACKARGS = 1 << 5, /* arg6..arg9, args[6] and up: a memory read where args are few */
	NEED_FPREGS = 1 << 6,	 /* args[] that words of ARG_WORD_XMM and ARG_WORD_ST make up */
	NEED_TASK = 1 << 7,	 /* execname, ppid, uid, gid */
	NEED_KSTACK = 1 << 8,	 /* stack(), stackdepth */
	NEED_USYM = 1 << 9,	 /* usym() and the like: what the process has mapped */
	NEED_VTIME = 1 << 10,	 /* vtimestamp */
	NEED_FILES = 1 << 11,	 /* fds[]: files are gone with their process */
	NEED_TEXTS = 1 << 12,	 /* proctext[], execargs: so are its arguments */
	NEED_KERNEL = 1 << 13,	 /* memory that a type of the kernel says is the kernel's */
	NEED_THREAD = 1 << 14,	 /* pid, tid: sources that know the thread anyway do not look */
	NEED_TARGET = 1 << 15,	 /* NEED_MEM of what no type says is the kernel's: the process's */
	NEED_IDS = 1 << 16,	 /* uid, gid: a process changes them */
	NEED_PPID = 1 << 17,	 /* ppid: another's when its parent has ended */
	NEED_FACTS = 1 << 18,	 /* procnum[]: gone with the process, and they change */
};

/* args[n] of a probe: its type, and where the value is when the probe fires. */
enum arg_place {
	ARG_VALUE, /* event.args[at]; a structure: event.args[at] and, if it is larger, the next */
	ARG_ADDRESS, /* event.args[at] is the address of the structure */
	ARG_STACK,   /* `at` bytes above the stack pointer */
	ARG_FIELD,   /* `offset` bytes behind the address in event.args[at] */
	ARG_WORDS,   /* made up of words[0] to words[nwords - 1] */
	ARG_PIECES,  /* a structure made up of pieces[0] to pieces[npieces - 1], else of 0 */
	ARG_NOWHERE, /* not recorded: `why` */
};
/* A word of ARG_WORDS: an index of event.args, or one of these. */
enum {
	ARG_WORD_ZERO = EVENT_ARGS, /* nothing is passed for these 8 bytes: 0 */
	ARG_WORD_XMM = 0x20,	    /* + 2n: the low half of xmm<n>; + 2n + 1: its high half */
	ARG_WORD_ST = 0x40,	    /* the same for st(<n>) */
	ARG_WORD_UREG = 0x60,	    /* + n: uregs[n] */
	ARG_WORD_MORE = 0x80,	    /* + n: event.more_args[n] */
	ARG_WORD_END = 0xa0,
};
#define ARG_MAX_WORDS 4

/* The lowest `size` bytes of a word (1, 2, 4 or 8) lie `at` in the structure. */
struct arg_piece {
	uint8_t word, size;
	uint32_t at;
};

struct probe_arg {
	const struct type *type;
	const char *name; /* as the function has it; NULL: not known */
	enum arg_place place;
	unsigned at;
	uint32_t offset; /* ARG_FIELD */
	uint8_t nwords, words[ARG_MAX_WORDS];
	uint8_t npieces;
	const struct arg_piece *pieces;
	bool is_ours;	 /* a pointer that leads to event.raw, not to the target */
	const char *why; /* "its size is not known" */
};
struct probe_args {
	const struct probe_arg *v;
	unsigned n;
	const char *why; /* none because ...; NULL: the probe has none */
	bool are_all;	 /* a declaration of these names is of other probes */
};

/* Stability (docs/spec/d-language.md §16.5), low to high. */
enum {
	STABILITY_INTERNAL,
	STABILITY_PRIVATE,
	STABILITY_OBSOLETE,
	STABILITY_EXTERNAL,
	STABILITY_UNSTABLE,
	STABILITY_EVOLVING,
	STABILITY_STABLE,
	STABILITY_STANDARD
};
enum { CLASS_UNKNOWN, CLASS_CPU, CLASS_PLATFORM, CLASS_GROUP, CLASS_ISA, CLASS_COMMON };
struct attr {
	uint8_t names, data, depclass;
};
struct provattrs {
	struct attr provider, module, function, name, args;
};

/* Where events of a provider may be lost on their way. */
enum loss {
	LOSS_NONE,
	LOSS_KERNEL,
	LOSS_HOOKS,
	LOSS_KINDS
}; /* in rings of the kernel, of threads */

/* What a file has of an event of our own. */
enum hit_form {
	HITS_NOT,  /* nothing */
	HITS_ARGS, /* its arguments, what its clauses read of memory, its stack: it may be frequent
		    */
	HITS_FIELDS, /* what has been put together (emission.h) */
	HITS_TEXT,   /* args[0], a text */
	HITS_RECORD, /* its arguments, and the record that they lead into (raw): what programs in
		      * the kernel tell; it may be frequent */
};

struct provider {
	const char *name; /* "pid": serves pid<digits> too, see `on_demand` */
	/*
	 * True if descriptions of this provider text are created on demand (pid123): `provide` is
	 * then called for each description before matching. Others are asked once, with desc NULL,
	 * at start; they may create more when asked for a description (tick-3s).
	 */
	bool (*on_demand)(const char *prov);
	/* Creates what may match with probe_create(). desc NULL: the probes that always exist. An
	 * error carries a D_ tag in *tag (see errtags.h) when the compiler is to report it; of
	 * D_PDESC_ZERO it is the reason alone. */
	int (*provide)(struct session *, const struct probe_desc *, int *tag, struct err *);
	/* Optional: probes that a list of all is to show, and that no pattern of all is to mean. */
	int (*list)(struct session *, struct err *);
	/*
	 * Optional: whether this probe's module and function are meant by a description that may
	 * write them in another way than the probe has them (an alias, a path, "a.out"). Asked in
	 * place of comparing the two fields; provider and name have been compared.
	 */
	bool (*matches)(const struct probe *, const struct probe_desc *);
	/* Optional: may probes that this description means come later? No match is no error then.
	 */
	bool (*may_come)(const struct session *, const struct probe_desc *);
	/*
	 * Optional: names that field of the description could have, the others being as they are,
	 * of probes that are made on demand: for suggestions and completion, so it attaches to
	 * nothing.
	 */
	void (*suggest)(struct session *, const struct probe_desc *, enum desc_field,
			void (*fn)(void *arg, const char *name), void *arg);
	/* Optional, on demand: why such a description matches nothing, in the arena; NULL: unknown.
	 */
	const char *(*why_none)(struct session *, const struct probe_desc *);
	/* Arms; probe->needs says what to capture. Called once per enabled probe before start. */
	int (*enable)(struct probe *, struct err *);
	/* Optional: takes out what `enable` has put in. NULL: all is closed when tracing ends. */
	void (*disable)(struct probe *);
	/* Optional: the types of args[]. Arrays and texts live as long as the session. */
	void (*argtypes)(struct probe *, struct probe_args *);
	/* Optional: what else -lv tells of a probe: whole lines, indented as the others. */
	void (*detail)(struct probe *, struct strbuf *);
	/* Optional, -lv: says where the clauses of its probes would run (placement.h), with nothing
	 * armed. NULL: probes whose events come from the kernel are enabled, and not started. */
	void (*foresee)(struct session *);
	/* Optional. Pcs innermost first; returns how many. */
	unsigned (*ustack)(const struct event *, taddr_t *pcs, unsigned max);
	/* Optional: stop() and raise(sig) of the process behind the event; else
	 * session_engine.signal_process. */
	int (*stop_process)(const struct event *);
	int (*raise_signal)(const struct event *, int sig);
	/* Optional: all probes are enabled, tracing starts / has stopped. */
	int (*start)(struct session *, struct err *);
	void (*stop)(struct session *);
	/* Optional: exit() has been called, or the end has come: no clause acts any more. */
	void (*drain)(struct session *);
	/* Optional: the front is about to read the aggregations: counts that are kept elsewhere are
	 * to be handed over now. */
	void (*snapshot)(struct session *);
	/* Optional: the end, when the processes have been let go: frees what it keeps for the run.
	 */
	void (*free)(struct session *);
	enum loss loss;
	/* Its arguments come from the kernel, not from a process: what a clause makes of them may
	 * be read there. Elsewhere only what has a type of the kernel is. */
	bool is_of_kernel;
	/* Its events are in files of perf record, too, and it finds them there (-E). */
	bool reads_files;
	/* No record of the kernel's tells of its events: those of a file that is made are written
	 * by whoever logs (session_engine.h, struct event_log), in this form. */
	enum hit_form hits;
	/* Its events are few: where they go to a file, all its clauses run as well. */
	bool is_rare;
	/* Which arguments a probe has is known without debug information. */
	bool knows_args;
	/* Of one that finds none there: what to record and to name in its place. NULL: nothing. */
	const char *instead;
	const struct provattrs *attrs; /* NULL: all Unstable/Unstable/Common */
};

/* A probe: engine memory in the shared arena; the front reads id and names. Never deleted. */
struct probe {
	uint32_t id; /* from 1 */
	const struct provider *provider;
	const char *prov, *mod, *func, *name; /* interned */
	struct session *session;
	struct ecb *ecbs, **ecbs_tail; /* its enablings in program order */
	unsigned needs;		       /* union over ecbs */
	bool enabled;
	bool is_timer;	    /* of ours: it fires whatever is lost */
	enum hit_form hits; /* as the provider's; it may choose for one when it is enabled, and is
			     * asked again with HITS_RECORD where a file would not have its events
			     */
	void *arg;	    /* the provider's */
};

/* Its events are written by struct event_log. */
bool probe_is_logged(const struct probe *);

static inline enum loss probe_loss(const struct probe *p)
{
	return p->is_timer ? LOSS_NONE : p->provider->loss;
}

/*
 * Creates a probe or returns the one that exists with these four names. arg is stored only for a
 * new one. IDs are given in order of creation.
 */
struct probe *probe_create(struct session *, const struct provider *, const char *prov,
			   const char *mod, const char *func, const char *name, void *arg);
void probes_expect(struct session *, size_t n); /* a hint: so many new ones will come */
struct probe *probe_find(struct session *, const char *prov, const char *mod, const char *func,
			 const char *name);
struct probe *probe_by_id(struct session *, uint32_t id); /* NULL: none; both halves */

/*
 * The one door. Runs every enabling of the probe; never fails: faults become ERROR, losses become
 * drops. Does nothing when tracing is not active. No allocation, no symbol lookup, no output.
 */
void event_fire(struct session *, const struct event *);
/*
 * As event_fire `times` times over, for a probe whose clauses do nothing but count (claim.h), and
 * whose predicates held each time: they are not asked. What
 * was counted before tracing ended may be handed over until the provider's `stop` has returned.
 */
void event_count(struct session *, const struct event *, uint64_t times);

/*
 * Timers below the loop that drives the session: the provider asks to be called at a time of the
 * session clock. fn gets the deadline it was set for and returns the next one (UINT64_MAX: none,
 * until it is added again: the same fn and arg are one timer, whose time is the last that was set).
 */
typedef uint64_t timer_fn(struct session *, void *arg, uint64_t deadline_ns);
void session_add_timer(struct session *, uint64_t first_ns, timer_fn *, void *arg);
uint64_t session_now(const struct session *); /* CLOCK_MONOTONIC of a live session */
/* Of a session whose events come from a file: what time it is there, which does not go back. */
void session_set_clock(struct session *, uint64_t time_ns);
/* Where events of our own happen: here, or on the one CPU that is traced. */
int session_cpu(const struct session *);

/*
 * A source whose events are seen later than they happen: rings of the kernel or of a target. The
 * session merges all of them with what fires at once (merge.c): before an event of time T fires by
 * event_fire(), everything older that a source has taken in fires; between, what is old enough
 * that no source can still bring something older. All calls on the engine's one thread. Those that
 * are optional may be NULL.
 */
struct event_source {
	void (*gather)(void *arg);   /* takes in what has arrived by now; cheap when nothing has */
	uint64_t (*peek)(void *arg); /* time of its oldest event; UINT64_MAX: none waits */
	void (*fire)(void *arg);     /* that event, by event_fire(), and forgets it */
	/* Optional, for a source that brings many: that event, and those behind it that are not
	 * younger than limit_ns, as long as the session is active; *left at most, which is less by
	 * so many then. Returns the time of the last. */
	uint64_t (*fire_some)(void *arg, uint64_t limit_ns, unsigned *left);
	/* Optional: nothing older than this can still come; UINT64_MAX: it waits for nothing. */
	uint64_t (*complete)(void *arg);
	/* Optional: forgets that event; is_lost: and counts it as dropped, as it happened before
	 * the end: that was asked for a while ago, or something was in its way until then. */
	void (*drop)(void *arg, bool is_lost);
	/* Optional, where there is `complete`: what it waits for is lost, and counted; what has
	 * arrived behind that is offered. */
	void (*give_up)(void *arg);
	/* Optional: what time it is by the clock of its events; NULL: session_now(). The events of
	 * all are in one order, and wait for the clock that is furthest behind. */
	uint64_t (*now)(void *arg);
	/* Optional: all probes are enabled, BEGIN has fired: events may come from now on. Errors: a
	 * sentence. */
	int (*start)(void *arg, struct err *);
	/* Optional: no new ones come. What has come fires before it returns; losses are counted. */
	void (*stop)(void *arg);
	/* Optional: as `snapshot` of providers, and once more behind `stop`. */
	void (*snapshot)(void *arg);
	void (*free)(void *arg); /* optional */
};
void session_add_source(struct session *, const struct event_source *, void *arg);
/* All of them: started in the order in which they were added, stopped and freed the other way. */
int session_start_sources(struct session *, struct err *);
void session_stop_sources(struct session *);
void session_snapshot_sources(struct session *);
void session_free_sources(struct session *);

#endif
