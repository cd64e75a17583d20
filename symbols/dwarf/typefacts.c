/* What is asked of a type: its size, what it is, its members. */
#include "symbols/dwarf/types.h"

const struct type *type_strip_quals(const struct type *t)
{
	while (t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE || t->kind == TYPE_RESTRICT)
		t = t->ref;
	return t;
}

const struct type *type_resolve(const struct type *t)
{
	for (;;) {
		t = type_strip_quals(t);
		if (t->kind == TYPE_TYPEDEF)
			t = t->ref;
		else if (t->kind == TYPE_FORWARD && t->body)
			t = t->body;
		else
			return t;
	}
}

uint64_t type_size(const struct type *t)
{
	return type_resolve(t)->size;
}

uint64_t type_align(const struct type *t)
{
	t = type_resolve(t);
	switch (t->kind) {
	case TYPE_ARRAY:
		return t->is_vector && t->size ? t->size : type_align(t->ref);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return t->align;
	case TYPE_STRING:
		return 1;
	case TYPE_FLOAT:
		return t->is_complex ? t->size / 2 : t->size;
	case TYPE_USYMADDR:
		return 8;
	default:
		return t->size ? MIN(t->size, 16) : 1;
	}
}

bool type_is_integer(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT || t->kind == TYPE_ENUM;
}

bool type_is_pointer(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_POINTER;
}

bool type_is_in_kernel(const struct type *pointer)
{
	const struct type *t = type_resolve(pointer);

	while (t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY)
		t = type_resolve(t->ref);
	return t->is_kernel;
}

bool type_is_scalar(const struct type *t)
{
	return type_is_integer(t) || type_is_pointer(t);
}

bool type_is_float(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_FLOAT;
}

bool type_is_sou(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

bool type_is_named(const struct type *t, const char *name)
{
	while (t->kind == TYPE_TYPEDEF && strcmp(t->name, name) != 0)
		t = t->ref;
	return t->kind == TYPE_TYPEDEF;
}

bool type_is_string(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_STRING;
}

bool type_is_strcompat(const struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_STRING)
		return true;
	if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		return false;
	return type_resolve(t->ref)->is_char;
}

bool type_is_byref(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_STRING || t->kind == TYPE_ARRAY || t->kind == TYPE_STRUCT ||
	       t->kind == TYPE_UNION || t->kind == TYPE_STACK || t->kind == TYPE_USYMADDR ||
	       (t->kind == TYPE_FLOAT && t->size > 8);
}

bool type_is_signed(const struct type *t)
{
	return type_resolve(t)->is_signed;
}

bool type_same(const struct type *a, const struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TYPE_POINTER:
		return a->is_userland == b->is_userland && type_same(a->ref, b->ref);
	case TYPE_ARRAY:
		return a->nelems == b->nelems && type_same(a->ref, b->ref);
	case TYPE_FUNCTION:
		if (a->nparams != b->nparams || a->varargs != b->varargs)
			return false;
		for (unsigned i = 0; i < a->nparams; i++)
			if (!type_same(a->params[i], b->params[i]))
				return false;
		return type_same(a->ref, b->ref);
	default:
		return false;
	}
}

bool type_member(const struct type *sou, const char *name, struct type_member *out)
{
	struct type_member inner;

	sou = type_resolve(sou);
	for (unsigned i = 0; i < sou->nmembers; i++) {
		const struct type_member *m = &sou->members[i];

		if (*name && strcmp(m->name, name) == 0) {
			*out = *m;
			return true;
		}
		if (*m->name || m->bits || !type_member(m->type, name, &inner))
			continue;
		inner.bit_offset += m->bit_offset;
		*out = inner;
		return true;
	}
	return false;
}

bool type_has_member(const struct type *t, const struct type_member *m, const char *bytes)
{
	uint64_t tag = 0;

	if (!m->is_variant || !t->tag)
		return true;
	memcpy(&tag, bytes + t->tag->bit_offset / 8, MIN(type_size(t->tag->type), sizeof(tag)));
	if (!m->is_other)
		return m->tag == tag;
	for (unsigned i = 0; i < t->nmembers; i++)
		if (t->members[i].is_variant && !t->members[i].is_other && t->members[i].tag == tag)
			return false;
	return true;
}
