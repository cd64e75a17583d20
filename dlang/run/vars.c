#include "dlang/run/vmvars.h"

#include <errno.h>

#include "dlang/run/dynvars.h"
#include "dlang/run/vmmem.h"

/* Every string an expression makes takes this much. */
#define MAX_STRSIZE (16u << 20)

const struct varslot *vars_slot(const struct varstore *vs, enum dif_scope scope, unsigned id)
{
	const unsigned at = id - DIF_VAR_USER;

	return at < vs->nslots[scope] ? vs->slots[scope][at] : NULL;
}

bool varslot_is_number(const struct varslot *v)
{
	return v && !v->is_byref && !v->is_string && !v->is_array &&
	       (v->size == 1 || v->size == 2 || v->size == 4 || v->size == 8);
}

struct varstore *vars_new(struct arena *a)
{
	struct varstore *vs = ARENA_NEW(a, struct varstore);

	vs->arena = a;
	return vs;
}

static void grow(struct varstore *vs, enum dif_scope scope, unsigned index)
{
	unsigned room = MAX(64, vs->room[scope]);
	struct varslot **slots;

	if (index < vs->room[scope])
		return;
	while (room <= index)
		room *= 2;
	slots = arena_alloc(vs->arena, (size_t)room * sizeof(void *));
	if (vs->nslots[scope])
		memcpy(slots, vs->slots[scope], (size_t)vs->nslots[scope] * sizeof(void *));
	vs->slots[scope] = slots;
	vs->room[scope] = room;
}

void vars_define(struct varstore *vs, enum dif_scope scope, uint16_t id, const char *name,
		 const struct type *type, bool is_array)
{
	unsigned index = (unsigned)id - DIF_VAR_USER;
	struct varslot *slot;

	if (index < vs->nslots[scope] && vs->slots[scope][index])
		return;
	grow(vs, scope, index);
	slot = ARENA_NEW(vs->arena, struct varslot);
	slot->name = name;
	slot->type = type;
	slot->is_byref = type_is_byref(type);
	slot->is_string = type_is_string(type);
	slot->is_signed = type_is_signed(type);
	slot->is_array = is_array;
	slot->size = type_is_pointer(type) ? 8 : type_resolve(type)->size;
	vs->slots[scope][index] = slot;
	vs->nslots[scope] = MAX(vs->nslots[scope], index + 1);
}

void vars_set_keys(struct varstore *vs, enum dif_scope scope, uint16_t id,
		   const struct type *const *keys, unsigned n)
{
	struct varslot *slot = vs->slots[scope][id - DIF_VAR_USER];

	slot->keys = keys;
	slot->nkeys = n;
}

/* Strings get strsize characters and a NUL; a value without size is a register. */
static void fix_size(const struct varstore *vs, struct varslot *slot)
{
	if (slot->is_string)
		slot->size = vs->strsize + 1;
	else if (!slot->size || (!slot->is_byref && slot->size > 8))
		slot->size = 8;
}

/* Gives the slots of a scope their place in mem, or (mem NULL) only counts. Returns the bytes. */
static size_t lay_out(struct varstore *vs, enum dif_scope scope, char *mem)
{
	size_t n = 0;

	for (unsigned i = 0; i < vs->nslots[scope]; i++) {
		struct varslot *slot = vs->slots[scope][i];

		if (!slot || slot->is_array)
			continue;
		if (mem)
			slot->data = mem + n;
		n += ROUND_UP(slot->size, 8);
	}
	return n;
}

/* Of one dynamic variable: its keys and value, and what they take in the table. */
struct dynsize {
	uint64_t tuple, value, stored;
};

static void add_key(const struct varstore *vs, const struct type *t, struct dynsize *d)
{
	uint64_t size = type_is_string(t) ? vs->strsize + 1 : type_resolve(t)->size;
	bool is_byref = type_is_byref(t);
	uint64_t align = is_byref ? 1 : MIN(MAX(size, 1), 8);

	d->tuple = ROUND_UP(d->tuple, align) + size;
	d->stored += is_byref ? 8 + ROUND_UP(size, 8) : 8; /* as flatten_keys() lays them out */
}

/* The largest of each of all there are; all 0: there are none. */
static struct dynsize largest(const struct varstore *vs)
{
	struct dynsize most = {0, 0, 0};

