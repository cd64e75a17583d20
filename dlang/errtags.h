/* errtags.h: the tags of compile errors, from errtags.def. */
#ifndef DLANG_ERRTAGS_H
#define DLANG_ERRTAGS_H

enum {
	D_NONE, /* a message without a tag of its own */
#define TAG(name) D_##name,
#include "dlang/errtags.def"
#undef TAG
	D_NTAGS
};

const char *errtag_name(int tag); /* "D_SYNTAX"; NULL for D_NONE */

#endif
