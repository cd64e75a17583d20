/*
 * bpfobjs.h: the BPF objects that the build has embedded (Makefile): name, first byte, end. The
 * last row is all NULL. An object without bytes: there was no clang.
 */
#ifndef PROVIDERS_KERNEL_BPFOBJS_H
#define PROVIDERS_KERNEL_BPFOBJS_H

extern const struct bpfobj_row {
	const char *name, *start, *end;
} bpfobjs[];

#endif
