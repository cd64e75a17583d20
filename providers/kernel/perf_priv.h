/*
 * perf_priv.h: what perf.c (which events, opening them) and perfread.c (records → samples) share.
 */
#ifndef PROVIDERS_KERNEL_PERF_PRIV_H
#define PROVIDERS_KERNEL_PERF_PRIV_H

#include "base/hash.h"
#include "providers/world/procspace.h"
#include "providers/kernel/perf.h"
#include "providers/kernel/perfdecode.h"
#include "providers/perfdata/perflayout.h"
#include "providers/perfwrite/perfwrite.h"
#include "providers/kernel/perfring.h"
#include "providers/world/proctab.h"
#include "providers/world/userstack.h"
#include "symbols/kallsyms.h"

/* Identical in all events of a live run, so that a record can be placed in time before it is looked
 * up. */
#define PERF_PREFIX PERFWRITE_PREFIX

/* One event of the kernel: what several wants share. */
struct kevent {
	struct kevent *next;
	struct perf_want want; /* of the first; flags and scope are those of all */
	char *filter;	       /* NULL: none, or they differ */
	char *predicate;       /* of one of the wants; NULL: none, or too long */
	struct {
		enum perf_scope scope;
		perf_fn *fn;
		void *arg;
		uint64_t *count;
	} * subs;
	unsigned nsubs;
	struct perf_layout layout;
	int *fds;
	unsigned nfds;
	int *sibling_fds;
	unsigned nsibling_fds;
	unsigned group_at;			  /* where it is in its group, */
	unsigned char sibling_at[PERF_GROUP_MAX]; /* and its counters */
	unsigned logged;      /* its number in the file that it goes to, and 1 more; 0: none */
	uint64_t log_id;      /* one of its ids there */
	bool is_counter;      /* it has no records */
	bool leaves_idle_out; /* records of idle CPUs come another way (perfidle.h) */
	uint64_t nread;	      /* records that came */
};

/*
 * Counters of the kernel that events read, and these events: one group for each CPU, so that a
 * counter is the same for all that read it, and what one event has of it can be compared with what
 * another has.
 */
#define PERF_MEMBERS_MAX 40
struct perf_members {
	struct perf_sibling of[PERF_MEMBERS_MAX]; /* in the order of their opening */
	unsigned n;
	int *leaders; /* of each CPU; NULL: there is no group */
};

struct perf_idle;

struct perf {
	struct world *world;
	struct proctab *procs;
	struct kevent *events, **events_tail;
	unsigned nevents;
	struct hash by_id;   /* IDENTIFIER → struct kevent */
	struct hash owners;  /* IDENTIFIER → the thread that it was opened for */
	struct hash claimed; /* thread → that of the first of its samples */
	bool is_system;	     /* the whole machine may be seen */
	bool is_started;
	struct groupread groups;     /* of a file */
	struct perfdata_record next; /* of a file: what was looked at last */
	bool is_strange;    /* of a file: it tells of a kernel that is not the one that runs */
	unsigned nnameless; /* of a file: of so many files it has been said */
	bool tells_foreign; /* of a file: that its registers are not ours has been said */
	bool is_past;	    /* of a file: what is told was so before, and nobody is told of it */
	uint64_t nlost;	    /* as LOST records told */
	uint64_t nlost_samples; /* of a file, as LOST_SAMPLES told */
	bool filters_pids; /* events of the targets are those of the machine, sorted out here */
	unsigned ncpus;
	struct perf_cpu {
		int leader; /* the event that has the ring; -1: the CPU is offline */
		uint64_t read_format;
		struct perf_ring ring;
	} * cpus;
	struct perf_members members;
	uint64_t counts[1 +
			PERF_GROUP_MAX]; /* of the record that is handled, as its event has them */
	uint64_t *times;		 /* of each CPU's oldest record; UINT64_MAX: none */
	struct procspaces *spaces;
	struct userstacks *userstacks;
	bool copies_stacks;	 /* -x ustackunwind */
	struct userstack user;	 /* of the record that is handled */
	struct hash tracing_pcs; /* what is_tracing() has answered */
	struct {
		perf_map_fn *fn;
		void *arg;
	} on_mapping[PERF_MAP_FNS];
	unsigned non_mapping;		    /* who asked */
	perf_task_fn *on_task, *on_process; /* NULL: nobody asked */
	void *on_task_arg, *on_process_arg;
	perf_switch_fn *on_switch; /* NULL: nobody asked */
	void *on_switch_arg;
	perf_side_fn *on_side; /* NULL: nobody asked */
	void *on_side_arg;
	perf_lost_fn *on_lost; /* NULL: nobody asked */
	void *on_lost_arg;
	bool wants_names;	    /* of addresses of processes */
	bool wants_switches;	    /* for vtimestamp */
	struct perf_idle *idle;	    /* NULL: nobody has asked */
	struct kevent *idle_output; /* its event; NULL: there is none */
};

