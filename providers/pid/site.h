/*
 * site.h: where the probes of traced processes are, and the two kinds of what is there: breakpoints
 * (pid, usdt) and hooks (fpid). All of it is the engine's own memory.
 *
 *   probe ─arg─► pid_probe ─► pid_site ─► pid_site ...   one per function of that name: two statics
 *                                │                       of one name are one probe
 *                                └► pid_bkpt ...         one at an entry or offset; for return one
 *                                                        at each ret and leaving jump
 */
#ifndef PROVIDERS_PID_SITE_H
#define PROVIDERS_PID_SITE_H

#include "base/hash.h"
#include "providers/pid/pid.h"
#include "providers/pid/stopcost.h"
#include "providers/providers.h"
#include "providers/world/world.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/modules.h"

/* Of a process. All functions of a compiler, and their returns, are half a million; a fat-fingered
 * pid$target::: must end in a sentence. */
#define PID_SITES_MAX 1000000

struct site_ops;
struct fpid_world;
struct fpid_proc;
struct fpid_site;

struct pid_world {
	struct session *session;
	struct objcache *cache;
	struct pid_proc *procs;
	/* NULL: none. Only fresh modules of it are looked at, and nothing is an error; others may
	 * be on their way to their rendezvous, where nothing may be done to them. */
	struct pid_proc *rematching;
	const struct pid_answer *answer; /* only what it brings is looked at; NULL: none */
	unsigned noneshot, nfired;	 /* pid_oneshot.c: probes */
	unsigned nserved;		 /* steps of matching and arming, see pid_serve */
	struct fpid_world *fpid;	 /* fpid's own; NULL: that is not in use */
	const struct hook_ops *hook_ops; /* NULL: no description has named fpid */
	struct dwarf_types *dwarf_types; /* NULL: nobody has asked for types */
	struct pid_debug *debug;	 /* pid_types.c's own */
	struct hash known;		 /* pid_known.c: file → probes of its functions */
	uint64_t begin_ns;		 /* of tracing */
	struct stopcost cost;		 /* pid_cost.c: of breakpoints of pid itself */
};

/* A process. It stays when it is gone, so that its descriptions stay known, unless it is only
 * followed: it has none of its own. */
struct pid_proc {
	struct pid_proc *next;
	struct pid_world *pw;
	struct proc *proc; /* NULL: gone */
	pid_t pid;
	unsigned nskipped;     /* sites of globs that cannot be probed, since that was told */
	char *skipped;	       /* why: the first of them; NULL: none */
	bool may_execute;      /* the program that they are of may be gone soon */
	struct pid_proc *root; /* followed: the one whose descriptions and probes are its too */
	char digits[16];       /* of its pid, or its root's: its providers' names end with them */
	const struct site_ops *asked; /* whose probes are being made, */
	char prov[32];		      /* and their provider's name: "pid1234" */
	struct modules *modules;      /* of the program it runs now */
	struct fpid_proc *fpid;	      /* fpid's own; NULL: that is not in use */
	struct hash aliases;	/* pid_match.c: address → indirect functions that chose it */
	bool watches_traps;	/* pid_sigtrap.c */
	struct pid_site *sites; /* all in that program */
	unsigned nsites;
	struct hash spent;   /* pid_oneshot.c: probes that have fired in that program */
	uint64_t learnt_ns;  /* when its mappings were last looked at for an address */
	struct pid_jit *jit; /* pid_jit.c; NULL: no description asks for such code */
	/* the last module pattern that was matched, and the modules it means */
	char *pattern;
	struct module **matched;
	unsigned nmatched;
};

/* A resolver has just chosen: what an indirect function is from now on. */
struct pid_answer {
	const struct module *mod;
	const struct func *ifunc;
	taddr_t chosen;
};

enum pid_kind { PID_ENTRY, PID_RETURN, PID_OFFSET, PID_USDT };

/* How many a process may have already when one more of that kind is made. */
static inline unsigned pid_sites_max(enum pid_kind kind)
{
	return kind == PID_OFFSET ? PID_SITES_MAX / 4 : PID_SITES_MAX;
}

struct pid_probe {
	struct probe *probe;
	const struct site_ops *ops;
	enum pid_kind kind;
	bool exact;  /* a description names function and probe: if it cannot be, that is an error */
	bool is_jit; /* its sites are in code made at run time */
	bool is_oneshot, has_fired; /* pid_oneshot.c */
	struct pid_site *sites;
};

struct pid_bkpt {
	struct pid_site *site;
	struct bkpt *bkpt; /* NULL: not added */
	int64_t off;	   /* of the instruction from the function's start: see struct retsite */
};

struct pid_site {
	struct pid_site *next, *next_in_proc;
	struct pid_probe *probe;
	struct pid_proc *proc;
	struct module *mod;
	const struct func *func; /* NULL: the address of a '-' probe lies in none */
	taddr_t addr;		 /* link-time: of the function, or of the instruction */
	/*
	 * The indirect function whose name the probe has; NULL: it is none. At its resolver the
	 * site only waits for the answer; others are in what was chosen.
	 */
	const struct func *ifunc;
	bool is_resolver;
	/* of a probe that is_jit: how the runtime calls this piece, where it starts, its length */
	const char *code;
	taddr_t code_addr;
	uint64_t code_size;
	struct usdt_site *usdt; /* of PID_USDT: what its note says */
	struct pid_bkpt *bkpts; /* NULL: not armed */
	unsigned nbkpts;
	struct fpid_site *fpid; /* fpid's own; NULL: of another provider's probe */
};

