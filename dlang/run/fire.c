/*
 * fire.c: event_fire(): one event through the enablings of its probe. Room for the record is found
 * first, then the predicate runs, then the actions in order (actrun.c); the record becomes visible
 * when all have run. A fault throws it away and fires ERROR. What follows speculate() is written
 * aside and goes to the speculation instead. Nothing here allocates, apart from the buffer of a CPU
 * seen for the first time.
 */
#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "base/endreq.h"
#include "base/pulse.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/buffer.h"
#include "dlang/run/fire_priv.h"
#include "dlang/run/handover.h"
#include "dlang/run/speculation.h"
#include "dlang/run/storevalue.h"
#include "dlang/run/vars.h"
#include "dlang/run/vmmem.h"
#include "dlang/run/vmvars.h"

#define STORAGE_MAX  (UINT64_C(8) << 20)
#define ROOM_WAIT_NS 100000

int firing_keep(struct session *s, uint64_t bytes, struct err *err)
{
	if (bytes > s->engine->firing->bufsize)
		return err_set(err, -ENOSPC, "END enablings exceed size of principal buffer");
	s->engine->firing->kept = bytes;
	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++)
		if (s->buffers[i])
			buffer_keep(s->buffers[i], bytes);
	return 0;
}

struct buffer *firing_buffer(struct session *s, unsigned cpu)
{
	struct buffer *b = s->buffers[cpu];

	if (b)
		return b;
	b = buffer_new(s->arena, s->engine->firing->storage, NULL);
	if (!b)
		return NULL;
	buffer_limit(b, s->engine->firing->bufsize);
	buffer_keep(b, s->engine->firing->kept);
	if (s->engine->firing->policy == BUFPOLICY_RING)
		buffer_set_ring(b);
	atomic_store_explicit(&s->buffers[cpu], b, memory_order_release);
	return b;
}

void firing_lose(struct session *s, const struct ecb *ecb, enum ecb_loss kind, uint64_t n)
{
	_Atomic uint64_t *by_cpu = kind == ECB_LOST_RECORD ? s->buffer_drops : s->agg_drops;

	atomic_fetch_add_explicit(&by_cpu[cpu_of(s->engine->vm->ev)], n, memory_order_relaxed);
	atomic_fetch_add_explicit(&session_ecb(s, ecb->epid)->nlost[kind], n, memory_order_relaxed);
}

void firing_no_room(struct session *s, const struct ecb *ecb)
{
	if (s->engine->firing->policy != BUFPOLICY_FILL)
		firing_lose(s, ecb, ECB_LOST_RECORD, 1);
	else if (s->state != SESSION_DRAINING)
		session_set_state(s, SESSION_DRAINING);
}

bool firing_reserve(struct session *s, const struct ecb *ecb)
{
	struct firing *f = s->engine->firing;

	f->buffer = firing_buffer(s, cpu_of(s->engine->vm->ev));
	f->payload = f->buffer
			     ? buffer_reserve(f->buffer, ecb->clause->payload, ecb->clause->counted)
			     : NULL;
	if (f->payload)
		return true;
	f->buffer = NULL;
	firing_no_room(s, ecb);
	return false;
}

void firing_wake(struct session *s, struct buffer *b, bool at_once)
{
	bool is_filling; /* then the front works beside the engine */

	if (s->engine->firing->policy != BUFPOLICY_SWITCH)
		return;
	is_filling = buffer_seems_fuller(b, 4);
	s->engine->crowded = is_filling && buffer_seems_fuller(b, 2) ? b : NULL;
	at_once = at_once && !s->is_arming && s->state != SESSION_DRAINING;
	if ((is_filling || at_once) && !atomic_load_explicit(&s->read_now, memory_order_relaxed) &&
	    !atomic_exchange(&s->read_now, 1))
		session_wake(s);
}

void session_await_room(struct session *s)
{
	const struct timespec ts = {.tv_nsec = ROOM_WAIT_NS};
	struct session_engine *e = s->engine;

	while (e->crowded && s->state == SESSION_ACTIVE && !endreq_asked()) {
		if (!buffer_is_fuller(e->crowded, 2)) {
			e->crowded = NULL;
			return;
		}
		pulse();
		s->read_now = 1;
		session_wake(s);
		nanosleep(&ts, NULL);
	}
}

