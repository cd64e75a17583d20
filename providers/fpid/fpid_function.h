/*
 * fpid_function.h: one function, all of whose fpid probes are hooked together: its entry and its
 * returns are windows of one plan, and other names of it are other sites.
 */
#ifndef PROVIDERS_FPID_FPID_FUNCTION_H
#define PROVIDERS_FPID_FPID_FUNCTION_H

#include "inject/x86/plan.h"
#include "providers/fpid/fpid.h"

/* Its sites are linked by next_end, among others. */
struct hooking {
	struct pid_site *any, *first;
	unsigned kinds;		       /* PLAN_*: what is to be hooked ... */
	unsigned breakpoints;	       /* ... and what cannot be */
	struct pid_site *entry, *ret;  /* one of each kind whose hits are counted; NULL: none */
	bool is_late;		       /* it has been hooked before */
	struct err entry_why, ret_why; /* code 0: hooked */
	struct hook_point **points;    /* RELOC_STOPS for each window */
	/* Of its instructions those that have probes, by offset. */
	struct fpid_insns {
		unsigned n;
		struct plan_offset *v;
		uint32_t *cells;
		bool *counts;	 /* what the hook of one does is, among others, to count ... */
		bool only_count; /* ... and nothing else, of none of them */
		struct err why;	 /* of all of them; code 0: what v says */
	} insns;
};

/* Nothing is known yet. Of struct err the text is left as it is: it is long, and there are many
 * functions. */
static inline void hooking_init(struct hooking *f, struct pid_site *any, struct pid_site *first)
{
	f->any = any;
	f->first = first;
	f->kinds = f->breakpoints = 0;
	f->entry = f->ret = NULL;
	f->is_late = false;
	f->entry_why.code = f->ret_why.code = 0;
	f->points = NULL;
	f->insns.n = 0;
	f->insns.v = NULL;
	f->insns.cells = NULL;
	f->insns.counts = NULL;
	f->insns.only_count = true;
	f->insns.why.code = 0;
}

/* Hooks what can be; why the rest cannot is in entry_why and ret_why. hooks_commit must follow. */
void fpid_hook_function(struct hooking *);

/* fpid_insns.c: the function's are gathered, and given back. */
void fpid_insns_init(struct hooking *);
void fpid_insns_release(struct fpid_insns *);
/* The number of the one that stands there; its probe is one of those that were gathered. */
unsigned fpid_insn_at(const struct fpid_insns *, uint32_t off);

/* One window of the plan of a function in that module; insns_count: as in struct hook_request.
 * Errors: as hooks_add. */
int fpid_add_window(struct pid_proc *, struct module *, const struct func *, const struct plan *,
		    unsigned nth, bool insns_count, struct hook_point *points[RELOC_STOPS],
		    struct err *);

/* Of PLAN_*; 0: of an instruction. */
static inline unsigned fpid_kind_of(const struct pid_site *site)
{
	return site->probe->kind == PID_ENTRY	 ? PLAN_ENTRY
	       : site->probe->kind == PID_RETURN ? PLAN_RETURN
						 : 0;
}

static inline uint32_t fpid_offset_of(const struct pid_site *site)
{
	return (uint32_t)(site->addr - site->func->addr);
}

static inline bool fpid_is_same_function(const struct pid_site *a, const struct pid_site *b)
{
	return a->func == b->func && a->mod == b->mod;
}

#endif
