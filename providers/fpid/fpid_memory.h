/*
 * fpid_memory.h: what expressions read of the program's memory, as far as the target can do it
 * (hook/agg_proto.h, struct hook_read). What is not there is no value: the clause leaves a record
 * then, and what is left of it is done here, where it faults.
 */
#ifndef PROVIDERS_FPID_FPID_MEMORY_H
#define PROVIDERS_FPID_FPID_MEMORY_H

#include "dlang/program.h"
#include "inject/x86/native.h"
#include "providers/fpid/fpid_constants.h"

#define FPID_TEXT_MAX 1023 /* characters of a text */
#define FPID_COPY_MAX 1024 /* bytes of a copyin() */

bool fpid_reads_memory(const struct difo *); /* NULL: it does not */
/* Does it read such memory, or divide by what may be 0? It faults here then. */
bool fpid_can_stop(const struct difo *);
bool fpid_statement_can_stop(const struct stmt *);
/* Does it read what may be another value when a record of its fault is looked at? */
bool fpid_sees_others(const struct difo *);
bool fpid_hides_divisor(const struct difo *); /* it does, and divides by what may be 0 */
bool fpid_assigns(const struct difo *);	      /* a variable; NULL: it does not */
bool fpid_is_random(const struct difo *);     /* its value is another one each time; NULL: no */
/* Can it be left at what is not there? Nothing that was done before is done again, and what comes
 * behind needs nothing that only the target has. */
bool fpid_may_stop(const struct clause *);

/* Characters at most of what copyinstr() returns, given what was pushed; NULL: of any text. */
unsigned fpid_text_chars(const struct session *, const struct fpid_constants *);

/* Is it the address that a copyin() or copyinstr() gets, or the number of an lltostr() or of such a
 * subroutine (struct fpid_numop)? */
bool fpid_pushes_word(const struct difo *, unsigned insn);

/* What the target makes of texts, or reads of them, by a subroutine. */
struct fpid_textop {
	uint8_t op;		  /* enum hook_text_op, or hook_read_op */
	uint8_t ntexts, nwords;	  /* arguments; behind them there are numbers that must be known */
	bool is_there, is_number; /* the result */
	bool has_base;		  /* the last argument, if it is there: of a number */
};
const struct fpid_textop *fpid_textop(uint32_t insn); /* NULL: it is no call of such a one */
#define FPID_TEXT_WORDS 6			      /* of texts that are in the making at once */

/* What the machine code of a call is that makes a number of a number, or of chance. */
struct fpid_numop {
	bool is_there, is_random;
	struct native_bits bits; /* of what was pushed, if it is not random */
};
const struct fpid_numop *fpid_numop(uint32_t insn); /* NULL: it is no call of such a one */

/* Of an LDLS or STLS: is it a variable of the compiler's own, as a key that is used twice has? */
bool fpid_is_hidden(const struct difo *, uint32_t insn);

/* Is the text that this call makes compared, or what others are made or found of, or the key of an
 * element? Or else it is a value. */
bool fpid_text_is_read(const struct difo *, unsigned call);
/* So it is with what is pushed here. */
bool fpid_push_is_read(const struct difo *, unsigned push);
/* Does an LDTS or STTS load or store a text? */
bool fpid_is_text_variable(const struct difo *, uint32_t insn);
/* Is the result what such a variable holds? */
bool fpid_returns_text_variable(const struct difo *);
/* Is what a copyin() has copied the result: a text of as many bytes at most? */
bool fpid_returns_copy(const struct difo *);

#endif