/*
 * What a buffer of that size takes in memory: as much as its smallest records need, with what is
 * left empty at its end. A large one is not enlarged for that: nobody counts its records.
 */
static uint64_t storage_of(struct session *s, uint64_t bufsize)
{
	uint64_t ratio = 1, largest = 0;

	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct clause *c = session_ecb(s, id)->clause;
		uint64_t size = buffer_record_size(c->payload);

		if (!c->has_record)
			continue;
		largest = MAX(largest, size);
		ratio = MAX(ratio, (size + c->counted - 1) / MAX(c->counted, 1));
	}
	if (bufsize > STORAGE_MAX / (2 * ratio))
		return MAX(bufsize, STORAGE_MAX);
	return 2 * ratio * bufsize + 2 * largest;
}

/* One entry of each aggregation must fit by what programs know of it, and then it does: *size. */
static int room_for_aggs(const struct session *s, uint64_t *size, struct err *err)
{
	uint64_t asked = *size;

	for (const struct aggvar *v = s->aggvars; v; v = v->next) {
		if (v->keysize + 8 * (uint64_t)v->nwords > asked)
			return err_set(err, -EFBIG, "Enabling exceeds size of buffer");
		*size = MAX(*size, aggtable_entry_size(v->keysize, v->nwords));
	}
	return 0;
}

int firing_init(struct session *s, struct err *err)
{
	struct firing *f = ARENA_NEW(s->arena, struct firing);
	uint64_t aggsize = (uint64_t)opt(&s->options, OPT_AGGSIZE);
	size_t keysize = 0, payload = 0;
	int rc;

	for (uint32_t id = 1; id <= s->necbs; id++)
		payload = MAX(payload, session_ecb(s, id)->clause->payload);
	f->aside = arena_alloc(s->arena, payload);
	for (const struct aggvar *v = s->aggvars; v; v = v->next)
		keysize = MAX(keysize, v->keysize);
	f->key = arena_alloc(s->arena, ROUND_UP(keysize, 8) + 8);
	f->bufsize = (uint64_t)opt(&s->options, OPT_BUFSIZE);
	f->storage = storage_of(s, f->bufsize);
	f->policy = opt(&s->options, OPT_BUFPOLICY);
	f->times = 1;
	s->engine->firing = f;
	s->engine->speculations = speculations_new(s->arena, (uint64_t)opt(&s->options, OPT_NSPEC),
						   (uint64_t)opt(&s->options, OPT_SPECSIZE), err);
	if (!s->engine->speculations)
		return err->code;
	if (room_for_aggs(s, &aggsize, err) < 0)
		return err->code;
	for (unsigned i = 0; i < 2; i++) {
		s->aggtables[i] = aggtable_new(s->arena, aggsize, err);
		if (!s->aggtables[i])
			return err->code;
	}
	if (!firing_buffer(s, (unsigned)sched_getcpu() % SESSION_MAX_CPUS))
		return err_set(err, -ENOMEM, "no room for a buffer of %llu bytes",
			       (unsigned long long)f->bufsize);
	rc = vars_start(s->engine->vars, (uint64_t)opt(&s->options, OPT_STRSIZE),
			(uint64_t)opt(&s->options, OPT_DYNVARSIZE), err);
	if (rc == 0)
		s->engine->vm = vm_new(s);
	emits_init(s);
	return rc;
}

/* ---- one enabling ---- */

static void store_fault_rec(const struct firing *f, const struct event *ev)
{
	const struct fault_rec rec = {.epid = ev->args[1],
				      .action = (uint32_t)f->bad_action,
				      .is_gone = f->bad_is_gone,
				      .off = (int64_t)ev->args[3],
				      .fault = ev->args[4],
				      .value = ev->args[5]};

	assert(f->payload); /* add_error_clause() asked for a record */
	memcpy(f->payload, &rec, sizeof(rec));
}

/* Word by word into its place: what is put together elsewhere is waited for when it is copied. */
static void fill_head(struct rec_head *head, const struct ecb *ecb, const struct event *ev)
{
	head->epid = ecb->epid;
	head->time_ns = ev->time_ns;
	head->cpu = ev->cpu;
	head->pid = (uint32_t)ev->pid;
	head->tid = (uint32_t)ev->tid;
	head->counted = ecb->clause->counted;
}

