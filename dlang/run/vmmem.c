#include "dlang/run/vmmem.h"

#include "dlang/run/dynvars.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"

void vm_fail(struct vm *vm, enum fault fault, uint64_t value)
{
	if (vm->fault)
		return;
	vm->fault = fault;
	vm->fault_value = value;
}

/* How many of ours begin at addr; 0: it is not ours. */
static uint64_t owned_room(const struct vm *vm, uint64_t addr)
{
	uint64_t base = (uintptr_t)vm->arena->base, end = (uintptr_t)vm->arena->next;

	if (addr >= base && addr < end)
		return end - addr;
	base = (uintptr_t)vm->ev->raw;
	if (base && addr >= base && addr - base < vm->ev->rawlen)
		return vm->ev->rawlen - (addr - base);
	return 0;
}

static bool within(uint64_t addr, uint64_t n, const char *start, uint64_t size)
{
	uint64_t base = (uintptr_t)start;

	return addr >= base && addr - base <= size && n <= size - (addr - base);
}

bool vm_may_store(const struct vm *vm, uint64_t addr, uint64_t n)
{
	return within(addr, n, vm->scratch, (uint64_t)(vm->scratch_end - vm->scratch)) ||
	       within(addr, n, vm->vars->mem, vm->vars->memsize) ||
	       dynvars_may_store(vm->vars->dyn, addr, n);
}

char *vm_scratch(struct vm *vm, uint64_t n)
{
	char *p = vm->scratch_next;

	if (n > (uint64_t)(vm->scratch_end - p)) {
		vm_fail(vm, FAULT_NOSCRATCH, 0);
		return NULL;
	}
	/* the end is aligned too, so the next pointer never passes it */
	vm->scratch_next = p + ROUND_UP(n, 8);
	return p;
}

/* As target_read; what no target can hold is not asked for. */
static ssize_t read_some(struct vm *vm, void *dst, uint64_t addr, uint64_t n)
{
	struct target *target = vm->ev->target ? vm->ev->target : vm->session->engine->target;

	if (!target || !addr || addr + n < addr)
		return -1;
	return target_read(target, addr, dst, n);
}

bool vm_read_target(struct vm *vm, void *dst, uint64_t addr, uint64_t n)
{
	ssize_t got;

	if (!n)
		return true;
	got = read_some(vm, dst, addr, n);
	if (got >= 0 && (uint64_t)got == n)
		return true;
	vm_fail(vm, FAULT_BADADDR, addr);
	return false;
}

static uint64_t string_length(const char *s, uint64_t max)
{
	uint64_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

/* Reads a string of at most max characters from the target; -1 and the fault. */
static int64_t read_target_string(struct vm *vm, char *dst, uint64_t max, uint64_t addr)
{
	ssize_t got = max ? read_some(vm, dst, addr, max) : 0;
	uint64_t len;

	if (got >= 0) {
		len = string_length(dst, (uint64_t)got);
		/* the end of the mapping before the end of the string */
		if (len < (uint64_t)got || (uint64_t)got == max)
			return (int64_t)len;
	}
	vm_fail(vm, FAULT_BADADDR, addr);
	return -1;
}

bool vm_string(struct vm *vm, uint64_t addr, struct vm_str *out)
{
	uint64_t room = owned_room(vm, addr);
	char *buf;
	int64_t len;

	if (room) {
		out->s = (const char *)(uintptr_t)addr;
		out->len = string_length(out->s, MIN(room, vm->strsize));
		return true;
	}
	buf = vm_scratch(vm, vm->strsize + 1);
	if (!buf)
		return false;
	len = read_target_string(vm, buf, vm->strsize, addr);
	if (len < 0)
		return false;
	buf[len] = '\0';
	out->s = buf;
	out->len = (uint64_t)len;
	return true;
}

uint64_t vm_new_string(struct vm *vm, const char *s, uint64_t n)
{
	char *p;

	n = MIN(n, vm->strsize);
	p = vm_scratch(vm, n + 1);
	if (p) {
		memmove(p, s, n);
		p[n] = '\0';
	}
	return (uintptr_t)p;
}

int64_t vm_get_string(struct vm *vm, char *dst, uint64_t size, uint64_t addr, bool userland)
{
	uint64_t room = userland ? 0 : owned_room(vm, addr);
	const char *src = (const char *)(uintptr_t)addr;
	int64_t len;

	if (room) {
		len = (int64_t)string_length(src, MIN(room, size - 1));
		memmove(dst, src, (size_t)len);
	} else {
		len = read_target_string(vm, dst, size - 1, addr);
		if (len < 0)
			return -1;
	}
	dst[len] = '\0';
	return len;
}

bool vm_copy(struct vm *vm, void *dst, uint64_t addr, size_t n, bool userland)
{
	if (!userland && vm_owns(vm, addr, n)) {
		memmove(dst, (const void *)(uintptr_t)addr, n);
		return true;
	}
	return vm_read_target(vm, dst, addr, n);
}

bool vm_copystr(struct vm *vm, char *dst, uint64_t addr, size_t n, bool userland)
{
	int64_t len = vm_get_string(vm, dst, n, addr, userland);

	if (len < 0)
		return false;
	memset(dst + len, 0, n - (size_t)len);
	return true;
}
