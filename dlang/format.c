#include "dlang/format.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>

/* ---- the conversions ---- */

static bool is_int_of(const struct type *type, uint64_t size)
{
	const struct type *t = type_resolve(type);

	return t->kind == TYPE_INT && t->size == size;
}

static bool accepts_int(const struct type *t, bool has_target UNUSED)
{
	return type_is_integer(t);
}

static bool accepts_char(const struct type *t, bool has_target UNUSED)
{
	return type_is_integer(t) && type_resolve(t)->size <= 4;
}

static bool accepts_short(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 2);
}

static bool accepts_ushort(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 2) && !type_is_signed(t);
}

static bool accepts_wchar(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 4);
}

static bool accepts_long(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 8);
}

static bool accepts_signed_long(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 8) && type_is_signed(t);
}

static bool accepts_ulong(const struct type *t, bool has_target UNUSED)
{
	return is_int_of(t, 8) && !type_is_signed(t);
}

static bool accepts_float(const struct type *t, bool has_target UNUSED)
{
	return type_is_float(t) && !type_resolve(t)->is_complex;
}

static bool accepts_ldouble(const struct type *t, bool has_target UNUSED)
{
	return accepts_float(t, false) && type_resolve(t)->size == sizeof(long double);
}

static bool accepts_pointer(const struct type *t, bool has_target UNUSED)
{
	return type_is_integer(t) || type_is_pointer(t);
}

static bool accepts_addr(const struct type *t, bool has_target UNUSED)
{
	return type_resolve(t)->kind == TYPE_SYMADDR || type_is_integer(t) || type_is_pointer(t);
}

static bool accepts_uaddr(const struct type *t, bool has_target)
{
	return type_resolve(t)->kind == TYPE_USYMADDR ||
	       (has_target && (type_is_integer(t) || type_is_pointer(t)));
}

static bool is_array_of(const struct type *type, uint64_t size)
{
	const struct type *t = type_resolve(type);

	return t->kind == TYPE_ARRAY && is_int_of(t->ref, size);
}

static bool accepts_string(const struct type *t, bool has_target UNUSED)
{
	return type_is_string(t) || is_array_of(t, 1);
}

static bool accepts_wstring(const struct type *t, bool has_target UNUSED)
{
	return is_array_of(t, 4);
}

static bool accepts_stack(const struct type *t, bool has_target UNUSED)
{
	return type_resolve(t)->kind == TYPE_STACK || type_is_named(t, USTACKID_TYPE) ||
	       type_is_named(t, STACKID_TYPE);
}

#define ANY_INT	  "char, short, int, long, or long long"
#define TEXT	  "char [] or string (or use stringof)"
#define ANY_FLOAT "float, double, or long double"

