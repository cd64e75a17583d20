/* hookarrays.c: arrays of threads in their tables (hook/element.h). */
#include "inject/hooks_priv.h"

#include <errno.h>

int hooks_own_array(struct hooks *h, uint64_t array)
{
	if (h->table.narrays == HOOK_ARRAYS)
		return -ENOSPC;
	h->table.arrays[h->table.narrays++] = array;
	return 0;
}

static struct elements elements_in(const struct hooks *h, unsigned block, uint64_t array)
{
	uint64_t room;

	return elements_of(hooks_table(h, block, &room), array);
}

bool hooks_elements_of(const struct hooks *h, pid_t tid, uint64_t array, struct elements *out)
{
	for (unsigned i = 1; i < h->blocks.high; i++)
		if (h->blocks.owners[i].tid == tid) {
			*out = elements_in(h, i, array);
			return true;
		}
	return false;
}

void hooks_clear_arrays(const struct hooks *h, unsigned block)
{
	for (unsigned i = 0; i < h->table.narrays; i++) {
		const struct elements a = elements_in(h, block, h->table.arrays[i]);

		element_clear(&a);
	}
}

static void copy_element(void *arg, uint64_t key, uint64_t value)
{
	element_store(arg, key, value);
}

void hooks_copy_arrays(const struct hooks *h, unsigned to, unsigned from)
{
	for (unsigned i = 0; i < h->table.narrays; i++) {
		struct elements theirs = elements_in(h, from, h->table.arrays[i]),
				ours = elements_in(h, to, h->table.arrays[i]);

		element_each(&theirs, copy_element, &ours);
	}
}
