/* Subroutines that move bytes: between the target and scratch memory, and within the latter. */
#include "dlang/run/subrs.h"

uint64_t subr_alloca(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	char *p = vm_alloca(vm, args[0].value);

	if (p)
		memset(p, 0, args[0].value);
	return (uintptr_t)p;
}

/* Copies to D's own memory; from the target if `userland`, else from wherever src is. */
static void copy_to(struct vm *vm, uint64_t dst, uint64_t src, uint64_t n, bool userland)
{
	if ((int64_t)n < 0)
		vm_fail(vm, FAULT_BADSIZE, n);
	else if (n && vm_may_store(vm, dst, n))
		vm_copy(vm, (void *)(uintptr_t)dst, src, n, userland);
}

uint64_t subr_bcopy(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	copy_to(vm, args[1].value, args[0].value, args[2].value, false);
	return 0;
}

uint64_t subr_copyinto(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	copy_to(vm, args[2].value, args[0].value, args[1].value, true);
	return 0;
}

/* The place in a structure that was laid out for shorter strings than there may be by now ends in a
 * NUL. */
uint64_t subr_store_string(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t room = args[2].value, max = room < vm->strsize ? room - 1 : vm->strsize;
	char *dst = (char *)(uintptr_t)args[0].value;
	struct vm_str src;

	if (!vm_may_store(vm, args[0].value, room))
		return 0;
	if (!vm_string(vm, args[1].value, &src))
		return 0;
	src.len = MIN(src.len, max);
	memmove(dst, src.s, src.len);
	memset(dst + src.len, 0, room - src.len);
	return 0;
}

uint64_t subr_copyin(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	char *p = vm_alloca(vm, args[1].value);

	if (!p || !vm_read_target(vm, p, args[0].value, args[1].value, true))
		return 0;
	return (uintptr_t)p;
}

uint64_t subr_copyinstr(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	uint64_t size = vm->strsize; /* the NUL is one of these bytes */
	char *p;

	if (nargs > 1)
		size = MAX(MIN(size, args[1].value), 1);
	p = vm_temp(vm, size);
	if (!p || vm_get_string(vm, p, size, args[0].value, true) < 0)
		return 0;
	return (uintptr_t)p;
}

static void write_target(struct vm *vm, uint64_t addr, const char *src, uint64_t n)
{
	struct target *target = vm->ev->target;
	ssize_t done;

	if (!n)
		return;
	done = target && addr && addr + n > addr ? target_write(target, addr, src, n) : -1;
	if (done < 0 || (uint64_t)done != n)
		vm_fail(vm, FAULT_BADADDR, addr);
}

uint64_t subr_copyout(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t n = args[2].value;
	const char *src;

	if (!n)
		return 0;
	src = vm_own_bytes(vm, args[0].value, n);
	if (src)
		write_target(vm, args[1].value, src, n);
	return 0;
}

uint64_t subr_copyoutstr(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t max = args[2].value;
	struct vm_str str;
	char *copy;

	if (!vm_string(vm, args[0].value, &str))
		return 0;
	copy = vm_temp(vm, str.len + 1); /* a cut string has no NUL where it ends */
	if (!copy)
		return 0;
	memmove(copy, str.s, str.len);
	copy[str.len] = '\0';
	write_target(vm, args[1].value, copy, MIN(max, str.len + 1));
	return 0;
}

uint64_t subr_memref(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	char *p = vm_temp(vm, 16);

	if (p) {
		memcpy(p, &args[0].value, 8);
		memcpy(p + 8, &args[1].value, 8);
	}
	return (uintptr_t)p;
}

uint64_t subr_memstr(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t n = MIN(args[2].value, vm->strsize);
	char *p = vm_temp(vm, n + 1);

	if (!p || !vm_copy(vm, p, args[0].value, n, false))
		return 0;
	for (uint64_t i = 0; i < n; i++)
		if (!p[i])
			p[i] = (char)args[1].value;
	p[n] = '\0';
	return (uintptr_t)p;
}
