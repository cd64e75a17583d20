#include "symbols/dwarf/types.h"

#include <ctype.h>
#include <errno.h>

#define SIZE_STACK 8 /* a stack is copied frame by frame; its size belongs to the record */

/* clang-format off */
static const struct base {
	const char *name;
	enum type_kind kind;
	uint8_t size;
	bool is_signed, is_char;
	size_t slot; /* where struct types keeps it; 0: only under its name */
	const char *aliases[4];
} bases[] = {
#define SLOT(field) offsetof(struct types, field)
	{"void",               TYPE_VOID,     0,  false, false, SLOT(t_void), {0}},
	{"char",               TYPE_INT,      1,  true,  true,  SLOT(t_char), {0}},
	{"signed char",        TYPE_INT,      1,  true,  true,  SLOT(t_schar), {0}},
	{"unsigned char",      TYPE_INT,      1,  false, true,  SLOT(t_uchar), {0}},
	{"short",              TYPE_INT,      2,  true,  false, SLOT(t_short),
		{"short int", "signed short", "signed short int"}},
	{"unsigned short",     TYPE_INT,      2,  false, false, SLOT(t_ushort), {"unsigned short int"}},
	{"int",                TYPE_INT,      4,  true,  false, SLOT(t_int), {"signed", "signed int"}},
	{"unsigned int",       TYPE_INT,      4,  false, false, SLOT(t_uint), {"unsigned"}},
	{"long",               TYPE_INT,      8,  true,  false, SLOT(t_long),
		{"long int", "signed long", "signed long int"}},
	{"unsigned long",      TYPE_INT,      8,  false, false, SLOT(t_ulong), {"unsigned long int"}},
	{"long long",          TYPE_INT,      8,  true,  false, SLOT(t_llong),
		{"long long int", "signed long long", "signed long long int"}},
	{"unsigned long long", TYPE_INT,      8,  false, false, SLOT(t_ullong),
		{"unsigned long long int"}},
	{"_Bool",              TYPE_INT,      1,  false, false, SLOT(t_bool), {0}},
	{"float",              TYPE_FLOAT,    4,  true,  false, SLOT(t_float), {0}},
	{"double",             TYPE_FLOAT,    8,  true,  false, SLOT(t_double), {0}},
	{"long double",        TYPE_FLOAT,    16, true,  false, SLOT(t_ldouble), {0}},
	{"float imaginary",       TYPE_FLOAT, 4,  true,  false, 0, {0}},
	{"double imaginary",      TYPE_FLOAT, 8,  true,  false, 0, {0}},
	{"long double imaginary", TYPE_FLOAT, 16, true,  false, 0, {0}},
	{"float complex",         TYPE_FLOAT, 8,  true,  false, 0, {0}},
	{"double complex",        TYPE_FLOAT, 16, true,  false, 0, {0}},
	{"long double complex",   TYPE_FLOAT, 32, true,  false, 0, {0}},
	{"stack",              TYPE_STACK,    SIZE_STACK, false, false, SLOT(t_stack), {0}},
	{"_symaddr",           TYPE_SYMADDR,  8,  false, false, SLOT(t_symaddr), {0}},
	{"_usymaddr",          TYPE_USYMADDR, 16, false, false, SLOT(t_usymaddr), {0}},
	{"<DYN>",              TYPE_DYN,      0,  false, false, SLOT(t_dyn), {0}},
};

/* docs/spec/d-language.md §3.1: names there before any library is read */
static const struct {
	const char *name, *is;
} typedefs[] = {
	{"int8_t", "char"}, {"int16_t", "short"}, {"int32_t", "int"}, {"int64_t", "long"},
	{"uint8_t", "unsigned char"}, {"uint16_t", "unsigned short"}, {"uint32_t", "unsigned int"},
	{"uint64_t", "unsigned long"}, {"uchar_t", "unsigned char"}, {"ushort_t", "unsigned short"},
	{"uint_t", "unsigned int"}, {"ulong_t", "unsigned long"}, {"longlong_t", "long long"},
	{"u_longlong_t", "unsigned long long"}, {"size_t", "unsigned long"},
	{"uintptr_t", "unsigned long"}, {"intptr_t", "long"}, {"ssize_t", "long"},
	{"ptrdiff_t", "long"}, {"id_t", "int"}, {"pid_t", "int"}, {"uid_t", "unsigned int"},
	{"gid_t", "unsigned int"}, {"zoneid_t", "int"}, {"taskid_t", "int"}, {"projid_t", "int"},
	{"dev_t", "unsigned long"}, {"major_t", "unsigned int"}, {"minor_t", "unsigned int"},
	{"in_addr_t", "unsigned int"}, {"ipaddr_t", "unsigned int"}, {"processorid_t", "int"},
	{"psetid_t", "int"}, {"offset_t", "long long"}, {"hrtime_t", "long long"},
	{"pgcnt_t", "unsigned long"}, {USTACKID_TYPE, "unsigned long"}, {STACKID_TYPE, "unsigned long"},
};
/* clang-format on */