	for (unsigned scope = 0; scope < ARRAY_SIZE(vs->slots); scope++)
		for (unsigned i = 0; i < vs->nslots[scope]; i++) {
			const struct varslot *slot = vs->slots[scope][i];
			struct dynsize d = {4, 0, 0};

			if (!slot || (!slot->is_array && scope != DIF_SCOPE_SELF))
				continue;
			for (unsigned k = 0; k < slot->nkeys; k++)
				add_key(vs, slot->keys[k], &d);
			if (slot->is_array)
				most.tuple = MAX(most.tuple, d.tuple + 8);
			most.value = MAX(most.value, slot->size);
			most.stored = MAX(most.stored, d.stored + slot->size);
		}
	return most;
}

static int start_dynvars(struct varstore *vs, uint64_t dynvarsize, struct err *err)
{
	struct dynsize most = largest(vs);
	uint64_t n = most.value ? dynvarsize / (most.tuple + most.value) : 0;

	if (most.value && !n)
		return err_set(err, -EFBIG, "Enabling exceeds size of buffer");
	return dynvars_new(vs->arena, n, most.stored, &vs->dyn, err);
}

int vars_start(struct varstore *vs, uint64_t strsize, uint64_t dynvarsize, struct err *err)
{
	size_t nglobal;

	if (strsize > MAX_STRSIZE)
		return err_set(err, -EINVAL, "strsize is at most %u bytes", MAX_STRSIZE);
	vs->strsize = strsize;
	for (unsigned scope = 0; scope < ARRAY_SIZE(vs->slots); scope++)
		for (unsigned i = 0; i < vs->nslots[scope]; i++)
			if (vs->slots[scope][i])
				fix_size(vs, vs->slots[scope][i]);
	nglobal = lay_out(vs, DIF_SCOPE_GLOBAL, NULL);
	vs->memsize = nglobal + lay_out(vs, DIF_SCOPE_THIS, NULL);
	vs->mem = arena_try(vs->arena, vs->memsize);
	if (!vs->mem)
		return err_set(err, -ENOMEM, "no room for %zu bytes of variables", vs->memsize);
	lay_out(vs, DIF_SCOPE_GLOBAL, vs->mem);
	lay_out(vs, DIF_SCOPE_THIS, vs->mem + nglobal);
	return start_dynvars(vs, dynvarsize, err);
}

void vars_begin_firing(struct varstore *vs)
{
	for (unsigned i = 0; i < vs->nslots[DIF_SCOPE_THIS]; i++) {
		struct varslot *slot = vs->slots[DIF_SCOPE_THIS][i];

		if (!slot || !slot->data)
			continue;
		slot->is_null = false;
		/* of a string the first byte is enough: nobody sees what follows its NUL */
		memset(slot->data, 0, slot->is_string ? 1 : slot->size);
	}
}

static uint64_t load_scalar(const char *p, uint64_t size, bool is_signed)
{
	union {
		uint64_t u64;
		uint32_t u32;
		uint16_t u16;
		uint8_t u8;
		int32_t s32;
		int16_t s16;
		int8_t s8;
	} v = {0};

	memcpy(&v, p, MIN(size, 8));
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)v.s8 : v.u8;
	case 2:
		return is_signed ? (uint64_t)v.s16 : v.u16;
	case 4:
		return is_signed ? (uint64_t)v.s32 : v.u32;
	default:
		return v.u64;
	}
}

/* The value as the variable keeps it: cut to its size, zero otherwise. */
static uint64_t cut(uint64_t value, uint64_t size)
{
	return size >= 8 ? value : value & ((1ull << size * 8) - 1);
}

uint64_t var_load(const struct varslot *slot)
{
	if (slot->is_byref)
		return slot->is_null ? 0 : (uintptr_t)slot->data;
	return load_scalar(slot->data, slot->size, slot->is_signed);
}

static void store_byref(struct vm *vm, const struct varslot *slot, char *data, uint64_t addr)
{
	struct vm_str str;

	if (!slot->is_string) {
		vm_copy(vm, data, addr, slot->size, false);
	} else if (vm_string(vm, addr, &str)) {
		memmove(data, str.s, str.len);
		data[str.len] = '\0';
	}
}

void var_store(struct vm *vm, struct varslot *slot, uint64_t value)
{
	if (!slot->is_byref) {
		memcpy(slot->data, &value, slot->size); /* little-endian: the low bytes */
		return;
	}
	if (slot->is_string && !value) {
		slot->is_null = true;
		return;
	}
	store_byref(vm, slot, slot->data, value);
	if (!vm->fault)
		slot->is_null = false;
}

