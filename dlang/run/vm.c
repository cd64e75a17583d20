#include "dlang/run/vmmem.h"

#include "dlang/osinfo/osinfo.h"
#include "dlang/osinfo/openfile.h"
#include "dlang/osinfo/psinfo.h"
#include "dlang/run/storevalue.h"
#include "dlang/run/vars.h"
#include "dlang/run/vmvars.h"
#include "dlang/session_engine.h"

/* Beyond the strings an expression can make there is room for structures. */
#define TEMP_STRINGS 16
#define TEMP_BYTES   (256 << 10)
/* Around scratch memory lies nothing that a program may reach: what is beside it is outside. */
#define SCRATCH_GUARD (64 << 10)

static struct vm_area new_area(struct arena *a, uint64_t size)
{
	char *start = arena_alloc(a, size);

	return (struct vm_area){start, start, start + size};
}

struct vm *vm_new(struct session *s)
{
	struct vm *vm = ARENA_NEW(s->arena, struct vm);
	vm->session = s;
	vm->vars = s->engine->vars;
	vm->arena = s->arena;
	vm->strsize = (uint64_t)opt(&s->options, OPT_STRSIZE);
	vm->temps = new_area(s->arena, ROUND_UP(vm->strsize + 1, 8) * TEMP_STRINGS + TEMP_BYTES);
	arena_alloc(s->arena, SCRATCH_GUARD);
	vm->scratch = new_area(s->arena, (uint64_t)opt(&s->options, OPT_SCRATCHSIZE));
	arena_alloc(s->arena, SCRATCH_GUARD);
	vm->strtok_buf = arena_alloc(s->arena, vm->strsize + 1);
	vm->pcs = arena_alloc(s->arena, VM_MAX_PCS * sizeof(*vm->pcs));
	vm->stackids = stackids_new(s->arena, (uint64_t)opt(&s->options, OPT_DYNVARSIZE));
	vm->osinfo = osinfo_new(s->arena);
	vm->psinfo = psinfo_new(s->arena);
	vm->openfile = openfile_new(s->arena);
	vm->rand = hash_u64((uint64_t)s->front_pid + 1);
	return vm;
}

void vm_begin_firing(struct vm *vm, const struct event *ev)
{
	vm->ev = ev;
	vm->nth_clause = 0;
	vm->strtok_next = NULL;
	vm->have_pcs = false;
	vm->has_thread = false;
	osinfo_begin_firing(vm->osinfo);
	psinfo_begin_firing(vm->psinfo);
	openfile_begin_firing(vm->openfile);
	vars_begin_firing(vm->vars);
}

void vm_begin_clause(struct vm *vm, const struct ecb *ecb)
{
	vm->ecb = ecb;
	vm->now_ns = vm->nth_clause++ == 0 || vm->ev->is_late ? vm->ev->time_ns : 0;
	vm->scratch.top = vm->scratch.start;
	vm->temps.top = vm->temps.start;
	vm->nlent = 0;
	vm->fault = FAULT_NONE;
	vm->fault_is_gone = false;
	vm->fault_off = -1; /* what goes wrong outside of vm_run */
}

unsigned vm_ustack(struct vm *vm, const taddr_t **pcs)
{
	const struct event *ev = vm->ev;

	if (ev->pcs) {
		*pcs = ev->pcs;
		return ev->npcs;
	}
	if (!vm->have_pcs) {
		const struct provider *prov = ev->probe->provider;

		vm->npcs = ev->walk		  ? ev->walk(ev, vm->pcs, VM_MAX_PCS)
			   : prov && prov->ustack ? prov->ustack(ev, vm->pcs, VM_MAX_PCS)
						  : 0;
		vm->have_pcs = true;
	}
	*pcs = vm->pcs;
	return vm->npcs;
}

/* ---- loads and stores ---- */

enum load { LOAD_U8, LOAD_U16, LOAD_U32, LOAD_X, LOAD_S8, LOAD_S16, LOAD_S32 };

