/*
 * btf.h: types and functions of the kernel, from the description it carries of itself
 * (/sys/kernel/btf/vmlinux; Documentation/bpf/btf.rst). Types are made in the graph of types.h when
 * they are asked for; a structure is a TYPE_FORWARD of known size until kernel_btf_complete() gives
 * it its members.
 */
#ifndef SYMBOLS_DWARF_BTF_H
#define SYMBOLS_DWARF_BTF_H

#include "base/err.h"
#include "symbols/dwarf/types.h"

struct kernel_btf;

/* path NULL: the running kernel's. Errors: it cannot be read, or is no BTF. */
int kernel_btf_open(struct types *, const char *path, struct kernel_btf **, struct err *);
void kernel_btf_close(struct kernel_btf *); /* the types stay */

/* "struct task_struct", "enum pid_type", "pid_t"; NULL: there is none. */
const struct type *kernel_btf_type(struct kernel_btf *, const char *name);
/* Gives a structure of this kernel its members. False: it is none of them. */
bool kernel_btf_complete(struct kernel_btf *, const struct type *forward);
/* type_member() of a structure of this kernel, whether it has its members yet or not. */
bool kernel_btf_member(struct kernel_btf *, const struct type *, const char *name,
		       struct type_member *out);

#define KERNEL_BTF_PARAMS 16
struct kernel_func {
	int id;			   /* in the BTF: what a program is attached to */
	const struct type *result; /* void too */
	unsigned nparams;
	struct {
		const char *name;
		const struct type *type;
	} params[KERNEL_BTF_PARAMS];
};

/* False: there is no function of that name, or it has too many parameters. */
bool kernel_btf_function(struct kernel_btf *, const char *name, struct kernel_func *);
/* The raw arguments of a tracepoint; id is that of its prototype. */
bool kernel_btf_tracepoint(struct kernel_btf *, const char *event, struct kernel_func *);
/* Names of all functions, in the order of the file. */
void kernel_btf_each(struct kernel_btf *, void (*fn)(void *arg, const char *name), void *arg);

#endif
