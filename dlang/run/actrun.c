/*
 * actrun.c: what each kind of action does when its clause fires.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "dlang/rewrite.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/buffer.h"
#include "dlang/run/fire_priv.h"
#include "dlang/run/speculation.h"
#include "dlang/run/storevalue.h"
#include "dlang/run/vm.h"
#include "dlang/run/vmmem.h"

#define CHILL_WINDOW_NS 1000000000U
#define CHILL_MAX_NS	500000000U

bool firing_add_key(struct session *s, const struct stmt *st, const struct action *act)
{
	char *key = s->engine->firing->key;

	if (act->rec.offset == 0)
		clear_key(key, st->aggs[0]->keysize);
	return store_value(s->engine->vm, act, key + act->rec.offset);
}

static bool chill(struct session *s, uint64_t ns)
{
	struct firing *f = s->engine->firing;
	uint64_t now = session_now(s);
	struct timespec until;

	if (now - f->chill_start_ns > CHILL_WINDOW_NS) {
		f->chill_start_ns = now;
		f->chilled_ns = 0;
	}
	if (ns > CHILL_MAX_NS - f->chilled_ns) {
		vm_fault(s->engine->vm, FAULT_ILLOP, 0);
		return false;
	}
	f->chilled_ns += ns;
	until.tv_sec = (time_t)((now + ns) / 1000000000U);
	until.tv_nsec = (long)((now + ns) % 1000000000U);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	s->engine->vm->now_ns = 0; /* timestamp is read anew */
	return true;
}

static bool raise_signal(struct vm *vm, uint64_t sig)
{
	const struct provider *pv = vm->ev->probe->provider;

	if (sig >= (uint64_t)_NSIG) {
		vm_fault(vm, FAULT_ILLOP, 0);
		return false;
	}
	if (pv->raise_signal)
		pv->raise_signal(vm->ev, (int)sig);
	else if (vm->session->engine->signal_process)
		vm->session->engine->signal_process(vm->session, vm->ev, (int)sig);
	return true;
}

/* From here on the clause writes for the speculation; with one that is not active it ends. */
static void speculate(struct session *s, uint64_t id)
{
	struct firing *f = s->engine->firing;

	buffer_cancel(f->buffer);
	f->buffer = NULL;
	f->has_ended = !speculations_is_active(s->engine->speculations, (uint32_t)id);
	f->payload = f->aside;
	f->speculates = true;
	f->speculation = (uint32_t)id;
}

static bool is_speculation(struct session *s, uint64_t id)
{
	if ((uint32_t)id <= speculations_count(s->engine->speculations))
		return true;
	vm_fault(s->engine->vm, FAULT_ILLOP, 0);
	return false;
}

static void move_speculation(struct session *s, uint32_t id)
{
	struct buffer *b = firing_buffer(s, cpu_of(s->engine->vm->ev));
	uint64_t bytes = speculations_bytes(s->engine->speculations, id);
	uint64_t counted = speculations_counted(s->engine->speculations, id);
	char *dst = b && bytes ? buffer_reserve_block(b, bytes, counted) : NULL;

	if (dst) {
		speculations_copy(s->engine->speculations, id, dst, &s->engine->seq);
		buffer_commit_block(b);
		firing_wake(s, b, false);
	} else if (bytes) {
		firing_no_room(s, s->engine->vm->ecb);
	}
	speculations_release(s->engine->speculations, id);
}

/* What was recorded comes before the record of this clause, which holds nothing yet. */
static void commit(struct session *s, uint32_t id)
{
	struct firing *f = s->engine->firing;
	bool has_record = f->buffer != NULL;

	if (has_record)
		buffer_cancel(f->buffer);
	move_speculation(s, id);
	if (has_record)
		firing_reserve(s, s->engine->vm->ecb);
}

/* ---- the table: what each does with the value of its difo, 0 if it has none. False: a fault ----
 */

typedef bool act_fn(struct session *, const struct stmt *, const struct action *, uint64_t value);

/* Where in the record the data of the action go. */
static char *place_of(const struct session *s, const struct action *act)
{
	char *payload = s->engine->firing->payload;

	return payload ? payload + act->rec.offset : NULL;
}

static bool act_expr(struct session *s UNUSED, const struct stmt *st UNUSED,
		     const struct action *act UNUSED, uint64_t value UNUSED)
{
	return true;
}