/* One key: an integer in len (s NULL), or a string, or a copy of bytes. */
static bool key_part(struct vm *vm, const struct vm_key *k, struct vm_str *out)
{
	char *copy;

	if (k->kind == DIF_PUSH_STRING)
		return vm_string(vm, k->value, out);
	out->s = NULL;
	out->len = k->value;
	if (k->kind == DIF_PUSH_INT)
		return true;
	out->len = k->size;
	out->s = copy = vm_temp(vm, k->size);
	return copy && vm_copy(vm, copy, k->value, k->size, false);
}

/*
 * The keys on the tuple stack as one text of 8-byte words, among the temps: an integer is one
 * word; bytes are their length and then themselves, padded with zeros. False: fault.
 */
static bool flatten_keys(struct vm *vm, struct dynvar_key *out)
{
	struct vm_str parts[DIF_NTREGS] = {{NULL, 0}};
	uint64_t total = 0;
	char *p;

	for (unsigned i = 0; i < vm->nkeys; i++) {
		if (!key_part(vm, &vm->keys[i], &parts[i]))
			return false;
		total += 8 + (parts[i].s ? ROUND_UP(parts[i].len, 8) : 0);
	}
	p = vm_temp(vm, total);
	if (!p)
		return false;
	out->key = p;
	out->len = (uint32_t)total;
	for (unsigned i = 0; i < vm->nkeys; i++) {
		uint64_t len = parts[i].len;

		memcpy(p, &len, 8);
		p += 8;
		if (!parts[i].s)
			continue;
		memmove(p, parts[i].s, len);
		memset(p + len, 0, ROUND_UP(len, 8) - len);
		p += ROUND_UP(len, 8);
	}
	return true;
}

static uint64_t owner(const struct varstore *vs, pid_t tid)
{
	return (tidreuse_of(&vs->tidreuse, tid) << 32 | (uint32_t)tid) + 1;
}

void vars_forget(struct varstore *vs, uint16_t id, pid_t tid)
{
	const struct varslot *slot = vs->slots[DIF_SCOPE_SELF][id - DIF_VAR_USER];
	const struct dynvar_key key = {.var = (uint32_t)DIF_SCOPE_SELF << 16 | id,
				       .tid = tid ? owner(vs, tid) : 0,
				       .key = ""};

	if (tid && !slot->is_array)
		dynvars_delete(vs->dyn, &key);
	else
		dynvars_forget(vs->dyn, key.var, key.tid);
}

/* The key of a dynamic variable; array keys come from the tuple stack. */
static bool make_key(struct vm *vm, enum dif_scope scope, uint16_t id, const struct varslot *slot,
		     struct dynvar_key *key)
{
	key->var = (uint32_t)scope << 16 | id;
	key->tid = 0;
	if (scope == DIF_SCOPE_SELF)
		key->tid = owner(vm->vars, vm->ev->tid);
	key->key = "";
	key->len = 0;
	return !slot->is_array || flatten_keys(vm, key);
}

uint64_t dynvar_load(struct vm *vm, enum dif_scope scope, uint16_t id, const struct varslot *slot)
{
	char *mark = vm->temps.top;
	struct dynvar_key key;
	const char *data = NULL;

	if (make_key(vm, scope, id, slot, &key))
		data = dynvars_find(vm->vars->dyn, &key);
	vm->temps.top = mark;
	if (!data || slot->is_byref)
		return (uintptr_t)data;
	return load_scalar(data, slot->size, slot->is_signed);
}

static void store_found(struct vm *vm, const struct varslot *slot, const struct dynvar_key *key,
			uint64_t value)
{
	struct dynvars *dyn = vm->vars->dyn;
	bool is_new;
	char *data;

	if (!slot->is_byref)
		value = cut(value, slot->size);
	if (!value) {
		dynvars_delete(dyn, key);
		return;
	}
	data = dynvars_make(dyn, key, slot->size, &is_new);
	if (!data) {
		atomic_fetch_add_explicit(&vm->session->drops[DROP_DYNAMIC], 1,
					  memory_order_relaxed);
		return;
	}
	if (!slot->is_byref) {
		memcpy(data, &value, slot->size);
		return;
	}
	store_byref(vm, slot, data, value);
	if (vm->fault && is_new)
		dynvars_delete(dyn, key);
}

