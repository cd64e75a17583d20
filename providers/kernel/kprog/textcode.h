/*
 * textcode.h: texts of a process's memory as keys of aggregations: each is kept once, in a map
 * `texts` whose key, two words that follow from its characters, stands for it in keys of
 * aggregations.
 */
#ifndef PROVIDERS_KERNEL_KPROG_TEXTCODE_H
#define PROVIDERS_KERNEL_KPROG_TEXTCODE_H

#include <stddef.h>

#include "providers/kernel/kprog/emit.h"

#define TEXTCODE_WORDS 2   /* of a key */
#define TEXTCODE_MAX   512 /* bytes of a text, with its end, at most */

struct text_maps {
	int texts_fd;  /* hash map, as above, of elements of `room` bytes */
	int rooms_fd;  /* per-CPU array of such elements, one for each program */
	unsigned room; /* a power of two; 0: no clause has such a text as key */
};

/* The room that texts of so many bytes need: 0: they are too long. */
unsigned textcode_room(uint64_t size);
/* Makes the maps, in which so many bytes of texts find room. Returns 0 or a negative errno. */
int text_maps_make(struct text_maps *, unsigned nprograms, size_t size);
void text_maps_close(const struct text_maps *);

struct textcode {
	unsigned program;
	unsigned size; /* bytes, with the end, that are read at most: what is longer is cut */
	int at;	       /* r10 + at: the address of the text, and where the two words go */
	int spare;     /* the 8 bytes at r10 + spare are used */
};
struct text_exits {
	unsigned lost[2]; /* of those that find no room */
	unsigned absent;  /* of those that are not there, or not in memory now */
};
/* Writes the code that puts the words there; r0 to r5 are used. Returns the jumps of others. */
struct text_exits textcode_write(struct emitter *, const struct text_maps *,
				 const struct textcode *);

#endif