static bool act_record(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		       uint64_t value UNUSED)
{
	return store_value(s->engine->vm, act, place_of(s, act));
}

static bool act_const(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		      uint64_t value UNUSED)
{
	store_int(place_of(s, act), act->arg, act->rec.size);
	return true;
}

static bool act_aggkey(struct session *s, const struct stmt *st, const struct action *act,
		       uint64_t value UNUSED)
{
	return firing_add_key(s, st, act);
}

static bool act_agg(struct session *s, const struct stmt *st, const struct action *act,
		    uint64_t value)
{
	const struct aggvar *var = st->aggs[0];
	uint64_t incr = 1, *data;

	if (act->incr && !vm_run(s->engine->vm, act->incr, &incr))
		return false;
	data = firing_agg(s, var);
	if (data && s->engine->firing->times > 1)
		*data += s->engine->firing->times; /* a count: claim.c has seen to that */
	else if (data)
		var->func->add(data, var, (int64_t)value, (int64_t)incr);
	else
		firing_lose(s, s->engine->vm->ecb, ECB_LOST_VALUE, s->engine->firing->times);
	return true;
}

static bool act_tracemem(struct session *s, const struct stmt *st UNUSED, const struct action *act,
			 uint64_t value)
{
	return vm_copy(s->engine->vm, place_of(s, act), value, act->rec.size,
		       action_is_userland(act));
}

static bool act_printm(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		       uint64_t value)
{
	return store_memref(s->engine->vm, value, act->rec.size, place_of(s, act));
}

static bool act_lkd(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		    uint64_t value)
{
	return store_core(s->engine->vm, value, act->rec.size, place_of(s, act));
}

static bool act_logdump(struct session *s, const struct stmt *st UNUSED,
			const struct action *act UNUSED, uint64_t value UNUSED)
{
	atomic_fetch_add(&s->dump_request, 1);
	return true;
}

static bool act_exit(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		     uint64_t value)
{
	store_int(place_of(s, act), value, act->rec.size);
	s->engine->firing->exits = true;
	s->engine->firing->exit_status = (uint32_t)value;
	return true;
}

static bool act_stop(struct session *s, const struct stmt *st UNUSED,
		     const struct action *act UNUSED, uint64_t value UNUSED)
{
	const struct event *ev = s->engine->vm->ev;

	if (ev->probe->provider->stop_process)
		ev->probe->provider->stop_process(ev);
	else if (s->engine->signal_process)
		s->engine->signal_process(s, ev, SIGSTOP);
	return true;
}

static bool act_raise(struct session *s, const struct stmt *st UNUSED,
		      const struct action *act UNUSED, uint64_t value)
{
	return raise_signal(s->engine->vm, value);
}

static bool act_chill(struct session *s, const struct stmt *st UNUSED,
		      const struct action *act UNUSED, uint64_t value)
{
	return chill(s, value);
}

static bool act_panic(struct session *s, const struct stmt *st UNUSED,
		      const struct action *act UNUSED, uint64_t value UNUSED)
{
	vm_fault(s->engine->vm, FAULT_ILLOP, 0);
	return false;
}

static bool act_field(struct session *s, const struct stmt *st, const struct action *act,
		      uint64_t value UNUSED)
{
	return emit_field(s, st, act);
}

static bool act_emit(struct session *s, const struct stmt *st, const struct action *act UNUSED,
		     uint64_t value UNUSED)
{
	return emit_event(s, st);
}

/* There is a record that has brought the event, or the action means nothing. */
static bool require_record(struct session *s, bool is_there)
{
	if (!is_there)
		vm_fault(s->engine->vm, FAULT_ILLOP, 0);
	return is_there;
}

static bool act_drop(struct session *s, const struct stmt *st UNUSED,
		     const struct action *act UNUSED, uint64_t value UNUSED)
{
	const struct rewriter *rw = s->engine->rewriter;

	return require_record(s, rw->drop(rw->arg, s->engine->vm->ev));
}

static bool act_become(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		       uint64_t value UNUSED)
{
	const struct rewriter *rw = s->engine->rewriter;

	return require_record(s, rw->become(rw->arg, s->engine->vm->ev, act->name));
}

