/*
 * textcopy.h: copies of the text of files, in which something has been replaced, to be mapped by
 * processes in place of the file: then no page of theirs is copied for it. Each lies, under the
 * path of its file, in a file system in memory that is mounted nowhere, so that maps show the path
 * as ever. Nobody can write to one any more when it is given out.
 *
 * An ordinary user makes them in a user namespace, which is not allowed everywhere.
 */
#ifndef INJECT_TEXTCOPY_H
#define INJECT_TEXTCOPY_H

#include "base/base.h"
#include "base/err.h"
#include "base/procfile.h"

/* All of a run. */
struct textcopies;
struct textcopies *textcopies_new(void);
/* Processes keep what they have mapped. */
void textcopies_free(struct textcopies *);
const char *textcopies_why(const struct textcopies *); /* there are none; NULL: there may be */

struct textcopy_request {
	const char *path;
	struct procmap_file file;
	uint64_t offset; /* of what is mapped, in whole pages; behind the end of the file are zeros
			  */
	const uint8_t *text;
	size_t len;
};

struct textcopy {
	int fd;	       /* for reading; the run's */
	char path[48]; /* by which processes with our rights open it */
	uint64_t offset;
	size_t len;
};

/* From now on it is told to be the file (procmap_add_copy). NULL: it cannot be had. */
const struct textcopy *textcopy_new(struct textcopies *, const struct textcopy_request *);

#endif
