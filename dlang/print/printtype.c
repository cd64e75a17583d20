/*
 * printtype.c: print(): a value with its types and members (docs/spec/d-language.md §12.8), in the
 * classic form for values and as a C initialiser for what a pointer points to.
 */
#include "dlang/print/printtype.h"

#include <ctype.h>

#define STEP	    4 /* blanks per level of the classic form */
#define TYPE_NAME   256
#define INIT_BLANKS 44 /* before the outermost line of an initialiser */

static bool is_char(const struct type *t)
{
	return t->kind == TYPE_INT && t->is_char && t->size == 1;
}

/* Bytes of one element; 0: there is nothing to show. */
static uint64_t stride(const struct type *array)
{
	return type_size(array->ref);
}

static bool is_zero(const char *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* As the program has it: there, all pointers are userland. */
static const char *shown_name(const struct type *t, char text[static TYPE_NAME])
{
	static const char userland[] = "userland ";

	type_name(t, text, TYPE_NAME);
	return strncmp(text, userland, strlen(userland)) == 0 ? text + strlen(userland) : text;
}

/* ---- scalars ---- */

static uint64_t load(const struct type *t, const char *p)
{
	uint64_t v = 0;

	memcpy(&v, p, MIN(t->size, sizeof(v)));
	return v;
}

static int64_t extend(const struct type *t, uint64_t v, unsigned bits)
{
	unsigned gap = 64 - bits;

	if (!bits || bits >= 64)
		return (int64_t)v;
	return t->is_signed ? (int64_t)(v << gap) >> gap : (int64_t)(v << gap >> gap);
}

static uint64_t load_bits(const struct type_member *m, const char *base, uint64_t size)
{
	uint64_t v = 0, at = m->bit_offset / 8;
	unsigned shift = m->bit_offset % 8;
	uint8_t high = 0;

	memcpy(&v, base + at, MIN(size - at, sizeof(v)));
	if (shift && size - at > 8)
		high = (uint8_t)base[at + 8];
	v = shift ? v >> shift | (uint64_t)high << (64 - shift) : v;
	return m->bits < 64 ? v & ((1ULL << m->bits) - 1) : v;
}

static void add_char(struct strbuf *out, char c)
{
	if (isprint((unsigned char)c))
		strbuf_addf(out, "'%c'", c);
	else if (!c)
		strbuf_adds(out, "'\\0'");
	else
		strbuf_addf(out, "'\\%03o'", (unsigned char)c);
}

static void add_float(struct strbuf *out, uint64_t size, const char *p)
{
	long double l = 0;
	double d;
	float f;

	if (size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		strbuf_addf(out, "%+.7e", (double)f);
	} else if (size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
		strbuf_addf(out, "%+.7e", d);
	} else {
		memcpy(&l, p, 10); /* the rest is padding */
		strbuf_addf(out, "%+.16LE", l);
	}
}

static void add_complex(struct strbuf *out, uint64_t size, const char *p)
{
	add_float(out, size / 2, p);
	add_float(out, size / 2, p + size / 2);
	strbuf_addc(out, 'i');
}

static const char *enumerator(const struct type *t, int64_t v)
{
	for (unsigned i = 0; i < t->nenumrs; i++)
		if (t->enumrs[i].value == v)
			return t->enumrs[i].name;
	return NULL;
}

static bool is_function_pointer(const struct type *t)
{
	return t->kind == TYPE_POINTER && type_resolve(t->ref)->kind == TYPE_FUNCTION;
}

/* What both forms show alike; false: it is a number. */
static bool add_special(const struct printer *pr, const struct type *t, const char *p)
{
	const char *name;

	if (is_char(t)) {
		add_char(pr->out, *p);
	} else if (t->kind == TYPE_FLOAT && t->is_complex) {
		add_complex(pr->out, t->size, p);
	} else if (t->kind == TYPE_FLOAT) {
		add_float(pr->out, t->size, p);
	} else if (t->kind == TYPE_ENUM) {
		int64_t v = extend(t, load(t, p), (unsigned)t->size * 8);

		name = enumerator(t, v);
		if (name)
			strbuf_adds(pr->out, name);
		else
			strbuf_addf(pr->out, "%lld", (long long)v);
	} else if (t->kind == TYPE_FORWARD) {
		strbuf_adds(pr->out, "<forward decl>");
	} else {
		return false;
	}
	return true;
}

static void classic_scalar(const struct printer *pr, const struct type *t, const char *p)
{
	if (add_special(pr, t, p))
		return;
	if (is_function_pointer(t) && load(t, p))
		printer_user_address(pr, load(t, p));
	else
		strbuf_addf(pr->out, "%#llx", (unsigned long long)load(t, p));
}

/* ---- arrays ---- */

/* Printable characters up to a NUL? */
static bool is_text(const struct type *t, const char *p)
{
	uint64_t n = t->nelems;

	if (!is_char(type_resolve(t->ref)) || !n)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		if (!p[i])
			return true;
		if (!isprint((unsigned char)p[i]))
			return false;
	}
	return false;
}