static const struct pconv conversions[] = {
	/* clang-format off */
	{"a",   "pointer or integer", accepts_addr, CONV_ADDR},
	{"A",   "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)", accepts_uaddr, CONV_UADDR},
	{"c",   "char, short, or int", accepts_char, CONV_CHAR},
	{"C",   "char, short, or int", accepts_char, CONV_CHARESC},
	{"d",   ANY_INT, accepts_int, CONV_DECIMAL},
	{"i",   ANY_INT, accepts_int, CONV_DECIMAL},
	{"u",   ANY_INT, accepts_int, CONV_UNSIGNED},
	{"o",   ANY_INT, accepts_int, CONV_OCTAL},
	{"x",   ANY_INT, accepts_int, CONV_HEX},
	{"X",   ANY_INT, accepts_int, CONV_HEXUP},
	{"e",   ANY_FLOAT, accepts_float, CONV_FLOAT},
	{"E",   ANY_FLOAT, accepts_float, CONV_FLOAT},
	{"f",   ANY_FLOAT, accepts_float, CONV_FLOAT},
	{"g",   ANY_FLOAT, accepts_float, CONV_FLOAT},
	{"G",   ANY_FLOAT, accepts_float, CONV_FLOAT},
	{"hd",  "short", accepts_short, CONV_DECIMAL},
	{"hi",  "short", accepts_short, CONV_DECIMAL},
	{"ho",  "unsigned short", accepts_short, CONV_OCTAL},
	{"hu",  "unsigned short", accepts_short, CONV_UNSIGNED},
	{"hx",  "short", accepts_short, CONV_HEX},
	{"hX",  "short", accepts_short, CONV_HEXUP},
	{"I",   TEXT, accepts_string, CONV_HOST},
	{"k",   "stack", accepts_stack, CONV_STACK},
	{"ld",  "long", accepts_long, CONV_DECIMAL},
	{"li",  "long", accepts_long, CONV_DECIMAL},
	{"lo",  "unsigned long", accepts_long, CONV_OCTAL},
	{"lu",  "unsigned long", accepts_long, CONV_UNSIGNED},
	{"lx",  "long", accepts_long, CONV_HEX},
	{"lX",  "long", accepts_long, CONV_HEXUP},
	{"lc",  "wchar_t", accepts_wchar, CONV_WCHAR},
	{"ls",  "wchar_t []", accepts_wstring, CONV_WSTRING},
	{"lld", "long long", accepts_signed_long, CONV_DECIMAL},
	{"lli", "long long", accepts_signed_long, CONV_DECIMAL},
	{"llo", "unsigned long long", accepts_ulong, CONV_OCTAL},
	{"llu", "unsigned long long", accepts_ulong, CONV_UNSIGNED},
	{"llx", "long long", accepts_long, CONV_HEX},
	{"llX", "long long", accepts_long, CONV_HEXUP},
	{"Le",  "long double", accepts_ldouble, CONV_FLOAT},
	{"LE",  "long double", accepts_ldouble, CONV_FLOAT},
	{"Lf",  "long double", accepts_ldouble, CONV_FLOAT},
	{"Lg",  "long double", accepts_ldouble, CONV_FLOAT},
	{"LG",  "long double", accepts_ldouble, CONV_FLOAT},
	{"p",   "pointer or integer", accepts_pointer, CONV_HEX},
	{"P",   "uint16_t", accepts_ushort, CONV_PORT},
	{"s",   TEXT, accepts_string, CONV_STRING},
	{"S",   TEXT, accepts_string, CONV_STRESC},
	{"T",   "int64_t", accepts_long, CONV_MAILTIME},
	{"wc",  "wchar_t", accepts_wchar, CONV_WCHAR},
	{"ws",  "wchar_t []", accepts_wstring, CONV_WSTRING},
	{"Y",   "int64_t", accepts_long, CONV_TIME},
	/* clang-format on */
};

static const struct pconv *find_conversion(const char *name, size_t n)
{
	for (unsigned i = 0; i < ARRAY_SIZE(conversions); i++)
		if (strlen(conversions[i].name) == n && !memcmp(conversions[i].name, name, n))
			return &conversions[i];
	return NULL;
}

/* ---- parsing ---- */

struct parser {
	const char *p;
	char *literal; /* where literal text goes */
	unsigned num;  /* of the conversion being read */
	struct err *err;
};

static unsigned flag_of(char c)
{
	switch (c) {
	case '-':
		return PF_LEFT;
	case '0':
		return PF_ZERO;
	case '+':
		return PF_PLUS;
	case ' ':
		return PF_SPACE;
	case '#':
		return PF_ALT;
	case '\'':
		return PF_GROUP;
	case '@':
		return PF_AGG;
	default:
		return 0;
	}
}

static int take_width(struct parser *ps)
{
	int64_t n = 0;

	for (; isdigit((unsigned char)*ps->p); ps->p++)
		n = MIN(n * 10 + (*ps->p - '0'), INT_MAX);
	return (int)n;
}

