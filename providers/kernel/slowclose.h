/*
 * slowclose.h: descriptors that the kernel is slow to close: the last one of a tracepoint, the link
 * of a program at a function or tracepoint (each waits for all CPUs, tens of milliseconds). Many of
 * them are left to a process that nobody waits for.
 */
#ifndef PROVIDERS_KERNEL_SLOWCLOSE_H
#define PROVIDERS_KERNEL_SLOWCLOSE_H

/*
 * To be called before n such descriptors are closed. Where they are many, a process that has a copy
 * of them and nothing else of ours ends when what this returns is closed: the kernel takes
 * them out in its name. -1: they are few, or it is not to be had; nothing is to be closed.
 */
int slowclose_in_a_child(unsigned n);

#endif
