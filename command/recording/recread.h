/*
 * recread.h: a recording (-E) that is read without a program, before the two halves part: to be
 * printed (recdump.c), or to be written anew (recwrite.c).
 */
#ifndef COMMAND_RECORDING_RECREAD_H
#define COMMAND_RECORDING_RECREAD_H

#include "command/cmdline.h"
#include "command/recording/progress.h"
#include "providers/perfdata/perfdata.h"

struct recread {
	struct session *session;
	struct perfdata *file;
	bool is_bad; /* something has been said of the file */
	struct progress progress;
	uint64_t progress_ns; /* when it is next looked at */
};

/* Signals that end the command end the reading from here on. */
void recread_init(struct recread *, struct session *);
void recread_release(struct recread *);
/* Errors: it cannot be read, or (-x strict) is not whole; there are programs to trace. */
int recread_open(struct recread *, const struct cmdline *, struct err *);
/* All records in the order of time, until fn fails, whose error is returned, or a signal comes. */
int recread_all(struct recread *, int (*fn)(void *arg, const struct perfdata_record *), void *arg);
bool recread_was_ended(void); /* by a signal */
/* What was wrong with the file is told; the exit status. After a signal that ends us. */
int recread_status(struct recread *);
/* A message. */
void recread_say(const struct recread *, const char *text);

#endif
