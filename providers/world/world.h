/*
 * world.h: what the providers share: the tracer and its processes, and what each provider keeps for
 * the run, which only that one looks into.
 */
#ifndef PROVIDERS_WORLD_WORLD_H
#define PROVIDERS_WORLD_WORLD_H

#include "dlang/provider.h"
#include "dlang/session_engine.h"
#include "tracer/tracer.h"

struct world;
struct engine;
struct perfdata;   /* providers/perfdata/perfdata.h */
struct perfwrite;  /* providers/perfwrite/perfwrite.h */
struct recrewrite; /* providers/rewrite/recrewrite.h */
struct world_proc;

/* Names and arguments Evolving, the rest Private: profile and syscall. */
extern const struct provattrs evolving_attrs;
/* io, sched, proc: arguments are translated; the kernel's tracepoints, whose names are its own. */
extern const struct provattrs translated_attrs, raw_attrs;

#define KERNEL_MODULE "vmlinux" /* of probes in the kernel that have no module of their own */

enum proc_origin {
	PROC_COMMAND,  /* -c: ended with us */
	PROC_PID,      /* -p: left running */
	PROC_FOLLOWED, /* made by another, with -x follow: left running */
	PROC_NAMED,    /* by a description, as pid123: left running, and nobody waits for its end */
};

pid_t world_proc_pid(const struct world_proc *); /* 0: it is gone */
/* There are processes of -c or -p, and their threads can be stopped and looked at. */
bool world_can_stop(const struct world *);
/* Addresses of a traced process are about to be recorded: where one is in no mapping that is known,
 * they are read anew. */
void world_learn_addresses(struct world *, const struct proc *, const taddr_t *pcs, unsigned npcs);

struct world {
	struct session *session;
	/* A file that all events come from (-E); NULL: they are live. Then nothing is asked of this
	 * machine's processes and its kernel. */
	struct perfdata *recording;
	struct recrewrite *rewrite; /* it is written anew (-o); NULL: it is not */
	/* A file that all events go to, which are live (-E); NULL: none. */
	struct perfwrite *log;
	struct hitlog *hitlog;	 /* with log: hits of our own probes, too */
	struct procfacts *facts; /* with log or recording, providers/hits/procfacts.h; or NULL */
	bool log_only;		 /* clauses of samples wait for the file to be read, */
	bool log_acts;		 /* but for some (dlang/offload/defer.h) */
	struct tracer *tracer;
	struct journal *journal;
	bool says_unsent; /* that a stop() or raise() has reached nobody */
	pid_t signalled;  /* whom the last of them has reached */
	struct world_proc {
		struct proc *proc;	   /* NULL when gone, or not traced: */
		struct untraced *untraced; /* of -c where ptrace is forbidden */
		enum proc_origin origin;
		bool is_awaited; /* by the end of the run; descendants as their parents */
		bool is_at_exec; /* of -c, and has not made a system call yet */
	} * procs;		 /* in command-line order */
	unsigned nprocs, procs_room;
	unsigned nawaited, nlive; /* of -c and -p: all, and those that live, with their followed
				     descendants: the run ends with them */
	bool has_untraced;
	bool cannot_stop; /* a process of -c, because ptrace is forbidden */
	/* Attaches to a process that a program names (engine.c). Errors as of tracer_attach. */
	int (*grab)(struct world *, pid_t, struct err *);
	struct engine *engine; /* for grab */
	/* as world_learn_addresses; NULL: nobody keeps the mappings */
	void (*learn_addresses)(struct world *, const struct proc *, const taddr_t *pcs,
				unsigned npcs);
	bool is_verbose; /* -v */
	/* Each provider's own for the run, which it makes when it needs it and frees at the end
	 * (struct provider); NULL: not in use. */
	struct pid_world *pid; /* pid, fpid, usdt */
	struct sys_world *syscalls;
	struct call_watcher *call_watchers; /* providers/system/system.h */
	struct sched *sched;
	struct proc_world *proc;
	struct io_world *io;
	struct net_world *net; /* ip, tcp, udp, tcpip, udpip */
	struct pf_world *pf;
	struct fsinfo_world *fsinfo;
	struct reg_world *reg;
	struct fbt_world *fbt;
	struct diag_watch *diag;
	struct dnet_world *dnet;
	struct tp_world *tracepoints;
	struct pmc_counting *pmc_counting;
	uint32_t hwconfig_told;	      /* kinds, as bits, of which features of a recording tell */
	struct script_socket *script; /* freed as a source */
	struct hits *hits; /* of our own probes, in a recording; NULL: nobody has asked */
	bool has_hits;
	/* What tells them of the kernel; NULL until somebody asks. */
	struct perf *perf;
	struct bpf *bpf;
	struct bpf_probes *probes; /* of providers that programs in the kernel feed (bpfprobe.h) */
	struct kernprobes *kernprobes;
	struct kernmem *kernmem;
	struct exits *exits;
	struct kernsyms *kernsyms;
	struct tracefs *tracefs;
	struct features *features; /* what has been tried */
};

/* Events are told by records of perf alone: those of a recording, or that become one. */
static inline bool world_is_recorded(const struct world *w)
{
	return w->recording || w->log;
}

static inline struct world *world_of(const struct session *s)
{
	return s->engine->world;
}

#endif
