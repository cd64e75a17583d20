/*
 * pid_priv.h: what the files of the pid provider share. All of it is the engine's own memory.
 *
 *   probe ─arg─► pid_probe ─► pid_site ─► pid_site ...   one per function of that name: two statics
 *                                │                       of one name are one probe
 *                                └► pid_bkpt ...         one at an entry or offset; for return one
 *                                                        at each ret and leaving jump
 */
#ifndef PROVIDERS_PID_PID_PRIV_H
#define PROVIDERS_PID_PID_PRIV_H

#include "inject/hooks.h"
#include "base/hash.h"
#include "providers/pid/pid.h"
#include "providers/providers.h"
#include "providers/world/world.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/modules.h"

/* Functions by what became of their fpid probes: one that has both kinds counts where the worse one
 * does. */
struct fpid_tally {
	unsigned hooked, armed, refused;
	struct err why; /* the first that was not hooked */
};

struct pid_world {
	struct session *session;
	struct objcache *cache;
	struct pid_proc *procs;
	/* NULL: none. Only fresh modules of it are looked at, and nothing is an error; others may
	 * be on their way to their rendezvous, where nothing may be done to them. */
	struct pid_proc *rematching;
	const struct pid_answer *answer; /* only what it brings is looked at; NULL: none */
	unsigned nserved;		 /* steps of matching and arming, see pid_serve */
	struct fpid_rules *fpid_rules;	 /* fpid_claims.c's own */
	struct fpid_tally fpid_followed; /* of all processes that are only followed */
	struct fpid_scan *fpid_scan;	 /* fpid_verdict.c's own */
	struct rings *rings;		 /* of what hooks record; NULL: nothing */
	bool tsc_known;
	const char
		*tsc_why; /* it is known why the time stamp counter cannot be used; NULL: it can */
	bool rings_busy;  /* they held something since they were polled */
	struct dwarf_types *dwarf_types; /* NULL: nobody has asked for types */
	struct pid_debug *debug;	 /* pid_types.c's own */
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
	char prov[32];	       /* "fpid1234", of the root; the pid provider's name follows the f */
	const struct provider *asked; /* whose probes are being made */
	struct modules *modules;      /* of the program it runs now */
	struct hooks *hooks;	      /* NULL: none */
	bool no_hooks;		      /* it cannot have any */
	bool is_preloaded;	      /* it can have hooks, and nothing else */
	bool has_left;		      /* the program that it had them for */
	bool is_heard;		      /* hooks_listen_at */
	struct taskinfo task;	      /* as it was when it got them */
	struct hash aliases; /* pid_match.c: address → indirect functions that chose it */
	struct hash scans;   /* file → its struct codescan */
	struct fpid_tally fpid_later; /* what was decided one by one */
	unsigned nearly;	      /* functions whose sites are HOOK_LATER */
	bool is_told;		      /* how many functions are hooked */
	uint64_t settled_ns;	      /* when that was decided first; 0: not yet */
	struct fpid_records *records; /* fpid_records.c; NULL: nothing of it is recorded */
	struct fpid_claims *claims;   /* fpid_claims.c; NULL: none of its clauses is claimed */
	bool watches_traps;	      /* pid_sigtrap.c */
	struct pid_site *sites;	      /* all in that program */
	unsigned nsites;
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

enum hook_state {
	HOOK_NONE,
	HOOK_WANTED, /* fpid_settle will decide */
	HOOK_LATER,  /* when its process can have hooks; a breakpoint until then */
	HOOK_ON,
};

enum fpid_how {
	FPID_NOT,
	FPID_COUNTS,  /* counts hits in a cell */
	FPID_CLAIMS,  /* runs the clauses */
	FPID_RECORDS, /* writes what the clauses read into the thread's ring */
};

struct pid_probe {
	struct probe *probe;
	enum pid_kind kind;
	bool exact;  /* a description names the function: what cannot be probed is an error */
	bool is_jit; /* its sites are in code made at run time */
	struct pid_site *sites;
};

struct pid_bkpt {
	struct pid_site *site;
	struct bkpt *bkpt; /* NULL: not added */
	int64_t off;	   /* of the instruction from the function's start: see struct retsite */
};

struct pid_site {
	struct pid_site *next, *next_in_proc;
	struct pid_site *next_end; /* fpid_settle's own */
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
	enum hook_state hook; /* of an fpid probe */
	enum fpid_how how;    /* the hook does what the clauses ask for */
	bool is_half;	      /* its function has a breakpoint besides */
	bool was_hooked;      /* it is a breakpoint by now; `counter` may still grow a little */
	uint32_t counter;     /* HOOK_ON: in the process's hooks */
	uint64_t counted;     /* of its calls: handed over */
	/* of one that has none: */
	uint64_t stopped_ns; /* by its breakpoints */
	bool is_named;	     /* for taking too much of the time */
};

/* pid_provide.c: descriptions → probes and sites; as in struct provider. */
bool pid_on_demand(const char *prov);
bool fpid_on_demand(const char *prov);
int pid_provide(struct session *, const struct probe_desc *, int *tag, struct err *);
void pid_suggest(struct session *, const struct probe_desc *, enum desc_field,
		 void (*fn)(void *, const char *), void *arg);
const char *pid_why_none(struct session *, const struct probe_desc *);

/*
 * pid_match.c. Several names of one piece of code: symbols of a file, and indirect functions that
 * have chosen it, which pid_alias_add tells. Is that name the one that a pattern means the code at
 * an address of the process by? Has it a probe by another name of the pattern?
 */
bool pid_all_aliases(const struct session *); /* -x aliases=all: each name is meant */
void pid_alias_add(struct pid_proc *, taddr_t, const struct func *ifunc);
void pid_aliases_forget(struct pid_proc *);
bool pid_has_one_name(struct pid_proc *, struct module *, const struct func *);
bool pid_is_preferred(struct pid_proc *, taddr_t, const char *pattern, const char *name);
bool pid_has_probe(const struct pid_proc *, taddr_t, const char *pattern, const char *name);
bool pid_func_matches(struct objfile *, const struct func *, const char *pattern);
bool pid_matches(const struct probe *, const struct probe_desc *); /* as in struct provider */
void pid_forget_match(struct pid_proc *);			   /* the modules have changed */

/* pid_ifunc.c: the addresses of what an indirect function of that module has chosen, as far as it
 * can be known now. At most max; returns how many. */
unsigned pid_ifunc_chosen(struct pid_proc *, const struct module *, const struct func *,
			  taddr_t *chosen, unsigned max);
void pid_ifunc_answered(struct hit *, void *pid_bkpt); /* at a return of its resolver */

/* What the pid provider knows of a probe: made when it is new. */
struct pid_probe *pid_probe_of(struct probe *, enum pid_kind);
/* The process of a provider name, by its last digits, attached to if need be. NULL: tag and err say
 * why it cannot be traced. */
struct pid_proc *pid_find_proc(struct session *, const char *prov, int *tag, struct err *);
/* The mapped modules of a pattern; valid until the next call. */
unsigned pid_match_modules(struct pid_proc *, const char *pattern, struct module ***out);

/* A site that the probe does not have yet, armed if the probe is enabled. `what` has its place, and
 * the usdt_site, which becomes the site's. */
struct pid_site *pid_link_site(struct pid_proc *, struct pid_probe *, const struct pid_site *what);
int pid_new_site(struct pid_proc *, struct pid_probe *, const struct pid_site *what, int *tag,
		 struct err *);

/* prov_usdt.c */
int usdt_check(const struct pid_site *, struct err *); /* may it be probed? */
int usdt_raise(struct pid_site *, struct err *);       /* the semaphore, if it has one */
void usdt_lower(struct pid_site *);
void usdt_free(struct usdt_site *);
void usdt_args(struct event *, struct usdt_site *); /* the event has its registers */

/* A site of a probe that is_jit, armed if that is enabled; `what` has module, address, code. */
struct jit_probe {
	enum pid_kind kind;
	const char *function, *name;
};
int pid_add_jit_site(struct session *, struct pid_proc *, const struct jit_probe *,
		     const struct pid_site *what, int *tag, struct err *);
/* The name of a description is an offset: hexadecimal without 0x. */
bool pid_parse_offset(const char *name, uint64_t *off);

/* pid_jit.c: code made at run time. */
bool pid_jit_means(const struct probe_desc *); /* does the description ask for it? */
int pid_jit_provide(struct session *, struct pid_proc *, const struct probe_desc *, int *tag,
		    struct err *);
bool pid_jit_matches(const struct pid_probe *, const struct probe_desc *);
/* Where the code of such a site returns now: offsets; the caller frees. */
unsigned pid_jit_returns(const struct pid_site *, uint32_t **offs);
void pid_jit_mapped(struct pid_proc *); /* there are fresh modules */
void pid_jit_forget(struct pid_proc *); /* the program, and all sites, are gone */
uint64_t pid_jit_poll(struct world *);	/* looks for new code; returns when to be called again */

/* pid_types.c: as in struct provider. */
void pid_argtypes(struct probe *, struct probe_args *);

/* pid_args.c: args[] at entry of the function of that symbol, and at its return. */
void pid_entry_args(struct session *, const struct dwarf_types *, const struct func *,
		    const struct dwarf_func *, struct probe_args *);
void pid_return_args(struct session *, const struct dwarf_types *, const struct dwarf_func *,
		     struct probe_args *);

/* Code that a runtime tells of (name "": that is gone), and: now look whether it is wanted. */
void pid_jit_told(struct pid_proc *, taddr_t addr, uint64_t size, const char *name);
void pid_jit_take(struct pid_proc *);

/* pid_gdbjit.c: takes what a module has told debuggers by now, and listens. */
void pid_gdbjit_hook(struct pid_proc *, const struct module *, const struct objfile *);

/* pid_sigtrap.c: before breakpoints are written, hears what the program wants done at SIGTRAP. */
void pid_sigtrap_watch(struct pid_proc *);

/* fpid_hot.c: a hit of an fpid probe that is a breakpoint, whose stop was collected at that time;
 * and the functions that take too much are named, each once. */
void fpid_hot_hit(struct pid_site *, uint64_t since_ns);
void fpid_hot_look(struct pid_proc *);

/* fpid_verdict.c: as in struct provider. */
void fpid_detail(struct probe *, struct strbuf *);
/* pid_types.c: the same of pid: the file and the line of Go functions. */
void pid_detail(struct probe *, struct strbuf *);

int pid_commit(struct session *, struct pid_proc *, struct err *); /* bkpt_commit of what is left */

/* prov_fpid.c */
int fpid_arm(struct pid_site *, struct err *); /* as pid_arm; fpid_settle must follow */
/* Has it a C library that hooks know, or may it have when all is mapped? Errors: as tlsword_find.
 */
int fpid_hookable(const struct pid_proc *, struct err *);
/* What no hook can do may be a breakpoint. */
bool fpid_falls_back(const struct pid_proc *);
/* Sites that want a hook get one if the process is still; else they are armed as breakpoints, which
 * bkpt_commit then writes. Errors: of writing code, and refusals of exact names. */
int fpid_settle(struct session *, struct pid_proc *, struct err *);
/* Functions (the keys) are no longer mapped: what their hooks have used is free for others. */
void fpid_unmapped(struct pid_proc *, const struct hash *functions);
/* What a child by fork has of its parent's hooks, before it runs. */
struct fpid_heritage {
	struct pid_proc *child;
	struct hash functions; /* that are hooked in it */
	bool is_whole;	       /* all are that are hooked in the parent */
	struct hash sites;     /* of the parent → of the child */
};
void fpid_inherit(struct fpid_heritage *, struct pid_proc *parent);
/* A site that is HOOK_ON in the parent, in the child's module. False: it is not hooked there. */
bool fpid_inherit_site(struct fpid_heritage *, const struct pid_site *, struct module *);
void fpid_inherited(struct fpid_heritage *, const struct pid_proc *parent); /* all sites */

/* fpid_function.c: the code of the file, as far as hooks ask; scanned once for a process. */
struct codescan *fpid_scan_of(struct pid_proc *, const struct module *, struct objfile *);

/* fpid_unhook.c */
void fpid_collect(struct pid_proc *);		      /* hands over what has been counted */
void fpid_part(struct session *, struct pid_proc *);  /* unhooked, while it runs */
void fpid_end_broken(struct pid_proc *);	      /* if its memory is */
void fpid_leave(struct session *, struct pid_proc *); /* the process is let go, unhooked */
void fpid_forget(struct pid_proc *);		      /* the program is gone: its hooks with it */

/* fpid_records.c: hits that are recorded in the process, and fired some time later. */
const char *
fpid_clock_unusable(struct pid_world *); /* the time stamp counter; NULL: it can be used */
/* Why the hits of this site cannot be records; NULL: they can. */
const char *fpid_unrecordable(const struct pid_site *);
/* What hooks_new must know for records; the memory is taken when they are made. */
void fpid_rings(struct pid_proc *, struct hooks_sizes *);
/*
 * The site's hits at this place become records: at its entry, or at the return whose instruction is
 * `off` bytes into it, with the stack pointer at the return address. Before hooks_commit.
 */
struct fpid_point {
	bool is_return;
	int64_t off; /* as in struct retsite */
};
int fpid_record(struct pid_site *, struct hook_point *, const struct fpid_point *, struct err *);
/* The code of the process has changed, or what is recorded: before hooks_commit. */
void fpid_records_settle(struct pid_proc *);
/* Fires what has been recorded; returns when it should be called again (UINT64_MAX: no need). */
uint64_t fpid_poll(struct world *);
/* The sites of a child by fork record as its parent's do. */
void fpid_records_inherit(const struct fpid_heritage *, const struct pid_proc *parent);
void fpid_records_drop(struct pid_site *);   /* it is about to be freed: all is fired before */
void fpid_records_flush(struct pid_proc *);  /* fires all there is, and counts what was lost */
void fpid_records_forget(struct pid_proc *); /* the program is gone; flush first */

/*
 * fpid_preload.c: a process that nobody stops (is_preloaded; of others nothing happens). Before
 * hooks_commit: it is to tell of libraries that come. Then: looks for what it has to tell, and
 * returns when it should be called again.
 */
void fpid_listen(struct pid_proc *);
uint64_t fpid_hear(struct pid_proc *);

/* fpid_fault.c: as in struct tracer_ops. */
void fpid_faulted(struct pid_proc *, struct code_fault *);

/* prov_pid.c */
void pid_hit(struct hit *, void *pid_bkpt); /* fires its probe */
/* Now and then, while much is matched and armed: the processes run meanwhile. */
void pid_serve(struct pid_world *);
struct pid_world *pid_world_of(struct world *);
/* Adds the breakpoints of a site; nothing is written before bkpt_commit. Errors: the text of
 * D_PROC_CREATEFAIL, for exact names; others are counted and left out. */
int pid_arm(struct pid_site *, struct err *);
void pid_disarm(struct pid_site *); /* takes its breakpoints out, at bkpt_commit */
/* Could a breakpoint be where the site is? Errors: as pid_arm; sees only its own instruction. */
int pid_check(const struct pid_site *, struct err *);
void pid_drop_site(struct pid_site *); /* takes it out, and its breakpoints at bkpt_commit */
/* Matches all descriptions against what is new in a process, and writes its breakpoints. */
void pid_rematch(struct session *, struct pid_proc *);
/* pid_left_out.c: one more of a process that is not probed, and why; all of them as a message; and
 * the process executes another program. */
void pid_leave_out(struct pid_proc *, const struct err *why);
void pid_tell_left_out(struct session *, struct pid_world *, bool is_end);
void pid_executed(struct pid_proc *);
/* It cannot be probed: an error for an exact name, else counted and left out. */
int pid_refuse(struct pid_site *, const struct err *why, struct err *);
/* As in struct provider; fpid probes that are breakpoints share them. */
int pid_enable(struct probe *, struct err *);
void pid_disable(struct probe *);
unsigned pid_ustack(const struct event *, taddr_t *pcs, unsigned max);
int pid_stop_process(const struct event *);
int pid_raise_signal(const struct event *, int sig);

#endif
