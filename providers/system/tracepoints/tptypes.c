#include "providers/system/tracepoints/tptypes.h"

#include "dlang/session_engine.h"

struct words {
	char base[128]; /* "unsigned long", "struct iovec" */
	bool is_const;
	unsigned stars;
};

static bool is_noise(const char *word, size_t n)
{
	static const char *const noise[] = {"const", "volatile", "__user", "__kernel", "userland"};

	for (unsigned i = 0; i < ARRAY_SIZE(noise); i++)
		if (strlen(noise[i]) == n && strncmp(noise[i], word, n) == 0)
			return true;
	return false;
}

/* "const struct iovec __user *" → struct iovec, const, one star. */
static void split(const char *text, struct words *w)
{
	size_t len = 0;

	*w = (struct words){0};
	while (*text) {
		size_t n = strcspn(text, " *");

		if (n && is_noise(text, n)) {
			w->is_const |= strncmp(text, "const", n) == 0 && !w->stars;
		} else if (n && len + n + 2 < sizeof(w->base)) {
			if (len)
				w->base[len++] = ' ';
			memcpy(w->base + len, text, n);
			len += n;
		}
		text += n;
		w->stars += *text == '*';
		text += *text != '\0';
	}
}

static const struct type *int_of(struct types *ts, uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? ts->t_schar : ts->t_uchar;
	case 2:
		return is_signed ? ts->t_short : ts->t_ushort;
	case 4:
		return is_signed ? ts->t_int : ts->t_uint;
	default:
		return is_signed ? ts->t_word : ts->t_uword;
	}
}

static bool is_tagged(const char *name, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(name, kind, n) == 0 && name[n] == ' ';
}

/* What a pointer leads to: only its name is known. */
static const struct type *pointee(struct types *ts, const char *name)
{
	const struct type *t = types_lookup(ts, name);

	if (t)
		return t;
	if (is_tagged(name, "struct"))
		return type_forward(ts, TYPE_STRUCT, name + 7);
	if (is_tagged(name, "union"))
		return type_forward(ts, TYPE_UNION, name + 6);
	return ts->t_void;
}

/* One element of `size` bytes. */
static const struct type *scalar(struct types *ts, const struct words *w, uint32_t size,
				 bool is_signed)
{
	const struct type *t = types_lookup(ts, w->base);
	bool is_plain = size == 1 || size == 2 || size == 4 || size == 8;

	if (t && type_size(t) == size)
		return t;
	if (!is_plain)
		return type_array(ts, ts->t_uchar, size);
	if (t || !w->base[0] || strpbrk(w->base, " (")) /* another size, or no plain name */
		return int_of(ts, size, is_signed);
	return type_typedef(ts, w->base, int_of(ts, size, is_signed));
}

const struct type *tpfield_type(struct session *s, const struct tpfield *f)
{
	struct types *ts = &s->engine->types;
	const struct type *t;
	struct words w;

	split(f->type, &w);
	if (!w.stars) {
		if (f->place != TP_INLINE) {
			t = types_lookup(ts, w.base);
			return t && type_size(t) ? t : ts->t_uchar;
		}
		return f->nelems ? type_array(ts, scalar(ts, &w, f->size / f->nelems, f->is_signed),
					      f->nelems)
				 : scalar(ts, &w, f->size, f->is_signed);
	}
	t = pointee(ts, w.base);
	if (w.is_const)
		t = type_qualified(ts, TYPE_CONST, t);
	for (unsigned i = 0; i < w.stars; i++)
		t = type_target_pointer(ts, t);
	return f->nelems && f->place == TP_INLINE ? type_array(ts, t, f->nelems) : t;
}

const struct type *tpfield_word_type(struct session *s, const struct tpfield *f)
{
	struct tpfield narrow = *f;
	const struct type *t;
	struct words w;

	split(f->type, &w);
	t = w.stars ? NULL : types_lookup(&s->engine->types, w.base);
	/* the kernel's own typedefs of int and unsigned: what is not known is one of these */
	narrow.size = t && type_size(t) ? (uint32_t)type_size(t) : w.stars ? 8 : 4;
	if (strncmp(f->type, "unsigned", 8) == 0 || strncmp(f->type, "u", 1) == 0)
		narrow.is_signed = false;
	else if (!w.stars)
		narrow.is_signed = true;
	return tpfield_type(s, &narrow);
}

/* ---- records as structures ---- */

bool tpfield_is_text(const struct tpfield *f)
{
	return f->place != TP_INLINE && strcmp(f->type, "char") == 0;
}

