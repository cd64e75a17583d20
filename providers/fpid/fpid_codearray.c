/*
 * fpid_codearray.c: elements self->x[keys], and x[keys] of all threads, in the machine code of
 * clauses. What of x[keys] is loaded, added to and stored again by the same keys (x[keys]++) is
 * added there by one exchange, so that nothing is lost that other threads add meanwhile.
 */
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
		if (op == DIF_OP_LDGAA || op == DIF_OP_STGAA)
			return true;
	}
	return false;
}

void code_push(struct writing *w, const struct difo *d, unsigned i)
{
	unsigned nth = w->known.npushed;

	if (fpid_pushes_word(d, i) || (is_key(w, d, i) && nth < HOOK_TUPLE_KEYS))
		native_store_local(&w->native->code, LOCAL_PUSHED + nth, DIF_RD(d->text[i]),
				   code_word);
}

static struct native_element element(uint64_t array, taddr_t function)
{
	return (struct native_element){.function = function, .array = array, .key = LOCAL_PUSHED};
}

/* ---- by tuples ---- */

/* Of a load, until it is said what else is done. Its keys have been pushed. */
static struct native_tuple tuple_at(struct writing *w, enum dif_scope scope, uint16_t id,
				    uint64_t array)
{
	const struct varslot *slot =
		vars_slot(w->claim->site->proc->pw->session->engine->vars, scope, id);
	struct native_tuple t = {.function = w->native->tuple,
				 .what = {.array = array,
					  .is_shared = scope == DIF_SCOPE_GLOBAL,
					  .nkeys = slot->nkeys},
				 .keys = LOCAL_PUSHED,
				 .nwords = LOCAL_WORDS + w->nwords - LOCAL_PUSHED};
	unsigned chars = 0;
	int r = 0;

	for (unsigned i = 0; i < slot->nkeys; i++)
		if (type_is_string(slot->keys[i])) {
			if (w->known.pushed_text[i])
				code_known_text(w, &w->pushed[i], w->known.text_pushed[i]);
			t.texts[i] = &w->pushed[i];
			chars = MAX(chars, code_texts_chars(&w->pushed[i], false));
		}
	if (chars)
		r = fpid_claims_text(w->claims,
				     chars + HOOK_ARRAY_WORDS(array) * (unsigned)sizeof(uint64_t),
				     &t.what.rooms);
	w->error = r ? r : w->error;
	return t;
}

/* What is behind that jump is not done where texts of the program are not there; 0: nothing. */
static void may_stop(struct writing *w, unsigned jump)
{
	if (jump)
		code_jump_later(w, w->absent, &w->nabsent, jump);
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
		const struct native_tuple t = tuple_at(w, DIF_SCOPE_SELF, id, array);

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
		struct native_tuple t = tuple_at(w, DIF_SCOPE_SELF, id, array);

		t.what.op = HOOK_TUPLE_STORE;
		may_stop(w, native_store_tuple(&w->native->code, &t, DIF_RD(insn), type));
	} else {
		const struct native_element e = element(array, w->native->store);

		native_store_element(&w->native->code, &e, DIF_RD(insn), type);
	}
}

/* ---- what is the same value ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b) * HOOK_HASH_FACTOR;

	return (h ^ h >> 31) * HOOK_HASH_FACTOR;
}

static uint64_t unknown(struct code_sums *s)
{
	return mix(0x756e6b6e6f776eULL, ++s->nunknown);
}

static void begin_sums(struct code_sums *s)
{
	s->is_loaded = false;
	s->sums = 0;
	s->keys = 0;
	s->kept_value = 0;
	for (unsigned i = 0; i < FPID_REGS; i++) {
		s->value[i] = i ? unknown(s) : 0;
		s->cut[i] = 0;
	}
}

/* A variable has the same value until something is assigned. */
static uint64_t variable(const struct code_sums *s, uint32_t insn)
{
	if (DIF_OP(insn) == DIF_OP_LDLS && s->kept_value && s->kept == DIF_GETINDEX(insn))
		return s->kept_value;
	return mix(mix(insn_scope(insn) + 1, DIF_GETINDEX(insn)), s->nstores);
}

/* The number of the CPU is read anew each time; others are what they were. */
static bool is_constant(unsigned id)
{
	return id < DIF_VAR_USER && id != BUILTIN_CPU;
}

static uint64_t value_of(struct code_sums *s, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn), ix = DIF_GETINDEX(insn);

	switch (op) {
	case DIF_OP_MOV:
		return s->value[DIF_R1(insn)];
	case DIF_OP_SETX:
		return mix(op, d->ints[ix]);
	case DIF_OP_SETS:
		return mix(op, ix);
	case DIF_OP_LDGS:
		return is_constant(ix) ? mix(op, ix) : unknown(s);
	case DIF_OP_LDTS:
	case DIF_OP_LDLS:
		return variable(s, insn);
	default:
		return fpid_insns[op].is_op
			       ? mix(mix(op, s->value[DIF_R1(insn)]), s->value[DIF_R2(insn)])
			       : unknown(s);
	}
}

