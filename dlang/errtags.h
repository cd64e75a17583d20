/* errtags.h: the tags of compile errors, from errtags.def. */
#ifndef DLANG_ERRTAGS_H
#define DLANG_ERRTAGS_H

enum {
	D_NONE, /* a message without a tag of its own */
#define TAG(name, why, example) D_##name,
#include "dlang/errtags.def"
#undef TAG
	D_NTAGS
};

const char *errtag_name(int tag); /* "D_SYNTAX"; NULL for D_NONE */
/* The tag of that name, with or without D_, in any case of letters; D_NONE: there is none. */
int errtag_of(const char *name);
const char *errtag_why(int tag);     /* what is wrong, and what to do; no full stop */
const char *errtag_example(int tag); /* a program that has it, or NULL */

#endif
