#include "dlang/print/printf.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <stdlib.h>
#include <time.h>

#include "base/utf8.h"
#include "dlang/print/printagg.h"
#include "dlang/print/printval.h"
#include "dlang/program.h"

/* ---- printing: layout ---- */

/* A width that is written in the program is its own affair; one that is a value may be the
 * target's. */
#define DYNAMIC_MAX (1 << 24)
#define FLOAT_MAX   (1 << 30) /* the most that asprintf() is asked for */

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
static char *digits(char *end, uint64_t v, enum conv_kind kind)
{
	const char *set = kind == CONV_HEXUP ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = kind == CONV_OCTAL ? 8 : kind == CONV_HEX || kind == CONV_HEXUP ? 16 : 10;

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

static void put_unsigned(struct strbuf *out, const struct layout *l, enum conv_kind kind,
			 uint64_t v, const char *sign)
{
	char buf[64], *end = buf + sizeof(buf), *p;

	if ((l->flags & PF_GROUP) && kind <= CONV_UNSIGNED) {
		int n = snprintf(buf, sizeof(buf), "%'llu", (unsigned long long)v);

		put_number(out, l, sign, buf, n);
		return;
	}
	p = digits(end, v, kind);
	if ((l->flags & PF_ALT) && v && kind == CONV_OCTAL)
		*--p = '0';
	if ((l->flags & PF_ALT) && v && (kind == CONV_HEX || kind == CONV_HEXUP))
		sign = kind == CONV_HEX ? "0x" : "0X";
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

	put_unsigned(out, l, CONV_DECIMAL, v < 0 ? -(uint64_t)v : (uint64_t)v, sign);
}

/* The bits of a value of this size, without sign extension. */
static uint64_t narrow(uint64_t v, uint32_t size)
{
	return size < 8 ? v & ((UINT64_C(1) << 8 * size) - 1) : v;
}

static void put_int(struct strbuf *out, const struct layout *l, enum conv_kind kind,
		    const struct rec *rec, const char *data)
{
	bool is_signed;
	uint64_t v = rec_int(rec, data, &is_signed);

	if (kind == CONV_DECIMAL && is_signed)
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
	n = asprintf(&text, fmt, MIN(l->width, FLOAT_MAX), l->prec ? MIN(l->prec, FLOAT_MAX) : -1,
		     v);
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
	char text[UTF8_MAX];

	strbuf_add(out, text, utf8_put(text, c));
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
	if (conv->kind == CONV_UADDR)
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

	switch (conv->kind) {
	case CONV_DECIMAL:
	case CONV_UNSIGNED:
	case CONV_OCTAL:
	case CONV_HEX:
	case CONV_HEXUP:
		put_int(out, l, conv->kind, rec, data);
		return;
	case CONV_FLOAT:
		put_float(out, l, conv->name, rec, data);
		return;
	case CONV_STRING:
		put_text(out, l, data, strnlen(data, rec->size));
		return;
	case CONV_CHAR:
		c = (char)rec_int(rec, data, NULL);
		put_text(out, l, &c, 1);
		return;
	case CONV_STACK:
		printer_stack(pr, rec, data, l->flags & PF_LEFT ? (unsigned)l->width : 0);
		return;
	case CONV_CHARESC:
		add_escaped(out, (unsigned char)rec_int(rec, data, NULL));
		break;
	case CONV_STRESC:
		add_escaped_string(out, data, rec->size);
		break;
	case CONV_WCHAR:
		add_utf8(out, (uint32_t)rec_int(rec, data, NULL));
		break;
	case CONV_WSTRING:
		add_wide_string(out, data, rec->size);
		break;
	case CONV_ADDR:
	case CONV_UADDR:
		put_address(pr, conv, rec, data);
		break;
	case CONV_HOST:
		add_host(out, data, strnlen(data, rec->size));
		break;
	case CONV_PORT:
		add_port(out, (uint16_t)rec_int(rec, data, NULL));
		break;
	case CONV_MAILTIME:
	case CONV_TIME:
		add_time(out, (int64_t)rec_int(rec, data, NULL), conv->kind == CONV_MAILTIME);
		break;
	}
	justify(out, start, l);
}

/* How the values of an aggregation are printed. */
struct aggform {
	const struct pconv *conv;
	const struct layout *layout;
};

static void put_agg(const struct printer *pr, const void *arg, const struct aggvalue *v)
{
	const struct aggform *form = arg;
	const struct pconv *conv = form->conv;
	static const struct rec rec = {.kind = REC_INT, .size = 8}; /* no type: signed */
	int64_t n;

	if (v->var->func->is_hist) {
		printer_histogram(pr, v);
		return;
	}
	if (conv->kind >= CONV_UNSIGNED && conv->kind <= CONV_HEXUP && conv->name[0] != 'p')
		n = (int64_t)aggvalue_unsigned(v);
	else
		n = aggvalue_signed(v);
	put_value(pr, conv, form->layout, &rec, (const char *)&n);
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

	return (int)MAX(MIN(v, DYNAMIC_MAX), -DYNAMIC_MAX);
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
			const struct aggform form = {d->conv, &l};

			put_agg(pr, &form, &args->aggs[agg]);
			printer_each_cpu(pr, &args->aggs[agg], put_agg, &form);
			if (agg + 1 < args->naggs)
				agg++;
			continue;
		}
		rec = next_arg(args, &arg, &data);
		put_value(pr, d->conv, &l, rec, data);
	}
}
