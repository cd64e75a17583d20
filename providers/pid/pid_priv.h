/*
 * pid_priv.h: what the files of the pid and usdt providers share.
 */
#ifndef PROVIDERS_PID_PID_PRIV_H
#define PROVIDERS_PID_PID_PRIV_H

#include "providers/pid/site.h"

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
bool pid_has_probe(struct pid_proc *, taddr_t, const char *pattern, const char *name);
bool pid_func_matches(struct objfile *, const struct func *, const char *pattern);
void pid_forget_match(struct pid_proc *); /* the modules have changed */

#define PID_CHOSEN_MAX 8 /* implementations of one indirect function */
/* pid_ifunc.c: the addresses of what an indirect function of that module has chosen, as far as it
 * can be known now. At most max; returns how many. */
unsigned pid_ifunc_chosen(struct pid_proc *, const struct module *, const struct func *,
			  taddr_t *chosen, unsigned max);
/* The module that has this code: a file's, or the kernel's own library, where that is what we know.
 */
struct module *pid_code_at(struct pid_proc *, taddr_t addr);
void pid_ifunc_answered(struct hit *, void *pid_bkpt); /* at a return of its resolver */

/* pid_types.c: what it keeps of debug information. */
void pid_types_free(struct pid_world *);
void pid_known_free(struct pid_world *); /* pid_known.c */

/* pid_provide.c: sets *tag, too; returns -EINVAL. */
int pid_fail(int *tag, int which, struct err *, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* What the pid provider knows of a probe: made when it is new. */
struct pid_probe *pid_probe_of(struct probe *, const struct site_ops *, enum pid_kind);
extern const struct site_ops pid_site_ops; /* prov_pid.c: the row of pid and usdt */
/* pid_find.c: the process of a provider name, by its last digits, attached to if need be. NULL: tag
 * and err say why it cannot be traced. */
struct pid_proc *pid_find_proc(struct session *, const char *prov, int *tag, struct err *);
/* The mapped modules of a pattern; valid until the next call. */
unsigned pid_match_modules(struct pid_proc *, const char *pattern, struct module ***out);

/* As pid_link_site, and armed if the probe is enabled. */
int pid_new_site(struct pid_proc *, struct pid_probe *, const struct pid_site *what, int *tag,
		 struct err *);

/* prov_usdt.c */
int usdt_check(const struct pid_site *, struct err *); /* may it be probed? */
int usdt_raise(struct pid_site *, struct err *);       /* the semaphore, if it has one */
void usdt_lower(struct pid_site *);
void usdt_free(struct usdt_site *);
struct sdt_note;
/* The site of a note for a probe that pid_probe_of() has been told of. */
int usdt_provide_note(struct pid_proc *, struct module *, const struct sdt_note *, struct probe *,
		      int *tag, struct err *);
void usdt_argtypes(struct probe *, struct probe_args *);
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

/* pid_oneshot.c: a child by fork takes over what has fired in its parent; a program is gone; at the
 * end, how many probes have fired. */
void pid_spent_inherit(struct pid_proc *child, const struct pid_proc *parent);
void pid_spent_forget(struct pid_proc *);
void pid_tell_spent(struct session *);

/* pid_cost.c: what breakpoints of pid cost. As in struct site_ops; and at the end of the run. */
#define PID_INSTEAD "-x pidhooks, or fpid, where hooks can do it"
void pid_cost_hit(struct pid_site *, uint64_t since_ns, pid_t tid);
void pid_cost_tell(struct session *, const struct pid_world *);
void pid_place_oneshot(const struct probe *); /* as struct placement */

/* pid_arm.c: the breakpoints of a site, without a word about what cannot be. */
int pid_add_bkpts(struct pid_site *, struct err *);
/* As pid_disarm, but at once: also within a hit of one of them. */
void pid_disarm_now(struct pid_site *);
/* Could a breakpoint be where the site is? Errors: as pid_arm; sees only its own instruction. */
int pid_check(const struct pid_site *, struct err *);
int pid_enable(struct probe *, struct err *); /* as in struct provider */
void pid_foresee(struct session *);	      /* the same, for its probes and those of usdt */
/* Now and then, while much is matched and armed: the processes run meanwhile. */
void pid_serve(struct pid_world *);

/* prov_pid.c */
void pid_drop_site(struct pid_site *); /* takes it out, and its breakpoints at bkpt_commit */
/* Matches all descriptions against what is new in a process, and writes its breakpoints. */
void pid_rematch(struct session *, struct pid_proc *);
/* pid_left_out.c: one more of a process that is not probed, and why; all of them as a message; and
 * the process executes another program. */
void pid_leave_out(struct pid_proc *, const struct err *why);
void pid_tell_left_out(struct session *, struct pid_world *, bool is_end);
void pid_executed(struct pid_proc *);

#endif