static void classic_value(const struct printer *, const struct type *, const char *,
			  unsigned depth);
static void classic_member(const struct printer *, const struct type *, const struct type_member *,
			   const char *, uint64_t size, unsigned depth);

static void classic_array(const struct printer *pr, const struct type *t, const char *p,
			  unsigned depth)
{
	bool has_structs = type_is_sou(t->ref);
	uint64_t size = stride(t), n = size ? t->nelems : 0;

	if (is_text(t, p)) {
		strbuf_addf(pr->out, depth ? "[ \"%s\" ]" : "\"%s\"", p);
		return;
	}
	strbuf_adds(pr->out, has_structs ? "[ \n" : "[ ");
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			strbuf_adds(pr->out, has_structs ? ", \n" : ", ");
		if (has_structs)
			classic_member(pr, t->ref, NULL, p + i * size, size, depth + 1);
		else
			classic_value(pr, type_resolve(t->ref), p + i * size, depth + 1);
	}
	if (has_structs) {
		strbuf_addc(pr->out, '\n');
		printer_blanks(pr, STEP * (size_t)depth);
		strbuf_addc(pr->out, ']');
	} else {
		strbuf_adds(pr->out, n ? " ]" : "]");
	}
}

/* ---- the classic form ---- */

static void classic_struct(const struct printer *pr, const struct type *t, const char *p,
			   unsigned depth)
{
	strbuf_adds(pr->out, "{\n");
	for (unsigned i = 0; i < t->nmembers; i++) {
		const struct type_member *m = &t->members[i];

		if ((m->bits && !*m->name) || !type_has_member(t, m, p))
			continue; /* padding, or another variant */
		classic_member(pr, m->type, m, m->bits ? p : p + m->bit_offset / 8, t->size,
			       depth + 1);
		strbuf_addc(pr->out, '\n');
	}
	printer_blanks(pr, STEP * (size_t)depth);
	strbuf_addc(pr->out, '}');
}

static void classic_value(const struct printer *pr, const struct type *t, const char *p,
			  unsigned depth)
{
	if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION)
		classic_struct(pr, t, p, depth);
	else if (type_is_string(t)) /* an array of characters, whatever they are */
		strbuf_addf(pr->out, "[ \"%.*s\" ]", (int)strnlen(p, t->size), p);
	else if (t->kind == TYPE_ARRAY)
		classic_array(pr, t, p, depth);
	else
		classic_scalar(pr, t, p);
}

/* One line of the classic form without its newline. m NULL: it has no name. */
static void classic_member(const struct printer *pr, const struct type *t,
			   const struct type_member *m, const char *p, uint64_t size,
			   unsigned depth)
{
	char text[TYPE_NAME];
	const char *name = shown_name(t, text);
	size_t n;

	printer_blanks(pr, STEP * (size_t)depth);
	strbuf_adds(pr->out, name);
	if (m && *m->name) {
		n = strlen(name);
		if (n && name[n - 1] != '*' && name[n - 1] != ' ')
			strbuf_addc(pr->out, ' ');
		strbuf_adds(pr->out, m->name);
		if (m->bits)
			strbuf_addf(pr->out, " :%u", m->bits);
		strbuf_adds(pr->out, " =");
	}
	strbuf_addc(pr->out, ' ');
	if (m && m->bits)
		strbuf_addf(pr->out, "%#llx", (unsigned long long)load_bits(m, p, size));
	else
		classic_value(pr, type_resolve(t), p, depth);
}

