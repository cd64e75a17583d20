/*
 * emission.c: events that clauses emit. A call puts the fields together in a slot of its own,
 * behind a copy of the event at hand: pid, time, registers and stacks are those of that event. The
 * slots are used from the first one on for each event that happened, so what a slot refers to lives
 * as long as it waits.
 */
#include <stdlib.h>

#include "dlang/emission.h"
#include "dlang/rewrite.h"
#include "dlang/run/fire_priv.h"
#include "dlang/run/storevalue.h"

#define SLOTS_MAX  64
#define SLOTS_SIZE (4U << 20) /* of all, where events are large */
#define DEPTH_MAX  8	      /* events emitted by clauses of emitted ones, and so on */

struct slot {
	struct event ev, origin;
	const struct emission *emission;
	unsigned depth;
	char *data;
};

struct emits {
	struct slot *slots;
	unsigned room, n, next; /* slots that wait: next to n - 1 */
	unsigned depth;		/* of the event that fires; 0: it was not emitted */
	bool is_firing;
};

static uint32_t largest_emission(const struct clause *c, bool *emits)
{
	uint32_t size = 0;

	for (unsigned i = 0; i < c->nstmts; i++)
		if (c->stmts[i].emission) {
			size = MAX(size, c->stmts[i].emission->size);
			*emits = true;
		}
	return size;
}

void emits_init(struct session *s)
{
	uint32_t size = 0;
	bool emits = false;
	struct emits *e;

	for (uint32_t id = 1; id <= s->necbs; id++)
		size = MAX(size, largest_emission(session_ecb(s, id)->clause, &emits));
	if (!emits)
		return;
	e = ARENA_NEW(s->arena, struct emits);
	size = MAX(ROUND_UP(size, 8), 8);
	e->room = MIN(MAX(SLOTS_SIZE / size, 4), SLOTS_MAX);
	e->slots = arena_alloc(s->arena, e->room * sizeof(*e->slots));
	for (unsigned i = 0; i < e->room; i++)
		e->slots[i].data = arena_alloc(s->arena, size);
	s->engine->firing->emits = e;
}

/* True: it has got more. */
static bool add_needs(const struct ecb *e)
{
	struct clause *c = e->clause;
	unsigned needs = 0;

	for (unsigned i = 0; i < c->nstmts; i++)
		if (c->stmts[i].emission)
			needs |= c->stmts[i].emission->probe->needs & ~(unsigned)NEED_ARGS;
	c->needs |= needs; /* of probes that come later, too */
	if ((e->probe->needs | needs) == e->probe->needs)
		return false;
	e->probe->needs |= needs;
	return true;
}

void emits_add_needs(struct session *s)
{
	bool changed = s->engine->firing->emits != NULL;

	while (changed) {
		changed = false;
		for (uint32_t id = 1; id <= s->necbs; id++)
			changed |= add_needs(session_ecb(s, id));
	}
}

/* Where the next event is put together; NULL and a fault: too many wait, or too deep. */
static struct slot *open_slot(struct session *s)
{
	struct emits *e = s->engine->firing->emits;

	if (e->depth == DEPTH_MAX)
		vm_fault(s->engine->vm, FAULT_ILLOP, 0);
	else if (e->n == e->room)
		vm_fault(s->engine->vm, FAULT_NOSCRATCH, 0);
	else
		return &e->slots[e->n];
	return NULL;
}

bool emit_field(struct session *s, const struct stmt *st UNUSED, const struct action *act)
{
	struct slot *slot = open_slot(s);

	return slot && store_value(s->engine->vm, act, slot->data + act->rec.offset);
}

/* The number that a record holds, as wide as arguments are. */
static uint64_t load_int(const char *src, const struct rec *rec)
{
	unsigned unused = 64 - 8 * rec->size;
	uint64_t v = 0;

	memcpy(&v, src, rec->size);
	return type_is_signed(rec->type) ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

bool emit_event(struct session *s, const struct stmt *st)
{
	const struct emission *em = st->emission;
	struct emits *e = s->engine->firing->emits;
	struct slot *slot = open_slot(s);
	unsigned n = MIN(em->nfields, EVENT_ARGS);

	if (!slot)
		return false;
	if (!em->probe->ecbs && !probe_is_logged(em->probe) && !s->engine->rewriter)
		return true;
	slot->emission = em;
	slot->depth = e->depth + 1;
	slot->origin = *s->engine->vm->ev;
	slot->ev = slot->origin;
	slot->ev.probe = em->probe;
	slot->ev.origin = &slot->origin;
	slot->ev.walk = NULL; /* by the origin */
	slot->ev.more_args = NULL;
	slot->ev.is_writable = false;
	slot->ev.raw = slot->data;
	slot->ev.rawlen = em->size;
	memset(slot->ev.args, 0, sizeof(slot->ev.args));
	for (unsigned i = 0; i < n; i++)
		slot->ev.args[i] = em->fields[i].rec.kind == REC_INT
					   ? load_int(slot->data + em->fields[i].rec.offset,
						      &em->fields[i].rec)
					   : (uintptr_t)slot->data + em->fields[i].rec.offset;
	if (em->nfields > EVENT_ARGS)
		slot->ev.args[EVENT_ARGS - 1] = (uintptr_t)slot->data;
	e->n++;
	return true;
}

void emits_fire(struct session *s)
{
	const struct rewriter *rw = s->engine->rewriter;
	struct emits *e = s->engine->firing->emits;

	if (e->is_firing)
		return;
	e->is_firing = true;
	while (e->next < e->n) {
		const struct slot *slot = &e->slots[e->next++];

		e->depth = slot->depth;
		firing_fire(s, &slot->ev);
		if (rw)
			rw->emit(rw->arg, &(struct emitted){slot->emission, &slot->ev, slot->data});
	}
	e->n = e->next = e->depth = 0;
	e->is_firing = false;
}
