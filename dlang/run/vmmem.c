#include "dlang/run/vmmem.h"

#include <errno.h>

#include "dlang/run/dynvars.h"
#include "dlang/run/vars.h"
#include "dlang/session_engine.h"

/* A member of NULL is told as NULL. */
static uint64_t base_of(const struct vm *vm, uint64_t addr)
{
	for (unsigned i = 0; vm->difo && i < vm->difo->noffsets; i++)
		if (vm->difo->offsets[i] == addr)
			return 0;
	return addr;
}

/* What NULL leads to. */
#define NULL_END 65536

/* Was this address got from curthread when its thread was not there any more? */
static bool is_of_gone_thread(const struct vm *vm, uint64_t addr)
{
	return vm->has_thread && !vm->thread.addr && vm->thread.tid &&
	       vm->thread.state == KERNTHREAD_GONE && addr < NULL_END;
}

void vm_fail(struct vm *vm, enum fault fault, uint64_t value)
{
	if (vm->fault)
		return;
	vm->fault = fault;
	vm->fault_value = fault == FAULT_BADADDR ? base_of(vm, value) : value;
	vm->fault_is_gone = fault == FAULT_BADADDR && is_of_gone_thread(vm, value);
}

/* An address that could not be read: got is what read_kernel() said of it. */
static void fail_read(struct vm *vm, uint64_t addr, ssize_t got)
{
	if (vm->fault)
		return;
	vm_fail(vm, FAULT_BADADDR, addr);
	vm->fault_is_gone |= got == -ESRCH;
}

