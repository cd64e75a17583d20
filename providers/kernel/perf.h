/*
 * perf.h: events of the kernel through perf_event_open(2): one ring per CPU for all of them, on
 * CLOCK_MONOTONIC, looked at every millisecond while there is something (a ring that wakes by a
 * signal wakes for every record) and merged in time order (dlang/provider.h, struct event_source).
 *
 * How a provider adds a probe that a tracepoint feeds:
 *
 * - provide: creates the probe; tracefs_has()/tracefs_format() (tracefs.h) say whether the kernel
 *   has the tracepoint and where its fields are. Never hard-code an offset.
 * - enable: world_perf(world_of(s), err), then perf_add() with a struct perf_want: which event,
 * which part of the machine, what to capture (perf_flags(probe->needs)) and the function to call.
 *   Nothing is opened before all probes are enabled: wants for one event share it, so
 *   "sched_switch" of three providers is one record. perf_may() says beforehand what the user may
 *   not have, in the words of the specification.
 * - fn: is called for each record, oldest of all sources first. It fills a struct event with
 *   perf_event_init(), sets probe and args, and calls event_fire(). A record may fire several
 *   probes, or none.
 *
 * A record that a BPF program writes comes by the same way: see bpf.h.
 */
#ifndef PROVIDERS_KERNEL_PERF_H
#define PROVIDERS_KERNEL_PERF_H

#include <linux/perf_event.h>

#include "providers/world/world.h"
#include "providers/kernel/tracefs/tracefs.h"

struct perf;
struct proctab;	  /* proctab.h */
struct userstack; /* userstack.h */

enum perf_scope {
	PERF_SYSTEM,  /* every process; needs privileges */
	PERF_TARGETS, /* those of -c and -p and their descendants; without any: as PERF_SYSTEM */
};

enum {			     /* perf_want.flags */
       PERF_KSTACK = 1 << 0, /* capture the kernel stack */
       PERF_USTACK = 1 << 1, /* and what the user stack is found by */
       PERF_USER_ONLY =
	       1 << 2, /* what happens in the kernel is left out: all an unprivileged user gets */
       PERF_ADDR = 1 << 3, /* perf_sample.addr */
       PERF_RAW = 1 << 4,  /* perf_sample.raw: tracepoints */
       PERF_NAMES =
	       1 << 5, /* addresses of the process are recorded: what is mapped must be known */
       PERF_TASKS = 1 << 6,	   /* no samples: tells of processes, */
       PERF_MAPS = 1 << 7,	   /* and of what they map */
       PERF_SWITCHES = 1 << 8,	   /* vtimestamp: when threads come to a CPU and leave it */
       PERF_WEIGHTED = 1 << 9,	   /* a tracepoint that counts another thing than its records */
       PERF_KPC = 1 << 10,	   /* a sample's ip is read, or its stack */
       PERF_UREGS = 1 << 11,	   /* capture the user registers */
       PERF_KERNEL_ONLY = 1 << 12, /* what happens in user space is left out */
       PERF_RARE = 1 << 13,	   /* where events go to a file (-E), clauses run as well, always */
};

/* Counters that are read when an event happens: of its CPU, since they were opened. */
#define PERF_GROUP_MAX 16
struct perf_sibling {
	uint32_t type;
	uint64_t config;
};

/* One record, decoded; lives until the function returns. */
struct perf_sample {
	pid_t pid, tid;
	int cpu;
	uint64_t time_ns, ip, addr, period;
	unsigned cpumode; /* PERF_RECORD_MISC_KERNEL, _USER ... */
	const void *raw;  /* of a tracepoint: the record as its format describes it */
	uint32_t rawlen;
	const uint64_t *kpcs; /* kernel stack, innermost first; without tracing's own frames */
	unsigned nkpcs;
	const struct userstack *user; /* NULL: nothing is known of it in user space */
	/* Of a group: the times for which it has been there and has been counted, its event's own
	 * number, then those of its counters, `stride` words from one to the next. */
	const uint64_t *counts;
	unsigned ncounts, stride;
	uint64_t enabled_ns, running_ns;
};
typedef void perf_fn(void *arg, const struct perf_sample *);

