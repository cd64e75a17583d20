#include "dlang/codegen/difobuild.h"

#include <assert.h>

#include "dlang/run/vars.h"
#include "dlang/session_engine.h"

void difob_init(struct difob *b, struct compiler *cc)
{
	memset(b, 0, sizeof(*b));
	b->cc = cc;
	difob_take(b, 0);
}

static void *grow(struct difob *b, void *p, unsigned n, unsigned *room, size_t size)
{
	void *q;

	if (n < *room)
		return p;
	*room = MAX(16, *room * 2);
	q = arena_alloc(b->cc->arena, *room * size);
	if (n)
		memcpy(q, p, n * size);
	return q;
}

bool difob_is_taken(const struct difob *b, int reg)
{
	return b->regs[reg / 64] >> (reg % 64) & 1;
}

void difob_take(struct difob *b, int reg)
{
	b->regs[reg / 64] |= (uint64_t)1 << (reg % 64);
	b->difo.nregs = MAX(b->difo.nregs, (unsigned)reg + 1);
}

int difob_reg(struct difob *b)
{
	for (int r = 1; r < DIF_NREGS; r++) {
		if (difob_is_taken(b, r))
			continue;
		difob_take(b, r);
		return r;
	}
	compile_fail_plain(b->cc, "Insufficient registers to generate code");
}

void difob_free(struct difob *b, int reg)
{
	assert(reg > 0 && difob_is_taken(b, reg));
	b->regs[reg / 64] &= ~((uint64_t)1 << (reg % 64));
}

void difob_emit(struct difob *b, uint32_t insn)
{
	if (b->difo.ninsns == DIF_MAX_INSNS)
		compile_fail_plain(b->cc, "DIF program exceeds maximum program size");
	b->text = grow(b, b->text, b->difo.ninsns, &b->text_room, sizeof(*b->text));
	b->text[b->difo.ninsns++] = insn;
}

void difob_setx(struct difob *b, uint64_t value, int reg)
{
	unsigned i = 0;

	while (i < b->difo.nints && b->ints[i] != value)
		i++;
	if (i == b->difo.nints) {
		b->ints = grow(b, b->ints, i, &b->ints_room, sizeof(*b->ints));
		b->ints[b->difo.nints++] = value;
	}
	difob_emit(b, DIF_INDEX(DIF_OP_SETX, i, reg));
}

void difob_sets(struct difob *b, const char *s, size_t len, int reg)
{
	unsigned at = 0, end = b->difo.strslen;

	len = strnlen(s, len);
	while (at < end && (strlen(b->strs + at) != len || memcmp(b->strs + at, s, len) != 0))
		at += (unsigned)strlen(b->strs + at) + 1;
	if (at > UINT16_MAX)
		compile_fail_plain(b->cc, "DIF program exceeds maximum program size");
	if (at == end) {
		char *strs = arena_alloc(b->cc->arena, end + len + 1);

		if (end)
			memcpy(strs, b->strs, end);
		memcpy(strs + end, s, len);
		b->strs = strs;
		b->difo.strslen = (unsigned)(end + len + 1);
	}
	difob_emit(b, DIF_INDEX(DIF_OP_SETS, at, reg));
}

unsigned difob_label(struct difob *b)
{
	b->labels = grow(b, b->labels, b->nlabels, &b->labels_room, sizeof(*b->labels));
	return b->nlabels++;
}

void difob_branch(struct difob *b, unsigned op, unsigned label)
{
	difob_emit(b, DIF_LABEL(op, label));
}

void difob_set_label(struct difob *b, unsigned label)
{
	b->labels[label] = b->difo.ninsns;
}

static enum dif_scope dif_scope(const struct ident *id)
{
	return id->scope == SCOPE_SELF	 ? DIF_SCOPE_SELF
	       : id->scope == SCOPE_THIS ? DIF_SCOPE_THIS
					 : DIF_SCOPE_GLOBAL;
}

void difob_use(struct difob *b, const struct ident *id, bool is_written)
{
	enum dif_scope scope = dif_scope(id);
	struct dif_var *v;
	unsigned i = 0;

	while (i < b->difo.nvars && (b->vars[i].id != id->id || b->vars[i].scope != scope))
		i++;
	if (i == b->difo.nvars) {
		b->vars = grow(b, b->vars, i, &b->vars_room, sizeof(*b->vars));
		v = &b->vars[b->difo.nvars++];
		memset(v, 0, sizeof(*v));
		v->name = id->name;
		v->id = id->id;
		v->scope = (uint8_t)scope;
		v->is_array = id->kind == IDENT_ARRAY;
		v->type = id->type;
		if (id->id >= DIF_VAR_USER)
			vars_define(b->cc->session->engine->vars, scope, id->id, id->name, id->type,
				    v->is_array);
		if (id->id >= DIF_VAR_USER && v->is_array)
			vars_set_keys(b->cc->session->engine->vars, scope, id->id, id->keys,
				      id->nkeys);
	}
	b->vars[i].is_read |= !is_written;
	b->vars[i].is_written |= is_written;
}

static void resolve_labels(struct difob *b)
{
	for (unsigned i = 0; i < b->difo.ninsns; i++) {
		unsigned op = DIF_OP(b->text[i]);

		if (op >= DIF_OP_BA && op <= DIF_OP_BLEU)
			b->text[i] = DIF_LABEL(op, b->labels[DIF_GETLABEL(b->text[i])]);
	}
}

void difob_note_offset(struct difob *b, uint64_t offset)
{
	for (unsigned i = 0; i < b->difo.noffsets; i++)
		if (b->offsets[i] == offset)
			return;
	b->offsets = grow(b, b->offsets, b->difo.noffsets, &b->offsets_room, sizeof(*b->offsets));
	b->offsets[b->difo.noffsets++] = offset;
}

struct difo *difob_finish(struct difob *b)
{
	struct difo *d;
	struct err err;

	resolve_labels(b);
	if (b->follows_kernel && b->difo.needs & NEED_MEM)
		b->difo.needs |= NEED_KERNEL;
	b->difo.text = b->text;
	b->difo.ints = b->ints;
	b->difo.strs = b->strs;
	b->difo.vars = b->vars;
	b->difo.offsets = b->offsets;
	d = arena_memdup(b->cc->arena, &b->difo, sizeof(*d));
	if (verify_difo(d, &err) < 0)
		compile_fail_bare(b->cc, D_UNKNOWN, b->cc->line, "%s", err.text);
	return d;
}