static inline uint64_t load(struct vm *vm, uint64_t addr, enum load how, bool user)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4};
	uint64_t v = 0;

	if (!vm_copy(vm, &v, addr, sizes[how], user))
		return 0;
	switch (how) {
	case LOAD_S8:
		return (uint64_t)(int8_t)v;
	case LOAD_S16:
		return (uint64_t)(int16_t)v;
	case LOAD_S32:
		return (uint64_t)(int32_t)v;
	default:
		return v;
	}
}

static void store(struct vm *vm, uint64_t addr, uint64_t value, unsigned size)
{
	if (vm_may_store(vm, addr, size))
		memcpy((void *)(uintptr_t)addr, &value, size);
}

static void copys(struct vm *vm, uint64_t dst, uint64_t src, uint64_t n)
{
	if (vm_may_store(vm, dst, n))
		vm_copy(vm, (void *)(uintptr_t)dst, src, n, false);
}

static uint64_t zeroed(struct vm *vm, uint64_t n)
{
	char *p = vm_temp(vm, n);

	if (p)
		memset(p, 0, n);
	return (uintptr_t)p;
}

/* ---- arithmetic ---- */

static uint64_t divide(struct vm *vm, uint64_t a, uint64_t b, bool is_signed)
{
	if (!b) {
		vm_fail(vm, FAULT_DIVZERO, 0);
		return 0;
	}
	if (!is_signed)
		return a / b;
	return b == UINT64_MAX ? -a
			       : (uint64_t)((int64_t)a / (int64_t)b); /* INT64_MIN / -1 traps */
}

