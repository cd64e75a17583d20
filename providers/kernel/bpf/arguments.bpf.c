/*
 * arguments.bpf.c: nothing but the arguments of processes, for the engine to look up: what /proc
 * has no more when their events are read.
 */
#include "providers/kernel/bpf/arguments.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";
