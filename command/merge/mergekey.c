#include "command/merge/mergekey.h"

#include <stdlib.h>

#include "symbols/dwarf/types.h"

#define STRING_MAX (64U << 10)
#define FRAMES_MAX 4096

/* ---- names ---- */

void merge_names_init(struct merge_names *names, struct arena *a)
{
	*names = (struct merge_names){.arena = a};
	strmap_init(&names->index);
}

void merge_names_release(struct merge_names *names)
{
	strmap_release(&names->index);
}

/* As a text, in which each part ends with a character that is in none. */
static char *name_text(const struct symname *name)
{
	return xasprintf("%s\n%s\n%016llx", name->object ? name->object : "",
			 name->function ? name->function : "", (unsigned long long)name->offset);
}

static void add_name(struct merge_names *names, const struct symname *name)
{
	char *text = name_text(name);
	struct merge_name *m = strmap_get(&names->index, text);

	if (!m) {
		m = ARENA_NEW(names->arena, struct merge_name);
		*m = (struct merge_name){.text = arena_strdup(names->arena, text),
					 .name = *name,
					 .next = names->all};
		if (name->object)
			m->name.object = arena_strdup(names->arena, name->object);
		if (name->function)
			m->name.function = arena_strdup(names->arena, name->function);
		names->all = m;
		names->n++;
		strmap_put(&names->index, m->text, m);
	}
	free(text);
}

static uint64_t number_of(const struct merge_names *names, const struct symname *name)
{
	char *text = name_text(name);
	const struct merge_name *m = strmap_get(&names->index, text);

	free(text);
	return m ? m->number : 0;
}

static int by_text(const void *a, const void *b)
{
	struct merge_name *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

void merge_names_order(struct merge_names *names, struct namelist *list)
{
	struct symname *sorted =
		arena_alloc(names->arena, names->n * sizeof(*sorted) + sizeof(*sorted));
	struct merge_name **v = xcalloc(names->n + 1, sizeof(struct merge_name *));
	size_t n = 0;

	for (struct merge_name *m = names->all; m; m = m->next)
		v[n++] = m;
	qsort(v, n, sizeof(struct merge_name *), by_text);
	for (size_t i = 0; i < n; i++) {
		v[i]->number = i + 1;
		sorted[i] = v[i]->name;
	}
	free(v);
	*list = (struct namelist){sorted, n};
}

/* ---- bytes ---- */

static int base64_digit(int c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'	      ? 62
	       : c == '/'	      ? 63
				      : -1;
}

/* How many bytes; -1: it is none. to: NULL, or room for them. */
static long from_base64(const char *s, char *to)
{
	size_t len = strlen(s), n = len;
	long size = 0;
	uint32_t v = 0;
	unsigned bits = 0;

	if (len % 4)
		return -1;
	while (n && len - n < 2 && s[n - 1] == '=')
		n--;
	for (size_t i = 0; i < n; i++) {
		int digit = base64_digit(s[i]);

		if (digit < 0)
			return -1;
		v = v << 6 | (uint32_t)digit;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		if (to)
			to[size] = (char)(v >> bits);
		size++;
	}
	return size;
}

/* Of {"b64":...}; NULL: it is a text. */
static const char *base64_of(const struct json *v)
{
	return json_text(json_member(v, "b64"));
}

static long text_size(const struct json *v)
{
	if (base64_of(v))
		return from_base64(base64_of(v), NULL);
	return json_text(v) ? (long)v->len : -1;
}

static void put_text(const struct json *v, char *to)
{
	if (base64_of(v))
		from_base64(base64_of(v), to);
	else
		memcpy(to, v->text, v->len);
}

/* Of one that is. */
static int hex_digit(int c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* ---- stacks ---- */

/* [module, function, offset] */
static bool read_frame(const struct json *v, struct symname *name)
{
	const struct json *object = v->first, *function = object ? object->next : NULL;

	*name = (struct symname){0};
	if (v->kind != JSON_ARRAY || v->n != 3 || !json_text(object) || !json_text(function) ||
	    !json_unsigned(function->next, &name->offset))
		return false;
	name->object = *object->text ? object->text : NULL;
	name->function = *function->text ? function->text : NULL;
	return true;
}

static const char *measure_stack(struct merge_names *names, const struct json *v, struct rec *rec)
{
	const struct json *frames = json_member(v, "s");
	struct symname name;

	if (!frames || frames->kind != JSON_ARRAY)
		return "no stack";
	if (frames->n > FRAMES_MAX)
		return "a stack of more than 4096 frames";
	for (const struct json *f = frames->first; f; f = f->next) {
		if (!read_frame(f, &name))
			return "no frame";
		add_name(names, &name);
	}
	rec->arg = MAX(rec->arg, MAX(frames->n, 1));
	rec->size = (uint32_t)(rec->arg + (rec->kind == REC_USTACK)) * 8;
	return NULL;
}

static void put_stack(const struct merge_names *names, const struct json *v, const struct rec *rec,
		      char *to)
{
	struct symname name;

	to += rec->kind == REC_USTACK ? 8 : 0; /* no process: it is no part of the key */
	for (const struct json *f = json_member(v, "s")->first; f; f = f->next, to += 8) {
		uint64_t number = 0;

		if (read_frame(f, &name))
			number = number_of(names, &name);
		memcpy(to, &number, sizeof(number));
	}
}

/* ---- keys ---- */

static const struct {
	const char *word;
	enum rec_kind kind;
} kinds[] = {
	{"int", REC_INT},     {"string", REC_STRING}, {"bytes", REC_BYTES},
	{"stack", REC_STACK}, {"ustack", REC_USTACK}, {"symbol", REC_SYM},
};

static bool int_kind(struct arena *a, const struct json *v, uint64_t size, struct rec *rec)
{
	const struct json *sign = json_member(v, "signed");
	struct type *type = ARENA_NEW(a, struct type);

	if ((size != 1 && size != 2 && size != 4 && size != 8) || !sign ||
	    (sign->kind != JSON_TRUE && sign->kind != JSON_FALSE))
		return false;
	*type = (struct type){.kind = TYPE_INT, .size = size, .is_signed = sign->kind == JSON_TRUE};
	rec->type = type;
	return true;
}

bool merge_key_kind(struct arena *a, const struct json *v, struct rec *rec)
{
	const char *word = json_text(json_member(v, "kind"));
	uint64_t size = 0;

	*rec = (struct rec){.align = 8};
	for (unsigned i = 0; word && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].word, word))
			rec->kind = kinds[i].kind;
	json_unsigned(json_member(v, "size"), &size);
	if (size > STRING_MAX)
		return false;
	rec->size = rec->kind == REC_INT || rec->kind == REC_BYTES ? (uint32_t)size
		    : rec->kind == REC_SYM			   ? 8
								   : 1;
	return rec->kind != REC_NONE && rec->size &&
	       (rec->kind != REC_INT || int_kind(a, v, size, rec));
}

