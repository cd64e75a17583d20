/*
 * sdtarg.c: the operands of static probes: what the compiler has put for an operand of an asm
 * statement, in the assembler's AT&T notation, behind the size that the macro has put: N@ or -N@,
 * negative: signed, with an f: a floating-point number.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbols/sdt.h"

/* The part of the text that is still to be read. */
struct reader {
	const char *p, *end;
};

static bool take_char(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static bool take_int(struct reader *r, int64_t *v)
{
	bool is_negative = take_char(r, '-');
	char *end;

	if (r->p == r->end || !isdigit((unsigned char)*r->p))
		return false;
	*v = (int64_t)strtoull(r->p, &end, 0);
	if (end > r->end)
		return false;
	r->p = end;
	if (is_negative)
		*v = (int64_t)(0 - (uint64_t)*v);
	return true;
}

static bool is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || strchr("_.$", c);
}

/* ---- registers ---- */

static const char names[8][4] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

/* r8..r15 with b, w, d or nothing behind. */
static bool numbered_register(const char *s, size_t n, struct sdt_arg *a)
{
	size_t digits = n > 2 && isdigit((unsigned char)s[2]) ? 2 : 1;
	int number;

	if (n < 2 || s[0] != 'r' || !isdigit((unsigned char)s[1]))
		return false;
	number = s[1] - '0';
	if (digits == 2)
		number = number * 10 + s[2] - '0';
	if (number < 8 || number > 15 || n > digits + 2)
		return false;
	a->base = (int8_t)number;
	a->width = 8;
	if (n == digits + 2) {
		char c = s[n - 1];

		a->width = c == 'b' || c == 'l' ? 1 : c == 'w' ? 2 : c == 'd' ? 4 : 0;
	}
	return a->width != 0;
}

/* al, ah, sil, ax, eax, rax: without the percent sign. */
static bool named_register(const char *s, size_t n, struct sdt_arg *a)
{
	for (int8_t i = 0; i < 8; i++) {
		const char *two = names[i];
		bool is_letter = i < 4; /* a, c, d, b: bytes are al and ah; the others: spl */

		a->base = i;
		a->width = n == 2 ? 2 : s[0] == 'e' ? 4 : 8;
		if (n == 2 && !memcmp(s, two, 2))
			return true;
		if (n == 3 && (s[0] == 'e' || s[0] == 'r') && !memcmp(s + 1, two, 2))
			return true;
		a->width = 1;
		if (!is_letter && n == 3 && !memcmp(s, two, 2) && s[2] == 'l')
			return true;
		if (is_letter && n == 2 && s[0] == two[0] && (s[1] == 'l' || s[1] == 'h')) {
			a->shift = s[1] == 'h' ? 8 : 0;
			return true;
		}
	}
	return false;
}

/* A register behind its percent sign, into base, width and shift. */
static bool take_register(struct reader *r, struct sdt_arg *a)
{
	const char *s = r->p;

	while (r->p < r->end && isalnum((unsigned char)*r->p))
		r->p++;
	a->shift = 0;
	return numbered_register(s, (size_t)(r->p - s), a) ||
	       named_register(s, (size_t)(r->p - s), a);
}

/* xmm0..xmm15: without the percent sign. */
static bool take_xmm(struct reader *r, struct sdt_arg *a)
{
	int64_t number;

	if (r->end - r->p < 4 || memcmp(r->p, "xmm", 3) != 0)
		return false;
	r->p += 3;
	if (!take_int(r, &number) || number < 0 || number > 15)
		return false;
	a->base = (int8_t)number;
	return true;
}

/* ---- operands ---- */