static bool act_set(struct session *s, const struct stmt *st UNUSED, const struct action *act,
		    uint64_t value)
{
	const struct rewriter *rw = s->engine->rewriter;
	struct vm *vm = s->engine->vm;
	struct vm_str text = {"", 0};
	char copy[16] = "";

	if (act->arg == REWRITE_EXECNAME) {
		if (!vm_string(vm, value, &text))
			return false;
		memcpy(copy, text.s, MIN(text.len, sizeof(copy) - 1));
	}
	return require_record(s,
			      rw->set(rw->arg, vm->ev, (enum rewrite_what)act->arg, value, copy));
}

/* As much of it as there is room for, and zeros. */
static bool act_settext(struct session *s, const struct stmt *st UNUSED, const struct action *act,
			uint64_t value)
{
	struct vm *vm = s->engine->vm;
	struct vm_str text;
	uint64_t to, n;

	if (!vm_string(vm, value, &text) || !vm_run(vm, act->incr, &to) ||
	    !vm_may_store(vm, to, act->arg))
		return false;
	n = MIN(text.len, act->arg);
	memmove((void *)(uintptr_t)to, text.s, n);
	memset((char *)(uintptr_t)to + n, 0, act->arg - n);
	return true;
}

static bool act_speculate(struct session *s, const struct stmt *st UNUSED,
			  const struct action *act UNUSED, uint64_t value)
{
	speculate(s, value);
	return true;
}

static bool act_commit(struct session *s, const struct stmt *st UNUSED,
		       const struct action *act UNUSED, uint64_t value)
{
	if (!is_speculation(s, value))
		return false;
	commit(s, (uint32_t)value);
	return true;
}

static bool act_discard(struct session *s, const struct stmt *st UNUSED,
			const struct action *act UNUSED, uint64_t value)
{
	if (!is_speculation(s, value))
		return false;
	speculations_release(s->engine->speculations, (uint32_t)value);
	return true;
}

static const struct {
	act_fn *run;
	bool stores; /* runs the difo itself, as the record has it */
} rows[ACT_NKINDS] = {
	/* clang-format off */
	[ACT_EXPR]       = {act_expr, false},
	[ACT_RECORD]     = {act_record, true},
	[ACT_STACK]      = {act_record, true},
	[ACT_USTACK]     = {act_record, true},
	[ACT_CONST]      = {act_const, true},
	[ACT_AGGKEY]     = {act_aggkey, true},
	[ACT_AGG]        = {act_agg, false},
	[ACT_TRACEMEM]   = {act_tracemem, false},
	[ACT_PRINTM]     = {act_printm, false},
	[ACT_EXIT]       = {act_exit, false},
	[ACT_STOP]       = {act_stop, false},
	[ACT_RAISE]      = {act_raise, false},
	[ACT_CHILL]      = {act_chill, false},
	[ACT_LKD]        = {act_lkd, false},
	[ACT_BREAKPOINT] = {act_expr, false}, /* has no meaning here */
	[ACT_PANIC]      = {act_panic, false},
	[ACT_LOGDUMP]    = {act_logdump, false},
	[ACT_FIELD]      = {act_field, true},
	[ACT_EMIT]       = {act_emit, false},
	[ACT_DROP]       = {act_drop, false},
	[ACT_BECOME]     = {act_become, false},
	[ACT_SET]        = {act_set, false},
	[ACT_SETTEXT]    = {act_settext, false},
	[ACT_SPECULATE]  = {act_speculate, false},
	[ACT_COMMIT]     = {act_commit, false},
	[ACT_DISCARD]    = {act_discard, false},
	/* clang-format on */
};

/* False: a fault. */
static inline bool run_action(struct session *s, struct vm *vm, const struct stmt *st,
			      const struct action *act)
{
	uint64_t value = 0;

	if (act->difo && !rows[act->kind].stores && !vm_run(vm, act->difo, &value))
		return false;
	return rows[act->kind].run(s, st, act, value);
}

int firing_run(struct session *s, const struct clause *c)
{
	const struct firing *f = s->engine->firing;
	struct vm *vm = s->engine->vm;

	for (const struct stmt *st = c->stmts + (f->from ? f->from - 1 : 0);
	     st < c->stmts + c->nstmts; st++)
		for (unsigned j = 0; j < st->nacts && !f->has_ended; j++)
			if (!run_action(s, vm, st, &st->acts[j]))
				return st->acts[j].num;
	return -1;
}
