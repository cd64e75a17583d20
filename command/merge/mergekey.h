/* mergekey.h: keys of lines of JSON: their kinds, and the bytes that they are. For the files of
 * this room. */
#ifndef COMMAND_MERGE_MERGEKEY_H
#define COMMAND_MERGE_MERGEKEY_H

#include "base/json/json.h"
#include "dlang/print/printval.h"
#include "symbols/symbols.h"

/* Names by the texts that they are; numbers follow the order of texts, whichever came first. */
struct merge_names {
	struct arena *arena;
	struct strmap index; /* text → struct merge_name */
	struct merge_name {
		const char *text; /* all of it, the index's key */
		struct symname name;
		uint64_t number;
		struct merge_name *next;
	} * all;
	size_t n;
};
void merge_names_init(struct merge_names *, struct arena *);
void merge_names_release(struct merge_names *);
/* Gives them their numbers; none is added behind that. The list is in the arena. */
void merge_names_order(struct merge_names *, struct namelist *);

/* Kind, size and sign of a key, from a member of `keys` of an aggregation's line; offset is not
 * set. false: it is none that is known. Size of strings and stacks: as much as keys have needed
 * (merge_key_measure). */
bool merge_key_kind(struct arena *, const struct json *, struct rec *);
bool merge_key_same_kind(const struct rec *, const struct rec *);
/* Of one key: rec->size grows to what it needs, its names are put on the list. NULL, or what is
 * wrong with it. */
const char *merge_key_measure(struct merge_names *, const struct json *, struct rec *);
/* Writes it, which was measured; to is zeroed. */
void merge_key_put(const struct merge_names *, const struct json *, const struct rec *, char *to);

#endif
