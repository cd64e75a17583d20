/* hook_read.c: numbers and texts of the program's memory, for native clauses (agg_proto.h). */
#include "hook/hook.h"
#include "hook/agg_proto.h"

#define WORD 8

static const struct hook_value nothing = {0, 0};

static struct hook_value there(uint64_t value)
{
	return (struct hook_value){value, 1};
}

static struct hook_value read_value(struct hook_block *b, const uint64_t *sp, uint64_t addr,
				    uint64_t size)
{
	uint64_t value = 0;

	return hook_read_bytes(b, sp, &value, addr, size) == size ? there(value) : nothing;
}

/* ---- texts ---- */

struct text {
	uint64_t *words; /* the first one: its length */
	const char *s;
	uint64_t len;
};

/* Copied once, as what is looked at must not change. False: it does not end before what can be read
 * does. */
static bool read_text(struct hook_block *b, const uint64_t *sp, uint64_t addr, uint64_t max,
		      struct text *out)
{
	char *to = (char *)(out->words + 1);
	uint64_t n = hook_read_text(b, sp, to, addr, max);
	bool has_end = n && !to[n - 1];

	out->s = to;
	out->len = out->words[0] = n - has_end;
	for (uint64_t i = out->len; i % WORD; i++)
		to[i] = 0;
	return has_end || n == max;
}

static uint64_t key_of(struct hook_block *b, const struct text *t)
{
	uint32_t n = (uint32_t)(1 + (t->len + WORD - 1) / WORD);
	uint32_t number = hook_find_entry(b, HOOK_GROUP_TEXT, t->words, n);

	if (!number)
		hook_drop_value(b);
	return number ? number | HOOK_TEXT_KEY : 0;
}

static unsigned char at(const char *s, uint64_t len, uint64_t i)
{
	return i < len ? (unsigned char)s[i] : 0;
}

static const char *text_of(const struct hook_read *what)
{
	return (const char *)(what + 1);
}

static uint64_t order_of(const struct text *t, const struct hook_read *what)
{
	const char *text = text_of(what);
	uint64_t i = 0;
	unsigned char a, b;

	while (i < t->len && i < what->len && t->s[i] == text[i])
		i++;
	a = at(t->s, t->len, i);
	b = at(text, what->len, i);
	return a < b ? 1 : a > b ? 3 : 2;
}

static bool starts_with(const char *s, const struct hook_read *what)
{
	for (uint64_t i = 0; i < what->len; i++)
		if (s[i] != text_of(what)[i])
			return false;
	return true;
}

static uint64_t finds(const struct text *t, const struct hook_read *what)
{
	for (uint64_t i = 0; i + what->len <= t->len; i++)
		if (starts_with(t->s + i, what))
			return 1;
	return 0;
}

static uint64_t answer(struct hook_block *b, const struct text *t, const struct hook_read *what)
{
	switch (what->op) {
	case HOOK_READ_KEY:
		return key_of(b, t);
	case HOOK_READ_ORDER:
		return order_of(t, what);
	case HOOK_READ_LENGTH:
		return t->len;
	default:
		return finds(t, what);
	}
}

/* Where handlers of signals have left no room the engine is asked, too. */
static struct hook_value read_in_room(struct hook_block *b, const uint64_t *sp, uint64_t addr,
				      const struct hook_read *what)
{
	uint64_t *room = hook_take_room(b, sp, what->rooms);
	struct hook_value result = nothing;
	struct text t;

	if (!room)
		return nothing;
	t.words = room + 1;
	if (what->op == HOOK_READ_BYTES)
		result.is_there = hook_read_bytes(b, sp, t.words, addr, what->size) == what->size;
	else if (read_text(b, sp, addr, what->size, &t))
		result = there(answer(b, &t, what));
	hook_leave_room(room);
	return result;
}

struct hook_value hook_read(struct hook_block *b, const uint64_t *sp, uint64_t addr,
			    const struct hook_read *what)
{
	if (what->op == HOOK_READ_VALUE)
		return read_value(b, sp, addr, what->size);
	if (!addr && what->may_be_null)
		return there(what->op == HOOK_READ_ORDER);
	return read_in_room(b, sp, addr, what);
}
