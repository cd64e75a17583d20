/*
 * hookimage.h: what the hooks of one file's functions are in a process, to be had again in other
 * processes that map the same file: the windows, the detours and the code of their trampolines are
 * moved as a whole, by as much as the file lies elsewhere, instead of being made one by one.
 *
 *   hooks_begin_image  hooks_add ...  hooks_end_image  [hooks_commit]  hooks_make_image
 *   hooks_add_image  [hooks_commit]                                      of another process
 *
 * Windows of the other process are made from those of the image when somebody asks for them.
 */
#ifndef INJECT_HOOKIMAGE_H
#define INJECT_HOOKIMAGE_H

#include "inject/hooks.h"

struct hookimage;

/* Where in the hooks of a process those of one file are: areas and cells, which are theirs alone.
 */
struct hooks_part {
	unsigned area, end_area;
	uint32_t cell, end_cell;
};

/* What is added between the two is a part: of about so many functions, all of one file. */
void hooks_begin_part(struct hooks *, unsigned nfunctions, struct hooks_part *);
void hooks_end_part(struct hooks *, struct hooks_part *);

/*
 * After hooks_commit; bias: of the file's addresses in this process. NULL: hooks like these cannot
 * be had again: some do more than count, or the process is none whose calls are put off.
 */
struct hookimage *hookimage_new(struct hooks *, const struct hooks_part *, taddr_t bias);
/* Processes that have it go on with it. */
void hookimage_free(struct hookimage *);

/*
 * Adds its windows, all to be written by the next hooks_commit; of the file, at that bias, nothing
 * must be hooked yet. *cells: is to be added to the number of each cell. Errors: nothing has been
 * added: something else is where its trampolines would be, a breakpoint is in the way ...
 */
int hooks_add_image(struct hooks *, struct hookimage *, struct codescan *, taddr_t bias,
		    uint32_t *cells, struct err *);

#endif
