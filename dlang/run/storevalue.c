#include "dlang/run/storevalue.h"

#include <assert.h>

#include "dlang/run/corefile.h"
#include "dlang/session_priv.h"

void vm_fault(struct vm *vm, enum fault what, uint64_t value)
{
	vm->fault = what;
	vm->fault_value = value;
	vm->fault_off = -1;
}

void store_int(char *dst, uint64_t value, uint32_t size)
{
	assert(dst); /* an action that records has a record */
	if (size >= sizeof(value))
		memcpy(dst, &value, sizeof(value));
	else if (size == sizeof(uint32_t))
		memcpy(dst, &value, sizeof(uint32_t)); /* little-endian */
	else
		memcpy(dst, &value, size);
}

static uint64_t space_word(const struct event *ev)
{
	return (uint32_t)ev->pid |
	       (uint64_t)(ev->target ? target_aspace(ev->target, ev->time_ns) : 0) << 32;
}

static void store_ustack(struct vm *vm, char *dst, const struct rec *rec)
{
	uint32_t frames = (uint32_t)rec->arg;
	const taddr_t *pcs;
	unsigned n = vm_ustack(vm, &pcs);

	memset(dst, 0, rec->size);
	store_int(dst, space_word(vm->ev), 8);
	memcpy(dst + 8, pcs, MIN(n, frames) * sizeof(*pcs));
}

static void store_kstack(const struct vm *vm, char *dst, const struct rec *rec)
{
	uint32_t frames = (uint32_t)rec->arg;

	memset(dst, 0, rec->size);
	if (vm->ev->nkpcs)
		memcpy(dst, vm->ev->kpcs, MIN(vm->ev->nkpcs, frames) * sizeof(*vm->ev->kpcs));
}

bool action_is_userland(const struct action *act)
{
	return act->difo && act->difo->is_userland;
}

void store_word(const struct event *ev, const struct rec *rec, uint64_t value, char *dst)
{
	bool has_space = rec->kind == REC_USYM || rec->kind == REC_UMOD || rec->kind == REC_UADDR;

	if (has_space)
		store_int(dst, space_word(ev), 8);
	store_int(has_space ? dst + 8 : dst, value, has_space ? 8 : rec->size);
}

bool store_value(struct vm *vm, const struct action *act, char *dst)
{
	const struct rec *rec = &act->rec;
	uint64_t value = 0;

	if (act->difo && !vm_run(vm, act->difo, &value))
		return false;
	switch (rec->kind) {
	case REC_INT:
	case REC_SYM:
	case REC_MOD:
	case REC_USYM:
	case REC_UMOD:
	case REC_UADDR:
		store_word(vm->ev, rec, value, dst);
		return true;
	case REC_STRING:
		return vm_copystr(vm, dst, value, rec->size, action_is_userland(act));
	case REC_BYTES:
		return vm_copy(vm, dst, value, rec->size, action_is_userland(act));
	case REC_STACK:
		store_kstack(vm, dst, rec);
		return true;
	case REC_USTACK:
		store_ustack(vm, dst, rec);
		return true;
	case REC_POINTEE:
		store_int(dst, value, 8);
		return vm_copy(vm, dst + 8, value, rec->size - 8, action_is_userland(act));
	case REC_NONE:
	case REC_NKINDS:
		break;
	}
	return true;
}

bool store_memref(struct vm *vm, uint64_t ref, uint32_t size, char *dst)
{
	uint64_t words[2]; /* address, size */

	assert(dst); /* what records has a record */
	if (!vm_copy(vm, words, ref, sizeof(words), false))
		return false;
	words[1] = MIN(words[1], size - sizeof(words[1]));
	memcpy(dst, &words[1], sizeof(words[1]));
	memset(dst + sizeof(words[1]), 0, size - sizeof(words[1]));
	return vm_copy(vm, dst + sizeof(words[1]), words[0], words[1], false);
}

bool store_core(struct vm *vm, uint64_t kind, uint32_t size, char *dst)
{
	enum { KIND_MINI = 2 };
	const struct event *ev = vm->ev;
	const struct corefile core = {.pid = ev->pid,
				      .tid = ev->tid,
				      .regs = ev->regs,
				      .target = ev->target,
				      .is_mini = kind == KIND_MINI};
	char name[COREFILE_NAME] = "";
	struct err err;

	assert(dst);
	memset(dst, 0, size);
	if (ev->pid <= 0 || ev->pid == vm->session->front_pid) {
		vm_fault(vm, FAULT_ILLOP, 0);
		return false;
	}
	if (corefile_write(&core, name, &err) < 0)
		session_message(vm->session, MSG_ERR, false, "lkd( ): no core of process %d: %s",
				(int)ev->pid, err.text);
	else
		snprintf(dst, size, "%s", name);
	return true;
}
