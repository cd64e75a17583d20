#include "dlang/run/vmmem.h"

#include "dlang/osinfo/osinfo.h"
#include "dlang/osinfo/openfile.h"
#include "dlang/osinfo/psinfo.h"
#include "dlang/session_engine.h"

/*
 * The functions behind builtins.def. An event without a process (BEGIN, tick) runs in the command
 * itself: pid and its relatives are the front's.
 */

static pid_t event_tid(const struct vm *vm)
{
	return vm->ev->tid || vm->ev->task ? vm->ev->tid : vm_event_pid(vm);
}

static uint64_t builtin_uregs(struct vm *vm, uint64_t index);

/* Numbers from ARG_WORD_XMM on are 8 bytes of other registers. */
static uint64_t builtin_args(struct vm *vm, uint64_t index)
{
	const struct fpregs *f = vm->ev->fpregs;
	uint64_t word;

	if (index < ARRAY_SIZE(vm->ev->args))
		return vm->ev->args[index];
	if (index < ARG_WORD_XMM || index >= ARG_WORD_END)
		return 0;
	if (index >= ARG_WORD_MORE)
		return vm->ev->more_args ? vm->ev->more_args[index - ARG_WORD_MORE] : 0;
	if (index >= ARG_WORD_UREG)
		return builtin_uregs(vm, index - ARG_WORD_UREG);
	if (!f) { /* no thread was stopped: nothing is guessed */
		vm_fail(vm, FAULT_BADADDR, 0);
		return 0;
	}
	if (index < ARG_WORD_ST)
		memcpy(&word, (const char *)f->r.xmm_space + 8 * (index - ARG_WORD_XMM), 8);
	else
		memcpy(&word, (const char *)f->r.st_space + 8 * (index - ARG_WORD_ST), 8);
	return word;
}

#define ARG(n)                                                                                     \
	static uint64_t builtin_arg##n(struct vm *vm, uint64_t index UNUSED)                       \
	{                                                                                          \
		return vm->ev->args[n];                                                            \
	}
ARG(0)
ARG(1)
ARG(2)
ARG(3)
ARG(4)
ARG(5)
ARG(6)
ARG(7)
ARG(8)
ARG(9)
#undef ARG

/* BEGIN, END and ERROR, which no thread of a program fires. */
static bool is_our_own(const struct vm *vm)
{
	const struct session *s = vm->session;
	const struct probe *p = vm->ev->probe;

	return p == s->begin_probe || p == s->end_probe || p == s->error_probe;
}

/* R_R15 (0) to R_SS (20) stand as Linux saves them, then come the other segments and two bases. */
static uint64_t builtin_uregs(struct vm *vm, uint64_t index)
{
#define REG(name) (offsetof(struct user_regs_struct, name) / 8)
	static const uint8_t at[] = {
		REG(r15),    REG(r14),	REG(r13),     REG(r12),	     REG(rbp), REG(rbx),
		REG(r11),    REG(r10),	REG(r9),      REG(r8),	     REG(rax), REG(rcx),
		REG(rdx),    REG(rsi),	REG(rdi),     REG(orig_rax), REG(rip), REG(cs),
		REG(eflags), REG(rsp),	REG(ss),      REG(ds),	     REG(es),  REG(fs),
		REG(gs),     UINT8_MAX, REG(fs_base), REG(gs_base),
	};
#undef REG
	uint64_t value;

	if (index >= ARRAY_SIZE(at)) {
		vm_fail(vm, FAULT_BADINDEX, index);
		return 0;
	}
	if (!vm->ev->regs && index < VM_UREG_FS && is_our_own(vm))
		return 0;
	if (!vm->ev->regs) { /* no thread was stopped: nothing is guessed */
		vm_fail(vm, FAULT_BADADDR, 0);
		return 0;
	}
	if (at[index] == UINT8_MAX) /* the number of the trap is not kept */
		return 0;
	memcpy(&value, (const char *)&vm->ev->regs->r + (size_t)at[index] * 8, 8);
	return value;
}