static void print_value(const struct printer *pr, const struct rec *rec, const char *data)
{
	const struct type *t = type_resolve(rec->type);

	if (rec->kind == REC_STRING) {
		strbuf_addf(pr->out, "string \"%.*s\"\n", (int)strnlen(data, rec->size), data);
		return;
	}
	classic_member(pr, rec->type, NULL, data, rec->size, 0);
	if (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION)
		strbuf_addc(pr->out, '\n');
}

/* ---- the initialiser ---- */

#define MAX_DEPTH 10 /* of structures and arrays in each other */

/* What has been taken of the value ends somewhere; the first member beyond is "...". */
struct init {
	const struct printer *pr;
	const char *end;
	bool is_cut;
};

static void init_value(struct init *, const struct type *, const char *name, const char *,
		       unsigned depth);

/* Only what is called so, not every integer of its size. */
static bool is_plain_char(const struct type *type)
{
	const struct type *t = type_strip_quals(type);

	return is_char(t) && strcmp(t->name, "char") == 0;
}

/* Of what has no name: "struct", "union [2]". */
static void init_begin(const struct printer *pr, const struct type *type, const char *name,
		       unsigned depth)
{
	static const char anonymous[] = " <anonymous>";
	char text[TYPE_NAME];
	const char *shown = shown_name(type, text), *nameless = strstr(shown, anonymous);

	printer_blanks(pr, INIT_BLANKS + (size_t)depth);
	if (*name)
		strbuf_addf(pr->out, ".%s = ", name);
	if (nameless)
		strbuf_addf(pr->out, "(%.*s%s)", (int)(nameless - shown), shown,
			    nameless + strlen(anonymous));
	else
		strbuf_addf(pr->out, "(%s)", shown);
}

static void init_number(const struct printer *pr, const struct type *t, uint64_t v)
{
	if (t->kind == TYPE_POINTER)
		strbuf_addf(pr->out, "0x%llx", (unsigned long long)v);
	else if (t->is_signed)
		strbuf_addf(pr->out, "%lld", (long long)v);
	else
		strbuf_addf(pr->out, "%llu", (unsigned long long)v);
}

static void init_dots(const struct init *in, unsigned depth)
{
	printer_blanks(in->pr, INIT_BLANKS + (size_t)depth);
	strbuf_adds(in->pr->out, "...\n");
}

static bool is_beyond(const struct init *in, const char *p, uint64_t size)
{
	return p > in->end || size > (uint64_t)(in->end - p);
}

static bool is_left_out(const struct init *in, const char *p, uint64_t size)
{
	return !is_beyond(in, p, size) && is_zero(p, size);
}

static void init_bits(struct init *in, const struct type *t, const struct type_member *m,
		      const char *p, unsigned depth)
{
	uint64_t last = (m->bit_offset + m->bits + 7) / 8, v;

	if (!*m->name)
		return;
	if (is_beyond(in, p, last)) {
		init_dots(in, depth);
		in->is_cut = true;
		return;
	}
	v = load_bits(m, p, MIN(t->size, (uint64_t)(in->end - p)));
	if (!v)
		return;
	init_begin(in->pr, m->type, m->name, depth);
	init_number(in->pr, type_resolve(m->type),
		    (uint64_t)extend(type_resolve(m->type), v, m->bits));
	strbuf_adds(in->pr->out, ",\n");
}

