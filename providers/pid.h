/*
 * pid.h: what the files of the pid provider share. All of it is the engine's own memory.
 *
 *   probe ─arg─► pid_probe ─► pid_site ─► pid_site ...   one per function of that name: two statics
 *                                │                       of one name are one probe
 *                                └► pid_bkpt ...         one at an entry or offset; for return one
 *                                                        at each ret and leaving jump
 */
#ifndef PROVIDERS_PID_H
#define PROVIDERS_PID_H

#include "providers/providers.h"
#include "symbols/modules.h"

struct pid_world {
	struct objcache *cache;
	struct pid_proc *procs;
	bool rematching;    /* only fresh modules are looked at, and nothing is an error */
	unsigned nsites;    /* of all probes */
	unsigned nskipped;  /* sites of globs that cannot be probed */
	struct err skipped; /* why: the first of them */
};

/* One process of -c. It stays when the process is gone, so that its descriptions stay known. */
struct pid_proc {
	struct pid_proc *next;
	struct pid_world *pw;
	struct proc *proc; /* NULL: gone */
	pid_t pid;
	char prov[32];		      /* "fpid1234"; the pid provider's name follows the f */
	const struct provider *asked; /* whose probes are being made */
	struct modules *modules;      /* of the program it runs now */
	struct pid_site *sites;	      /* all in that program */
	/* the last module pattern that was matched, and the modules it means */
	char *pattern;
	struct module **matched;
	unsigned nmatched;
};

enum pid_kind { PID_ENTRY, PID_RETURN, PID_OFFSET };

struct pid_probe {
	struct probe *probe;
	enum pid_kind kind;
	bool exact; /* a description names the function: what cannot be probed is an error */
	struct pid_site *sites;
};

struct pid_bkpt {
	struct pid_site *site;
	struct bkpt *bkpt; /* NULL: not added */
	uint32_t off;	   /* of the instruction in the function */
};

struct pid_site {
	struct pid_site *next, *next_in_proc;
	struct pid_probe *probe;
	struct pid_proc *proc;
	struct module *mod;
	const struct func *func; /* NULL: the address of a '-' probe lies in none */
	taddr_t addr;		 /* link-time: of the function, or of the instruction */
	struct pid_bkpt *bkpts;	 /* NULL: not armed */
	unsigned nbkpts;
};

/* pid_provide.c: descriptions → probes and sites; as in struct provider. */
bool pid_on_demand(const char *prov);
bool fpid_on_demand(const char *prov);
int pid_provide(struct session *, const struct probe_desc *, int *tag, struct err *);
bool pid_matches(const struct probe *, const struct probe_desc *);
void pid_forget_match(struct pid_proc *); /* the modules have changed */

/* prov_pid.c */
struct pid_world *pid_world_of(struct world *);
/* Adds the breakpoints of a site; nothing is written before bkpt_commit. Errors: the text of
 * D_PROC_CREATEFAIL, for exact names; others are counted and left out. */
int pid_arm(struct pid_site *, struct err *);
/* As in struct provider; fpid probes that are breakpoints share them. */
int pid_enable(struct probe *, struct err *);
void pid_disable(struct probe *);
unsigned pid_ustack(const struct event *, taddr_t *pcs, unsigned max);
int pid_stop_process(const struct event *);
int pid_raise_signal(const struct event *, int sig);

#endif