/* ipl, irql, jid: what only a kernel, or another one, has. */
static uint64_t builtin_zero(struct vm *vm UNUSED, uint64_t index UNUSED)
{
	return 0;
}

static uint64_t builtin_curthread(struct vm *vm, uint64_t index UNUSED)
{
	const struct kernelmem *k = vm->session->engine->kernelmem;

	if (!k)
		return vm->ev->curthread;
	if (!vm->has_thread)
		k->thread(vm->session, vm->ev, &vm->thread);
	vm->has_thread = true;
	return vm->thread.addr;
}

static uint64_t builtin_timestamp(struct vm *vm, uint64_t index UNUSED)
{
	if (!vm->now_ns)
		vm->now_ns = session_now(vm->session);
	return vm->now_ns;
}

/* Read anew each time, but for what was recorded before; when the clock is set back it stands. */
static uint64_t builtin_walltimestamp(struct vm *vm, uint64_t index UNUSED)
{
	uint64_t now = vm->ev->is_late ? vm->ev->time_ns : session_now(vm->session);

	int64_t offset = vm->session->recorded_ns ? vm->session->engine->recorded_wall_ns
						  : osinfo_wall_offset_ns();

	vm->wall_ns = MAX(vm->wall_ns, now + (uint64_t)offset);
	return vm->wall_ns;
}

static uint64_t builtin_vtimestamp(struct vm *vm, uint64_t index UNUSED)
{
	if (vm->ev->is_late)
		return vm->ev->vtime_ns ? vm->ev->vtime_ns : vm->ev->time_ns;
	return osinfo_cputime(vm_event_pid(vm), event_tid(vm));
}

static uint64_t builtin_epid(struct vm *vm, uint64_t index UNUSED)
{
	return vm->ecb->epid;
}

static uint64_t builtin_id(struct vm *vm, uint64_t index UNUSED)
{
	return vm->ev->probe->id;
}

/* No stack has more frames than maxframes. */
static uint64_t bounded_depth(const struct vm *vm, uint64_t n)
{
	const struct options *o = &vm->session->options;

	return opt_on(o, OPT_MAXFRAMES) ? MIN(n, (uint64_t)opt(o, OPT_MAXFRAMES)) : n;
}

static uint64_t builtin_stackdepth(struct vm *vm, uint64_t index UNUSED)
{
	return bounded_depth(vm, vm->ev->nkpcs);
}

static uint64_t builtin_ustackdepth(struct vm *vm, uint64_t index UNUSED)
{
	const taddr_t *pcs;

	return bounded_depth(vm, vm_ustack(vm, &pcs));
}

static uint64_t builtin_ucaller(struct vm *vm, uint64_t index UNUSED)
{
	const taddr_t *pcs;

	return vm_ustack(vm, &pcs) > 1 ? pcs[1] : 0;
}

/* Of the kernel where it was in the kernel. */
static uint64_t builtin_caller(struct vm *vm, uint64_t index)
{
	return vm->ev->nkpcs > 1 ? vm->ev->kpcs[1] : builtin_ucaller(vm, index);
}

static uint64_t builtin_probeprov(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->ev->probe->prov);
}

static uint64_t builtin_probemod(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->ev->probe->mod);
}

static uint64_t builtin_probefunc(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->ev->probe->func);
}

static uint64_t builtin_probename(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->ev->probe->name);
}

static uint64_t builtin_pid(struct vm *vm, uint64_t index UNUSED)
{
	return (uint64_t)vm_event_pid(vm);
}

static uint64_t builtin_tid(struct vm *vm, uint64_t index UNUSED)
{
	return (uint64_t)event_tid(vm);
}