bool merge_key_same_kind(const struct rec *a, const struct rec *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == REC_INT)
		return a->size == b->size && a->type->is_signed == b->type->is_signed;
	return a->kind != REC_BYTES || a->size == b->size;
}

static bool fits(const struct rec *rec, const struct json *v)
{
	int64_t number;
	uint64_t u;
	unsigned bits = rec->size * 8;

	if (!rec->type->is_signed)
		return json_unsigned(v, &u) && (bits == 64 || u < UINT64_C(1) << bits);
	return json_int(v, &number) && (bits == 64 || (number >= -(INT64_C(1) << (bits - 1)) &&
						       number < INT64_C(1) << (bits - 1)));
}

const char *merge_key_measure(struct merge_names *names, const struct json *v, struct rec *rec)
{
	struct symname name = {0};
	long n;

	switch (rec->kind) {
	case REC_INT:
		return fits(rec, v) ? NULL : "no integer of its size";
	case REC_STRING:
		n = text_size(v);
		if (n < 0 || n >= (long)STRING_MAX)
			return n < 0 ? "no text" : "a text of more than 64 KB";
		rec->size = MAX(rec->size, (uint32_t)n + 1);
		return NULL;
	case REC_BYTES:
		return json_text(v) && v->len == 2UL * rec->size &&
				       strspn(v->text, "0123456789abcdef") == v->len
			       ? NULL
			       : "no bytes of its size";
	case REC_STACK:
	case REC_USTACK:
		return measure_stack(names, v, rec);
	default:
		name.function = json_text(v);
		if (!name.function)
			return "no name";
		add_name(names, &name);
		return NULL;
	}
}

void merge_key_put(const struct merge_names *names, const struct json *v, const struct rec *rec,
		   char *to)
{
	struct symname name = {0};
	uint64_t number = 0;

	switch (rec->kind) {
	case REC_INT:
		if (!json_int(v, (int64_t *)&number))
			json_unsigned(v, &number);
		memcpy(to, &number, rec->size); /* little-endian */
		break;
	case REC_STRING:
		put_text(v, to);
		break;
	case REC_BYTES:
		for (uint32_t i = 0; i < rec->size; i++)
			to[i] = (char)(hex_digit(v->text[2 * i]) << 4 |
				       hex_digit(v->text[2 * i + 1]));
		break;
	case REC_STACK:
	case REC_USTACK:
		put_stack(names, v, rec, to);
		break;
	default:
		name.function = v->text;
		number = number_of(names, &name);
		memcpy(to, &number, sizeof(number));
		break;
	}
}
