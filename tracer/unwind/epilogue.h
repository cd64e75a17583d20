/*
 * epilogue.h: how a function returns that no call frame information describes: written by hand,
 * made at run time, or of a library built without tables. The code from the pc on says it: what it
 * pops and adds to the stack pointer until its ret. A pure reader of instructions.
 */
#ifndef TRACER_UNWIND_EPILOGUE_H
#define TRACER_UNWIND_EPILOGUE_H

#include "tracer/unwind/rowcache.h"

#define EPILOGUE_BEFORE 1024 /* bytes of code in front of the pc and behind it that are of use */
#define EPILOGUE_BEHIND 3072

/* n bytes of code at addr. */
struct code_bytes {
	const uint8_t *p;
	size_t n;
	taddr_t addr;
};

/* Is that row's return address one that can be? Of several ways to a ret, the first such is it. */
typedef bool epilogue_fn(void *arg, const struct row *);

/*
 * pc: where the thread is or will return to. Fills the row (of kind ROW_PLAIN, for pc). False: no
 * ret is reached in the code there is, or none that is accepted.
 */
bool epilogue_row(const struct code_bytes *, taddr_t pc, epilogue_fn *, void *arg, struct row *);

#endif
