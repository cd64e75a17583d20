/*
 * tablecell.h: cells of tables that other programs read: divided by commas (RFC 4180), or by tabs.
 */
#ifndef BASE_TABLECELL_H
#define BASE_TABLECELL_H

#include "base/strbuf.h"

/* The text of a cell, in quotes where it has to be. */
void tablecell_csv(struct strbuf *, const char *text, size_t n);
/* With \t, \n, \r and \\ for what divides cells and lines. */
void tablecell_tsv(struct strbuf *, const char *text, size_t n);

#endif
