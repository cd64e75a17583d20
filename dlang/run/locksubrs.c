/*
 * locksubrs.c: what holds a lock of the kernel, by its own memory: a struct mutex begins with the
 * address of its owner's task above three flags, an rwlock_t with a count of readers above a byte
 * for the writer (include/linux/mutex.h, include/asm-generic/qrwlock_types.h).
 */
#include "dlang/run/subrs.h"

#define OWNER_FLAGS   7
#define WRITER_HOLDS  0xff
#define WRITER_MASK   0x1ff /* or waits */
#define READERS_SHIFT 9

static uint64_t load(struct vm *vm, const struct vm_key *lock, size_t size)
{
	uint64_t v = 0;

	return vm_copy(vm, &v, lock->value, size, false) ? v : 0;
}

uint64_t subr_mutex_owner(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return load(vm, args, sizeof(uint64_t)) & ~(uint64_t)OWNER_FLAGS;
}

uint64_t subr_mutex_owned(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	uint64_t owner = subr_mutex_owner(vm, args, nargs);

	return owner && owner == builtin_by_id(BUILTIN_CURTHREAD)->get(vm, 0);
}

/* All of Linux are, and none spins only. */
uint64_t subr_mutex_type_adaptive(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	load(vm, args, sizeof(uint64_t));
	return 1;
}

uint64_t subr_mutex_type_spin(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	load(vm, args, sizeof(uint64_t));
	return 0;
}

uint64_t subr_rw_read_held(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return load(vm, args, sizeof(uint32_t)) >> READERS_SHIFT != 0;
}

uint64_t subr_rw_write_held(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return (load(vm, args, sizeof(uint32_t)) & WRITER_HOLDS) == WRITER_HOLDS;
}

uint64_t subr_rw_iswriter(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return (load(vm, args, sizeof(uint32_t)) & WRITER_MASK) != 0;
}