void dynvar_store(struct vm *vm, enum dif_scope scope, uint16_t id, const struct varslot *slot,
		  uint64_t value)
{
	char *mark = vm->temps.top;
	struct dynvar_key key;

	if (make_key(vm, scope, id, slot, &key))
		store_found(vm, slot, &key, value);
	vm->temps.top = mark;
}

static uint32_t number_of(struct dynvar_array a)
{
	return (uint32_t)a.scope << 16 | a.id;
}

static uint64_t owner_of(const struct vm *vm, struct dynvar_array a)
{
	return a.scope == DIF_SCOPE_SELF ? owner(vm->vars, vm->ev->tid) : 0;
}

static struct dynvar_key element_key(const struct vm *vm, struct dynvar_array a,
				     const uint64_t *key, unsigned nwords)
{
	return (struct dynvar_key){.var = number_of(a),
				   .tid = owner_of(vm, a),
				   .key = (const char *)key,
				   .len = nwords * (uint32_t)sizeof(*key)};
}

uint64_t dynvar_load_element(struct vm *vm, struct dynvar_array a, const uint64_t *key,
			     unsigned nwords)
{
	const struct varslot *slot = vm->vars->slots[a.scope][a.id - DIF_VAR_USER];
	const struct dynvar_key k = element_key(vm, a, key, nwords);
	const char *data = dynvars_find(vm->vars->dyn, &k);

	return data ? load_scalar(data, slot->size, slot->is_signed) : 0;
}

void dynvar_store_element(struct vm *vm, struct dynvar_array a, const uint64_t *key,
			  unsigned nwords, uint64_t value)
{
	const struct dynvar_key k = element_key(vm, a, key, nwords);

	store_found(vm, vm->vars->slots[a.scope][a.id - DIF_VAR_USER], &k, value);
}

uint64_t dynvar_nmade(const struct vm *vm)
{
	return dynvars_nmade(vm->vars->dyn);
}

struct taking_elements {
	const struct varslot *slot;
	dynvar_element_fn *fn;
	void *arg;
};

static void take_element(void *arg, const struct dynvar_key *k, const char *value)
{
	const struct taking_elements *t = arg;

	t->fn(t->arg, (const uint64_t *)(const void *)k->key, k->len / (unsigned)sizeof(uint64_t),
	      load_scalar(value, t->slot->size, t->slot->is_signed));
}

void dynvar_take_elements(struct vm *vm, struct dynvar_array a, uint64_t since,
			  dynvar_element_fn *fn, void *arg)
{
	struct taking_elements t = {vm->vars->slots[a.scope][a.id - DIF_VAR_USER], fn, arg};

	dynvars_take(vm->vars->dyn, number_of(a), owner_of(vm, a), since, take_element, &t);
}

/* ---- variables that are kept elsewhere ---- */

bool vars_share(struct varstore *vs, uint16_t id, _Atomic uint64_t *value)
{
	struct shared_var *v = &vs->shared[vs->nshared];

	if (vs->nshared == VARS_SHARED)
		return false;
	vs->nshared++;
	v->slot = vs->slots[DIF_SCOPE_GLOBAL][id - DIF_VAR_USER];
	v->value = value;
	atomic_store_explicit(value, var_load(v->slot), memory_order_relaxed);
	return true;
}

void vars_unshare(struct varstore *vs, const _Atomic uint64_t *values, unsigned n)
{
	vars_take_shared(vs);
	for (unsigned i = vs->nshared; i-- > 0;)
		if (vs->shared[i].value >= values && vs->shared[i].value < values + n)
			vs->shared[i] = vs->shared[--vs->nshared];
}

void vars_take_shared(struct varstore *vs)
{
	for (unsigned i = 0; i < vs->nshared; i++) {
		struct shared_var *v = &vs->shared[i];
		const uint64_t value = atomic_load_explicit(v->value, memory_order_relaxed);

		memcpy(v->slot->data, &value, v->slot->size);
		v->taken = var_load(v->slot);
	}
}

void vars_give_shared(struct varstore *vs)
{
	for (unsigned i = 0; i < vs->nshared; i++) {
		const struct shared_var *v = &vs->shared[i];
		const uint64_t added = var_load(v->slot) - v->taken;

		if (added)
			atomic_fetch_add_explicit(v->value, added, memory_order_relaxed);
	}
}
