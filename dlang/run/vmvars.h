/*
 * vmvars.h: variables as the machine loads and stores them (docs/spec/d-language.md §6.3). A
 * by-reference value is its address, 0 for NULL. A value that cannot be read sets the fault; the
 * variable keeps what it had (a struct that ends where the target's memory ends may be overwritten
 * in part).
 */
#ifndef DLANG_RUN_VMVARS_H
#define DLANG_RUN_VMVARS_H

#include "dlang/run/handover.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"

void vars_begin_firing(struct varstore *); /* this-> reads as never assigned */

/* Globals and this->. */
uint64_t var_load(const struct varslot *);
void var_store(struct vm *, struct varslot *, uint64_t value);

/* self-> and arrays; the keys of an array are on the tuple stack. Storing 0 or NULL frees. */
uint64_t dynvar_load(struct vm *, enum dif_scope, uint16_t id, const struct varslot *);
void dynvar_store(struct vm *, enum dif_scope, uint16_t id, const struct varslot *, uint64_t value);
/* self->x[keys] or x[keys], of an integer type; the keys as words, as they are kept. */
uint64_t dynvar_load_element(struct vm *, struct dynvar_array, const uint64_t *key,
			     unsigned nwords);
void dynvar_store_element(struct vm *, struct dynvar_array, const uint64_t *key, unsigned nwords,
			  uint64_t value);
/* Takes out those that the thread has got, or all threads have, since so many had been made. */
typedef void dynvar_element_fn(void *arg, const uint64_t *key, unsigned nwords, uint64_t value);
uint64_t dynvar_nmade(const struct vm *);
void dynvar_take_elements(struct vm *, struct dynvar_array, uint64_t since, dynvar_element_fn *,
			  void *arg);

#endif