/* perfread.c */
/* Counts what a ring had no room for, and tells who has asked. */
void perf_lost(struct perf *, unsigned cpu, uint64_t n, uint64_t time_ns);
extern const struct event_source perf_source;
/* As the record of its end says, which has not been read yet; 0: it is not there. */
pid_t perf_parent_at_exit(void *perf, pid_t pid);
/* Counts the event for those who ask for no more. False: there is nobody else. */
bool perf_tell_counts(const struct kevent *);
/* Calls who wants the event. */
void perf_tell(const struct perf *, const struct kevent *, const struct perf_sample *);
/* The function that tells of a tracepoint is left out of its stack. */
void perf_trim(struct perf *, const struct perf_layout *, struct perf_sample *);
/* A record that is no sample. */
struct perf_record; /* perfdecode.h */
void perf_take_side(struct perf *, unsigned cpu, const struct perf_record *);

/* perffile.c: the same events in a file (struct world.recording). */
extern const struct event_source perf_file_source;
/* Is it there? A want that is for nobody's clauses is not missed. */
bool perf_file_has(const struct perf *, const struct perf_want *);
/* Why it is missing. Returns -ENOENT. */
int perf_file_miss(const struct perf *, const struct perf_want *, struct err *);
void perf_file_free(struct perf *);
unsigned perf_file_ncpus(const struct perf *);
struct tracefs *perf_file_formats(const struct perfdata *);

/* perf.c: as in struct event_source. */
int perf_start(void *perf, struct err *);
void perf_stop(void *perf);
void perf_free(void *perf);

struct kevent *perf_new_event(struct perf *, const struct perf_want *);
/* On the CPUs, or for the threads, that are meant; not enabled. Errors: a sentence. */
int perf_open_event(struct perf *, struct kevent *, struct err *);

/* perfopen.c */
void perf_common_attr(struct perf_event_attr *, uint32_t type, uint64_t config);
/* The event that has the ring of a CPU, and tells of processes that come, go and change. */
void perf_leader_attr(struct perf_event_attr *);
/* Those that have the rings. */
void perf_enable_leaders(const struct perf *, unsigned long request);
/* The file of -E begins, all events having been opened: what tells of processes is enabled. */
void perf_log_start(struct perf *);
int perf_open_everywhere(struct perf *, struct kevent *, struct err *);
/* A record of a thread that has got the same event from two: is this of the second? */
bool perf_is_double(struct perf *, uint64_t id, pid_t tid);
void perf_thread_ended(struct perf *, pid_t tid); /* or has executed a program */

/* What read(2) of an event, or of a group's first, gives. False: the kernel does not tell of
 * losses. */
struct perf_reading {
	uint64_t value, lost, enabled_ns, running_ns;
};
/* at_member: where the event is in its group. */
bool perf_read_event(int fd, uint64_t read_format, unsigned at_member, struct perf_reading *);

/* perfloss.c: what has been lost, when all events have been stopped and read. */
void perf_count_losses(struct perf *);

#endif