static void speculate_record(struct session *s, const struct ecb *ecb, const struct event *ev)
{
	struct firing *f = s->engine->firing;
	struct rec_head head = {0};

	fill_head(&head, ecb, ev);
	if (!speculations_record(s->engine->speculations, f->speculation, &head, f->payload,
				 ecb->clause->payload))
		atomic_fetch_add_explicit(&s->drops[DROP_SPEC], 1, memory_order_relaxed);
}

static void finish_record(struct session *s, const struct ecb *ecb, const struct event *ev)
{
	struct firing *f = s->engine->firing;
	struct rec_head *head;

	if (!f->buffer) {
		if (f->speculates)
			speculate_record(s, ecb, ev);
		return;
	}
	head = buffer_head(f->buffer);
	fill_head(head, ecb, ev);
	head->seq = ++s->engine->seq;
	if (ecb->clause->acts_on_aggs && f->policy == BUFPOLICY_SWITCH)
		s->engine->acting_seq = head->seq;
	buffer_commit(f->buffer);
	firing_wake(s, f->buffer, ecb->clause->forgets_aggs && !ecb->clause->shows_aggs);
}

static void take_exit(struct session *s)
{
	bool in_end = s->engine->vm->ev->probe == s->end_probe;

	if (s->exit_called && !in_end)
		return;
	s->exit_status = s->engine->firing->exit_status;
	s->engine->exit_ns = s->engine->vm->ev->time_ns;
	s->exit_called = 1;
	if (s->state != SESSION_DRAINING)
		session_set_state(s, SESSION_DRAINING);
}

static void fire_error(struct session *, const struct ecb *, int action);

/* False: it faulted, or a speculate() for nothing has ended it. */
static bool fire_ecb(struct session *s, const struct ecb *ecb, const struct event *ev)
{
	const struct clause *c = ecb->clause;
	struct firing *f = s->engine->firing;
	struct vm *vm = s->engine->vm;
	uint64_t pass = 1;
	int bad = -1;

	f->buffer = NULL;
	f->payload = NULL;
	f->exits = f->speculates = f->has_ended = false;
	if (c->has_record && !firing_reserve(s, ecb))
		return true;
	vm_begin_clause(vm, ecb);
	if (c->pred && !f->is_counted && !f->from && !vm_run(vm, c->pred, &pass))
		bad = 0;
	else if (pass && c->is_error)
		store_fault_rec(f, ev);
	else if (pass)
		bad = firing_run(s, c);
	f->was_taken |= pass != 0;
	if (pass && bad < 0 && !f->has_ended)
		finish_record(s, ecb, ev);
	else if (f->buffer)
		buffer_cancel(f->buffer);
	if (bad >= 0)
		fire_error(s, ecb, bad);
	else if (f->exits)
		take_exit(s);
	return bad < 0 && !f->has_ended;
}

/* When the session does not trace, or no longer. */
static bool may_fire_apart(const struct session *s, const struct event *ev)
{
	const struct probe *p = ev->probe;

	/* what was emitted before exit() still fires; exit() in its own clauses ends these */
	if (ev->origin)
		return (int)s->state == s->engine->firing->emits_state;
	switch ((enum session_state)s->state) {
	case SESSION_READY:
		return p == s->begin_probe || p == s->error_probe;
	case SESSION_DRAINING:
		return p == s->end_probe || ev->is_of_run;
	case SESSION_ACTIVE:
	case SESSION_SETUP:
	case SESSION_DONE:
		break;
	}
	return false;
}

/* May clauses of this probe run now? Asked before each: exit() in one skips the later ones. */
static inline bool may_fire(const struct session *s, const struct event *ev)
{
	return s->state == SESSION_ACTIVE || may_fire_apart(s, ev);
}

static void fire_ecbs(struct session *s, const struct event *ev)
{
	bool was_draining = s->state == SESSION_DRAINING, in_error = s->engine->firing->in_error;
	uint32_t faulted_split = 0;

	for (const struct ecb *e = ev->probe->ecbs; e; e = e->next) {
		if (!in_error && !may_fire(s, ev))
			return;
		/* exit() in an ERROR clause skips the user's later ones, never the report */
		if (in_error && !was_draining && s->state == SESSION_DRAINING &&
		    !e->clause->is_error)
			continue;
		if (faulted_split && e->clause->split == faulted_split)
			continue;
		if (e->clause->waits && s->engine->defers)
			continue;
		if (!fire_ecb(s, e, ev))
			faulted_split = e->clause->split;
	}
}

