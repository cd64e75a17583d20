#include "dlang/offload/places.h"

#include "dlang/provider.h"
#include "dlang/run/vm.h"

bool place_has_builtin(enum place place, unsigned id)
{
	static const struct {
		unsigned id;
		bool at[6];
	} rows[] = {
#define AT(variable, ...) {BUILTIN_##variable, {__VA_ARGS__}},
#include "dlang/offload/places.def"
#undef AT
	};

	if (id - BUILTIN_ARG0 < EVENT_ARGS)
		id = BUILTIN_ARG0;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].id == id)
			return rows[i].at[place];
	return false;
}

static const struct {
	const char *why, *instead;
} refusals[NREFUSALS] = {
#define REFUSAL(id, why, instead) {why, instead},
#include "dlang/offload/refusals.def"
#undef REFUSAL
};

const char *refusal_why(enum refusal r)
{
	return refusals[r].why;
}

const char *refusal_instead(const char *why)
{
	for (unsigned i = 0; i < NREFUSALS; i++)
		if (refusals[i].why == why)
			return refusals[i].instead[0] ? refusals[i].instead : NULL;
	return NULL;
}
