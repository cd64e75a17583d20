/* hookarrays.c: arrays of threads in their tables (hook/element.h). */
#include "inject/hooks_priv.h"

#include <errno.h>

#include "hook/tuple.h"

int hooks_own_array(struct hooks *h, uint64_t array)
{
	if (h->table.narrays == HOOK_ARRAYS)
		return -ENOSPC;
	h->table.arrays[h->table.narrays++] = array;
	return 0;
}

char *hooks_table_of(const struct hooks *h, pid_t tid)
{
	uint64_t room;

	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid == tid)
			return hooks_table(h, i, &room);
	return NULL;
}

char *hooks_common_arrays(const struct hooks *h)
{
	return h->table.common_map ? (char *)h->mem.maps[h->table.common_map].ours : NULL;
}

taddr_t hooks_common_arrays_at(const struct hooks *h)
{
	return h->mem.maps[h->table.common_map].at;
}

void hooks_clear_arrays(const struct hooks *h, unsigned block)
{
	uint64_t room;

	for (unsigned i = 0; i < h->table.narrays; i++)
		array_clear(hooks_table(h, block, &room), h->table.arrays[i]);
}

/* ---- copies ---- */

static void copy_element(void *arg, uint64_t key, uint64_t value)
{
	element_store(arg, key, value);
}

/* Row by row, with tags and all. */
static void copy_rows(const struct tuples *to, const struct tuples *from)
{
	const size_t chunk = (size_t)from->size << from->mark_bits;

	memcpy(to->head, from->head, sizeof(*to->head));
	for (uint32_t i = 0; i <= from->mask >> from->mark_bits; i++)
		if (from->head->used[i])
			memcpy(to->rows + i * chunk, from->rows + i * chunk, chunk);
}

static void copy_array(char *to, char *from, uint64_t array)
{
	struct elements a, theirs;
	struct tuples t, rows;

	if (HOOK_ARRAY_WORDS(array)) {
		t = tuples_of(to, array);
		rows = tuples_of(from, array);
		copy_rows(&t, &rows);
	} else {
		a = elements_of(to, array);
		theirs = elements_of(from, array);
		element_each(&theirs, copy_element, &a);
	}
}

void hooks_copy_arrays(const struct hooks *h, unsigned to, unsigned from)
{
	uint64_t room;

	for (unsigned i = 0; i < h->table.narrays; i++)
		copy_array(hooks_table(h, to, &room), hooks_table(h, from, &room),
			   h->table.arrays[i]);
}
