#include "dlang/print/printf.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <time.h>

#include "dlang/print/printagg.h"
#include "dlang/print/printval.h"
#include "dlang/program.h"

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
	return type_resolve(t)->kind == TYPE_STACK;
}

enum kind {
	K_DECIMAL, /* sign by the type */
	K_UNSIGNED,
	K_OCTAL,
	K_HEX,
	K_HEXUP,
	K_FLOAT,
	K_CHAR,
	K_CHARESC,
	K_STRING,
	K_STRESC,
	K_WCHAR,
	K_WSTRING,
	K_ADDR,
	K_UADDR,
	K_STACK,
	K_HOST,
	K_PORT,
	K_MAILTIME,
	K_TIME,
};

#define ANY_INT	  "char, short, int, long, or long long"
#define TEXT	  "char [] or string (or use stringof)"
#define ANY_FLOAT "float, double, or long double"

static const struct pconv conversions[] = {
	/* clang-format off */
	{"a",   "pointer or integer", accepts_addr, K_ADDR},
	{"A",   "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)", accepts_uaddr, K_UADDR},
	{"c",   "char, short, or int", accepts_char, K_CHAR},
	{"C",   "char, short, or int", accepts_char, K_CHARESC},
	{"d",   ANY_INT, accepts_int, K_DECIMAL},
	{"i",   ANY_INT, accepts_int, K_DECIMAL},
	{"u",   ANY_INT, accepts_int, K_UNSIGNED},
	{"o",   ANY_INT, accepts_int, K_OCTAL},
	{"x",   ANY_INT, accepts_int, K_HEX},
	{"X",   ANY_INT, accepts_int, K_HEXUP},
	{"e",   ANY_FLOAT, accepts_float, K_FLOAT},
	{"E",   ANY_FLOAT, accepts_float, K_FLOAT},
	{"f",   ANY_FLOAT, accepts_float, K_FLOAT},
	{"g",   ANY_FLOAT, accepts_float, K_FLOAT},
	{"G",   ANY_FLOAT, accepts_float, K_FLOAT},
	{"hd",  "short", accepts_short, K_DECIMAL},
	{"hi",  "short", accepts_short, K_DECIMAL},
	{"ho",  "unsigned short", accepts_short, K_OCTAL},
	{"hu",  "unsigned short", accepts_short, K_UNSIGNED},
	{"hx",  "short", accepts_short, K_HEX},
	{"hX",  "short", accepts_short, K_HEXUP},
	{"I",   TEXT, accepts_string, K_HOST},
	{"k",   "stack", accepts_stack, K_STACK},
	{"ld",  "long", accepts_long, K_DECIMAL},
	{"li",  "long", accepts_long, K_DECIMAL},
	{"lo",  "unsigned long", accepts_long, K_OCTAL},
	{"lu",  "unsigned long", accepts_long, K_UNSIGNED},
	{"lx",  "long", accepts_long, K_HEX},
	{"lX",  "long", accepts_long, K_HEXUP},
	{"lc",  "wchar_t", accepts_wchar, K_WCHAR},
	{"ls",  "wchar_t []", accepts_wstring, K_WSTRING},
	{"lld", "long long", accepts_signed_long, K_DECIMAL},
	{"lli", "long long", accepts_signed_long, K_DECIMAL},
	{"llo", "unsigned long long", accepts_ulong, K_OCTAL},
	{"llu", "unsigned long long", accepts_ulong, K_UNSIGNED},
	{"llx", "long long", accepts_long, K_HEX},
	{"llX", "long long", accepts_long, K_HEXUP},
	{"Le",  "long double", accepts_ldouble, K_FLOAT},
	{"LE",  "long double", accepts_ldouble, K_FLOAT},
	{"Lf",  "long double", accepts_ldouble, K_FLOAT},
	{"Lg",  "long double", accepts_ldouble, K_FLOAT},
	{"LG",  "long double", accepts_ldouble, K_FLOAT},
	{"p",   "pointer or integer", accepts_pointer, K_HEX},
	{"P",   "uint16_t", accepts_ushort, K_PORT},
	{"s",   TEXT, accepts_string, K_STRING},
	{"S",   TEXT, accepts_string, K_STRESC},
	{"T",   "int64_t", accepts_long, K_MAILTIME},
	{"wc",  "wchar_t", accepts_wchar, K_WCHAR},
	{"ws",  "wchar_t []", accepts_wstring, K_WSTRING},
	{"Y",   "int64_t", accepts_long, K_TIME},
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
	int n = 0;

	for (; isdigit((unsigned char)*ps->p); ps->p++)
		n = MIN(n * 10 + (*ps->p - '0'), PF_MAX_WIDTH);
	return n;
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
		/* the 0 of "%5.0d" is a precision, and as such none (d-language.md §12.7) */
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

/* ---- printing: layout ---- */

struct layout {
	unsigned flags;
	int width, prec; /* 0: none */
};

/* Cuts what was added since `start` to the precision, and pads it to the width. */
static void justify(struct strbuf *out, size_t start, const struct layout *l)
{
	size_t n = out->len - start, pad;

	if (l->prec && n > (size_t)l->prec) {
		n = (size_t)l->prec;
		out->len = start + n;
		out->s[out->len] = '\0';
	}
	if ((size_t)l->width <= n)
		return;
	pad = (size_t)l->width - n;
	for (size_t i = 0; i < pad; i++)
		strbuf_addc(out, ' ');
	if (!(l->flags & PF_LEFT)) {
		memmove(out->s + start + pad, out->s + start, n);
		memset(out->s + start, ' ', pad);
	}
}

static void put_text(struct strbuf *out, const struct layout *l, const char *s, size_t n)
{
	size_t start = out->len;

	strbuf_add(out, s, n);
	if (l->width || l->prec)
		justify(out, start, l);
}

/* ---- integers ---- */

/* The digits of v, so that they end at `end`; returns where they begin. */
static char *digits(char *end, uint64_t v, enum kind kind)
{
	const char *set = kind == K_HEXUP ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = kind == K_OCTAL ? 8 : kind == K_HEX || kind == K_HEXUP ? 16 : 10;

	do {
		*--end = set[v % base];
		v /= base;
	} while (v);
	return end;
}

static void repeat(struct strbuf *out, char c, int n)
{
	for (; n > 0; n--)
		strbuf_addc(out, c);
}

/* sign: "", "-", "+", " ", "0x", "0X" */
static void put_number(struct strbuf *out, const struct layout *l, const char *sign,
		       const char *digs, int ndigs)
{
	int nsign = (int)strlen(sign), zeros = MAX(l->prec - ndigs, 0);
	int pad = MAX(l->width - nsign - zeros - ndigs, 0);

	if ((l->flags & PF_ZERO) && !(l->flags & PF_LEFT) && !l->prec) {
		zeros = pad;
		pad = 0;
	}
	if (!(l->flags & PF_LEFT))
		repeat(out, ' ', pad);
	strbuf_add(out, sign, (size_t)nsign);
	repeat(out, '0', zeros);
	strbuf_add(out, digs, (size_t)ndigs);
	if (l->flags & PF_LEFT)
		repeat(out, ' ', pad);
}

static void put_unsigned(struct strbuf *out, const struct layout *l, enum kind kind, uint64_t v,
			 const char *sign)
{
	char buf[64], *end = buf + sizeof(buf), *p;

	if ((l->flags & PF_GROUP) && kind <= K_UNSIGNED) {
		int n = snprintf(buf, sizeof(buf), "%'llu", (unsigned long long)v);

		put_number(out, l, sign, buf, n);
		return;
	}
	p = digits(end, v, kind);
	if ((l->flags & PF_ALT) && v && kind == K_OCTAL)
		*--p = '0';
	if ((l->flags & PF_ALT) && v && (kind == K_HEX || kind == K_HEXUP))
		sign = kind == K_HEX ? "0x" : "0X";
	if (l->width || l->prec)
		put_number(out, l, sign, p, (int)(end - p));
	else {
		strbuf_add(out, sign, strlen(sign));
		strbuf_add(out, p, (size_t)(end - p));
	}
}

static void put_signed(struct strbuf *out, const struct layout *l, int64_t v)
{
	const char *sign = v < 0 ? "-" : l->flags & PF_PLUS ? "+" : l->flags & PF_SPACE ? " " : "";

	put_unsigned(out, l, K_DECIMAL, v < 0 ? -(uint64_t)v : (uint64_t)v, sign);
}

/* The bits of a value of this size, without sign extension. */
static uint64_t narrow(uint64_t v, uint32_t size)
{
	return size < 8 ? v & ((UINT64_C(1) << 8 * size) - 1) : v;
}

static void put_int(struct strbuf *out, const struct layout *l, enum kind kind,
		    const struct rec *rec, const char *data)
{
	bool is_signed;
	uint64_t v = rec_int(rec, data, &is_signed);

	if (kind == K_DECIMAL && is_signed)
		put_signed(out, l, (int64_t)v);
	else
		put_unsigned(out, l, kind, narrow(v, rec->size), "");
}

/* ---- floating point ---- */

static void put_float(struct strbuf *out, const struct layout *l, const char *name,
		      const struct rec *rec, const char *data)
{
	static const char letters[] = "-0+ #'";
	char fmt[16], *p = fmt, *text;
	long double v = 0;
	double d;
	float f;
	int n;

	if (rec->size == sizeof(f)) {
		memcpy(&f, data, sizeof(f));
		v = (long double)f;
	} else if (rec->size == sizeof(d)) {
		memcpy(&d, data, sizeof(d));
		v = (long double)d;
	} else if (rec->size == sizeof(v)) {
		memcpy(&v, data, sizeof(v));
	}
	*p++ = '%';
	for (unsigned i = 0; letters[i]; i++)
		if (l->flags & 1u << i)
			*p++ = letters[i];
	memcpy(p, "*.*L", 4);
	p += 4;
	*p++ = name[strlen(name) - 1];
	*p = '\0';
/* the format is made of the letters above */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = asprintf(&text, fmt, l->width, l->prec ? l->prec : -1, v);
#pragma GCC diagnostic pop
	if (n < 0)
		die("out of memory");
	strbuf_add(out, text, (size_t)n);
	free(text);
}

/* ---- characters and strings ---- */

static void add_escaped(struct strbuf *out, unsigned char c)
{
	static const char named[] = "\a\b\f\n\r\t\v\"\\", letters[] = "abfnrtv\"\\";
	const char *at = c ? strchr(named, c) : NULL;

	if (!c)
		strbuf_add(out, "\\0", 2);
	else if (at) {
		strbuf_addc(out, '\\');
		strbuf_addc(out, letters[at - named]);
	} else if ((c >= '!' && c <= '~') || c == ' ')
		strbuf_addc(out, (char)c);
	else
		strbuf_addf(out, "\\%03o", c);
}

static void add_escaped_string(struct strbuf *out, const char *s, size_t size)
{
	size_t n = strnlen(s, size);

	for (size_t i = 0; i < n + (n < size); i++) /* the end is shown too */
		add_escaped(out, (unsigned char)s[i]);
}

static void add_utf8(struct strbuf *out, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addc(out, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addc(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addc(out, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addc(out, (char)(0xf0 | (c >> 18 & 7)));
			strbuf_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addc(out, (char)(0x80 | (c & 0x3f)));
}

static void add_wide_string(struct strbuf *out, const char *data, size_t size)
{
	uint32_t c;

	for (size_t i = 0; i + sizeof(c) <= size; i += sizeof(c)) {
		memcpy(&c, data + i, sizeof(c));
		if (!c)
			break;
		add_utf8(out, c);
	}
}

/* ---- names of hosts and ports, times ---- */

static void add_host(struct strbuf *out, const char *s, size_t size)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *ai;
	char *text = xmalloc(size + 1), host[NI_MAXHOST];

	memcpy(text, s, size);
	text[size] = '\0';
	if (getaddrinfo(text, NULL, &hints, &ai) == 0) {
		if (getnameinfo(ai->ai_addr, ai->ai_addrlen, host, sizeof(host), NULL, 0,
				NI_NAMEREQD) == 0)
			strbuf_adds(out, host);
		else
			strbuf_adds(out, text);
		freeaddrinfo(ai);
	} else {
		strbuf_adds(out, text);
	}
	free(text);
}

static void add_port(struct strbuf *out, uint16_t port)
{
	const struct servent *se = getservbyport(htons(port), NULL);

	if (se)
		strbuf_adds(out, se->s_name);
	else
		strbuf_addf(out, "%u", port);
}

static void add_time(struct strbuf *out, int64_t ns, bool is_mail)
{
	time_t t = (time_t)(ns / 1000000000);
	char text[128];
	struct tm tm;
	size_t n;

	localtime_r(&t, &tm);
	n = is_mail ? strftime(text, sizeof(text), "%a, %d %b %G %T %Z", &tm)
		    : strftime(text, sizeof(text), "%Y %b %e %T", &tm);
	strbuf_add(out, text, n);
}

/* ---- one conversion ---- */

static void put_address(const struct printer *pr, const struct pconv *conv, const struct rec *rec,
			const char *data)
{
	uint64_t v;

	if (rec->kind != REC_INT) {
		printer_symbol(pr, rec, data);
		return;
	}
	v = narrow(rec_int(rec, data, NULL), rec->size);
	if (conv->kind == K_UADDR)
		printer_user_address(pr, v);
	else
		printer_kernel_address(pr, v, true);
}

static void put_value(const struct printer *pr, const struct pconv *conv, const struct layout *l,
		      const struct rec *rec, const char *data)
{
	struct strbuf *out = pr->out;
	size_t start = out->len;
	char c;

	switch ((enum kind)conv->kind) {
	case K_DECIMAL:
	case K_UNSIGNED:
	case K_OCTAL:
	case K_HEX:
	case K_HEXUP:
		put_int(out, l, (enum kind)conv->kind, rec, data);
		return;
	case K_FLOAT:
		put_float(out, l, conv->name, rec, data);
		return;
	case K_STRING:
		put_text(out, l, data, strnlen(data, rec->size));
		return;
	case K_CHAR:
		c = (char)rec_int(rec, data, NULL);
		put_text(out, l, &c, 1);
		return;
	case K_STACK:
		printer_stack(pr, rec, data, l->flags & PF_LEFT ? (unsigned)l->width : 0);
		return;
	case K_CHARESC:
		add_escaped(out, (unsigned char)rec_int(rec, data, NULL));
		break;
	case K_STRESC:
		add_escaped_string(out, data, rec->size);
		break;
	case K_WCHAR:
		add_utf8(out, (uint32_t)rec_int(rec, data, NULL));
		break;
	case K_WSTRING:
		add_wide_string(out, data, rec->size);
		break;
	case K_ADDR:
	case K_UADDR:
		put_address(pr, conv, rec, data);
		break;
	case K_HOST:
		add_host(out, data, strnlen(data, rec->size));
		break;
	case K_PORT:
		add_port(out, (uint16_t)rec_int(rec, data, NULL));
		break;
	case K_MAILTIME:
	case K_TIME:
		add_time(out, (int64_t)rec_int(rec, data, NULL), conv->kind == K_MAILTIME);
		break;
	}
	justify(out, start, l);
}

static void put_agg(const struct printer *pr, const struct pconv *conv, const struct layout *l,
		    const struct aggvalue *v)
{
	static const struct rec rec = {.kind = REC_INT, .size = 8}; /* no type: signed */
	int64_t n;

	if (v->var->func->is_hist) {
		printer_histogram(pr, v);
		return;
	}
	if (conv->kind >= K_UNSIGNED && conv->kind <= K_HEXUP && conv->name[0] != 'p')
		n = (int64_t)aggvalue_unsigned(v);
	else
		n = aggvalue_signed(v);
	put_value(pr, conv, l, &rec, (const char *)&n);
}

/* ---- a whole format ---- */

static const struct rec *next_arg(const struct pargs *args, unsigned *i, const char **data)
{
	const struct rec *rec;

	assert(*i < args->n);
	rec = args->acts ? &args->acts[*i].rec : &args->recs[*i];
	*data = args->data + rec->offset;
	++*i;
	return rec;
}

static int dynamic(const struct pargs *args, unsigned *i)
{
	const char *data;
	const struct rec *rec = next_arg(args, i, &data);
	int64_t v = (int64_t)rec_int(rec, data, NULL);

	return (int)MAX(MIN(v, PF_MAX_WIDTH), -PF_MAX_WIDTH);
}

static struct layout layout_of(const struct pdir *d, const struct pargs *args, unsigned *i)
{
	struct layout l = {d->flags, d->width, d->prec};

	if (d->flags & PF_DYNWIDTH)
		l.width = dynamic(args, i);
	if (l.width < 0) {
		l.flags |= PF_LEFT;
		l.width = -l.width;
	}
	if (d->flags & PF_DYNPREC)
		l.prec = dynamic(args, i);
	l.prec = MAX(l.prec, 0);
	return l;
}

void pfmt_print(const struct printer *pr, const struct pfmt *fmt, const struct pargs *args)
{
	unsigned arg = 0, agg = 0;

	for (unsigned i = 0; i < fmt->ndirs; i++) {
		const struct pdir *d = &fmt->dirs[i];
		const struct rec *rec;
		const char *data;
		struct layout l;

		strbuf_add(pr->out, d->prefix, d->prefixlen);
		if (!d->conv)
			continue;
		l = layout_of(d, args, &arg);
		if (d->flags & PF_AGG) {
			put_agg(pr, d->conv, &l, &args->aggs[agg]);
			if (agg + 1 < args->naggs)
				agg++;
			continue;
		}
		rec = next_arg(args, &arg, &data);
		put_value(pr, d->conv, &l, rec, data);
	}
}
