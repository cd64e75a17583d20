/*
 * prov_syscall.c: system calls by name (docs/spec/providers.md §4.12): which probes there are,
 * their types, and which way of seeing calls each gets (sysprobe.h).
 */
#include <elf.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/glob.h"
#include "base/procfile.h"
#include "providers/hits/hits.h"
#include "providers/system/sysprobe.h"
#include "providers/system/system.h"
#include "providers/system/tracepoints/tptypes.h"
#include "tracer/procfs/procfs.h"
#include "providers/providers.h"
#include "providers/kernel/features.h"

static const char *const side_names[] = {"entry", "return"};

static struct sys_world *sys_world_of(struct session *s)
{
	struct world *w = world_of(s);

	if (!w->syscalls) {
		w->syscalls = xcalloc(1, sizeof(*w->syscalls));
		w->syscalls->session = s;
	}
	return w->syscalls;
}

/* ---- names ---- */

static bool syscall_on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "syscall");
}

static int syscall_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
			   struct err *err UNUSED)
{
	bool is_meant[ARRAY_SIZE(side_names)], is_any = false;

	for (unsigned side = 0; side < ARRAY_SIZE(side_names); side++) {
		is_meant[side] =
			glob_field(d->mod, KERNEL_MODULE) && glob_field(d->name, side_names[side]);
		is_any |= is_meant[side];
	}
	for (unsigned nr = 0; is_any && nr < SYSCALL_MAX_NR; nr++)
		for (unsigned side = 0; side < ARRAY_SIZE(side_names); side++)
			if (is_meant[side] && syscall_name(nr) &&
			    glob_field(d->func, syscall_name(nr)))
				probe_create(s, &prov_syscall, "syscall", KERNEL_MODULE,
					     syscall_name(nr), side_names[side],
					     (void *)(uintptr_t)(nr << 1 | side));
	return 0;
}

static unsigned number_of(const struct probe *p)
{
	return (unsigned)((uintptr_t)p->arg >> 1);
}

static enum sys_side side_of(const struct probe *p)
{
	return (uintptr_t)p->arg & 1;
}

/* ---- types ---- */

static void syscall_argtypes(struct probe *p, struct probe_args *args)
{
	struct session *s = p->session;
	const struct tpformat *fmt;
	struct probe_arg *v;

	if (side_of(p) == SYS_RETURN) {
		v = arena_alloc(s->arena, 2 * sizeof(*v));
		for (unsigned i = 0; i < 2; i++)
			v[i] = (struct probe_arg){
				.type = s->engine->types.t_word, .place = ARG_VALUE, .at = i};
		*args = (struct probe_args){.v = v, .n = 2};
		return;
	}
	fmt = syscall_format(world_tracefs(world_of(s)), number_of(p));
	if (!fmt) {
		args->why = "the kernel does not tell the types of its arguments to this user";
		return;
	}
	args->n = syscall_nargs(fmt);
	v = arena_alloc(s->arena, (args->n + 1) * sizeof(*v));
	for (unsigned i = 0; i < args->n; i++)
		v[i] = (struct probe_arg){.type = tpfield_word_type(s, syscall_arg(fmt, i)),
					  .place = ARG_VALUE,
					  .at = i};
	args->v = v;
}

/* ---- events ---- */

void sys_fire(struct sys_world *sw, enum sys_side side, unsigned nr, struct event *ev,
	      const uint64_t args[6], int64_t ret)
{
	struct probe *p = nr < SYSCALL_MAX_NR ? sw->probes[side][nr] : NULL;

	if (!p)
		return;
	ev->probe = p;
	if (side == SYS_ENTRY)
		memcpy(ev->args, args, 6 * sizeof(args[0]));
	else
		ev->args[0] = ev->args[1] = (uint64_t)ret;
	ev->syscall = nr + 1;
	event_fire(sw->session, ev);
}

/* ---- enabling ---- */

/* Stops tell all of a traced process: its stack without frame pointers, its memory as it is then.
 */
static int use_stops(struct sys_world *sw, enum sys_side side, unsigned nr)
{
	sw->by_stops[side][nr] = sw->needs_stops = true;
	return 0;
}

