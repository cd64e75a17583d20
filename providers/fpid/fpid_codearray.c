/* fpid_codearray.c: elements self->x[keys] in the machine code of clauses. */
#include "providers/fpid/fpid_codegen.h"

#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "hook/tuple.h"

static bool is_keyed(const struct writing *w, unsigned id)
{
	return fpid_is_keyed(w->shares->lost, id);
}

/* Is what is pushed there the key of an element that is found by it? */
static bool is_key(const struct writing *w, const struct difo *d, unsigned i)
{
	while (++i < d->ninsns && DIF_OP(d->text[i]) != DIF_OP_FLUSHTS) {
		unsigned op = DIF_OP(d->text[i]);

		if (op == DIF_OP_LDTAA || op == DIF_OP_STTAA)
			return is_keyed(w, DIF_GETINDEX(d->text[i]));
	}
	return false;
}

void code_push(struct writing *w, const struct difo *d, unsigned i)
{
	unsigned nth = w->known.npushed;

	if (fpid_pushes_address(d, i) || (is_key(w, d, i) && nth < HOOK_TUPLE_KEYS))
		native_store_local(&w->native->code, LOCAL_PUSHED + nth, DIF_RD(d->text[i]),
				   code_word);
}

static struct native_element element(uint64_t array, taddr_t function)
{
	return (struct native_element){.function = function, .array = array, .key = LOCAL_PUSHED};
}

/* ---- by tuples ---- */

/* The nth key that has been pushed. A text that the program has is as long as `words` at most. */
static void set_key(const struct writing *w, struct native_tuple *t, const struct varslot *slot,
		    unsigned nth)
{
	const struct session *s = w->claim->site->proc->pw->session;
	struct hook_text *k = &t->what.keys[nth];

	if (!type_is_string(slot->keys[nth])) {
		k->flags = HOOK_KEY_NUMBER;
	} else if (w->known.pushed_text[nth]) {
		k->flags = HOOK_KEY_KNOWN;
		k->size = (uint32_t)strnlen(w->known.text_pushed[nth],
					    (size_t)opt(&s->options, OPT_STRSIZE));
		t->known[nth] = w->known.text_pushed[nth];
	} else {
		*k = w->pushed[nth];
	}
}

static struct native_tuple tuple(struct writing *w, uint16_t id, uint64_t array, bool stores)
{
	const struct varslot *slot =
		vars_slot(w->claim->site->proc->pw->session->engine->vars, DIF_SCOPE_SELF, id);
	struct native_tuple t = {.function = w->native->tuple,
				 .what = {.array = array, .stores = stores, .nkeys = slot->nkeys},
				 .keys = LOCAL_PUSHED};
	bool has_texts = false;
	int r = 0;

	for (unsigned i = 0; i < slot->nkeys; i++) {
		set_key(w, &t, slot, i);
		has_texts |= t.what.keys[i].flags != HOOK_KEY_NUMBER;
	}
	if (has_texts)
		r = fpid_claims_text(w->claims,
				     HOOK_ARRAY_WORDS(array) * (unsigned)sizeof(uint64_t),
				     &t.what.rooms);
	w->error = r ? r : w->error;
	return t;
}

/* Where texts of the program may not be there. */
static void may_stop(struct writing *w, unsigned without)
{
	if (without)
		code_jump_later(w, w->absent, &w->nabsent, without);
}

static uint64_t array_of(struct writing *w, uint16_t id)
{
	uint64_t array = 0;
	int r = fpid_claims_array(w->claims, id, &array);

	w->error = r ? r : w->error;
	return array;
}

/* By keys that are known. */
static unsigned cell_off(struct writing *w, uint16_t id)
{
	return code_cell_off(w, fpid_claims_element_cell(w->claims, id, &w->known.key));
}

void code_load_element(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	unsigned rd = DIF_RD(insn);
	uint64_t array;

	if (!is_keyed(w, id)) {
		native_load_block(&w->native->code, rd, cell_off(w, id));
		return;
	}
	array = array_of(w, id);
	if (HOOK_ARRAY_WORDS(array)) {
		const struct native_tuple t = tuple(w, id, array, false);

		may_stop(w, native_load_tuple(&w->native->code, &t, rd));
	} else {
		const struct native_element e = element(array, w->native->load);

		native_load_element(&w->native->code, &e, rd);
	}
}

void code_store_element(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native_type type = code_type_of(w, DIF_SCOPE_SELF, id);
	uint64_t array;

	if (!is_keyed(w, id)) {
		native_store_block(&w->native->code, cell_off(w, id), DIF_RD(insn), type);
		return;
	}
	array = array_of(w, id);
	if (HOOK_ARRAY_WORDS(array)) {
		const struct native_tuple t = tuple(w, id, array, true);

		may_stop(w, native_store_tuple(&w->native->code, &t, DIF_RD(insn), type));
	} else {
		const struct native_element e = element(array, w->native->store);

		native_store_element(&w->native->code, &e, DIF_RD(insn), type);
	}
}