static uint64_t remain(struct vm *vm, uint64_t a, uint64_t b, bool is_signed)
{
	if (!b) {
		vm_fail(vm, FAULT_DIVZERO, 0);
		return 0;
	}
	if (!is_signed)
		return a % b;
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

/*
 * The flags are kept as the two numbers that were compared; each branch compares them itself. A
 * string comparison leaves 0 and 1 in the order that signed and unsigned branches agree on. With a
 * NULL on either side the addresses are compared (docs/spec/d-language.md §3.4).
 */
struct flags {
	uint64_t a, b;
};

static bool compare_strings(struct vm *vm, uint64_t a, uint64_t b, struct flags *flags)
{
	char *mark = vm->temps.top;
	struct vm_str sa, sb;
	uint64_t i = 0;

	flags->a = a;
	flags->b = b;
	if (!a || !b)
		return true;
	if (!vm_string(vm, a, &sa) || !vm_string(vm, b, &sb))
		return false;
	while (i < sa.len && i < sb.len && sa.s[i] == sb.s[i])
		i++;
	flags->a = i < sa.len ? (unsigned char)sa.s[i] : 0;
	flags->b = i < sb.len ? (unsigned char)sb.s[i] : 0;
	vm->temps.top = mark;
	return true;
}

/* ---- variables ---- */

static struct varslot *find_slot(struct vm *vm, enum dif_scope scope, unsigned id, bool is_array)
{
	const struct varstore *vs = vm->vars;
	struct varslot *slot;

	slot = id - DIF_VAR_USER < vs->nslots[scope] ? vs->slots[scope][id - DIF_VAR_USER] : NULL;
	if (slot && slot->is_array == is_array)
		return slot;
	vm_fail(vm, FAULT_ILLOP, 0);
	return NULL;
}

static uint64_t load_static(struct vm *vm, enum dif_scope scope, unsigned id)
{
	const struct varslot *slot = find_slot(vm, scope, id, false);

	return slot ? var_load(slot) : 0;
}

static uint64_t load_global(struct vm *vm, unsigned id)
{
	if (id >= DIF_VAR_USER)
		return load_static(vm, DIF_SCOPE_GLOBAL, id);
	if (id - BUILTIN_ARG0 < 10)
		return vm->ev->args[id - BUILTIN_ARG0];
	return builtin_by_id((uint16_t)id)->get(vm, 0);
}

static void store_static(struct vm *vm, enum dif_scope scope, unsigned id, uint64_t value)
{
	struct varslot *slot = find_slot(vm, scope, id, false);

	if (slot)
		var_store(vm, slot, value);
}

static uint64_t load_dynamic(struct vm *vm, enum dif_scope scope, unsigned id, bool is_array)
{
	const struct varslot *slot = find_slot(vm, scope, id, is_array);

	if (slot && (!is_array || vm->elements == ELEMENTS_HERE))
		return dynvar_load(vm, scope, (uint16_t)id, slot);
	if (slot && vm->elements == ELEMENTS_GONE)
		vm_fail(vm, FAULT_BADADDR, 0);
	return slot && vm->elements == ELEMENTS_1;
}

static void store_dynamic(struct vm *vm, enum dif_scope scope, unsigned id, bool is_array,
			  uint64_t value)
{
	const struct varslot *slot = find_slot(vm, scope, id, is_array);
	bool is_here = is_array ? vm->elements == ELEMENTS_HERE
				: !vm->has_lent_texts || !slot || !slot->is_string;

	if (slot && is_here)
		dynvar_store(vm, scope, (uint16_t)id, slot, value);
	else if (slot)
		vm_fail(vm, FAULT_BADADDR, 0);
}

static void push(struct vm *vm, uint64_t value, uint64_t size, unsigned kind)
{
	struct vm_key *k = &vm->keys[vm->nkeys];

	if (vm->nkeys == DIF_NTREGS || size > UINT32_MAX) {
		vm_fail(vm, vm->nkeys == DIF_NTREGS ? FAULT_TUPOFLOW : FAULT_BADSIZE, size);
		return;
	}
	k->value = value;
	k->size = (uint32_t)size;
	k->kind = (uint8_t)kind;
	vm->nkeys++;
}

/* ---- the loop ---- */

/* clang-format off */
#define R1 r[DIF_R1(insn)]
#define R2 r[DIF_R2(insn)]
#define RD r[DIF_RD(insn)]
#define IX DIF_GETINDEX(insn)
/* For instructions that can fault. */
#define CHECKED  if (vm->fault) goto fault; break
#define BRANCH(condition) if (condition) pc = DIF_GETLABEL(insn); break
#define LOADS(prefix, user) \
	case DIF_OP_##prefix##SB: RD = load(vm, R1, LOAD_S8, user); CHECKED; \
	case DIF_OP_##prefix##SH: RD = load(vm, R1, LOAD_S16, user); CHECKED; \
	case DIF_OP_##prefix##SW: RD = load(vm, R1, LOAD_S32, user); CHECKED; \
	case DIF_OP_##prefix##UB: RD = load(vm, R1, LOAD_U8, user); CHECKED; \
	case DIF_OP_##prefix##UH: RD = load(vm, R1, LOAD_U16, user); CHECKED; \
	case DIF_OP_##prefix##UW: RD = load(vm, R1, LOAD_U32, user); CHECKED; \
	case DIF_OP_##prefix##X:  RD = load(vm, R1, LOAD_X, user); CHECKED

#define FEW_REGS 8

bool vm_run(struct vm *vm, const struct difo *difo, uint64_t *result)
{
	const uint32_t *text = difo->text;
	uint64_t r[DIF_NREGS];
	struct flags cc = {0, 0};
	uint32_t insn;
	unsigned pc = 0;

	memset(r, 0, FEW_REGS * sizeof(*r)); /* the usual number: no call */
	if (difo->nregs > FEW_REGS)
		memset(r + FEW_REGS, 0, (difo->nregs - FEW_REGS) * sizeof(*r));
	vm->nkeys = 0;
	vm->difo = difo;
	for (;;) { /* ends: the verifier has seen a ret, and branches lead forward */
		insn = text[pc++];
		switch (DIF_OP(insn)) {
#define CALC(name, value) \
		case DIF_OP_##name: { const uint64_t a = R1, b = R2; (void)b; RD = (value); break; }
#include "dlang/difops.def"
#undef CALC
		case DIF_OP_SDIV: RD = divide(vm, R1, R2, true); CHECKED;
		case DIF_OP_UDIV: RD = divide(vm, R1, R2, false); CHECKED;
		case DIF_OP_SREM: RD = remain(vm, R1, R2, true); CHECKED;
		case DIF_OP_UREM: RD = remain(vm, R1, R2, false); CHECKED;
		case DIF_OP_NOP:  break;

		case DIF_OP_CMP:  cc.a = R1; cc.b = R2; break;
		case DIF_OP_TST:  cc.a = R1; cc.b = 0; break;
		case DIF_OP_SCMP: if (!compare_strings(vm, R1, R2, &cc)) goto fault; break;
		case DIF_OP_BA:   BRANCH(true);
#define COND(name, holds, turned) \
		case DIF_OP_##name: { const uint64_t a = cc.a, b = cc.b; BRANCH(holds); }
#include "dlang/difops.def"
#undef COND

		case DIF_OP_SETX: RD = difo->ints[IX]; break;
		case DIF_OP_SETS: RD = (uintptr_t)(difo->strs + IX); break;
		LOADS(LD, false);
		LOADS(RLD, false);
		LOADS(ULD, true);
		case DIF_OP_STB:  store(vm, RD, R1, 1); CHECKED;
		case DIF_OP_STH:  store(vm, RD, R1, 2); CHECKED;
		case DIF_OP_STW:  store(vm, RD, R1, 4); CHECKED;
		case DIF_OP_STX:  store(vm, RD, R1, 8); CHECKED;
		case DIF_OP_ALLOCS: RD = zeroed(vm, R1); CHECKED;
		case DIF_OP_COPYS: copys(vm, RD, R1, R2); CHECKED;

		case DIF_OP_LDGA: RD = builtin_by_id((uint16_t)DIF_R1(insn))->get(vm, R2); CHECKED;
		case DIF_OP_LDGS: RD = load_global(vm, IX); CHECKED;
		case DIF_OP_STGS: store_static(vm, DIF_SCOPE_GLOBAL, IX, RD); CHECKED;
		case DIF_OP_LDLS: RD = load_static(vm, DIF_SCOPE_THIS, IX); CHECKED;
		case DIF_OP_STLS: store_static(vm, DIF_SCOPE_THIS, IX, RD); CHECKED;
		case DIF_OP_LDTS: RD = load_dynamic(vm, DIF_SCOPE_SELF, IX, false); CHECKED;
		case DIF_OP_STTS: store_dynamic(vm, DIF_SCOPE_SELF, IX, false, RD); CHECKED;
		case DIF_OP_LDGAA: RD = load_dynamic(vm, DIF_SCOPE_GLOBAL, IX, true); CHECKED;
		case DIF_OP_STGAA: store_dynamic(vm, DIF_SCOPE_GLOBAL, IX, true, RD); CHECKED;
		case DIF_OP_LDTAA: RD = load_dynamic(vm, DIF_SCOPE_SELF, IX, true); CHECKED;
		case DIF_OP_STTAA: store_dynamic(vm, DIF_SCOPE_SELF, IX, true, RD); CHECKED;

		case DIF_OP_PUSHTR: push(vm, RD, R2, DIF_R1(insn)); CHECKED;
		case DIF_OP_PUSHTV: push(vm, RD, 0, DIF_PUSH_INT); CHECKED;
		case DIF_OP_POPTS:  vm->nkeys--; break;
		case DIF_OP_FLUSHTS: vm->nkeys = 0; break;
		case DIF_OP_CALL: RD = subrs[IX].call(vm, vm->keys, vm->nkeys); CHECKED;
		case DIF_OP_RET:  *result = RD; return true;
		default:          vm_fail(vm, FAULT_ILLOP, 0); goto fault;
		}
	}
fault:
	vm->fault_off = (int)(pc - 1) * 4;
	return false;
}
/* clang-format on */