static int choose_source(struct sys_world *sw, struct probe *p, struct err *err)
{
	struct world *w = world_of(sw->session);
	bool wants_stacks = p->needs & (NEED_KSTACK | NEED_USTACK);
	enum sys_side side = side_of(p);
	unsigned nr = number_of(p);
	struct perf *perf;

	bool is_refused = !feature_works(world_features(w), FEATURE_PERF_SYSTEM);

	p->hits = HITS_ARGS; /* in a file, where no record of the kernel has what is read */
	if (world_can_stop(w) &&
	    (is_refused || (p->needs & (NEED_USTACK | NEED_REGS | NEED_ACT | NEED_FILES) &&
			    !(p->needs & NEED_KSTACK))))
		return use_stops(sw, side, nr);
	if (is_refused)
		return perf_refuse(p, err);
	if (world_perf(w, &perf, err) < 0)
		return err->code;
	perf_note_needs(perf, p->needs);
	if (w->recording && hits_feed(p, nr + 1, err) == 0)
		return 0;
	if (w->recording || (w->log && !(p->needs & NEED_MEM))) {
		p->hits = HITS_NOT;
		return sys_perf_add_recorded(sw, p, side, nr, err);
	}
	if (sys_bpf_add(sw, side, nr, err) == 0)
		return 0;
	if (world_can_stop(w) && p->needs & NEED_MEM && !wants_stacks)
		return use_stops(sw, side, nr);
	sys_raise_is_late(sw, p, err->text);
	sys_perf_add(sw, side, nr, perf_flags(p->needs));
	return 0;
}

static int syscall_enable(struct probe *p, struct err *err)
{
	struct sys_world *sw = sys_world_of(p->session);

	sw->probes[side_of(p)][number_of(p)] = p;
	return choose_source(sw, p, err);
}

/* The arguments of the execve as the new program has them: path, argv and envp on its stack. */
static void execve_args(pid_t pid, struct target *t, uint64_t args[6])
{
	uint64_t stack = procfs_start_stack(pid), argc = 0;

	args[0] = procauxv(pid, AT_EXECFN);
	if (!stack || target_read(t, stack, &argc, sizeof(argc)) != sizeof(argc))
		return;
	args[1] = stack + 8;
	args[2] = stack + 8 * (argc + 2);
}

static void fire_unrecorded(struct sys_world *sw, enum sys_side side, const struct event *at,
			    const uint64_t args[6])
{
	struct event ev = *at;

	if (!sys_perf_make(sw, side, SYS_execve, &ev, args, 0))
		sys_fire(sw, side, SYS_execve, &ev, args, 0);
}

/*
 * A program of -c that waits right behind its exec has made that call just now, before anything
 * could see it. It is its first one all the same.
 */
static uint64_t fire_execve(struct session *s, void *arg UNUSED, uint64_t start_ns)
{
	struct sys_world *sw = sys_world_of(s);

	for (unsigned i = 0; i < world_of(s)->nprocs; i++) {
		const struct world_proc *wp = &world_of(s)->procs[i];
		struct event ev = {.cpu = sched_getcpu(), .time_ns = start_ns};
		uint64_t args[6] = {0};

		if (!wp->proc || !wp->is_at_exec)
			continue;
		ev.target = proc_target(wp->proc);
		ev.pid = ev.tid = proc_pid(wp->proc);
		execve_args(ev.pid, ev.target, args);
		fire_unrecorded(sw, SYS_ENTRY, &ev, args);
		fire_unrecorded(sw, SYS_RETURN, &ev, args);
	}
	return UINT64_MAX;
}

static int syscall_start(struct session *s, struct err *err)
{
	struct sys_world *sw = world_of(s)->syscalls;

	if (!sw)
		return 0;
	session_add_timer(s, session_now(s), fire_execve, NULL);
	sys_stops_start(sw);
	return sys_perf_open(sw, err);
}

static void syscall_snapshot(struct session *s)
{
	if (world_of(s)->syscalls)
		sys_bpf_collect(world_of(s)->syscalls);
}

static void syscall_drain(struct session *s)
{
	if (world_of(s)->syscalls)
		sys_bpf_drain(world_of(s)->syscalls);
}

static void syscall_free(struct session *s)
{
	struct sys_world *sw = world_of(s)->syscalls;

	if (!sw)
		return;
	sys_bpf_free(sw->bpf);
	sys_perf_free(sw->perf);
	free(sw);
	world_of(s)->syscalls = NULL;
}

const struct provider prov_syscall = {
	.name = "syscall",
	.on_demand = syscall_on_demand,
	.provide = syscall_provide,
	.enable = syscall_enable,
	.argtypes = syscall_argtypes,
	.ustack = sys_stops_ustack,
	.stop_process = sys_stops_stop,
	.raise_signal = sys_stops_raise,
	.start = syscall_start,
	.stop = syscall_snapshot,
	.drain = syscall_drain,
	.snapshot = syscall_snapshot,
	.free = syscall_free,
	.attrs = &evolving_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
