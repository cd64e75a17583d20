/*
 * directmap.bpf.c: where the kernel's own mapping of all memory begins, which it tells nobody: a
 * guess is right by which the tables of pages lead to the address that they are at.
 */
#include "providers/kernel/bpf/pages.h"

SEC("syscall")
int try_direct_map(struct bpf_direct_map *guess)
{
	__u64 tables = own_tables(), below;
	struct entry e = find_entry(tables, guess->base, tables);

	below = (1ULL << (e.at_bit & 63)) - 1;
	guess->tables = tables;
	guess->is_right =
		e.value & ENTRY_PRESENT &&
		guess->base + (e.value & ENTRY_ADDRESS & ~below) + (tables & below) == tables;
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