static struct type *type_new(struct types *ts, enum type_kind kind, const char *name)
{
	struct type *t = ARENA_NEW(ts->arena, struct type);

	t->kind = kind;
	t->name = name ? intern_str(ts->intern, name) : NULL;
	t->module = "D";
	return t;
}

static void type_publish(struct types *ts, const struct type *t)
{
	strmap_put(&ts->names, t->name, (void *)(uintptr_t)t);
}

static void base_init(struct types *ts, const struct base *b)
{
	struct type *t = type_new(ts, b->kind, b->name);

	t->module = "C";
	t->size = b->size;
	t->bits = (uint8_t)(b->size * 8);
	t->is_signed = b->is_signed;
	t->is_char = b->is_char;
	t->is_bool = strcmp(b->name, "_Bool") == 0;
	t->is_complex = strstr(b->name, " complex") != NULL;
	type_publish(ts, t);
	for (unsigned i = 0; i < ARRAY_SIZE(b->aliases) && b->aliases[i]; i++)
		strmap_put(&ts->names, b->aliases[i], t);
	if (b->slot)
		memcpy((char *)ts + b->slot, &t, sizeof(void *));
}

void types_init(struct types *ts, struct arena *arena, struct intern *intern, uint64_t strsize)
{
	struct type *t;

	memset(ts, 0, sizeof(*ts));
	ts->arena = arena;
	ts->intern = intern;
	strmap_init(&ts->names);
	hash_init(&ts->derived);
	hash_init(&ts->taken);
	for (unsigned i = 0; i < ARRAY_SIZE(bases); i++)
		base_init(ts, &bases[i]);
	t = type_new(ts, TYPE_STRING, "string");
	t->size = strsize;
	t->ref = ts->t_char;
	type_publish(ts, t);
	ts->t_string = t;
	for (unsigned i = 0; i < ARRAY_SIZE(typedefs); i++) {
		const struct type *is = strmap_get(&ts->names, typedefs[i].is);

		t = (struct type *)(uintptr_t)type_typedef(ts, typedefs[i].name, is);
		t->module = "C";
	}
	ts->t_int64 = strmap_get(&ts->names, "int64_t");
	ts->t_uint64 = strmap_get(&ts->names, "uint64_t");
	ts->t_uint32 = strmap_get(&ts->names, "uint32_t");
	ts->t_uintptr = strmap_get(&ts->names, "uintptr_t");
	ts->t_word = ts->t_long;
	ts->t_uword = ts->t_ulong;
	ts->pointer_size = 8;
	ts->t_voidptr = type_pointer(ts, ts->t_void);
	ts->t_charptr = type_pointer(ts, ts->t_char);
	type_typedef(ts, "caddr_t", ts->t_charptr);
}

bool type_is_predefined(const struct type *t)
{
	return t->kind == TYPE_TYPEDEF && strcmp(t->module, "C") == 0;
}

static void resize(const struct type *t, uint8_t size)
{
	struct type *own = (struct type *)(uintptr_t)t;

	own->size = size;
	own->bits = (uint8_t)(8 * size);
}

void types_set_ilp32(struct types *ts)
{
	static const struct {
		const char *name, *is;
	} other[] = {
		{"int64_t", "long long"},      {"uint64_t", "unsigned long long"},
		{"size_t", "unsigned int"},    {"ssize_t", "int"},
		{"uintptr_t", "unsigned int"}, {"intptr_t", "int"},
		{"ptrdiff_t", "int"},
	};

	resize(ts->t_long, 4);
	resize(ts->t_ulong, 4);
	for (unsigned i = 0; i < ARRAY_SIZE(typedefs); i++) {
		struct type *t = strmap_get(&ts->names, typedefs[i].name);

		for (unsigned k = 0; k < ARRAY_SIZE(other); k++)
			if (!strcmp(t->name, other[k].name))
				t->ref = strmap_get(&ts->names, other[k].is);
		t->size = t->ref->size;
	}
	ts->t_word = ts->t_llong;
	ts->t_uword = ts->t_ullong;
	ts->pointer_size = 4;
	ts->t_voidptr = type_pointer(ts, ts->t_void);
	ts->t_charptr = type_pointer(ts, ts->t_char);
}

