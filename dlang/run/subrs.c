#include "dlang/run/subrs.h"
#include "dlang/session_engine.h"

/* The functions behind subrs.def, and those of them that are neither about text nor about memory.
 */

const struct subr subrs[] = {
#define SUBR(id, name, proto, version, needs, destructive, allocs, call)                           \
	{name, proto, version, needs, destructive, allocs, call},
#include "dlang/run/subrs.def"
#undef SUBR
};
const unsigned nsubrs = ARRAY_SIZE(subrs);

uint64_t subr_swap16(struct vm *vm UNUSED, const struct vm_key *args, unsigned nargs UNUSED)
{
	return __builtin_bswap16((uint16_t)args[0].value);
}

uint64_t subr_swap32(struct vm *vm UNUSED, const struct vm_key *args, unsigned nargs UNUSED)
{
	return __builtin_bswap32((uint32_t)args[0].value);
}

uint64_t subr_swap64(struct vm *vm UNUSED, const struct vm_key *args, unsigned nargs UNUSED)
{
	return __builtin_bswap64(args[0].value);
}

/* The kernel's own dev_t: 12 bits of major number above 20 bits of minor. */
uint64_t subr_getmajor(struct vm *vm UNUSED, const struct vm_key *args, unsigned nargs UNUSED)
{
	return (uint32_t)args[0].value >> 20;
}

uint64_t subr_getminor(struct vm *vm UNUSED, const struct vm_key *args, unsigned nargs UNUSED)
{
	return args[0].value & 0xfffff;
}

uint64_t subr_rand(struct vm *vm, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	/* xorshift64* */
	vm->rand ^= vm->rand >> 12;
	vm->rand ^= vm->rand << 25;
	vm->rand ^= vm->rand >> 27;
	return (uint64_t)(int32_t)(vm->rand * 0x2545f4914f6cdd1dull >> 32);
}

/* Of a process that has ended since, what is known of the event's own. */
static pid_t parent_of(const struct vm *vm, pid_t pid)
{
	const struct session *s = vm->session;
	pid_t parent;

	if (s->engine->known_parent && s->engine->known_parent(s, pid, &parent))
		return parent;
	parent = osinfo_ppid(pid);
	return parent <= 0 && vm->ev->task && pid == vm_event_pid(vm) ? vm->ev->task->ppid : parent;
}

uint64_t subr_progenyof(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	enum { MAX_GENERATIONS = 4096 }; /* the tree may change under us */
	pid_t ancestor = (pid_t)args[0].value;
	pid_t pid = vm_event_pid(vm);

	for (unsigned i = 0; i < MAX_GENERATIONS && pid > 0; i++) {
		if (pid == ancestor)
			return 1;
		pid = parent_of(vm, pid);
	}
	return 0;
}

/* What the kernel would have to be asked for: no path, no file. */
uint64_t subr_ddi_pathname(struct vm *vm, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	return vm_new_string(vm, "<unknown>", 9);
}

uint64_t subr_getf(struct vm *vm UNUSED, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	return 0;
}

uint64_t subr_check_index(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	if (args[0].value >= args[1].value)
		vm_fail(vm, FAULT_BADINDEX, args[0].value);
	return args[0].value;
}
