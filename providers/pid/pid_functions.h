/*
 * pid_functions.h: which functions of a module a description means.
 */
#ifndef PROVIDERS_PID_PID_FUNCTIONS_H
#define PROVIDERS_PID_PID_FUNCTIONS_H

#include "providers/pid/pid_priv.h"

/* A function a description means: where it is, and whose name its probes have. */
struct target_func {
	struct module *mod;
	struct objfile *obj;	 /* of mod */
	const struct func *func; /* NULL: nothing is known but its address */
	taddr_t addr;		 /* link-time */
	const char *name;
	const struct module *home; /* of the name */
	const struct func *ifunc;  /* of the name, when it is an indirect one */
	bool is_resolver;
};

struct target_list {
	struct target_func *v;
	unsigned n, room;
};

/* Neither empty nor a pattern. */
bool pid_is_literal(const char *field);
/* Adds those of the module, whose file that is. */
void pid_functions_of(struct module *, struct objfile *, const char *pattern, struct target_list *);

/* pid_known.c: where the probe of that kind is kept that the function has in other processes; it
 * may be of another provider, or of another name of the file. NULL: it is not kept. */
struct pid_probe **pid_known_probe(struct pid_world *, const struct target_func *, enum pid_kind);

/* The refusal where there is none of that literal name; says what is like it. */
int pid_no_such_function(const struct probe_desc *, struct module *, int *tag, struct err *);

#endif
