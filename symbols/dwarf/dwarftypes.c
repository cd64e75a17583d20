/*
 * dwarftypes.c: entries of types to the type graph. Every entry is made once; while it is made it
 * stands as void, so that a file whose types go round in circles ends.
 */
#include <stdlib.h>

#include "symbols/dwarf/dwarf_priv.h"

#define MAX_PARAM_DEPTH 6 /* of a parameter of a function type: names of types grow with it */
#define MAX_FUNC_PARAMS 16
#define MAX_DIMENSIONS	16
#define BYTES_OF_128	16

static const struct type *convert(struct dwarf *, Dwarf_Die *, unsigned depth);

struct type *dwarf_new_type(const struct dwarf *d, enum type_kind kind, const char *name)
{
	struct type *t = ARENA_NEW(d->dt->types->arena, struct type);

	t->kind = kind;
	t->name = name ? intern_str(d->dt->types->intern, name) : NULL;
	t->module = d->module;
	return t;
}

bool dwarf_number(Dwarf_Die *die, unsigned name, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (!dwarf_attr_integrate(die, name, &a) || dwarf_formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

/* The entry that an attribute leads to; what is only a signature, to the type unit it stands for.
 */
bool dwarf_follow(struct dwarf *d, Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
	Dwarf_Attribute a;

	if (!dwarf_attr_integrate(die, name, &a) ||
	    (!dwarf_formref_die(&a, to) && !dwarf_split_type(d, &a, to)))
		return false;
	if (name != DW_AT_signature && dwarf_hasattr(to, DW_AT_signature)) {
		Dwarf_Die stub = *to;

		return dwarf_follow(d, &stub, DW_AT_signature, to);
	}
	return true;
}

const struct type *dwarf_referenced(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die t;

	if (!dwarf_follow(d, die, DW_AT_type, &t))
		return d->dt->types->t_void;
	return convert(d, &t, depth + 1);
}

/* ---- base types ---- */

const struct type *dwarf_bytes_type(struct dwarf *d, uint64_t size)
{
	return type_array(d->dt->types, d->dt->types->t_uchar, size);
}

static const struct type *int_of_size(struct dwarf *d, uint64_t size, bool is_signed, bool is_char)
{
	const struct types *ts = d->dt->types;

	switch (size) {
	case 1:
		return is_char && is_signed ? ts->t_char : is_signed ? ts->t_schar : ts->t_uchar;
	case 2:
		return is_signed ? ts->t_short : ts->t_ushort;
	case 4:
		return is_signed ? ts->t_int : ts->t_uint;
	case 8:
		return is_signed ? ts->t_long : ts->t_ulong;
	case BYTES_OF_128:
		return is_signed ? d->dt->t_int128 : d->dt->t_uint128;
	default:
		return dwarf_bytes_type(d, size);
	}
}

/* What the processor computes in SSE registers only, and D has no type for: its bytes. */
static const struct type *sse_type(struct dwarf *d, uint64_t size)
{
	return type_vector(d->dt->types, d->dt->types->t_uchar, size);
}

static bool is_quad(const char *name)
{
	return name && (strstr(name, "128") || strstr(name, "kind=16"));
}

static const struct type *float_type(struct dwarf *d, const char *name, uint64_t size)
{
	struct types *ts = d->dt->types;
	const struct type *t = name ? types_lookup(ts, name) : NULL;

	if (t && type_is_float(t) && t->size == size)
		return t;
	if (size == 4)
		return ts->t_float;
	if (size == 8)
		return ts->t_double;
	return size == 16 && !is_quad(name) ? ts->t_ldouble : sse_type(d, size);
}

static const struct type *complex_type(struct dwarf *d, const char *name, uint64_t size)
{
	const char *text = size == 8	? "float complex"
			   : size == 16 ? "double complex"
			   : size == 32 ? "long double complex"
					: NULL;

	return text && !(size == 32 && is_quad(name)) ? types_lookup(d->dt->types, text)
						      : dwarf_bytes_type(d, size);
}

static const struct type *base_type(struct dwarf *d, Dwarf_Die *die)
{
	const char *name = dwarf_name(d, die);
	struct types *ts = d->dt->types;
	uint64_t encoding = 0, size = 0;
	bool is_signed, is_char;
	const struct type *t;

	dwarf_number(die, DW_AT_encoding, &encoding);
	dwarf_number(die, DW_AT_byte_size, &size);
	if (encoding == DW_ATE_boolean && size == 1)
		return ts->t_bool;
	if (encoding == DW_ATE_float || encoding == DW_ATE_decimal_float)
		return encoding == DW_ATE_float ? float_type(d, name, size) : sse_type(d, size);
	if (encoding == DW_ATE_complex_float)
		return complex_type(d, name, size);
	is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	is_char = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
		  encoding == DW_ATE_UTF;
	if (!is_signed && !is_char && encoding != DW_ATE_unsigned && encoding != DW_ATE_boolean &&
	    encoding != DW_ATE_address)
		return dwarf_bytes_type(d, size);
	t = name ? types_lookup(ts, name) : NULL;
	if (t && t->kind == TYPE_INT && t->size == size && t->is_signed == is_signed)
		return t;
	return int_of_size(d, size, is_signed, is_char);
}

/* ---- the rest ---- */

static uint64_t dimension(Dwarf_Die *die)
{
	uint64_t n = 0, upper = 0, lower = 0;

	if (dwarf_number(die, DW_AT_count, &n))
		return n;
	dwarf_number(die, DW_AT_lower_bound, &lower);
	if (!dwarf_number(die, DW_AT_upper_bound, &upper) || upper == UINT64_MAX || upper < lower)
		return 0; /* its size is not known here, or it has no elements */
	return upper - lower + 1;
}

static const struct type *array(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct type *t = dwarf_referenced(d, die, depth);
	uint64_t dims[MAX_DIMENSIONS];
	unsigned n = 0;
	Dwarf_Die child;

	if (dwarf_child(die, &child) == 0) {
		do
			if (dwarf_tag(&child) == DW_TAG_subrange_type)
				dims[n++] = dimension(&child);
		while (n < MAX_DIMENSIONS && dwarf_next(&child));
	}
	if (n == 0)
		dims[n++] = 0;
	if (n == 1 && dwarf_hasattr(die, DW_AT_GNU_vector))
		return type_vector(d->dt->types, t, dims[0]);
	while (n > 0)
		t = type_array(d->dt->types, t, dims[--n]);
	return t;
}

static const struct type *function(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct type *result = dwarf_referenced(d, die, depth), *params[MAX_FUNC_PARAMS];
	struct types *ts = d->dt->types;
	bool varargs = false;
	Dwarf_Die child;
	unsigned n = 0;

	if (dwarf_hasattr(die, DW_AT_byte_size)) /* a value of Go, which points to a closure */
		return ts->t_voidptr;
	if (dwarf_child(die, &child) == 0) {
		do {
			if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
				varargs = true;
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (n == MAX_FUNC_PARAMS) {
				varargs = true;
				break;
			}
			params[n] = dwarf_referenced(d, &child, depth);
			if (params[n]->depth > MAX_PARAM_DEPTH)
				params[n] = ts->t_voidptr;
			n++;
		} while (dwarf_next(&child));
	}
	if (result->depth > MAX_PARAM_DEPTH)
		result = ts->t_voidptr;
	return type_function(ts, result, params, n, varargs);
}

static const struct type *alias(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct type *ref = dwarf_referenced(d, die, depth);
	struct type *t;

	if (!dwarf_name(d, die))
		return ref;
	t = dwarf_new_type(d, TYPE_TYPEDEF, dwarf_name(d, die));
	t->ref = ref;
	t->size = ref->size;
	t->depth = ref->depth;
	return t;
}

static const struct type *pointer(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	const struct type *ref = dwarf_referenced(d, die, depth);

	return type_target_pointer(d->dt->types,
				   ref->depth < MAX_DEPTH ? ref : d->dt->types->t_void);
}

/* Itanium C++ ABI §2.3: an offset, or for functions an address and an adjustment of `this`. */
static const struct type *member_pointer(struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Die to;

	if (dwarf_follow(d, die, DW_AT_type, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type)
		return d->dt->t_method;
	return d->dt->types->t_long;
}

static bool is_nullptr(struct dwarf *d, Dwarf_Die *die)
{
	const char *name = dwarf_name(d, die);

	return name && strcmp(name, "decltype(nullptr)") == 0;
}

static const struct type *make(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	struct types *ts = d->dt->types;
	uint64_t size = 0;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return base_type(d, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return pointer(d, die, depth);
	case DW_TAG_ptr_to_member_type:
		return member_pointer(d, die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return dwarf_structure(d, die);
	case DW_TAG_enumeration_type:
		return dwarf_enumeration(d, die, depth);
	case DW_TAG_array_type:
		return array(d, die, depth);
	case DW_TAG_subroutine_type:
		return function(d, die, depth);
	case DW_TAG_typedef:
		return alias(d, die, depth);
	case DW_TAG_const_type:
		return type_qualified(ts, TYPE_CONST, dwarf_referenced(d, die, depth));
	case DW_TAG_volatile_type:
		return type_qualified(ts, TYPE_VOLATILE, dwarf_referenced(d, die, depth));
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return dwarf_referenced(d, die, depth);
	case DW_TAG_unspecified_type: /* nullptr_t is passed like a pointer */
		return is_nullptr(d, die) ? ts->t_voidptr : ts->t_void;
	default: /* of another language: its bytes */
		dwarf_number(die, DW_AT_byte_size, &size);
		return size ? dwarf_bytes_type(d, size) : ts->t_void;
	}
}

static const struct type *convert(struct dwarf *d, Dwarf_Die *die, unsigned depth)
{
	uint64_t key = (uintptr_t)die->addr;
	const struct type *t = hash_get(&d->dt->by_die, key);

	if (t)
		return t;
	t = d->dt->types->t_void;
	if (depth > MAX_DEPTH)
		return t;
	hash_put(&d->dt->by_die, key, (void *)(uintptr_t)t);
	t = make(d, die, depth);
	hash_put(&d->dt->by_die, key, (void *)(uintptr_t)t);
	return t;
}

const struct type *dwarf_type_from(struct dwarf *d, Dwarf_Die *die)
{
	return dwarf_complete_value(d, convert(d, die, 0), 0);
}

const struct type *dwarf_type_of(struct dwarf *d, Dwarf_Die *die)
{
	return dwarf_complete_value(d, dwarf_referenced(d, die, 0), 0);
}

/* ---- what all files share ---- */

/* Two words that the file has no structure for. */
static const struct type *two_words(struct types *ts, const char *name,
				    const struct type_member members[2], uint64_t align)
{
	struct type *t = ARENA_NEW(ts->arena, struct type);

	t->kind = TYPE_STRUCT;
	t->name = name ? intern_str(ts->intern, name) : NULL;
	t->module = "C";
	t->size = BYTES_OF_128;
	t->align = align;
	t->members = arena_memdup(ts->arena, members, 2 * sizeof(*members));
	t->nmembers = 2;
	return t;
}

static const struct type *wide_int(struct types *ts, const char *name, const struct type *high)
{
	const struct type_member m[] = {{.name = "low", .type = ts->t_ulong},
					{.name = "high", .type = high, .bit_offset = 64}};

	return two_words(ts, name, m, BYTES_OF_128);
}

static const struct type *method_pointer(struct types *ts)
{
	const struct type_member m[] = {{.name = "ptr", .type = ts->t_uintptr},
					{.name = "adj", .type = ts->t_long, .bit_offset = 64}};

	return two_words(ts, NULL, m, 8);
}

struct dwarf_types *dwarf_types_new(struct types *ts)
{
	struct dwarf_types *dt = xcalloc(1, sizeof(*dt));

	dt->types = ts;
	hash_init(&dt->by_die);
	hash_init(&dt->lazy);
	strmap_init(&dt->tags);
	dt->t_int128 = wide_int(ts, "__int128", ts->t_long);
	dt->t_uint128 = wide_int(ts, "unsigned __int128", ts->t_ulong);
	dt->t_method = method_pointer(ts);
	return dt;
}

void dwarf_types_free(struct dwarf_types *dt)
{
	hash_release(&dt->by_die);
	hash_release(&dt->lazy);
	strmap_release(&dt->tags);
	free(dt);
}
