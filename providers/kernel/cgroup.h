/*
 * cgroup.h: where BPF programs that see packets are attached: at the root of cgroup v2, in which
 * all processes are. They must return 1, whatever happens: another answer drops the packet.
 */
#ifndef PROVIDERS_KERNEL_CGROUP_H
#define PROVIDERS_KERNEL_CGROUP_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * A descriptor of the root, close-on-exec: of one that is mounted, else of a mount that nobody else
 * sees. *is_all (optional): it is that of the machine, not that of this container. A negative errno
 * with the reason.
 */
int cgroup_open_root(bool *is_all, struct err *);
/* Attaches a program there; errors as libbpf's. */
struct bpf_link *cgroup_attach(struct bpf_program *);
/* The feature test: a program that lets everything pass is attached for a moment. */
int cgroup_try(struct err *);

#endif