/* Numbers and at most one symbol, with signs between. True too if there is nothing. */
static bool take_sum(struct reader *r, struct sdt_arg *a)
{
	bool is_first = true;

	while (r->p < r->end && *r->p != '(') {
		const char *s = r->p;
		int64_t n;

		if (!is_first && *s != '-' && !take_char(r, '+'))
			return false;
		is_first = false;
		if (take_int(r, &n)) {
			a->disp = (int64_t)((uint64_t)a->disp + (uint64_t)n);
			continue;
		}
		if (*s == '-') /* the difference of two symbols is a number to the assembler */
			return false;
		s = r->p;
		while (r->p < r->end && is_symbol_char(*r->p))
			r->p++;
		if (r->p == s || a->symbol)
			return false;
		a->symbol = s;
		a->symbol_len = (size_t)(r->p - s);
	}
	return true;
}

/* (base,index,scale), each but the parentheses may be missing. */
static bool take_address(struct reader *r, struct sdt_arg *a)
{
	struct sdt_arg reg = {0};
	int64_t scale;

	if (r->p == r->end)
		return true;
	if (!take_char(r, '('))
		return false;
	if (r->end - r->p == 5 && !memcmp(r->p, "%rip)", 5)) {
		r->p = r->end;
		return a->symbol != NULL; /* a number would be counted from an address that is
					   * not ours */
	}
	if (take_char(r, '%')) {
		if (!take_register(r, &reg) || reg.width != 8)
			return false;
		a->base = reg.base;
	}
	if (take_char(r, ',')) {
		if (!take_char(r, '%') || !take_register(r, &reg) || reg.width != 8)
			return false;
		a->index = reg.base;
		if (take_char(r, ',')) {
			if (!take_int(r, &scale) || scale < 1 || scale > 8)
				return false;
			a->scale = (uint8_t)scale;
		}
	}
	return take_char(r, ')');
}

static bool take_segment(struct reader *r, struct sdt_arg *a)
{
	if (r->end - r->p < 4 || memcmp(r->p + 2, "s:", 2) != 0 || !strchr("fg", r->p[1]))
		return false;
	a->segment = r->p[1];
	r->p += 4;
	return true;
}

static bool take_operand(struct reader *r, struct sdt_arg *a)
{
	if (take_char(r, '$')) {
		a->place = SDT_CONST;
		return take_sum(r, a);
	}
	if (r->p < r->end && *r->p == '%' && !take_segment(r, a)) {
		r->p++;
		a->place = a->is_float ? SDT_XMM : SDT_REG;
		return a->is_float ? take_xmm(r, a) : take_register(r, a);
	}
	a->place = SDT_MEM;
	return take_sum(r, a) && take_address(r, a);
}

/* "-4@", "4f@"; without it the value is a word. */
static bool take_size(struct reader *r, struct sdt_arg *a)
{
	const char *at = memchr(r->p, '@', (size_t)(r->end - r->p));
	int64_t n;

	a->size = 8;
	if (!at)
		return true;
	if (!take_int(r, &n))
		return false;
	a->is_float = take_char(r, 'f');
	a->is_signed = n < 0;
	n = n < 0 ? -n : n;
	if (r->p != at || (n != 1 && n != 2 && n != 4 && n != 8) || (a->is_float && n < 4))
		return false;
	a->size = (uint8_t)n;
	r->p = at + 1;
	return true;
}

static void parse_arg(const char *text, size_t n, struct sdt_arg *a)
{
	struct reader r = {text, text + n};
	const char *last = text + n - 1;

	*a = (struct sdt_arg){.base = SDT_NO_REG, .index = SDT_NO_REG, .scale = 1};
	if (!take_size(&r, a) || *last == '@' || *last == '$' || !take_operand(&r, a) ||
	    r.p != r.end || (a->is_float && a->place == SDT_CONST))
		a->place = SDT_NOWHERE;
}

unsigned sdt_parse_args(const char *text, struct sdt_arg *out)
{
	unsigned n = 0;

	for (;;) {
		size_t len;

		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!len || n == SDT_MAX_ARGS)
			return n;
		parse_arg(text, len, &out[n++]);
		text += len;
	}
}
