/* fpid_codearray.c: elements self->x[keys] in the machine code of clauses. */
#include "providers/fpid/fpid_codegen.h"

#include "dlang/run/vm.h"

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
	if (fpid_pushes_address(d, i) || is_key(w, d, i))
		native_store_local(&w->native->code, LOCAL_PUSHED, DIF_RD(d->text[i]), code_word);
}

static struct native_element element(struct writing *w, uint16_t id, taddr_t function)
{
	struct native_element e = {.function = function, .key = LOCAL_PUSHED};
	int r = fpid_claims_array(w->claims, id, &e.array);

	w->error = r ? r : w->error;
	return e;
}

/* By keys that are known. */
static unsigned cell_off(struct writing *w, uint16_t id)
{
	return code_cell_off(w, fpid_claims_element_cell(w->claims, id, &w->known.key));
}

void code_load_element(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native_element e;

	if (!is_keyed(w, id)) {
		native_load_block(&w->native->code, DIF_RD(insn), cell_off(w, id));
		return;
	}
	e = element(w, id, w->native->load);
	native_load_element(&w->native->code, &e, DIF_RD(insn));
}

void code_store_element(struct writing *w, uint32_t insn)
{
	uint16_t id = (uint16_t)DIF_GETINDEX(insn);
	struct native_type type = code_type_of(w, DIF_SCOPE_SELF, id);
	struct native_element e;

	if (!is_keyed(w, id)) {
		native_store_block(&w->native->code, cell_off(w, id), DIF_RD(insn), type);
		return;
	}
	e = element(w, id, w->native->store);
	native_store_element(&w->native->code, &e, DIF_RD(insn), type);
}