void types_release(struct types *ts)
{
	strmap_release(&ts->names);
	hash_release(&ts->derived);
	hash_release(&ts->taken);
}

void types_set_strsize(struct types *ts, uint64_t strsize)
{
	((struct type *)(uintptr_t)ts->t_string)->size = strsize;
}

/* ---- derived types, one pointer each ---- */

static bool derived_same(const struct type *a, const struct type *b)
{
	if (a->kind != b->kind || a->ref != b->ref || a->nelems != b->nelems ||
	    a->is_userland != b->is_userland || a->varargs != b->varargs ||
	    a->is_vector != b->is_vector || a->nparams != b->nparams ||
	    (a->kind == TYPE_POINTER && a->size != b->size))
		return false;
	return !a->nparams || memcmp(a->params, b->params, a->nparams * sizeof(void *)) == 0;
}

static const struct type *derive(struct types *ts, const struct type *want)
{
	uint64_t key =
		hash_u64((uint64_t)(uintptr_t)want->ref ^ (uint64_t)want->kind << 56) ^
		hash_u64(want->nelems << 2 | (uint64_t)want->is_userland << 1 | want->varargs);
	const struct type *t;

	if (want->nparams)
		key ^= hash_bytes(want->params, want->nparams * sizeof(void *));
	for (; (t = hash_get(&ts->derived, key)); key++)
		if (derived_same(t, want))
			return t;
	t = arena_memdup(ts->arena, want, sizeof(*want));
	hash_put(&ts->derived, key, (void *)(uintptr_t)t);
	return t;
}

static const struct type *pointer_of(struct types *ts, const struct type *ref, uint8_t size)
{
	struct type t = {.kind = TYPE_POINTER,
			 .module = "D",
			 .ref = ref,
			 .size = size,
			 .bits = (uint8_t)(8 * size),
			 .depth = ref->depth + 1};

	return derive(ts, &t);
}

const struct type *type_pointer(struct types *ts, const struct type *ref)
{
	return pointer_of(ts, ref, ts->pointer_size);
}

const struct type *type_target_pointer(struct types *ts, const struct type *ref)
{
	return pointer_of(ts, ref, 8);
}

const struct type *type_userland(struct types *ts, const struct type *pointer)
{
	struct type t = *pointer;

	if (t.kind != TYPE_POINTER)
		return pointer;
	t.is_userland = true;
	return derive(ts, &t);
}

static const struct type *derive_array(struct types *ts, const struct type *ref, uint64_t nelems,
				       bool is_vector)
{
	struct type t = {.kind = TYPE_ARRAY,
			 .module = "D",
			 .ref = ref,
			 .nelems = nelems,
			 .depth = ref->depth + 1,
			 .is_vector = is_vector};

	if (__builtin_mul_overflow(type_size(ref), nelems, &t.size))
		t.size = 0;
	return derive(ts, &t);
}

const struct type *type_array(struct types *ts, const struct type *ref, uint64_t nelems)
{
	return derive_array(ts, ref, nelems, false);
}

const struct type *type_vector(struct types *ts, const struct type *ref, uint64_t nelems)
{
	return derive_array(ts, ref, nelems, true);
}

const struct type *type_qualified(struct types *ts, enum type_kind qual, const struct type *ref)
{
	struct type t = {
		.kind = qual, .module = "D", .ref = ref, .size = ref->size, .depth = ref->depth};

	for (const struct type *q = ref; q != type_strip_quals(q); q = q->ref)
		if (q->kind == qual)
			return ref;
	return derive(ts, &t);
}

const struct type *type_function(struct types *ts, const struct type *result,
				 const struct type *const *params, unsigned nparams, bool varargs)
{
	struct type t = {.kind = TYPE_FUNCTION,
			 .module = "D",
			 .ref = result,
			 .nparams = nparams,
			 .varargs = varargs,
			 .depth = result->depth};

	for (unsigned i = 0; i < nparams; i++)
		t.depth = MAX(t.depth, params[i]->depth);
	t.depth++;
	if (nparams)
		t.params = arena_memdup(ts->arena, params, nparams * sizeof(void *));
	return derive(ts, &t);
}

const struct type *type_typedef(struct types *ts, const char *name, const struct type *ref)
{
	struct type *t = type_new(ts, TYPE_TYPEDEF, name);

	t->ref = ref;
	t->size = ref->size;
	t->depth = ref->depth;
	type_publish(ts, t);
	return t;
}

/* ---- structs, unions, enums ---- */

struct type_builder {
	struct types *types;
	struct type *type;
	struct type_member *members;
	struct type_enumr *enumrs;
	unsigned room;
	uint64_t bits;	/* so far; of a union, its longest member */
	uint64_t align; /* bytes */
};