#define PERF_PREDICATE_MAX 3000 /* the kernel takes a page of filter */

struct perf_want {
	uint32_t type;	 /* PERF_TYPE_TRACEPOINT ... */
	uint64_t config; /* tpformat.id ... */
	uint64_t period; /* a sampling event: of its unit (ns of cpu-clock); 0: every event */
	enum perf_scope scope;
	int only_cpu; /* of one CPU: its number and 1 more; 0: of all */
	unsigned flags;
	/* The kernel's filter for tracepoints ("id == 3 || id == 4"); NULL: all. It holds only
	 * while every want for the event has the same one; so fn checks again. */
	const char *filter;
	/* Besides, in the same words, what clauses ask for; NULL: all. Others may ask for more, and
	 * the kernel may refuse it: fn checks again. Of a counter the kernel must take it. */
	const char *predicate;
	/* A group; of PERF_SYSTEM only. */
	struct perf_sibling siblings[PERF_GROUP_MAX];
	unsigned nsiblings;
	/* Of a tracepoint: its records of idle CPUs are wanted also where the kernel writes none
	 * (perfidle.h); lives as long as the tracefs. NULL: what the kernel writes will do. */
	const struct tpformat *format;
	perf_fn *fn;
	void *arg;
	/* Of a file: all that is asked for is how often it is there: added to, and fn is not
	 * called. NULL: fn is. */
	uint64_t *count;
};

/* -x kernelbuf: the size that each ring is to have, a power of two of bytes; without it, `usual`.
 */
uint64_t kernel_ring_size(const struct session *, uint64_t usual);
/*
 * The rings of a run, made at the first call. Errors: perf events cannot be used at all.
 */
int world_perf(struct world *, struct perf **, struct err *);
struct tracefs *world_tracefs(struct world *);

/* PERF_KSTACK ... for what the clauses of a probe read. */
unsigned perf_flags(unsigned needs);

/* Registers; what it points to is copied; the same fn and arg for one event are called once for a
 * record. Opened when sources start, or at once when they have.
 * Errors: of opening. */
int perf_add(struct perf *, const struct perf_want *, struct err *);

/* There is no tracepoint of that name, here or in the file: says so, returns -ENOENT. */
int perf_lacks(const struct world *, const char *system, const char *name, struct err *);
/* The file has none of these ("a,b", as perf record -e has them); NULL: perf has no event for it.
 */
int perf_lacks_all(const struct world *, const char *names, struct err *);
/* The numbers of system calls that raw_syscalls:RAW has are those of this processor's, or says that
 * they are not. */
int perf_check_calls(const struct world *, const char *raw, struct err *);
/* The recording of the world has that event, whatever its period. */
bool perf_recorded(const struct world *, uint32_t type, uint64_t config);
/* How often a second the recording was to sample its clock; 0: each period_ns, or it is not told.
 */
uint64_t perf_recorded_rate(const struct world *, uint64_t period_ns);

/*
 * The same for a number instead of records: fn and arg are not used. What has been counted is read
 * at any time until sources are freed, also when the events have been stopped.
 */
struct perf_counter;
int perf_count(struct perf *, const struct perf_want *, const struct perf_counter **, struct err *);
uint64_t perf_counted(const struct perf_counter *);

/* For how long the event of this fn and arg was there, and was counted: less where counters are
 * fewer than who wants one (multiplexing). Until sources are freed. */
void perf_times(const struct perf *, perf_fn *, const void *arg, uint64_t *enabled_ns,
		uint64_t *running_ns);

/* For a probe whose records come another way (bpf.h): what its clauses read is kept up to date. */
void perf_note_needs(struct perf *, unsigned needs);

/*
 * A filter that leaves out what the engine and its watchdog do, and, where text is not NULL, all
 * but that: for system calls, where tracing would feed on itself. Caller frees.
 */
char *perf_filter_own(const struct perf *, const char *text);
/* Whether it is one of those; in a PID namespace no filter can say it. */
bool perf_is_own(const struct perf *, pid_t);

