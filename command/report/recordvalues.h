/*
 * recordvalues.h: what a record holds, in the order in which its clause says it: what printf()
 * printed, and values: of trace(), of stacks, of the arguments of a printf().
 */
#ifndef COMMAND_REPORT_RECORDVALUES_H
#define COMMAND_REPORT_RECORDVALUES_H

#include "dlang/print/printval.h"
#include "dlang/program.h"

struct record_reader {
	void (*printed)(void *arg, const struct stmt *, const char *data);
	void (*value)(void *arg, const struct stmt *, const struct action *, const char *data);
};
/* data: of the whole record. */
void record_read(const struct clause *, const char *data, const struct record_reader *, void *arg);
/* What a printf() printed, at the end of a text. */
void record_add_printed(const struct printer *, struct strbuf *, const struct stmt *,
			const char *data);

#endif