static uint64_t builtin_execname(struct vm *vm, uint64_t index UNUSED)
{
	const struct target *target = vm->ev->target;
	pid_t pid = vm_event_pid(vm);

	if (pid == vm->session->front_pid)
		return vm_lend(vm, vm->session->progname);
	if (vm->ev->task)
		return vm_lend(vm, osinfo_set_comm(vm->osinfo, vm->ev->task->comm));
	return vm_lend(vm, osinfo_comm(vm->osinfo, pid, target ? target->aspace : 0));
}

/* As they are, unless they were others at the event, or the process is gone: then what the kernel
 * has kept, 80 characters. */
static uint64_t arguments(struct vm *vm, size_t max)
{
	const struct session *s = vm->session;
	const char *known = vm->ev->psargs;
	char *buf = vm_temp(vm, max + 1);

	if (!buf)
		return 0;
	if (s->engine->facts && s->engine->facts->args(s, vm_event_pid(vm), buf, max + 1))
		return (uintptr_t)buf;
	osinfo_cmdline(vm_event_pid(vm), buf, max + 1);
	if (known && known[0] && strncmp(buf, known, MIN(strlen(known), max)) != 0)
		snprintf(buf, max + 1, "%s", known);
	if (!buf[0] && vm->ev->is_late && s->engine->known_args)
		s->engine->known_args(s, vm_event_pid(vm), buf, max + 1);
	return (uintptr_t)buf;
}

static uint64_t builtin_execargs(struct vm *vm, uint64_t index UNUSED)
{
	return arguments(vm, vm->strsize);
}

/* procnum[], proctext[]: the members of psinfo_t and lwpsinfo_t that have no name of their own. */
static uint64_t builtin_procnum(struct vm *vm, uint64_t index)
{
	if (index >= PROCNUM_NROWS) {
		vm_fail(vm, FAULT_BADINDEX, index);
		return 0;
	}
	if (index == PROCNUM_LWP_SYSCALL &&
	    vm->ev->syscall) /* the thread may be in another by now */
		return vm->ev->syscall - 1;
	if (vm->ev->facts && vm->ev->facts->known >> index & 1)
		return (uint64_t)vm->ev->facts->v[index];
	return (uint64_t)psinfo_number(vm->psinfo, vm_event_pid(vm), event_tid(vm),
				       (enum procnum)index);
}

static uint64_t builtin_proctext(struct vm *vm, uint64_t index)
{
	if (index >= PROCTEXT_NROWS) {
		vm_fail(vm, FAULT_BADINDEX, index);
		return 0;
	}
	if (index == PROCTEXT_PSARGS)
		return arguments(vm, MIN(PSARGS_MAX, vm->strsize));
	return vm_lend(vm, psinfo_text(vm->psinfo, vm_event_pid(vm), event_tid(vm),
				       (enum proctext)index,
				       (const char *)(uintptr_t)builtin_execname(vm, 0)));
}

/* fdnum[], fdtext[]: a file that the process has open. */
static struct openfile *file_of(struct vm *vm, int64_t fd)
{
	const struct process_facts *facts = vm->session->engine->facts;
	struct openfile *f = vm->openfile;

	if (!openfile_turn_to(f, vm_event_pid(vm), fd))
		return f;
	if (facts)
		facts->file(vm->session, vm->ev, f);
	else
		openfile_look(f);
	return f;
}

static uint64_t builtin_fdnum(struct vm *vm, uint64_t index)
{
	enum fdnum row = index & ((1 << FDROW_BITS) - 1);

	return (uint64_t)openfile_number(file_of(vm, (int64_t)index >> FDROW_BITS), row);
}

static uint64_t builtin_fdtext(struct vm *vm, uint64_t index)
{
	enum fdtext row = index & ((1 << FDROW_BITS) - 1);

	return vm_lend(vm, openfile_text(file_of(vm, (int64_t)index >> FDROW_BITS), row));
}

static uint64_t builtin_cpuchip(struct vm *vm, uint64_t index)
{
	return (uint64_t)cpu_chip(vm->psinfo, (int)index);
}

static uint64_t builtin_cpulgrp(struct vm *vm, uint64_t index)
{
	return (uint64_t)cpu_lgrp(vm->psinfo, (int)index);
}

