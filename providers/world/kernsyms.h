/*
 * kernsyms.h: the types and symbols of the running kernel, opened when somebody asks first.
 */
#ifndef PROVIDERS_WORLD_KERNSYMS_H
#define PROVIDERS_WORLD_KERNSYMS_H

#include "providers/world/world.h"

/* What the kernel tells of its types; NULL: nothing. Tags that D knows by name, and that are the
 * kernel's (curthread's), are the same types from then on. */
struct kernel_btf *world_btf(struct world *);
bool is_linked_tag(const char *tag); /* "struct task_struct" */
/* The same, if somebody has asked already. */
struct kernel_btf *world_btf_known(const struct world *);
struct kallsyms *world_ksyms(struct world *);
/* The function of the timer that is the scheduler's tick; 0: the kernel hides it. */
uint64_t kernel_tick_function(struct world *);
/* Takes off the frames in front that belong to who is looking. */
void world_trim_stack(struct world *, const uint64_t **pcs, unsigned *npcs);
/* Closes what was opened. */
void world_kernsyms_free(struct world *);

#endif
