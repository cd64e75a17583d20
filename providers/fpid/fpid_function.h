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
	unsigned kinds;		       /* PLAN_*: what is to be hooked */
	struct pid_site *entry, *ret;  /* one of each kind whose hits are counted; NULL: none */
	bool is_late;		       /* it has been hooked before */
	struct err entry_why, ret_why; /* code 0: hooked */
	struct hook_point **points;    /* RELOC_STOPS for each window */
};

/* Nothing is known yet. Of struct err the text is left as it is: it is long, and there are many
 * functions. */
static inline void hooking_init(struct hooking *f, struct pid_site *any, struct pid_site *first)
{
	f->any = any;
	f->first = first;
	f->kinds = 0;
	f->entry = f->ret = NULL;
	f->is_late = false;
	f->entry_why.code = f->ret_why.code = 0;
	f->points = NULL;
}

/* Hooks what can be; why the rest cannot is in entry_why and ret_why. hooks_commit must follow. */
void fpid_hook_function(struct hooking *);

/* One window of the plan of a function in that module. Errors: as hooks_add. */
int fpid_add_window(struct pid_proc *, struct module *, const struct func *, const struct plan *,
		    unsigned nth, struct hook_point *points[RELOC_STOPS], struct err *);

static inline unsigned fpid_kind_of(const struct pid_site *site)
{
	return site->probe->kind == PID_ENTRY ? PLAN_ENTRY : PLAN_RETURN;
}

static inline bool fpid_is_same_function(const struct pid_site *a, const struct pid_site *b)
{
	return a->func == b->func && a->mod == b->mod;
}

#endif