/* Which of the clauses of its probe, from 0; the pieces of one that was split are one. */
static uint64_t clause_index(const struct ecb *ecb)
{
	uint32_t split = 0;
	uint64_t n = 0;

	for (const struct ecb *e = ecb->probe->ecbs; e && e != ecb; e = e->next) {
		n += !split || e->clause->split != split;
		split = e->clause->split;
	}
	return n && split && split == ecb->clause->split ? n - 1 : n;
}

/*
 * ERROR fires in the middle of another firing, so the machine's view of that one is put aside. A
 * fault in an ERROR clause is only counted.
 */
static void fire_error(struct session *s, const struct ecb *ecb, int action)
{
	struct vm *vm = s->engine->vm;
	struct event ev = *vm->ev;
	struct vm saved;

	if (s->engine->firing->in_error) {
		atomic_fetch_add_explicit(&s->drops[DROP_DBLERROR], 1, memory_order_relaxed);
		return;
	}
	ev.probe = s->error_probe;
	memset(ev.args, 0, sizeof(ev.args));
	ev.args[1] = ecb->epid;
	ev.args[2] = clause_index(ecb);
	ev.args[3] = (uint64_t)vm->fault_off;
	ev.args[4] = vm->fault;
	ev.args[5] = vm->fault_value;
	saved = *vm;
	vm->ev = &ev;
	s->engine->firing->in_error = true;
	s->engine->firing->from = 0;
	s->engine->firing->bad_action = action;
	s->engine->firing->bad_is_gone = vm->fault_is_gone;
	fire_ecbs(s, &ev);
	s->engine->firing->in_error = false;
	*vm = saved;
}

/* -x cpu: what happens elsewhere is not traced. */
static bool is_elsewhere(const struct session *s, const struct event *ev)
{
	return opt_on(&s->options, OPT_CPU) && ev->cpu != opt(&s->options, OPT_CPU);
}

/* It may fire events of its own. */
static void tell_watch(struct session *s, const struct event *ev)
{
	const struct event_watch *w = s->engine->watch;
	const struct vm *vm = s->engine->vm;
	bool has_stack = ev->pcs || vm->have_pcs;

	if (ev->probe->provider != w->own)
		w->fn(w->arg, ev, s->engine->firing->was_taken,
		      ev->pcs	  ? ev->pcs
		      : has_stack ? vm->pcs
				  : NULL,
		      ev->pcs	  ? ev->npcs
		      : has_stack ? vm->npcs
				  : 0);
}

static void take_shared(struct session *s, const struct probe *p)
{
	if (s->engine->fetch_shared && (p->is_timer || p->provider == s->begin_probe->provider))
		s->engine->fetch_shared(s);
	vars_take_shared(s->engine->vars);
}

/* As what it logs is seen, and kept. */
static void fire_logged(struct session *s, const struct event *ev)
{
	const struct event_log *log = s->engine->log;
	const struct event *seen = log->before(log->arg, ev);
	const taddr_t *pcs = NULL;
	unsigned npcs = 0;

	vm_begin_firing(s->engine->vm, seen ? seen : ev);
	if (seen)
		fire_ecbs(s, seen);
	if (ev->probe->needs & NEED_USTACK || ev->pcs)
		npcs = vm_ustack(s->engine->vm, &pcs);
	log->after(log->arg, ev, pcs, npcs);
}

static void fire_clauses(struct session *s, const struct event *ev)
{
	if (s->engine->log && ev->probe->hits != HITS_NOT) {
		fire_logged(s, ev);
		return;
	}
	vm_begin_firing(s->engine->vm, ev);
	fire_ecbs(s, ev);
}

void event_fire(struct session *s, const struct event *ev)
{
	if (s->engine->merge)
		merge_until(s, ev->time_ns);
	if (!may_fire(s, ev) || is_elsewhere(s, ev))
		return;
	s->engine->firing->was_taken = false;
	take_shared(s, ev->probe);
	fire_clauses(s, ev);
	vars_give_shared(s->engine->vars);
	if (s->engine->watch)
		tell_watch(s, ev);
	if (s->engine->firing->emits)
		emits_fire(s);
}

void firing_fire(struct session *s, const struct event *ev)
{
	s->engine->firing->emits_state = (int)s->state;
	fire_clauses(s, ev);
}