static uint64_t string_length(const char *s, uint64_t max)
{
	uint64_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

/* ---- what is ours ---- */

/* Bytes of ours from an address on: `room` of them are there; then the buffer of a string that ends
 * earlier goes on with zeros. */
struct span {
	const char *p;
	uint64_t room, zeros;
	bool is_scratch;
};

/* How many bytes lie between addr and the end; 0: addr is outside. */
static uint64_t room_in(uint64_t addr, const void *start, uint64_t size)
{
	uint64_t at = addr - (uintptr_t)start;

	return at < size ? size - at : 0;
}

static uint64_t area_room(uint64_t addr, const struct vm_area *a)
{
	return room_in(addr, a->start, (uint64_t)(a->top - a->start));
}

static bool lent_span(const struct vm *vm, uint64_t addr, struct span *sp)
{
	unsigned n = MIN(vm->nlent, VM_LENT);

	sp->zeros = vm->strsize;
	for (unsigned i = 0; i < n; i++) {
		sp->room = room_in(addr, vm->lent[i].s, vm->lent[i].size);
		if (sp->room)
			return true;
	}
	for (unsigned i = 0; i < n; i++) { /* behind its end, where others may lie, too */
		sp->zeros = room_in(addr, vm->lent[i].s, vm->strsize + 1);
		if (sp->zeros)
			return true;
	}
	return false;
}

/* False: no address that a program may read. */
static bool find_span(const struct vm *vm, uint64_t addr, struct span *sp)
{
	sp->p = (const char *)(uintptr_t)addr;
	sp->zeros = 0;
	sp->room = area_room(addr, &vm->scratch);
	sp->is_scratch = sp->room != 0;
	if (!sp->room)
		sp->room = room_in(addr, vm->vars->mem, vm->vars->memsize);
	if (!sp->room)
		sp->room = room_in(addr, vm->ev->raw, vm->ev->raw ? vm->ev->rawlen : 0);
	if (sp->room)
		return true;
	sp->room = area_room(addr, &vm->temps);
	if (!sp->room && vm->difo)
		sp->room = room_in(addr, vm->difo->strs, vm->difo->strslen);
	if (sp->room) {
		sp->zeros = vm->strsize;
		return true;
	}
	sp->room = dynvars_room(vm->vars->dyn, addr);
	return sp->room || lent_span(vm, addr, sp);
}

/* The tracer's own memory: never an address of the target, whether ours to read or not. */
static bool is_tracers(const struct vm *vm, uint64_t addr)
{
	return addr >= (uintptr_t)vm->arena->base && addr < (uintptr_t)vm->arena->next;
}

/* Why these bytes, of which the first may be ours, are not. */
static void fail_outside(struct vm *vm, uint64_t addr, uint64_t n, bool begins_in_scratch)
{
	if (begins_in_scratch)
		vm_fail(vm, FAULT_BADSIZE, n);
	else
		vm_fail(vm, FAULT_BADADDR, addr);
}

const char *vm_own_bytes(struct vm *vm, uint64_t addr, uint64_t n)
{
	struct span sp;

	if (!find_span(vm, addr, &sp)) {
		vm_fail(vm, FAULT_BADADDR, addr);
		return NULL;
	}
	if (n <= sp.room)
		return sp.p;
	fail_outside(vm, addr, n, sp.is_scratch);
	return NULL;
}

bool vm_may_store(struct vm *vm, uint64_t addr, uint64_t n)
{
	uint64_t room = area_room(addr, &vm->scratch);
	bool is_scratch = room != 0;

	if (!room)
		room = room_in(addr, vm->vars->mem, vm->vars->memsize);
	if (!room)
		room = area_room(addr, &vm->temps);
	if (!room)
		room = dynvars_room(vm->vars->dyn, addr);
	if (!room && vm->ev->is_writable)
		room = room_in(addr, vm->ev->raw, vm->ev->rawlen);
	if (n <= room)
		return true;
	fail_outside(vm, addr, n, is_scratch);
	return false;
}

static char *allocate(struct vm *vm, struct vm_area *a, uint64_t n)
{
	uint64_t used = ROUND_UP((uint64_t)(a->top - a->start), 8);
	uint64_t size = (uint64_t)(a->end - a->start);
	char *p = a->start + used;

	if (used > size || n > size - used) {
		vm_fail(vm, FAULT_NOSCRATCH, 0);
		return NULL;
	}
	memset(a->top, 0, (size_t)(p - a->top));
	a->top = p + n;
	return p;
}

/* Addresses of the kernel are negative. */
static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/*
 * A process chooses what its registers and its memory hold: that is no address of the kernel unless
 * the clause says so by a type of the kernel.
 */
static bool may_read_kernel(const struct vm *vm)
{
	const struct provider *prov = vm->ev->probe ? vm->ev->probe->provider : NULL;

	return vm->session->engine->kernelmem &&
	       ((prov && prov->is_of_kernel) || (vm->difo && vm->difo->needs & NEED_KERNEL));
}

char *vm_temp(struct vm *vm, uint64_t n)
{
	return allocate(vm, &vm->temps, n);
}

char *vm_alloca(struct vm *vm, uint64_t n)
{
	return allocate(vm, &vm->scratch, n);
}

uint64_t vm_lend(struct vm *vm, const char *s)
{
	for (unsigned i = 0; i < MIN(vm->nlent, VM_LENT); i++)
		if (vm->lent[i].s == s) {
			vm->lent[i].size = string_length(s, UINT32_MAX) + 1;
			return (uintptr_t)s;
		}
	vm->lent[vm->nlent++ % VM_LENT] = (struct vm_text){s, string_length(s, UINT32_MAX) + 1};
	return (uintptr_t)s;
}

/* ---- reading ---- */

/* As target_read; what no target can hold is not asked for. */
static ssize_t read_some(struct vm *vm, void *dst, uint64_t addr, uint64_t n, bool userland)
{
	struct target *target = vm->ev->target ? vm->ev->target : vm->session->engine->target;

	if (!target && vm->ev->pid == vm->session->front_pid)
		target = vm->session->engine->self;
	if (!target || !addr || addr + n < addr)
		return -1;
	if (is_kernel(addr) && !userland && !target->holds_kernel)
		return -1;
	return target_read(target, addr, dst, n);
}

/* The same of the kernel, as it is now; what was recorded when it happened comes before that. */
static ssize_t read_kernel(struct vm *vm, void *dst, uint64_t addr, uint64_t n, bool userland)
{
	if (userland || !is_kernel(addr) || addr + n < addr || !may_read_kernel(vm))
		return -1;
	return vm->session->engine->kernelmem->read(
		vm->session, vm->has_thread ? &vm->thread : NULL, addr, dst, n);
}

uint64_t vm_kernel_path(struct vm *vm, uint64_t addr)
{
	const struct kernelmem *k = vm->session->engine->kernelmem;
	char *p = vm_temp(vm, vm->strsize + 1);
	ssize_t n = -1;

	if (!p)
		return 0;
	if (is_kernel(addr) && may_read_kernel(vm))
		n = k->path(vm->session, vm->has_thread ? &vm->thread : NULL, addr, p, vm->strsize);
	if (n < 0) {
		fail_read(vm, addr, n);
		return 0;
	}
	p[n] = '\0';
	return (uintptr_t)p;
}

bool vm_read_target(struct vm *vm, void *dst, uint64_t addr, uint64_t n, bool userland)
{
	ssize_t got;

	if (!n)
		return true;
	got = read_some(vm, dst, addr, n, userland);
	if (got < 0 || (uint64_t)got < n)
		got = read_kernel(vm, dst, addr, n, userland);
	if (got >= 0 && (uint64_t)got == n)
		return true;
	fail_read(vm, addr, got);
	return false;
}

/* Of what was read; -1: it did not end before what can be read did. */
static int64_t whole_length(const char *s, ssize_t got, uint64_t max)
{
	uint64_t len = got > 0 ? string_length(s, (uint64_t)got) : 0;

	return got >= 0 && (len < (uint64_t)got || (uint64_t)got == max) ? (int64_t)len : -1;
}

/* Reads a string of at most max characters from the target; -1 and the fault. */
static int64_t read_target_string(struct vm *vm, char *dst, uint64_t max, uint64_t addr,
				  bool userland)
{
	ssize_t got = max ? read_some(vm, dst, addr, max, userland) : 0;
	int64_t len = whole_length(dst, got, max);

	if (len < 0) {
		got = read_kernel(vm, dst, addr, max, userland);
		len = whole_length(dst, got, max);
	}
	if (len < 0)
		fail_read(vm, addr, got);
	return len;
}

/* Ours, the target's or (false, fault) nobody's? */
static bool find_own(struct vm *vm, uint64_t addr, struct span *sp, bool *is_own)
{
	*is_own = find_span(vm, addr, sp);
	if (*is_own || !is_tracers(vm, addr))
		return true;
	vm_fail(vm, FAULT_BADADDR, addr);
	return false;
}

bool vm_string(struct vm *vm, uint64_t addr, struct vm_str *out)
{
	struct span sp;
	bool is_own;
	char *buf;
	int64_t len;

	if (!find_own(vm, addr, &sp, &is_own))
		return false;
	if (is_own) {
		out->s = sp.p;
		out->len = string_length(sp.p, MIN(sp.room, vm->strsize));
		return true;
	}
	buf = vm_temp(vm, vm->strsize + 1);
	if (!buf)
		return false;
	len = read_target_string(vm, buf, vm->strsize, addr, false);
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
	p = vm_temp(vm, n + 1);
	if (p) {
		memmove(p, s, n);
		p[n] = '\0';
	}
	return (uintptr_t)p;
}

int64_t vm_get_string(struct vm *vm, char *dst, uint64_t size, uint64_t addr, bool userland)
{
	bool is_own = false;
	struct span sp;
	int64_t len;

	if (!userland && !find_own(vm, addr, &sp, &is_own))
		return -1;
	if (is_own) {
		len = (int64_t)string_length(sp.p, MIN(sp.room, size - 1));
		memmove(dst, sp.p, (size_t)len);
	} else {
		len = read_target_string(vm, dst, size - 1, addr, userland);
		if (len < 0)
			return -1;
	}
	dst[len] = '\0';
	return len;
}

bool vm_copy(struct vm *vm, void *dst, uint64_t addr, size_t n, bool userland)
{
	bool is_own = false;
	struct span sp;

	if (!n)
		return true;
	if (!userland && !find_own(vm, addr, &sp, &is_own))
		return false;
	if (!is_own)
		return vm_read_target(vm, dst, addr, n, userland);
	if (n > sp.room && n - sp.room > sp.zeros) {
		fail_outside(vm, addr, n, sp.is_scratch);
		return false;
	}
	memmove(dst, sp.p, MIN(n, sp.room));
	if (n > sp.room)
		memset((char *)dst + sp.room, 0, n - sp.room);
	return true;
}

bool vm_copystr(struct vm *vm, char *dst, uint64_t addr, size_t n, bool userland)
{
	int64_t len = vm_get_string(vm, dst, n, addr, userland);

	if (len < 0)
		return false;
	memset(dst + len, 0, n - (size_t)len);
	return true;
}
