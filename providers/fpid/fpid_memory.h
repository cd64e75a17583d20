/*
 * fpid_memory.h: what expressions read of the program's memory, as far as the target can do it
 * (hook/agg_proto.h, struct hook_read). What is not there is no value: the clause leaves a record
 * then, and what is left of it is done here, where it faults.
 */
#ifndef PROVIDERS_FPID_FPID_MEMORY_H
#define PROVIDERS_FPID_FPID_MEMORY_H

#include "dlang/program.h"
#include "providers/fpid/fpid_constants.h"

#define FPID_TEXT_MAX 1023 /* characters of a text */
#define FPID_COPY_MAX 1024 /* bytes of a copyin() */

bool fpid_reads_memory(const struct difo *); /* NULL: it does not */
bool fpid_statement_reads(const struct stmt *);
/* Can it be left at what is not there? Nothing that was done before is done again, and what comes
 * behind needs nothing that only the target has. */
bool fpid_may_stop(const struct clause *);

/* Characters at most of what copyinstr() returns, given what was pushed; NULL: of any text. */
unsigned fpid_text_chars(const struct session *, const struct fpid_constants *);

/* Is it the address that a copyin() or copyinstr() gets? */
bool fpid_pushes_address(const struct difo *, unsigned insn);

/* What the instructions behind a copyinstr() do with its result. */
enum fpid_text_use {
	FPID_TEXT_KEPT, /* it is a value */
	FPID_TEXT_ORDERED,
	FPID_TEXT_MEASURED,
	FPID_TEXT_SEARCHED,
};
enum fpid_text_use fpid_text_use(const struct difo *, unsigned call);

#endif
