/*
 * structured.h: the statements that print, in -x oformat: as JSON, XML or HTML
 * (docs/spec/d-language.md §12.11), for the rows of actions.c.
 */
#ifndef DLANG_PRINT_STRUCTURED_H
#define DLANG_PRINT_STRUCTURED_H

#include "dlang/print/actprint.h"

print_fn structured_printf, structured_printa, structured_print;
print_fn structured_trace; /* trace() and all that record one value */

#endif
