/*
 * printtype.h: print(): a recorded value with its type.
 */
#ifndef DLANG_PRINT_PRINTTYPE_H
#define DLANG_PRINT_PRINTTYPE_H

#include "dlang/print/printval.h"

/* Appends the text; `data` is where the value is. */
void printer_print(const struct printer *, const struct rec *, const char *data);

#endif
