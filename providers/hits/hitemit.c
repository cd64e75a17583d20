#include "providers/hits/hitemit.h"

#include "dlang/emission.h"
#include "providers/hits/hitformat.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "symbols/dwarf/types.h"

/* A name of a type that a format can have, and readers take for what it is. */
static bool is_plain_type(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ *") ==
	       strlen(s);
}

void hit_set_type(struct hit_field *f, const struct type *t)
{
	f->is_plain = !t;
	f->size = sizeof(uint64_t);
	snprintf(f->type, sizeof(f->type), HIT_WORD);
	if (!t || !type_is_scalar(t))
		return;
	type_name(t, f->type, sizeof(f->type));
	if (!type_is_pointer(t)) {
		f->size = (uint32_t)type_size(t);
		f->is_signed = type_is_signed(t);
	}
	if (is_plain_type(f->type) && strlen(f->type) + 1 < sizeof(f->type))
		return;
	snprintf(f->type, sizeof(f->type), "%s",
		 type_is_pointer(t) ? "void *"
		 : f->is_signed	    ? "long"
				    : "unsigned long");
	f->size = sizeof(uint64_t);
}

void hit_add_fields(struct hit_format *to, const struct emitted_probe *ep)
{
	for (unsigned i = 0; i < ep->nfields; i++) {
		const struct emitted_place *at = &ep->places[i];
		const struct probe_arg *a = &ep->fields[i];
		struct hit_field *f;
		char name[16];

		snprintf(name, sizeof(name), "arg%u", i);
		f = hit_add_field(to, a->name ? a->name : name, sizeof(uint64_t));
		if (at->is_number)
			hit_set_type(f, a->type);
		f->is_array = !at->is_number;
		f->is_bytes = f->is_array && !type_is_string(a->type);
		f->size = at->size;
		f->offset = TP_COMMON_SIZE + at->offset;
		to->size = f->offset + f->size;
	}
}

/* ---- records ---- */

static void write_format(const struct probe *p, const char *name, unsigned number,
			 struct strbuf *out)
{
	struct hit_format f = {0};

	hit_add_fields(&f, p->arg);
	hit_write_format(p, name, number, &f, out);
}

static size_t write_raw(const struct emitted *e, unsigned number, char *out, size_t room)
{
	const size_t n = TP_COMMON_SIZE + e->emission->size;
	const uint16_t type = (uint16_t)number;
	const int32_t tid = e->ev->tid;

	if (n > room)
		return 0;
	memset(out, 0, TP_COMMON_SIZE);
	memcpy(out, &type, sizeof(type));
	memcpy(out + 4, &tid, sizeof(tid));
	memcpy(out + TP_COMMON_SIZE, e->data, e->emission->size);
	return n;
}

const struct emit_form hit_emit_form = {
	.system = HIT_SYSTEM,
	.name = hit_event_name,
	.format = write_format,
	.raw = write_raw,
};
