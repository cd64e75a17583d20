/*
 * container.h: the container that we run in.
 */
#ifndef TRACER_PROCFS_CONTAINER_H
#define TRACER_PROCFS_CONTAINER_H

#include "base/base.h"

/* Who has made it (docker, podman, lxc ...), or "PID namespace" where nobody says. False: none is
 * known of, and to is "". */
bool container_kind(char *to, size_t size);

#endif
