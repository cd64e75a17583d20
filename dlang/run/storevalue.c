#include "dlang/run/storevalue.h"

#include <assert.h>

#include "base/hash.h"
#include "dlang/run/corefile.h"
#include "dlang/run/subrs.h"
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

/* Whose addresses those of the event are: pid | aspace << 32. */
static uint64_t event_space(const struct event *ev)
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
	store_int(dst, event_space(vm->ev), 8);
	memcpy(dst + 8, pcs, MIN(n, frames) * sizeof(*pcs));
}

static void store_kstack(const struct vm *vm, char *dst, const struct rec *rec)
{
	uint32_t frames = (uint32_t)rec->arg;

	memset(dst, 0, rec->size);
	if (vm->ev->nkpcs)
		memcpy(dst, vm->ev->kpcs, MIN(vm->ev->nkpcs, frames) * sizeof(*vm->ev->kpcs));
}

/* ---- stacks as numbers ---- */

/* An entry of the room: these words, then the addresses. */
struct entry {
	uint64_t hash, space;
	uint32_t n, next; /* the number of the next in its chain */
};

struct kept_stack {
	uint64_t space;
	const taddr_t *pcs;
	unsigned n;
};

struct stackids {
	char *room;
	uint64_t size, used;
	uint64_t *starts; /* of the entries, by number - 1 */
	uint32_t n, max;
	uint32_t *chains; /* nchains is a power of two */
	uint32_t nchains;
};

#define LEAST_ENTRY (sizeof(struct entry) + 2 * sizeof(taddr_t))

struct stackids *stackids_new(struct arena *a, uint64_t size)
{
	struct stackids *ids = ARENA_NEW(a, struct stackids);
	uint64_t max = size / LEAST_ENTRY + 1;

	ids->size = size;
	ids->max = (uint32_t)MIN(max, (uint64_t)UINT32_MAX / 4);
	ids->nchains = 64;
	while (ids->nchains < ids->max && ids->nchains < 1U << 22)
		ids->nchains *= 2;
	ids->room = arena_alloc(a, size);
	ids->starts = arena_alloc(a, ids->max * sizeof(*ids->starts));
	ids->chains = arena_alloc(a, ids->nchains * sizeof(*ids->chains));
	return ids;
}

static struct entry *entry_at(const struct stackids *ids, uint64_t id)
{
	return id && id <= ids->n ? (struct entry *)(ids->room + ids->starts[id - 1]) : NULL;
}

/* space: whose addresses they are, as the first word of a recorded stack; 0: the kernel's. 0: no
 * room. */
static uint64_t stackid_of(struct stackids *ids, uint64_t space, const taddr_t *pcs, unsigned n)
{
	uint64_t hash = hash_bytes(pcs, n * sizeof(*pcs)) ^ hash_u64(space), bytes;
	uint32_t *chain = &ids->chains[hash & (ids->nchains - 1)];
	struct entry *e;

	for (uint32_t id = *chain; (e = entry_at(ids, id)); id = e->next)
		if (e->hash == hash && e->space == space && e->n == n &&
		    memcmp(e + 1, pcs, n * sizeof(*pcs)) == 0)
			return id;
	bytes = sizeof(*e) + n * sizeof(*pcs);
	if (ids->n == ids->max || bytes > ids->size - ids->used)
		return 0;
	e = (struct entry *)(ids->room + ids->used);
	*e = (struct entry){.hash = hash, .space = space, .n = n, .next = *chain};
	memcpy(e + 1, pcs, n * sizeof(*pcs));
	ids->starts[ids->n++] = ids->used;
	ids->used += bytes;
	return *chain = ids->n;
}

/* The stack of a number, whatever a program has made of it; n is 0 where there is none. */
static struct kept_stack stackid_stack(const struct stackids *ids, uint64_t id)
{
	const struct entry *e = entry_at(ids, id);

	return e ? (struct kept_stack){e->space, (const taddr_t *)(e + 1), e->n}
		 : (struct kept_stack){.n = 0};
}

static uint64_t keep(struct vm *vm, uint64_t space, const taddr_t *pcs, unsigned n,
		     enum opt_id frames)
{
	uint64_t id;

	n = (unsigned)MIN((int64_t)n, opt(&vm->session->options, frames));
	if (!n)
		return 0;
	id = stackid_of(vm->stackids, space, pcs, n);
	if (!id)
		atomic_fetch_add_explicit(&vm->session->drops[DROP_DYNAMIC], 1,
					  memory_order_relaxed);
	return id;
}

uint64_t subr_ustackid(struct vm *vm, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	const taddr_t *pcs;
	unsigned n = vm_ustack(vm, &pcs);

	return keep(vm, event_space(vm->ev), pcs, n, OPT_USTACKFRAMES);
}

uint64_t subr_stackid(struct vm *vm, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	return keep(vm, 0, vm->ev->kpcs, vm->ev->nkpcs, OPT_STACKFRAMES);
}

/* What was kept as a number. */
static void store_kept(struct vm *vm, uint64_t id, char *dst, const struct rec *rec)
{
	struct kept_stack st = stackid_stack(vm->stackids, id);
	bool is_user = rec->kind == REC_USTACK;

	memset(dst, 0, rec->size);
	if (is_user != (st.space != 0))
		return; /* a number of the other kind */
	if (is_user)
		store_int(dst, st.space, 8);
	memcpy(dst + (is_user ? 8 : 0), st.pcs, MIN(st.n, (uint32_t)rec->arg) * sizeof(*st.pcs));
}

bool action_is_userland(const struct action *act)
{
	return act->difo && act->difo->is_userland;
}

void store_word(const struct event *ev, const struct rec *rec, uint64_t value, char *dst)
{
	bool has_space = rec->kind == REC_USYM || rec->kind == REC_UMOD || rec->kind == REC_UADDR;

	if (has_space)
		store_int(dst, event_space(ev), 8);
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
	case REC_USTACK:
		if (act->difo)
			store_kept(vm, value, dst, rec);
		else if (rec->kind == REC_STACK)
			store_kstack(vm, dst, rec);
		else
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
