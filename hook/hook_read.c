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
	uint64_t *words; /* the first one is for its length, if that is asked for */
	const char *s;
	uint64_t len;
};

/* As subr_substr() of dlang/run/strsubrs.c. */
static void cut(struct text *t, const struct hook_text *how)
{
	int64_t len = (int64_t)t->len, start = how->start, end;

	if (start < 0)
		start += len;
	end = (how->count < 0 ? len : start) + how->count;
	start = start < 0 ? 0 : start > len ? len : start;
	end = end < start ? start : end > len ? len : end;
	t->s += start;
	t->len = (uint64_t)(end - start);
}

static uint64_t length(const char *s, uint64_t max)
{
	uint64_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

/* Copied once, as what is looked at must not change. False: it does not end before what can be read
 * does. */
static bool read_text(struct hook_block *b, const uint64_t *sp, uint64_t addr,
		      const struct hook_text *how, struct text *out)
{
	char *to = (char *)(out->words + 1);
	bool is_whole = how->flags & HOOK_TEXT_WHOLE;
	uint64_t n = is_whole ? hook_read_bytes(b, sp, to, addr, how->size)
			      : hook_read_text(b, sp, to, addr, how->size);

	out->s = to;
	out->len = is_whole ? length(to, n) : n - (n && !to[n - 1]);
	if (n != how->size && (is_whole || out->len == n))
		return false;
	cut(out, how);
	return true;
}

/* It is moved to where it began, as what is left of its last word is to be 0. Returns its words. */
static uint32_t as_words(const struct text *t)
{
	char *to = (char *)(t->words + 1);

	for (uint64_t i = 0; i < t->len && to != t->s; i++)
		to[i] = t->s[i];
	for (uint64_t i = t->len; i % WORD; i++)
		to[i] = 0;
	t->words[0] = t->len;
	return (uint32_t)(1 + (t->len + WORD - 1) / WORD);
}

uint32_t hook_text_words(struct hook_block *b, const uint64_t *sp, uint64_t addr,
			 const struct hook_text *how, uint64_t *to)
{
	struct text t = {to, NULL, 0};

	return read_text(b, sp, addr, how, &t) ? as_words(&t) : 0;
}

static uint64_t key_of(struct hook_block *b, const struct text *t)
{
	uint32_t n = as_words(t), number = hook_find_entry(b, HOOK_GROUP_TEXT, t->words, n);

	if (!number)
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

static bool is_there(const struct text *t, uint64_t at, const struct text *part)
{
	for (uint64_t i = 0; i < part->len; i++)
		if (t->s[at + i] != part->s[i])
			return false;
	return true;
}

/* UINT64_MAX: nowhere. */
static uint64_t find(const struct text *t, const struct text *part, bool at_last)
{
	uint64_t found = UINT64_MAX;

	for (uint64_t i = 0; i + part->len <= t->len && (at_last || found == UINT64_MAX); i++)
		if (is_there(t, i, part))
			found = i;
	return found;
}

static uint64_t answer(struct hook_block *b, const struct text t[2], const struct hook_read *what)
{
	switch (what->op) {
	case HOOK_READ_KEY:
		return key_of(b, &t[0]);
	case HOOK_READ_ORDER:
		return order_of(&t[0], &t[1]);
	case HOOK_READ_LENGTH:
		return t[0].len;
	case HOOK_READ_FINDS:
		return find(&t[0], &t[1], false) != UINT64_MAX;
	default:
		return find(&t[0], &t[1], what->op == HOOK_READ_RINDEX);
	}
}

/* What is wanted, in a room; its addresses. */
struct reading {
	const struct hook_read *what;
	uint64_t addr[2];
	bool has_both; /* the second one is an address, too */
};

static bool is_null(const struct reading *r, unsigned i)
{
	return !r->addr[i] && r->what->texts[i].flags & HOOK_TEXT_NULL;
}

/* What cannot fault by itself is not read where it is compared with NULL. */
static bool read_texts(struct hook_block *b, const uint64_t *sp, const struct reading *r,
		       struct text t[2])
{
	bool has_null = is_null(r, 0) || is_null(r, 1);
	unsigned n = r->has_both ? 2 : 1;

	t[1].s = (const char *)(r->what + 1);
	t[1].len = r->what->len;
	t[1].words = t[0].words + r->what->texts[0].size / WORD + 2;
	for (unsigned i = 0; i < n; i++)
		if (!(has_null && r->what->texts[i].flags & HOOK_TEXT_NULL) &&
		    !read_text(b, sp, r->addr[i], &r->what->texts[i], &t[i]))
			return false;
	return true;
}

static struct hook_value read_into(struct hook_block *b, const uint64_t *sp,
				   const struct reading *r, uint64_t *words)
{
	const struct hook_text *first = &r->what->texts[0];
	struct text t[2] = {{words, NULL, 0}};

	if (r->what->op == HOOK_READ_BYTES)
		return (struct hook_value){
			0, hook_read_bytes(b, sp, words, r->addr[0], first->size) == first->size};
	if (!read_texts(b, sp, r, t))
		return nothing;
	if (is_null(r, 0) || is_null(r, 1))
		return there(!is_null(r, 0) ? 3 : is_null(r, 1) ? 2 : 1);
	return there(answer(b, t, r->what));
}

/* Where handlers of signals have left no room the engine is asked, too. */
static struct hook_value read_in_room(struct hook_block *b, const uint64_t *sp,
				      const struct reading *r)
{
	uint64_t *room = hook_take_room(b, sp, r->what->rooms);
	struct hook_value result;

	if (!room)
		return nothing;
	result = read_into(b, sp, r, room + 1);
	hook_leave_room(room);
	return result;
}

struct hook_value hook_read(struct hook_block *b, const uint64_t *sp, uint64_t addr,
			    const struct hook_read *what)
{
	struct reading r = {what, {addr, 1}, what->len == HOOK_READ_BOTH};
	const uint64_t *addrs = (const uint64_t *)addr;

	if (what->op == HOOK_READ_VALUE)
		return read_value(b, sp, addr, what->texts[0].size);
	if (r.has_both) {
		r.addr[0] = addrs[0];
		r.addr[1] = addrs[1];
	}
	return read_in_room(b, sp, &r);
}