static int take_star(struct parser *ps, struct pdir *d, bool in_prec)
{
	unsigned flag = in_prec ? PF_DYNPREC : PF_DYNWIDTH;

	if (d->flags & flag)
		return err_set(ps->err, -EINVAL,
			       "format conversion #%u has more than one '*' specified for the "
			       "output %s",
			       ps->num, in_prec ? "precision" : "width");
	d->flags |= flag;
	ps->p++;
	return 0;
}

/* Flags, width and precision. */
static int parse_modifiers(struct parser *ps, struct pdir *d)
{
	bool in_prec = false;
	int n;

	for (;;) {
		/* the 0 of "%5.0d" is a precision, and as such none */
		unsigned flag = in_prec && *ps->p == '0' ? 0 : flag_of(*ps->p);

		if (flag) {
			d->flags |= flag;
			ps->p++;
		} else if (isdigit((unsigned char)*ps->p)) {
			n = take_width(ps);
			if (*ps->p == '$')
				return err_set(ps->err, -EINVAL,
					       "format conversion #%u uses unsupported positional "
					       "format (%%n$)",
					       ps->num);
			*(in_prec ? &d->prec : &d->width) = n;
		} else if (*ps->p == '*') {
			if (take_star(ps, d, in_prec))
				return -EINVAL;
		} else if (*ps->p == '?') {
			d->width = 2 * (int)sizeof(void *);
			ps->p++;
		} else if (*ps->p == '.') {
			if (in_prec)
				return err_set(ps->err, -EINVAL,
					       "format conversion #%u has more than one '.' "
					       "specified",
					       ps->num);
			in_prec = true;
			ps->p++;
		} else {
			return 0;
		}
	}
}

/* What follows a '%' that is not "%%". */
static int parse_conversion(struct parser *ps, struct arena *a, struct pdir *d)
{
	const char *name;
	size_t n;

	if (parse_modifiers(ps, d))
		return -EINVAL;
	name = ps->p;
	n = strspn(name, "hlLw");
	if (!name[n])
		return err_set(ps->err, -EINVAL,
			       "format conversion #%u name expected before end of format string",
			       ps->num);
	if (name[n] == '%')
		return err_set(ps->err, -EINVAL,
			       "format conversion #%u cannot be combined with other format flags: "
			       "%%%%",
			       ps->num);
	n++;
	d->conv = find_conversion(name, n);
	if (!d->conv)
		return err_set(ps->err, -EINVAL, "format conversion #%u is undefined: %%%.*s",
			       ps->num, (int)n, name);
	d->spec = arena_printf(a, "%%%s", d->conv->name);
	d->num = ps->num;
	ps->p += n;
	return 0;
}

/* Literal text up to a conversion or the end. */
static void parse_literal(struct parser *ps, struct pdir *d)
{
	d->prefix = ps->literal;
	for (; *ps->p && (*ps->p != '%' || ps->p[1] == '%'); ps->p++) {
		if (*ps->p == '%')
			ps->p++;
		*ps->literal++ = *ps->p;
	}
	d->prefixlen = (size_t)(ps->literal - d->prefix);
}

int pfmt_parse(struct arena *a, const char *text, const struct pfmt **out, struct err *err)
{
	struct parser ps = {text, arena_alloc(a, strlen(text) + 1), 1, err};
	struct pfmt *fmt = ARENA_NEW(a, struct pfmt);
	struct pdir *dirs;
	unsigned room = 1;
	int rc;

	for (const char *p = text; *p; p++)
		room += *p == '%';
	dirs = arena_alloc(a, room * sizeof(*dirs));
	while (*ps.p) {
		struct pdir *d = &dirs[fmt->ndirs++];

		parse_literal(&ps, d);
		if (!*ps.p)
			break;
		ps.p++;
		rc = parse_conversion(&ps, a, d);
		if (rc)
			return rc;
		ps.num++;
	}
	fmt->text = arena_strdup(a, text);
	fmt->dirs = dirs;
	*out = fmt;
	return 0;
}
