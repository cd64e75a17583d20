/* hook_element.c: elements of arrays of a thread, for native clauses (element.h). */
#include "hook/hook.h"
#include "hook/element.h"

uint64_t hook_load_element(const struct hook_block *b, uint64_t key, uint64_t array)
{
	const struct elements a = elements_of((char *)(uintptr_t)b->table, array);
	uint64_t value;

	element_find(&a, key, &value);
	return value;
}

void hook_store_element(const struct hook_block *b, const uint64_t *key_and_value, uint64_t array)
{
	struct hook_table *t = (struct hook_table *)(uintptr_t)b->table;
	const struct elements a = elements_of((char *)t, array);

	if (!element_store(&a, key_and_value[0], key_and_value[1]))
		__asm__ volatile("incq %0" : "+m"(t->lost) : : "cc");
}