/* NULL: it has not come with the value. */
static const char *claimed_text(const struct claimed *c, const struct action *act)
{
	for (unsigned i = 0; i < c->ntexts; i++)
		if (c->texts[i].key == act)
			return c->texts[i].text;
	return NULL;
}

/* A text and a stack are made of the event, if they have not come with the value. */
static bool add_claimed_key(struct session *s, const struct claimed *c, const struct action *act,
			    const uint64_t **keys)
{
	const struct stmt *st = c->stmt;
	const char *text = claimed_text(c, act);
	char *to = s->engine->firing->key + act->rec.offset;

	if (!text && (act->rec.kind == REC_STRING || act->rec.kind == REC_STACK ||
		      act->rec.kind == REC_USTACK || aggkey_is_fixed(act, c->reach)))
		return firing_add_key(s, st, act);
	if (act->rec.offset == 0)
		clear_key(s->engine->firing->key, st->aggs[0]->keysize);
	if (text)
		memcpy(to, text,
		       act->rec.kind == REC_BYTES ? act->rec.size
						  : strnlen(text, act->rec.size - 1));
	else
		store_word(s->engine->vm->ev, &act->rec, *(*keys)++, to);
	return true;
}

static void set_carried(struct vm *vm, const struct carried_var *v, uint64_t value)
{
	struct varslot *slot = vm->vars->slots[v->scope][v->id - DIF_VAR_USER];

	if (v->scope == DIF_SCOPE_SELF)
		dynvar_store(vm, DIF_SCOPE_SELF, v->id, slot, value);
	else
		var_store(vm, slot, value);
}

/* What of the clause has faulted: its predicate, or a statement. */
static void each_of_part(const struct ecb_part *part, void (*fn)(void *, const struct difo *),
			 void *arg)
{
	const struct clause *c = part->ecb->clause;
	const struct stmt *st = c->stmts + part->from - 1;

	if (!part->from && c->pred)
		fn(arg, c->pred);
	for (unsigned i = 0; part->from && i < st->nacts; i++)
		if (st->acts[i].difo)
			fn(arg, st->acts[i].difo);
}

struct elements {
	bool are_used, others_are_stored;
};

static void look_for_elements(void *arg, const struct difo *d)
{
	struct elements *e = arg;

	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned class = insn_class[DIF_OP(d->text[i])];

		e->are_used |= (class & INSN_KEYS) != 0;
		e->others_are_stored |= class & INSN_STORE && !(class & INSN_THIS);
	}
}

static void try(void *arg, const struct difo *d)
{
	struct vm *vm = arg;
	uint64_t value = 0;
	struct vm_str text;

	if (!vm->fault && vm_run(vm, d, &value) && type_is_string(d->type))
		vm_string(vm, value, &text);
}

static bool faults(struct vm *vm, const struct ecb_part *part)
{
	struct vm saved = *vm;
	bool fault;

	vm_begin_clause(vm, part->ecb);
	each_of_part(part, try, vm);
	fault = vm->fault;
	*vm = saved;
	return fault;
}

/*
 * What elements of arrays were is only the source's, and so is whether a condition on the way to
 * the fault held: they are taken for 0, or else for 1, whichever leads to a fault, or else are one.
 */
static void suppose_elements(struct vm *vm, const struct ecb_part *part)
{
	struct elements e = {false, false};

	each_of_part(part, look_for_elements, &e);
	vm->elements = ELEMENTS_0;
	if (!e.are_used || (!e.others_are_stored && faults(vm, part)))
		return;
	vm->elements = ELEMENTS_1;
	if (e.others_are_stored || !faults(vm, part))
		vm->elements = ELEMENTS_GONE;
}

void event_fire_one(struct session *s, const struct event *ev, const struct ecb_part *part,
		    const struct carried_var *vars, unsigned n)
{
	if (s->engine->merge)
		merge_until(s, ev->time_ns);
	if (!may_fire(s, ev) || is_elsewhere(s, ev))
		return;
	vm_begin_firing(s->engine->vm, ev);
	for (unsigned i = 0; i < n; i++)
		set_carried(s->engine->vm, &vars[i], vars[i].value);
	vars_take_shared(s->engine->vars);
	s->engine->firing->from = part->from;
	if (part->has_faulted)
		suppose_elements(s->engine->vm, part);
	s->engine->vm->has_lent_texts = part->has_texts;
	fire_ecb(s, part->ecb, ev);
	s->engine->vm->has_lent_texts = false;
	s->engine->vm->elements = ELEMENTS_HERE;
	s->engine->firing->from = 0;
	vars_give_shared(s->engine->vars);
	for (unsigned i = 0; i < n; i++)
		set_carried(s->engine->vm, &vars[i], 0);
	if (s->engine->firing->emits)
		emits_fire(s);
}