static bool is_sum(const struct code_sums *s, unsigned reg)
{
	return s->sums >> reg & 1;
}

static bool loads(const struct code_sums *s, uint32_t insn)
{
	if (!s->of_words)
		return DIF_OP(insn) == DIF_OP_LDGAA;
	return DIF_OP(insn) == DIF_OP_LDGS && DIF_GETINDEX(insn) >= DIF_VAR_USER;
}

/* Is what it makes the loaded value and something more? Cut to a type it still is: shifted left,
 * and right by as much. */
static bool makes_sum(const struct code_sums *s, uint32_t insn)
{
	unsigned op = DIF_OP(insn), a = DIF_R1(insn), b = DIF_R2(insn);

	switch (op) {
	case DIF_OP_LDGAA:
	case DIF_OP_LDGS:
		return loads(s, insn);
	case DIF_OP_MOV:
		return is_sum(s, a);
	case DIF_OP_ADD:
		return is_sum(s, a) != is_sum(s, b);
	case DIF_OP_SUB:
		return is_sum(s, a) && !is_sum(s, b);
	case DIF_OP_SRA:
	case DIF_OP_SRL:
		return s->cut[a] && s->cut[a] == s->value[b];
	default:
		return false;
	}
}

static void give_value(struct code_sums *s, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn);
	bool is_it = makes_sum(s, insn);
	uint64_t cut = op == DIF_OP_SLL && is_sum(s, DIF_R1(insn)) ? s->value[DIF_R2(insn)] : 0;

	if (loads(s, insn)) {
		s->is_loaded = true;
		s->id = (uint16_t)DIF_GETINDEX(insn);
		s->loaded = s->keys;
		s->sums = 0;
		memset(s->cut, 0, sizeof(s->cut));
	}
	s->value[rd] = value_of(s, d, insn);
	s->cut[rd] = cut;
	s->sums = (s->sums & ~(1U << rd)) | (unsigned)is_it << rd;
}

static bool gives_none(unsigned op)
{
	return insn_class[op] & INSN_BRANCH || op == DIF_OP_CMP || op == DIF_OP_TST ||
	       op == DIF_OP_RET || op == DIF_OP_NOP;
}

static void follow(struct code_sums *s, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn), class = insn_class[op], rd = DIF_RD(insn);

	if (op == DIF_OP_FLUSHTS) {
		s->keys = 0;
	} else if (op == DIF_OP_PUSHTV || op == DIF_OP_PUSHTR) {
		s->keys = mix(s->keys, s->value[rd]);
	} else if (class & INSN_STORE) {
		s->nstores++;
		s->is_loaded = false;
		if (op == DIF_OP_STLS && fpid_is_hidden(d, insn)) {
			s->kept = (uint16_t)DIF_GETINDEX(insn);
			s->kept_value = s->value[rd];
		}
	} else if (op == DIF_OP_SCMP) {
		begin_sums(s);
	} else if (!gives_none(op)) {
		give_value(s, d, insn);
	}
}

static void forget(struct code_sums *s, unsigned reg)
{
	s->value[reg] = unknown(s);
	s->sums &= ~(1U << reg);
	s->cut[reg] = 0;
}

/* Ways meet at `end`, of which one is a branch at `from`: what is given a value between the two is
 * not known, and the rest is what it was. */
static void meet(struct code_sums *s, const struct difo *d, unsigned from, unsigned end)
{
	for (unsigned i = from; i < end; i++) {
		uint32_t insn = d->text[i];
		unsigned op = DIF_OP(insn);

		if (insn_class[op] & INSN_STORE || loads(s, insn) || op == DIF_OP_SCMP ||
		    op == DIF_OP_FLUSHTS || op == DIF_OP_PUSHTV || op == DIF_OP_PUSHTR) {
			begin_sums(s);
			return;
		}
		if (!gives_none(op))
			forget(s, DIF_RD(insn));
	}
}

void code_sums_meet(struct writing *w, const struct difo *d, unsigned insn)
{
	unsigned from = 0;

	while (from < insn && !(insn_class[DIF_OP(d->text[from])] & INSN_BRANCH &&
				DIF_GETLABEL(d->text[from]) == insn))
		from++;
	meet(&w->sums, d, from, insn);
	meet(&w->word_sums, d, from, insn);
}

void code_sums_forget(struct writing *w, unsigned reg)
{
	forget(&w->sums, reg);
	forget(&w->word_sums, reg);
}

void code_sums_begin(struct writing *w)
{
	begin_sums(&w->sums);
	begin_sums(&w->word_sums);
	w->word_sums.of_words = true;
}