static void init_members(struct init *in, const struct type *t, const char *p, unsigned depth)
{
	for (unsigned i = 0; i < t->nmembers && !in->is_cut; i++) {
		const struct type_member *m = &t->members[i];
		const char *at = p + m->bit_offset / 8;

		if (m->bits)
			init_bits(in, t, m, p, depth);
		else if (m->is_variant ? type_has_member(t, m, p)
				       : !is_left_out(in, at, type_size(m->type)))
			init_value(in, m->type, m->name, at, depth);
	}
}

static void init_elements(struct init *in, const struct type *t, const char *p, unsigned depth)
{
	bool is_text = is_plain_char(t->ref);
	uint64_t size = stride(t);

	for (uint64_t i = 0; size && i < t->nelems && !in->is_cut; i++) {
		if (is_text && !is_beyond(in, p + i, 1) && !p[i])
			return;
		if (!is_left_out(in, p + i * size, size))
			init_value(in, t->ref, "", p + i * size, depth);
	}
}

static void init_characters(struct init *in, const struct type *t, const char *p, unsigned depth)
{
	for (uint64_t i = 0; i < t->size && !is_beyond(in, p + i, 1) && p[i]; i++) {
		printer_blanks(in->pr, INIT_BLANKS + (size_t)depth);
		strbuf_adds(in->pr->out, "(char)");
		add_char(in->pr->out, p[i]);
		strbuf_adds(in->pr->out, ",\n");
	}
}

/* Between its brackets, or behind its type. */
static void init_inside(struct init *in, const struct type *type, const char *p, unsigned depth)
{
	const struct type *t = type_resolve(type);
	bool is_array = t->kind == TYPE_ARRAY || type_is_string(t);

	if (is_array || type_is_sou(t)) {
		strbuf_adds(in->pr->out, is_array ? " [\n" : " {\n");
		if (depth == MAX_DEPTH)
			init_dots(in, depth + 1);
		else if (type_is_string(t))
			init_characters(in, t, p, depth + 1);
		else if (is_array)
			init_elements(in, t, p, depth + 1);
		else
			init_members(in, t, p, depth + 1);
		printer_blanks(in->pr, INIT_BLANKS + (size_t)depth);
		strbuf_addc(in->pr->out, is_array ? ']' : '}');
	} else if ((is_char(t) && !is_plain_char(type)) || !add_special(in->pr, t, p)) {
		init_number(in->pr, t,
			    (uint64_t)extend(t, load(t, p), (unsigned)MIN(t->size, 8) * 8));
	}
}

static void init_value(struct init *in, const struct type *type, const char *name, const char *p,
		       unsigned depth)
{
	const struct type *t = type_resolve(type);
	bool has_parts = t->kind == TYPE_ARRAY || type_is_string(t) || type_is_sou(t);

	if (is_beyond(in, p, has_parts ? 1 : t->size)) {
		init_dots(in, depth);
		in->is_cut = true;
		return;
	}
	init_begin(in->pr, type, name, depth);
	init_inside(in, type, p, depth);
	strbuf_adds(in->pr->out, ",\n");
}

static void print_pointee(const struct printer *pr, const struct rec *rec, const char *p)
{
	uint64_t taken = rec->size - 8, max = (uint64_t)opt(pr->options, OPT_PRINTSIZE);
	struct init in = {pr, p + (max ? MIN(taken, max) : taken), false};
	const struct type *t = type_resolve(rec->type);
	bool has_parts = t->kind == TYPE_ARRAY || type_is_string(t) || type_is_sou(t);

	if (is_beyond(&in, p, has_parts ? 1 : t->size)) {
		init_dots(&in, 0);
		return;
	}
	init_begin(pr, rec->type, "", 0);
	init_inside(&in, rec->type, p, 0);
	strbuf_adds(pr->out, has_parts ? "\n" : ",\n");
}

void printer_print(const struct printer *pr, const struct rec *rec, const char *data)
{
	uint64_t addr;

	if (rec->kind != REC_POINTEE) {
		print_value(pr, rec, data);
		return;
	}
	memcpy(&addr, data, sizeof(addr));
	strbuf_addf(pr->out, "0x%llx = *\n", (unsigned long long)addr);
	print_pointee(pr, rec, data + sizeof(addr));
}
