/*
 * bpfpieces.h: the kernel's memory as clauses follow it from curthread, recorded by the programs of
 * an object when an event happens (bpf/pieces.h): the event is handled later, and its thread may be
 * gone.
 */
#ifndef PROVIDERS_KERNEL_BPFPIECES_H
#define PROVIDERS_KERNEL_BPFPIECES_H

#include "dlang/offload/capture.h"
#include "providers/kernel/bpfrec.h"

/* What has been read of a capture: piece i, where bit i of `got` is set, lies at bytes + at[i]. */
struct pieces_read {
	const struct capture *capture;
	const uint32_t *at;
	const char *bytes;
	uint32_t got;
	uint64_t thread;
	const uint64_t *args; /* NULL: no piece begins at one */
};
/* The most that was read of [addr, addr + n), *room bytes; NULL: nothing from addr on. */
const char *pieces_find(const struct pieces_read *, taddr_t addr, size_t n, size_t *room);

struct pieces;

struct pieces *pieces_new(void);
void pieces_free(struct pieces *);
/* What its clauses follow, and of procnum[] and ppid what they ask for. One set for each object.
 * Returns BPF_WANT_PIECES and which; 0: there is nothing to read. */
unsigned pieces_add(struct pieces *, const char *object, const struct probe *);
bool pieces_are_wanted(const struct pieces *);
/* The map of the programs. Errors: a sentence. */
int pieces_fill(const struct pieces *, int map, struct err *);
/* The longest record. */
size_t pieces_size(const struct pieces *);
/* The event is that of a record: curthread is known, and what was read is its memory, too, as long
 * as the event lives. Returns who the parent was; 0: nobody has asked. */
pid_t pieces_lend(struct pieces *, const struct bpf_captured *, struct event *);

#endif