/* What a child by fork has of its parent, before it runs. */
struct fork_copy {
	struct pid_proc *child;
	struct pid_proc *parent;
};

/*
 * What there is in two kinds, breakpoints (pid, usdt) and hooks (fpid): of one site. A row without
 * a member has nothing to do there.
 */
struct site_ops {
	const struct provider *provider;
	const char *letters;		   /* that the names of its providers begin with: "pid" */
	bool is_files_only;		   /* no code that is made at run time */
	const struct hook_ops *hook_ops;   /* hookops.h; NULL: breakpoints need none */
	void (*linked)(struct pid_site *); /* a new one of its probes */
	void (*drop)(struct pid_site *);   /* such a one is about to be freed */
	/* It has something else than breakpoints there, or is about to decide what. */
	bool (*holds)(const struct pid_site *);
	/* The site of an enabled probe; errors as of pid_arm. */
	int (*arm)(struct pid_site *, struct err *);
	/* Its breakpoint was hit, at that time, and that has been fired. */
	void (*hit)(struct pid_site *, uint64_t since_ns, pid_t tid);
	/* Between copy_begins and copy_ends: a site of the parent that it holds, in the child's
	 * module. False: not in the child. */
	bool (*inherit)(struct fork_copy *, const struct pid_site *, struct module *);
};

/* Where its function begins in the process; an address in none is one of its own. */
static inline taddr_t site_function(const struct pid_site *site)
{
	return (site->func ? site->func->addr : site->addr) + site->mod->bias;
}

static inline bool site_is_held(const struct pid_site *site) /* by its own kind */
{
	const struct site_ops *ops = site->probe->ops;

	return ops->holds && ops->holds(site);
}

/* pid_provide.c: the name is that of a process by those letters and digits only, or a pattern of
 * such names. */
bool pid_is_named_by(const char *prov, const char *letters);
/* Descriptions → probes and sites of that kind; as in struct provider. */
int pid_provide_as(const struct site_ops *, struct session *, const struct probe_desc *, int *tag,
		   struct err *);
void pid_suggest(struct session *, const struct probe_desc *, enum desc_field,
		 void (*fn)(void *, const char *), void *arg);
const char *pid_why_none(struct session *, const struct probe_desc *);
bool pid_matches(const struct probe *, const struct probe_desc *); /* pid_match.c */
/* A site that the probe does not have yet. `what` has its place, and the usdt_site, which becomes
 * the site's. */
struct pid_site *pid_link_site(struct pid_proc *, struct pid_probe *, const struct pid_site *what);

/* pid_meaning.c: what the descriptions of the run mean in a module. NULL: that cannot be said in
 * short. */
struct pid_meaning;
struct pid_meaning *pid_meaning_of(struct pid_proc *, struct module *);
bool pid_meaning_is(const struct pid_meaning *, const struct pid_meaning *); /* the same */
/* The process knows what indirect functions have chosen there, as after a look at all probes. */
void pid_meaning_learn(struct pid_proc *, const struct module *, const struct pid_meaning *);
void pid_meaning_free(struct pid_meaning *);

/* pid_types.c: as in struct provider; the file and the line of Go functions. */
void pid_argtypes(struct probe *, struct probe_args *);
void pid_detail(struct probe *, struct strbuf *);

/* prov_pid.c, pid_arm.c */
/* -x pidhooks: who has hooks makes the probes of pid, too. */
bool pid_has_hooks(const struct session *);
struct pid_world *pid_world_of(struct world *);
/* Probes of that kind are wanted: what it has besides breakpoints is in use from now on. */
void pid_use(struct pid_world *, const struct site_ops *);
void pid_hit(struct hit *, void *pid_bkpt); /* fires its probe */
/* Adds the breakpoints of a site; nothing is written before bkpt_commit. Errors: the text of
 * D_PROC_CREATEFAIL, for exact names; others are counted and left out. */
int pid_arm(struct pid_site *, struct err *);
void pid_disarm(struct pid_site *); /* takes its breakpoints out, at bkpt_commit */
/* It cannot be probed: an error for an exact name, else counted and left out. */
int pid_refuse(struct pid_site *, const struct err *why, struct err *);
int pid_commit(struct session *, struct pid_proc *, struct err *); /* bkpt_commit of what is left */
/*
 * pid_oneshot.c: -x oneshot, with which each probe fires once in a program that a process runs, or
 * once in the run: it is a breakpoint until then, also of fpid.
 */
#define PID_ONESHOT "-x oneshot: until its first hit"
bool pid_is_oneshot(const struct session *);
bool pid_is_spent(const struct pid_site *); /* it has fired as often as it may */
/* It has been hit, and fires now: its breakpoints are taken out. False: it has fired already. */
bool pid_spend(struct pid_site *);
void pid_begin_oneshot(struct probe *); /* it is enabled; its clauses are placed (placement.h) */
/* As in struct provider; fpid probes that are breakpoints share them. */
void pid_disable(struct probe *);
unsigned pid_ustack(const struct event *, taddr_t *pcs, unsigned max);
int pid_stop_process(const struct event *);
int pid_raise_signal(const struct event *, int sig);

#endif