static const char *tag_keyword(enum type_kind kind)
{
	return kind == TYPE_STRUCT ? "struct" : kind == TYPE_UNION ? "union" : "enum";
}

static const char *tag_name(struct types *ts, enum type_kind kind, const char *tag)
{
	return arena_printf(ts->arena, "%s %s", tag_keyword(kind), tag);
}

const struct type *type_forward(struct types *ts, enum type_kind kind, const char *tag)
{
	struct type *t = type_new(ts, TYPE_FORWARD, tag_name(ts, kind, tag));

	t->forward = kind;
	type_publish(ts, t);
	return t;
}

void type_complete(const struct type *forward, const struct type *body)
{
	((struct type *)(uintptr_t)forward)->body = type_resolve(body);
}

struct type_builder *type_begin(struct types *ts, enum type_kind kind, const char *tag)
{
	struct type_builder *b = ARENA_NEW(ts->arena, struct type_builder);

	b->types = ts;
	b->type = type_new(ts, kind, tag ? tag_name(ts, kind, tag) : NULL);
	b->align = 1;
	if (kind == TYPE_ENUM) {
		b->type->size = 4;
		b->type->bits = 32;
		b->type->is_signed = true;
	}
	return b;
}

static void *grow(struct type_builder *b, const void *list, unsigned n, size_t size)
{
	void *bigger;

	if (n < b->room)
		return (void *)(uintptr_t)list;
	b->room = b->room ? b->room * 2 : 8;
	bigger = arena_alloc(b->types->arena, b->room * size);
	if (n)
		memcpy(bigger, list, n * size);
	return bigger;
}

struct taken {
	const struct type_builder *by;
	const char *name; /* interned */
};

/* False: it has this name already. */
static bool take_name(struct type_builder *b, const char *name)
{
	const struct taken want = {b, name}, *t;
	uint64_t key = hash_bytes(&want, sizeof(want));

	for (; (t = hash_get(&b->types->taken, key)); key++)
		if (t->by == b && t->name == name)
			return false;
	hash_put(&b->types->taken, key, arena_memdup(b->types->arena, &want, sizeof(want)));
	return true;
}

/* SysV x86-64: a bit-field lies in one unit of its type; an unnamed one does not align the struct.
 */
static uint64_t place_member(struct type_builder *b, const char *name, const struct type *type,
			     unsigned bits)
{
	uint64_t unit = type_size(type) * 8, align = type_align(type), at = b->bits;

	if (b->type->kind == TYPE_UNION)
		at = 0;
	if (!bits)
		at = ROUND_UP(at, align * 8);
	else if (at / unit != (at + bits - 1) / unit)
		at = ROUND_UP(at, unit);
	if (!bits || *name)
		b->align = MAX(b->align, align);
	b->bits = MAX(b->bits, at + (bits ? bits : unit));
	return at;
}

int type_add_member(struct type_builder *b, const char *name, const struct type *type,
		    unsigned bits)
{
	struct type *t = b->type;
	struct type_member *m;

	name = intern_str(b->types->intern, name);
	if (*name && !take_name(b, name))
		return -EEXIST;
	b->members = grow(b, b->members, t->nmembers, sizeof(*b->members));
	m = &b->members[t->nmembers++];
	m->name = name;
	m->type = type;
	m->bits = (uint8_t)bits;
	m->bit_offset = place_member(b, name, type, bits);
	return 0;
}

int type_add_enumr(struct type_builder *b, const char *name, int64_t value)
{
	struct type *t = b->type;

	name = intern_str(b->types->intern, name);
	if (!take_name(b, name))
		return -EEXIST;
	b->enumrs = grow(b, b->enumrs, t->nenumrs, sizeof(*b->enumrs));
	b->enumrs[t->nenumrs].name = name;
	b->enumrs[t->nenumrs++].value = value;
	return 0;
}

const struct type *type_finish(struct type_builder *b)
{
	struct type *t = b->type;
	struct type *before = t->name ? strmap_get(&b->types->names, t->name) : NULL;

	t->members = b->members;
	t->enumrs = b->enumrs;
	if (t->kind != TYPE_ENUM) {
		t->size = ROUND_UP(ROUND_UP(b->bits, 8) / 8, b->align);
		t->align = b->align;
	}
	if (before && before->kind == TYPE_FORWARD)
		before->body = t;
	if (t->name)
		type_publish(b->types, t);
	return t;
}

/* ---- names ---- */

/* One blank between words, none at the ends, none in front of stars. Returns the number of stars.
 */
