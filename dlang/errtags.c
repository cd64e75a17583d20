#include "dlang/errtags.h"

#include <assert.h>
#include <stddef.h>

static const char *const names[] = {
	[D_NONE] = NULL,
#define TAG(name) [D_##name] = "D_" #name,
#include "dlang/errtags.def"
#undef TAG
};

const char *errtag_name(int tag)
{
	assert(tag >= 0 && tag < D_NTAGS);
	return names[tag];
}
