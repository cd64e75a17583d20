/*
 * json(): walks the text once along the selector; what is not asked for is skipped. Strings keep
 * their escapes; an object or an array is its own text. Anything malformed on the way is NULL.
 */
#include "dlang/run/subrs.h"

#define MAX_DEPTH 256 /* of what is skipped */

struct cursor {
	const char *p, *end;
};

/* RFC 8259 has fewer than D. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next character that is no blank; '\0': none. */
static char peek(struct cursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
	return (char)(c->p < c->end ? *c->p : '\0');
}

static bool take(struct cursor *c, char want)
{
	if (peek(c) != want || !want)
		return false;
	c->p++;
	return true;
}

/* A string; out: what is between its quotes. */
static bool take_string(struct cursor *c, struct vm_str *out)
{
	if (!take(c, '"'))
		return false;
	out->s = c->p;
	for (; c->p < c->end && *c->p != '"'; c->p++)
		if (*c->p == '\\' && ++c->p == c->end)
			return false;
	if (c->p == c->end)
		return false;
	out->len = (uint64_t)(c->p++ - out->s);
	return true;
}

static bool take_digits(struct cursor *c)
{
	const char *start = c->p;

	while (c->p < c->end && is_digit(*c->p))
		c->p++;
	return c->p > start;
}

static bool is_one_of(const struct cursor *c, char a, char b)
{
	return c->p < c->end && (*c->p == a || *c->p == b);
}

static bool take_number(struct cursor *c)
{
	c->p += is_one_of(c, '-', '-');
	if (!take_digits(c))
		return false;
	if (is_one_of(c, '.', '.')) {
		c->p++;
		if (!take_digits(c))
			return false;
	}
	if (is_one_of(c, 'e', 'E')) {
		c->p++;
		c->p += is_one_of(c, '+', '-');
		return take_digits(c);
	}
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	for (; *word; word++, c->p++)
		if (c->p == c->end || *c->p != *word)
			return false;
	return true;
}

/* A string, a number, true, false or null. */
static bool take_scalar(struct cursor *c)
{
	struct vm_str ignored;

	switch (peek(c)) {
	case '"':
		return take_string(c, &ignored);
	case 't':
		return take_word(c, "true");
	case 'f':
		return take_word(c, "false");
	case 'n':
		return take_word(c, "null");
	default:
		return take_number(c);
	}
}

static bool take_key(struct cursor *c, struct vm_str *key)
{
	return take_string(c, key) && take(c, ':');
}

/* A whole value. Objects and arrays are kept on a stack of their closing brackets. */
static bool take_value(struct cursor *c)
{
	char close[MAX_DEPTH];
	unsigned depth = 0;
	struct vm_str key;

	do {
		bool is_object = peek(c) == '{';

		if (is_object || peek(c) == '[') {
			if (depth == MAX_DEPTH)
				return false;
			close[depth++] = is_object ? '}' : ']';
			c->p++;
			if (peek(c) != close[depth - 1]) {
				if (is_object && !take_key(c, &key))
					return false;
				continue;
			}
		} else if (!take_scalar(c)) {
			return false;
		}
		while (depth && take(c, close[depth - 1]))
			depth--;
		if (depth && (!take(c, ',') || (close[depth - 1] == '}' && !take_key(c, &key))))
			return false;
	} while (depth);
	return true;
}

/* To the value of a member of the object at c. */
static bool enter_member(struct cursor *c, const struct vm_str *name)
{
	struct vm_str key;

	if (!take(c, '{'))
		return false;
	do {
		if (!take_key(c, &key))
			return false;
		if (key.len == name->len && memcmp(key.s, name->s, key.len) == 0)
			return true;
	} while (take_value(c) && take(c, ','));
	return false;
}

/* To an element of the array at c. */
static bool enter_element(struct cursor *c, uint64_t index)
{
	if (!take(c, '[') || peek(c) == ']')
		return false;
	for (; index; index--)
		if (!take_value(c) || !take(c, ','))
			return false;
	return true;
}

/* One step of the selector: `name`, `.name` or `[n]`. */
static bool enter(struct cursor *c, struct cursor *sel, bool is_first)
{
	struct vm_str name;
	uint64_t index = 0;

	if (*sel->p == '[') {
		const char *digits = ++sel->p;

		while (sel->p < sel->end && is_digit(*sel->p) && index < UINT32_MAX)
			index = index * 10 + (uint64_t)(*sel->p++ - '0');
		if (sel->p == digits || sel->p == sel->end || *sel->p++ != ']')
			return false;
		return enter_element(c, index);
	}
	if (!is_first && *sel->p++ != '.')
		return false;
	name.s = sel->p;
	while (sel->p < sel->end && *sel->p != '.' && *sel->p != '[')
		sel->p++;
	name.len = (uint64_t)(sel->p - name.s);
	return name.len && enter_member(c, &name);
}

uint64_t subr_json(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str text, selector, string;
	struct cursor c, sel;
	const char *start;

	if (!vm_string(vm, args[0].value, &text) || !vm_string(vm, args[1].value, &selector))
		return 0;
	c = (struct cursor){text.s, text.s + text.len};
	sel = (struct cursor){selector.s, selector.s + selector.len};
	if (!selector.len)
		return 0;
	while (sel.p < sel.end)
		if (!enter(&c, &sel, sel.p == selector.s))
			return 0;
	if (peek(&c) == '"')
		return take_string(&c, &string) ? vm_new_string(vm, string.s, string.len) : 0;
	start = c.p;
	return take_value(&c) ? vm_new_string(vm, start, (uint64_t)(c.p - start)) : 0;
}