/*
 * A file that a process has mapped for execution. fn is called for each, in time order with the
 * records; it is to be set before the start. `at` has pid, tid, cpu and time.
 */
struct perf_mapping {
	struct perf_sample at;
	const char *path;
	taddr_t start, end;
	uint64_t file_off;
	unsigned dev_major, dev_minor, flags; /* MAP_PRIVATE ... */
};
#define PERF_MAP_FNS 4
typedef void perf_map_fn(void *arg, const struct perf_mapping *);
void perf_on_mapping(struct perf *, perf_map_fn *, void *arg); /* each caller adds its own */

/*
 * A process or thread begins, ends, or has executed a program: as on_mapping; of the processes that
 * may be seen. pid and tid of `at` are the one it is about; parent_* are set for TASK_NEW.
 */
struct perf_task {
	enum { TASK_NEW, TASK_EXEC, TASK_EXIT } what;
	struct perf_sample at;
	pid_t parent_pid, parent_tid;
};
typedef void perf_task_fn(void *arg, const struct perf_task *);
void perf_on_task(struct perf *, perf_task_fn *, void *arg);
/* The same of all processes that are known of, before others are told. */
void perf_on_process(struct perf *, perf_task_fn *, void *arg);

/*
 * A thread comes to a CPU or leaves it: as on_mapping; of the processes that may be seen. Where
 * only traced programs are seen, a thread's events are gone before it leaves its CPU for the last
 * time (perf_event_exit_task()), and the record of its end stands for that.
 */
struct perf_switch {
	struct perf_sample at; /* the thread */
	bool is_out, is_preempted, is_dead;
};
typedef void perf_switch_fn(void *arg, const struct perf_switch *);
void perf_on_switch(struct perf *, perf_switch_fn *, void *arg);

/* n records found no room in the ring of a CPU: as on_mapping, and when all have been read. */
typedef void perf_lost_fn(void *arg, unsigned cpu, uint64_t n, uint64_t time_ns);
void perf_on_lost(struct perf *, perf_lost_fn *, void *arg);

/* vtimestamp of events of other sources, if it was asked for before the start (perf_note_needs). */
uint64_t perf_vtime(struct perf *, pid_t tid, uint64_t time_ns); /* 0: it is not known */

/* In a run that goes to a file, before others have happened: an event of that tracepoint of which
 * the kernel has written no record. It gets one, and who wants such events is told. */
void perf_make(const struct perf *, uint32_t tracepoint, const struct perf_sample *);

/* Every record that is no sample: its type, with pid, tid, cpu and time as far as it tells. */
typedef void perf_side_fn(void *arg, uint32_t type, const struct perf_sample *at);
void perf_on_side_band(struct perf *, perf_side_fn *, void *arg);

bool perf_sees_all(const struct perf *); /* the whole machine, not only traced programs */
unsigned perf_ncpus(const struct perf *);
uint64_t perf_nread(const struct perf *); /* samples that came */

/* May this scope be had? Errors: "probe description %s: needs CAP_PERFMON ...". */
int perf_may(struct perf *, const struct probe *, enum perf_scope, struct err *);

/* The same where nothing can be done: says so, returns -EACCES. */
int perf_refuse(const struct probe *, struct err *);

/* What is known of processes; as long as the perf lives. */
struct proctab *perf_procs(struct perf *);

/* pid, tid, cpu, time, stacks, payload, target and task of a sample; the rest is zero. */
void perf_event_init(struct perf *, struct event *, const struct perf_sample *);

/* The user stack, found when a clause asks, and uregs[]; it lives as long as the event. */
void perf_event_user(struct event *, const struct userstack *);

/* For who learns later what processes did: procspaces_keep(), procspaces_go_back(). */
void perf_keep_past(struct perf *, void (*fn)(void *arg), void *arg);
void perf_go_back(struct perf *, pid_t, uint64_t time_ns);

/* An address of a process that is about to be recorded: what is mapped there. */
void perf_learn_address(struct perf *, pid_t, taddr_t pc);

#endif