void code_sums_insn(struct writing *w, const struct difo *d, uint32_t insn)
{
	follow(&w->sums, d, insn);
	follow(&w->word_sums, d, insn);
}

static bool adds(const struct code_sums *s, uint32_t insn)
{
	return s->is_loaded && s->id == DIF_GETINDEX(insn) &&
	       (s->of_words || s->loaded == s->keys) && is_sum(s, DIF_RD(insn));
}

/* ---- of all threads ---- */

static uint64_t global_array_of(struct writing *w, uint16_t id)
{
	uint64_t array = 0;
	int r = fpid_claims_global(w->claims, id, &array);

	w->error = r ? r : w->error;
	return array;
}

/* Registers whose value depends on what was loaded, by their bits. */
static unsigned sums_and_cuts(const struct code_sums *s)
{
	unsigned regs = s->sums;

	for (unsigned i = 0; i < FPID_REGS; i++)
		regs |= (unsigned)(s->cut[i] != 0) << i;
	return regs;
}

/* Is what this loads from an array of all threads only added to, and stored there again? Then what
 * it was does not matter. */
static bool only_adds(const struct writing *w, const struct difo *d, unsigned load)
{
	struct code_sums s = w->sums;
	bool is_stored = false;

	follow(&s, d, d->text[load]);
	for (unsigned i = load + 1; i < d->ninsns && !fpid_ways_to(d, i); i++) {
		uint32_t insn = d->text[i];
		unsigned op = DIF_OP(insn);
		bool reads = fpid_reads(insn) & sums_and_cuts(&s);

		if (op == DIF_OP_RET)
			return is_stored && (w->is_unused || !reads);
		if (op == DIF_OP_LDGAA || insn_class[op] & INSN_BRANCH)
			return false;
		if (op == DIF_OP_STGAA && reads) {
			if (is_stored || !adds(&s, insn))
				return false;
			is_stored = true;
		} else if (reads && !fpid_insns[op].is_op) {
			return false;
		}
		follow(&s, d, insn);
		if (reads && op != DIF_OP_STGAA && !(sums_and_cuts(&s) >> DIF_RD(insn) & 1))
			return false;
	}
	return false;
}

void code_load_global(struct writing *w, const struct difo *d, unsigned i)
{
	uint32_t insn = d->text[i];
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native_tuple t = tuple_at(w, DIF_SCOPE_GLOBAL, id, global_array_of(w, id));

	if (only_adds(w, d, i))
		native_constant(&w->native->code, DIF_RD(insn), 0);
	else
		may_stop(w, native_load_tuple(&w->native->code, &t, DIF_RD(insn)));
	native_store_local(&w->native->code, LOCAL_LOADED, DIF_RD(insn), code_word);
}

void code_store_global(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native_tuple t = tuple_at(w, DIF_SCOPE_GLOBAL, id, global_array_of(w, id));
	struct native_type type = code_type_of(w, DIF_SCOPE_GLOBAL, id);

	t.what.op = HOOK_TUPLE_STORE;
	if (adds(&w->sums, insn)) {
		t.what.op = HOOK_TUPLE_ADD;
		t.what.size = (uint8_t)type.size;
		t.what.is_signed = type.is_signed;
		t.loaded = LOCAL_LOADED;
		type = code_word;
	}
	may_stop(w, native_store_tuple(&w->native->code, &t, DIF_RD(insn), type));
}

/* ---- globals ---- */

static taddr_t word_of(struct writing *w, uint16_t id)
{
	taddr_t at = 0;
	int r = fpid_claims_word(w->claims, id, &at);

	w->error = r ? r : w->error;
	return at;
}

void code_load_scalar(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native *n = &w->native->code;

	if (!fpid_is_word(w->shares->lost, id)) {
		native_constant(n, DIF_RD(insn), 0);
		return;
	}
	native_load_word(n, DIF_RD(insn), word_of(w, id), code_type_of(w, DIF_SCOPE_GLOBAL, id));
	native_store_local(n, LOCAL_WORD, DIF_RD(insn), code_word);
}

static void add_to_counter(struct writing *w, uint32_t insn)
{
	uint64_t place = 0;
	int r = fpid_claims_counter(w->claims, (uint16_t)DIF_GETINDEX(insn), &place);

	w->error = r ? r : w->error;
	native_store_local(&w->native->code, LOCAL_SCRATCH, DIF_RD(insn), code_word);
	native_add(&w->native->code, place, LOCAL_SCRATCH);
}

void code_store_scalar(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native *n = &w->native->code;

	if (!fpid_is_word(w->shares->lost, id))
		add_to_counter(w, insn);
	else if (adds(&w->word_sums, insn))
		native_add_word(n, word_of(w, id), DIF_RD(insn), LOCAL_WORD);
	else
		native_store_word(n, word_of(w, id), DIF_RD(insn));
}
