/* storevalue.h: values of actions, in the form in which records and keys hold them. */
#ifndef DLANG_RUN_STOREVALUE_H
#define DLANG_RUN_STOREVALUE_H

#include "dlang/run/vm.h"

/* A fault in no instruction: vm_run() has nothing to do with it. */
void vm_fault(struct vm *, enum fault, uint64_t value);
bool action_is_userland(const struct action *); /* its address is of the target's memory */

void store_int(char *dst, uint64_t value, uint32_t size);
/* A value of one word: a number, or an address, with the address space of the event if it is of the
 * program's memory. */
void store_word(const struct event *, const struct rec *, uint64_t value, char *dst);
/* The next ones: false is a fault. The value of the action in the form that its record wants. */
bool store_value(struct vm *, const struct action *, char *dst);
/* What a memref leads to, with its length in front; more bytes than there is room for are cut off.
 */
bool store_memref(struct vm *, uint64_t ref, uint32_t size, char *dst);
/* The name of a core file, which is written while the thread stands at the probe: nobody has
 * changed anything since. */
bool store_core(struct vm *, uint64_t kind, uint32_t size, char *dst);

/*
 * Stacks that clauses keep as numbers: ustackid(), stackid(). The same stack of the same address
 * space has the same number; a number becomes a stack again where it is recorded, so that nobody
 * behind the engine knows of them. Room is made when tracing is enabled, as much as dynvarsize;
 * what finds none is a dynamic variable drop, and number 0, the empty stack.
 */
struct stackids *stackids_new(struct arena *, uint64_t size);

#endif