uint64_t *firing_agg(struct session *s, const struct aggvar *var)
{
	unsigned cpu = opt_on(&s->options, OPT_AGGPERCPU) ? cpu_of(s->engine->vm->ev) : 0;

	return aggtable_find(s->aggtables[s->agg_active], var, s->engine->firing->key, cpu);
}

void event_merge(struct session *s, const struct event *ev, const struct claimed *c)
{
	const struct aggvar *var = c->stmt->aggs[0];
	const uint64_t *keys = c->keys;
	uint64_t *data;
	bool is_whole = true;

	if (s->state != SESSION_ACTIVE && s->state != SESSION_DRAINING)
		return;
	vm_begin_firing(s->engine->vm, ev);
	vm_begin_clause(s->engine->vm, c->ecb);
	for (unsigned i = 0; i < c->stmt->nacts && is_whole; i++)
		is_whole = c->stmt->acts[i].kind != ACT_AGGKEY ||
			   add_claimed_key(s, c, &c->stmt->acts[i], &keys);
	data = is_whole ? firing_agg(s, var) : NULL;
	if (data)
		var->func->merge(data, c->data, var);
	else
		firing_lose(s, c->ecb, ECB_LOST_VALUE, c->times);
}

uint64_t event_self(struct session *s, const struct event *ev, uint16_t id)
{
	vm_begin_firing(s->engine->vm, ev);
	return dynvar_load(s->engine->vm, DIF_SCOPE_SELF, id,
			   s->engine->vars->slots[DIF_SCOPE_SELF][id - DIF_VAR_USER]);
}

void event_set_self(struct session *s, const struct event *ev, uint16_t id, uint64_t value)
{
	vm_begin_firing(s->engine->vm, ev);
	dynvar_store(s->engine->vm, DIF_SCOPE_SELF, id,
		     s->engine->vars->slots[DIF_SCOPE_SELF][id - DIF_VAR_USER], value);
}

const char *event_self_text(struct session *s, const struct event *ev, uint16_t id)
{
	return (const char *)(uintptr_t)event_self(s, ev, id);
}

void event_set_self_text(struct session *s, const struct event *ev, uint16_t id, const char *text)
{
	struct vm *vm = s->engine->vm;
	char *mark = vm->temps.top, *own = text ? vm_temp(vm, strlen(text) + 1) : NULL;

	vm->fault = FAULT_NONE;
	if (own)
		memcpy(own, text, strlen(text) + 1);
	event_set_self(s, ev, id, (uintptr_t)own);
	vm->temps.top = mark;
}

uint64_t event_element(struct session *s, const struct event *ev, const struct dynvar_array *a,
		       const uint64_t *key, unsigned nwords)
{
	vm_begin_firing(s->engine->vm, ev);
	return dynvar_load_element(s->engine->vm, *a, key, nwords);
}

void event_set_element(struct session *s, const struct event *ev, const struct dynvar_array *a,
		       const uint64_t *key, unsigned nwords, uint64_t value)
{
	vm_begin_firing(s->engine->vm, ev);
	dynvar_store_element(s->engine->vm, *a, key, nwords, value);
}

uint64_t event_nmade(const struct session *s)
{
	return dynvar_nmade(s->engine->vm);
}

void event_take_elements(struct session *s, const struct event *ev, const struct dynvar_array *a,
			 uint64_t since, event_element_fn *fn, void *arg)
{
	vm_begin_firing(s->engine->vm, ev);
	dynvar_take_elements(s->engine->vm, *a, since, fn, arg);
}

void event_count(struct session *s, const struct event *ev, uint64_t times)
{
	if (s->state != SESSION_ACTIVE && s->state != SESSION_DRAINING)
		return;
	s->engine->firing->times = times;
	s->engine->firing->is_counted = true;
	vm_begin_firing(s->engine->vm, ev);
	for (const struct ecb *e = ev->probe->ecbs; e; e = e->next)
		fire_ecb(s, e, ev);
	s->engine->firing->times = 1;
	s->engine->firing->is_counted = false;
}
