/* drops.h: what was lost, on stderr (docs/spec/d-language.md §14.6). */
#ifndef DLANG_PRINT_DROPS_H
#define DLANG_PRINT_DROPS_H

struct consumer;

/* What was lost since the last call: the lines of the original. */
void drops_report(struct consumer *);
/* At the end, with quiet, too: which probes lost it, and the options that make room. */
void drops_explain(const struct consumer *);

#endif
