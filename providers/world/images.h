/*
 * images.h: which files processes have mapped for execution, for the probes that tell of it.
 */
#ifndef PROVIDERS_WORLD_IMAGES_H
#define PROVIDERS_WORLD_IMAGES_H

#include "base/err.h"
#include "base/target.h"

struct images;

struct image {
	taddr_t start, end, base; /* base: where the file's first byte is, or would be */
	char *path;
};

struct images *images_new(void);
void images_free(struct images *);
void images_seed(struct images *); /* from /proc: every process that is there now */
/* The new image; valid until the next call. */
const struct image *images_add(struct images *, pid_t, const struct image *);
/* Takes out one that lies in [start, end) of the process; false: none does. The caller frees its
 * path. parent: of whom it has its images, if it has none of its own. */
bool images_take(struct images *, pid_t, pid_t parent, taddr_t start, taddr_t end, struct image *);
void images_forget(struct images *, pid_t); /* it has ended, or executed a program */

#endif