/* Room for a dynamic field behind the fixed part. */
uint32_t tpfield_room(const struct session *s, const struct tpfield *f)
{
	if (f->place == TP_INLINE)
		return 0;
	return tpfield_is_text(f) ? (uint32_t)ROUND_UP(opt(&s->options, OPT_STRSIZE) + 1, 8) : 8;
}

uint32_t tpformat_fixed_size(const struct tpformat *fmt)
{
	return ROUND_UP(fmt->size - TP_COMMON_SIZE, 8);
}

bool tpformat_is_dynamic(const struct tpformat *fmt)
{
	for (unsigned i = 0; i < fmt->nfields; i++)
		if (fmt->fields[i].place != TP_INLINE)
			return true;
	return false;
}

uint32_t tpformat_view_size(const struct session *s, const struct tpformat *fmt)
{
	uint32_t size = tpformat_fixed_size(fmt);

	for (unsigned i = 0; i < fmt->nfields; i++)
		size += tpfield_room(s, &fmt->fields[i]);
	return size;
}

void tpformat_view(const struct session *s, const struct tpformat *fmt, char *view, const char *raw,
		   uint32_t n)
{
	uint32_t at = tpformat_fixed_size(fmt), fixed = MIN(n, fmt->size);

	if (fixed > TP_COMMON_SIZE)
		memcpy(view, raw + TP_COMMON_SIZE, fixed - TP_COMMON_SIZE);
	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];
		uint32_t room = tpfield_room(s, f);
		const char *p = NULL;
		size_t len;

		if (!room)
			continue;
		p = tpfield_bytes(f, raw, n, &len);
		if (tpfield_is_text(f)) {
			len = MIN(len, room - 1);
			memcpy(view + at, p ? p : "", len);
			view[at + len] = '\0';
		} else {
			memcpy(view + at, &p, sizeof(p));
		}
		at += room;
	}
}

const struct type *tpformat_type(struct session *s, const struct tpformat *fmt)
{
	const char *name = arena_printf(s->arena, "struct trace_event_raw_%s", fmt->name);
	struct type_member *members = arena_alloc(s->arena, (fmt->nfields + 1) * sizeof(*members));
	struct type *t = ARENA_NEW(s->arena, struct type);
	uint32_t at = tpformat_fixed_size(fmt);

	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];
		uint32_t room = tpfield_room(s, f);
		const struct type *ft = tpfield_type(s, f);

		members[i].name = intern_str(&s->engine->intern, f->name);
		members[i].bit_offset = 8 * (uint64_t)(room ? at : f->offset - TP_COMMON_SIZE);
		members[i].type = !room		       ? ft
				  : tpfield_is_text(f) ? type_array(&s->engine->types,
								    s->engine->types.t_char, room)
						       : type_target_pointer(&s->engine->types, ft);
		at += room;
	}
	t->kind = TYPE_STRUCT;
	t->name = intern_str(&s->engine->intern, name);
	t->module = fmt->system;
	t->size = at;
	t->align = 8;
	t->nmembers = fmt->nfields;
	t->members = members;
	return t;
}

/* Texts of the kernel that only lead somewhere are strings to its filters. */
static bool is_number(const struct tpfield *f, unsigned size, bool is_signed)
{
	return f->place == TP_INLINE && !f->nelems && f->size == size &&
	       !strstr(f->type, "char *") && (size == 8 || f->is_signed == is_signed);
}

bool tpfield_is_placed_text(const struct tpfield *f)
{
	return f->place == TP_INLINE && f->nelems && f->size == f->nelems &&
	       strcmp(f->type, "char") == 0;
}

void tpformat_end_texts(const struct tpformat *fmt, char *record, uint32_t n)
{
	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];
		size_t len;

		if (!tpfield_is_placed_text(f) || f->offset > n || f->size > n - f->offset)
			continue;
		len = strnlen(record + f->offset, f->size);
		memset(record + f->offset + len, 0, f->size - len);
	}
}

const struct tpfield *tpformat_filtered(const struct session *s, const struct tpformat *fmt,
					uint64_t offset, unsigned size, bool is_signed)
{
	uint32_t at = tpformat_fixed_size(fmt);

	for (unsigned i = 0; i < fmt->nfields; i++) {
		const struct tpfield *f = &fmt->fields[i];
		uint32_t room = tpfield_room(s, f);

		if (offset == (room ? at : f->offset - TP_COMMON_SIZE))
			return (size ? is_number(f, size, is_signed)
				     : tpfield_is_placed_text(f) || tpfield_is_text(f))
				       ? f
				       : NULL;
		at += room;
	}
	return NULL;
}
