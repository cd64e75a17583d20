/* hook_read.c: numbers and texts of the program's memory, for native clauses (agg_proto.h). */
#include "hook/maketext.h"

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

static uint64_t key_of(struct hook_block *b, const struct text *t, uint64_t *words, bool is_kept)
{
	uint32_t n = hook_text_words(t, words),
		 number = hook_find_entry(b, HOOK_GROUP_TEXT, words, n);

	if (!number && is_kept)
		hook_lose_assignment(b);
	else if (!number)
		hook_drop_value(b);
	return number ? number | HOOK_TEXT_KEY : 0;
}

static unsigned char at(const struct text *t, uint64_t i)
{
	return i < t->len ? (unsigned char)t->s[i] : 0;
}

static uint64_t order_of(const struct text *first, const struct text *second)
{
	uint64_t i = 0;
	unsigned char a, b;

	while (i < first->len && i < second->len && first->s[i] == second->s[i])
		i++;
	a = at(first, i);
	b = at(second, i);
	return a < b ? 1 : a > b ? 3 : 2;
}

/* As subr_index() and subr_rindex() of dlang/run/strsubrs.c. */
static uint64_t index_of(const struct text t[2], int64_t from)
{
	uint64_t at = hook_find_text(&t[0], &t[1], from < 0 ? 0 : (uint64_t)from);

	return at <= t[0].len ? at : UINT64_MAX;
}

static uint64_t last_index_of(const struct text t[2], int64_t from)
{
	uint64_t at, found = UINT64_MAX;

	for (at = 0; (int64_t)at <= from; at = found + 1) {
		at = hook_find_text(&t[0], &t[1], at);
		if (at > t[0].len || (int64_t)at > from)
			break;
		found = at;
	}
	return found;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A' + 10);
	return UINT32_MAX;
}

/* As subr_strtoll(). */
static uint64_t number_of(const struct text *t, unsigned base)
{
	uint64_t i = 0, v = 0;
	bool negative = false;

	while (i < t->len && (t->s[i] == ' ' || (t->s[i] >= '\t' && t->s[i] <= '\r')))
		i++;
	if (i < t->len && (t->s[i] == '-' || t->s[i] == '+'))
		negative = t->s[i++] == '-';
	if (base == 16 && t->len - i > 2 && t->s[i] == '0' && (t->s[i + 1] | ' ') == 'x')
		i += 2;
	for (; i < t->len && digit_value(t->s[i]) < base; i++)
		v = v * base + digit_value(t->s[i]);
	return negative ? -v : v;
}

/* NULL is less than any text: what is compared with it is not read, if it has not been. */
static struct hook_value compare(struct making *m)
{
	struct text *t = m->texts;
	bool first = hook_is_null(m, &t[0]), second = hook_is_null(m, &t[1]);

	if (first || second)
		return there(!first ? 3 : second ? 2 : 1);
	if (!hook_read_plain(m, &t[0]) || !hook_read_plain(m, &t[1]))
		return nothing;
	return there(order_of(&t[0], &t[1]));
}

static const struct hook_text_step *steps_of(const struct hook_read *what)
{
	return (const struct hook_text_step *)(what + 1);
}

static struct hook_value read_into(struct making *m, const struct hook_read *what)
{
	uint64_t *begin = m->room;
	struct text *t = m->texts;

	if (!hook_make_texts(m, steps_of(what), what->nsteps))
		return nothing;
	if (what->op == HOOK_READ_ORDER)
		return compare(m);
	for (unsigned i = 0; i < m->n; i++)
		if (!hook_read_plain(m, &t[i]))
			return nothing;
	switch (what->op) {
	case HOOK_READ_KEY:
		return there(key_of(m->b, t, begin, what->param));
	case HOOK_READ_LENGTH:
		return there(t->len);
	case HOOK_READ_INDEX:
		return there(index_of(t, what->param));
	case HOOK_READ_RINDEX:
		return there(last_index_of(t, what->param));
	default:
		return there(number_of(t, (unsigned)what->param));
	}
}

struct hook_value hook_read(struct hook_block *b, const uint64_t *sp, uint64_t addr,
			    const struct hook_read *what)
{
	struct hook_value result = nothing;
	struct making m;
	uint64_t *room;

	if (what->op == HOOK_READ_VALUE)
		return read_value(b, sp, addr, what->size);
	/* Where handlers of signals have left no room the engine is asked, too. */
	room = hook_take_room(b, sp, what->rooms);
	if (!room)
		return nothing;
	m = hook_making(b, sp, room);
	m.words = (const uint64_t *)addr;
	m.known = (const char *)(steps_of(what) + what->nsteps);
	if (what->op == HOOK_READ_BYTES)
		result.is_there = hook_read_bytes(b, sp, m.room, addr, what->size) == what->size;
	else
		result = read_into(&m, what);
	hook_leave_room(room);
	return result;
}
