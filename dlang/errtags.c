#include "dlang/errtags.h"

#include <assert.h>
#include <stddef.h>
#include <strings.h>

static const struct {
	const char *name, *why, *example;
} tags[] = {
#define TAG(name, why, example) [D_##name] = {"D_" #name, why, example},
#include "dlang/errtags.def"
#undef TAG
};

const char *errtag_name(int tag)
{
	assert(tag >= 0 && tag < D_NTAGS);
	return tags[tag].name;
}

int errtag_of(const char *name)
{
	for (int i = D_NONE + 1; i < D_NTAGS; i++)
		if (!strcasecmp(tags[i].name, name) || !strcasecmp(tags[i].name + 2, name))
			return i;
	return D_NONE;
}

const char *errtag_why(int tag)
{
	return tags[tag].why;
}

const char *errtag_example(int tag)
{
	return tags[tag].example;
}