static int normalise(const char *name, char *out, size_t size)
{
	size_t n = 0;
	int stars = 0;
	bool gap = false;

	for (; *name; name++) {
		if (isspace((unsigned char)*name)) {
			gap = n > 0;
			continue;
		}
		if (*name == '*') {
			stars++;
			continue;
		}
		if (stars || n + 3 > size)
			return -1;
		if (gap)
			out[n++] = ' ';
		gap = false;
		out[n++] = *name;
	}
	out[n] = '\0';
	return stars;
}

/* "struct D`s" → "struct s"; *module points to "D" in the text, or is NULL. */
static bool split_module(char *name, char *module, size_t size)
{
	char *tick = strrchr(name, '`'), *word;
	size_t n;

	*module = '\0';
	if (!tick)
		return true;
	word = strrchr(name, ' ');
	word = word && word < tick ? word + 1 : name;
	n = (size_t)(tick - word);
	if (n == 0 || n >= size)
		return false;
	memcpy(module, word, n);
	module[n] = '\0';
	memmove(word, tick + 1, strlen(tick + 1) + 1);
	return true;
}

const struct type *types_lookup(struct types *ts, const char *name)
{
	char plain[256], module[64];
	int stars = normalise(name, plain, sizeof(plain));
	const struct type *t;

	if (stars < 0 || !split_module(plain, module, sizeof(module)))
		return NULL;
	t = strmap_get(&ts->names, plain);
	if (!t || t->kind == TYPE_DYN || (*module && strcmp(module, t->module) != 0))
		return NULL;
	while (stars-- > 0)
		t = type_pointer(ts, t);
	return t;
}

/* A declarator is written around what was already written: left + inner + right. */
static void name_of(const struct type *t, const char *inner, char *buf, size_t size);

static const char *qual_word(enum type_kind kind)
{
	return kind == TYPE_CONST ? "const" : kind == TYPE_VOLATILE ? "volatile" : "restrict";
}

static void name_pointer(const struct type *t, const char *quals, const char *inner, char *buf,
			 size_t size)
{
	const struct type *to = type_strip_quals(t->ref);
	bool brackets = to->kind == TYPE_ARRAY || to->kind == TYPE_FUNCTION;
	char text[256];

	snprintf(text, sizeof(text), "%s*%s%s%s%s", brackets ? "(" : "", quals,
		 *quals && *inner ? " " : "", inner, brackets ? ")" : "");
	name_of(t->ref, text, buf, size);
}

static void name_function(const struct type *t, const char *inner, char *buf, size_t size)
{
	char text[256];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s(", inner);

	for (unsigned i = 0; i < t->nparams && n < sizeof(text); i++) {
		char param[128];

		type_name(t->params[i], param, sizeof(param));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "", param);
	}
	if (n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s)",
			 !t->varargs  ? ""
			 : t->nparams ? ", ..."
				      : "...");
	name_of(t->ref, text, buf, size);
}

static void name_of(const struct type *t, const char *inner, char *buf, size_t size)
{
	char quals[32] = "", text[256];
	enum type_kind kind;
	const char *name;

	for (; t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE || t->kind == TYPE_RESTRICT;
	     t = t->ref) {
		size_t n = strlen(quals);

		snprintf(quals + n, sizeof(quals) - n, "%s%s", n ? " " : "", qual_word(t->kind));
	}
	switch (t->kind) {
	case TYPE_POINTER:
		name_pointer(t, quals, inner, buf, size);
		return;
	case TYPE_ARRAY:
		snprintf(text, sizeof(text), "%s[%llu]", inner, (unsigned long long)t->nelems);
		name_of(t->ref, text, buf, size);
		return;
	case TYPE_FUNCTION:
		name_function(t, inner, buf, size);
		return;
	default:
		break;
	}
	kind = t->kind == TYPE_FORWARD ? t->forward : t->kind;
	name = t->name		     ? t->name
	       : kind == TYPE_STRUCT ? "struct <anonymous>"
	       : kind == TYPE_UNION  ? "union <anonymous>"
				     : "enum <anonymous>";
	snprintf(buf, size, "%s%s%s%s%s", quals, *quals ? " " : "", name, *inner ? " " : "", inner);
}

char *type_name(const struct type *t, char *buf, size_t size)
{
	const struct type *to = t;
	size_t n = 0;

	while (to->kind == TYPE_POINTER && !to->is_userland)
		to = to->ref;
	if (to->kind == TYPE_POINTER)
		n = (size_t)snprintf(buf, size, "userland ");
	if (n < size)
		name_of(t, "", buf + n, size - n);
	return buf;
}