static uint64_t builtin_cpumhz(struct vm *vm, uint64_t index UNUSED)
{
	return (uint64_t)cpu_mhz(vm->psinfo);
}

/* dscripts/lib/cpu.d has the same */
struct curcpu {
	int32_t id, pset, chip, lgrp, state;
	char type[16], fputypes[32];
	int32_t clock;
};

static uint64_t builtin_curcpu(struct vm *vm, uint64_t index UNUSED)
{
	enum { P_ONLINE = 2 };
	struct psinfo *ps = vm->psinfo;
	struct curcpu *c = (struct curcpu *)(void *)vm_temp(vm, sizeof(*c));

	if (!c)
		return 0;
	*c = (struct curcpu){.id = vm->ev->cpu,
			     .chip = cpu_chip(ps, vm->ev->cpu),
			     .lgrp = cpu_lgrp(ps, vm->ev->cpu),
			     .state = P_ONLINE,
			     .type = "x86-64",
			     .fputypes = "x87 sse2",
			     .clock = cpu_mhz(ps)};
	return (uintptr_t)c;
}

static uint64_t builtin_zonename(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->osinfo->zonename);
}

static uint64_t builtin_jailname(struct vm *vm, uint64_t index UNUSED)
{
	return vm_lend(vm, vm->osinfo->empty);
}

static const struct osinfo_ids *ids(struct vm *vm)
{
	const struct taskinfo *task = vm->ev->task;

	if (!task)
		return osinfo_ids(vm->osinfo, vm_event_pid(vm));
	vm->osinfo->ids = (struct osinfo_ids){task->ppid, task->uid, task->gid};
	return &vm->osinfo->ids;
}

static uint64_t builtin_ppid(struct vm *vm, uint64_t index UNUSED)
{
	return (uint64_t)ids(vm)->ppid;
}

static uint64_t builtin_uid(struct vm *vm, uint64_t index UNUSED)
{
	return ids(vm)->uid;
}

static uint64_t builtin_gid(struct vm *vm, uint64_t index UNUSED)
{
	return ids(vm)->gid;
}

/* The kernel's word to itself that a call is to be made again (linux/errno.h, ERESTARTSYS ...). */
static bool is_restart(uint64_t code)
{
	return code >= 512 && code <= 516;
}

/* A system call that failed returns -errno; elsewhere there is no last error to see. */
static uint64_t builtin_errno(struct vm *vm, uint64_t index UNUSED)
{
	const struct probe *p = vm->ev->probe;
	uint64_t result = vm->ev->args[0];

	if (strcmp(p->prov, "syscall") != 0 || strcmp(p->name, "return") != 0)
		return 0;
	return -result < 4096 && !is_restart(-result) ? -result : 0;
}

static uint64_t builtin_cpu(struct vm *vm, uint64_t index UNUSED)
{
	return (uint64_t)vm->ev->cpu;
}

const struct builtin builtins[] = {
#define BUILTIN_ARRAY(id, num, name, type, needs, version, get)                                    \
	{name, num, type, true, needs, version, get},
#include "dlang/run/builtins.def"
#define BUILTIN(id, name, type, needs, version, get)                                               \
	{name, BUILTIN_##id, type, false, needs, version, get},
#include "dlang/run/builtins.def"
};
const unsigned nbuiltins = ARRAY_SIZE(builtins);

const struct builtin *builtin_by_id(uint16_t id)
{
	const unsigned narrays = nbuiltins - (BUILTIN_LAST - BUILTIN_CURTHREAD);
	unsigned row = (unsigned)id - BUILTIN_CURTHREAD + narrays;

	for (unsigned i = 0; id < BUILTIN_CURTHREAD && i < narrays; i++)
		if (builtins[i].id == id)
			return &builtins[i];
	return id >= BUILTIN_CURTHREAD && row < nbuiltins ? &builtins[row] : NULL;
}
