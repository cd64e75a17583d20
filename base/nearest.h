/*
 * nearest.h: the names that a misspelled one may have meant. Only what is near is taken: better no
 * suggestion than a wrong one.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/strbuf.h"

#define NEAREST_MOST 3

struct nearest {
	const char *want;
	size_t len;
	unsigned limit; /* edits: what is further away is none */
	unsigned n;	/* names so far, all at the least distance seen */
	char *names[NEAREST_MOST];
	bool is_there; /* the name itself was among them: it is not misspelled */
};

void nearest_init(struct nearest *, const char *want); /* want stays the caller's */
void nearest_release(struct nearest *);
void nearest_add(struct nearest *, const char *name); /* copied */
/* "did you mean a, b or c?"; nothing, and false, where none is near. */
bool nearest_say(const struct nearest *, struct strbuf *);

#endif
