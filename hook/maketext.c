/* maketext.c: what subroutines make of texts, as dlang/run/strsubrs.c and pathsubrs.c do. */
#include "hook/maketext.h"

#define WORD 8

/* ---- where texts come from ---- */

static char *take(struct making *m, uint64_t size)
{
	char *at = (char *)(m->room + 1);

	m->room += HOOK_STEP_CHARS(size) / WORD;
	return at;
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
static bool read_text(struct making *m, const struct hook_text_step *step, struct text *out)
{
	char *to = take(m, step->size);
	uint64_t addr = m->words[step->nth];
	bool is_whole = step->op == HOOK_TEXT_WHOLE;
	uint64_t n = is_whole ? hook_read_bytes(m->b, m->sp, to, addr, step->size)
			      : hook_read_text(m->b, m->sp, to, addr, step->size);

	*out = (struct text){to, is_whole ? length(to, n) : n - (n && !to[n - 1]), NULL};
	return n == step->size || (!is_whole && out->len < n);
}

bool hook_read_plain(struct making *m, struct text *t)
{
	return t->plain ? read_text(m, t->plain, t) : t->s != NULL;
}

bool hook_is_null(const struct making *m, const struct text *t)
{
	return t->plain ? !m->words[t->plain->nth] : !t->s;
}

/* lltostr(): digits from the last one on. */
static void write_number(struct making *m, const struct hook_text_step *step, struct text *out)
{
	char *end = take(m, HOOK_NUMBER) + HOOK_NUMBER, *p = end;
	uint64_t v = m->words[step->nth], base = (uint64_t)step->start;
	bool is_negative = base == 10 && (int64_t)v < 0, is_zero = base == 8 && !v;

	if (is_negative)
		v = -v;
	do {
		uint64_t digit = v % base;

		*--p = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
		v /= base;
	} while (v);
	if (base == 16)
		*--p = 'x';
	if ((base == 16 || base == 8) && !is_zero)
		*--p = '0';
	if (is_negative)
		*--p = '-';
	*out = (struct text){p, (uint64_t)(end - p), NULL};
	if (out->len > step->size)
		out->len = step->size;
}

/* ---- of one text ---- */

static void cut(struct text *t, const struct hook_text_step *step)
{
	int64_t len = (int64_t)t->len, start = step->start, end;

	if (start < 0)
		start += len;
	end = (step->count < 0 ? len : start) + step->count;
	start = start < 0 ? 0 : start > len ? len : start;
	end = end < start ? start : end > len ? len : end;
	t->s += start;
	t->len = (uint64_t)(end - start);
}

static uint64_t trim_slashes(const char *s, uint64_t n)
{
	while (n && s[n - 1] == '/')
		n--;
	return n;
}

static uint64_t trim_component(const char *s, uint64_t n)
{
	while (n && s[n - 1] != '/')
		n--;
	return n;
}

static void set_one(struct text *t, bool is_root)
{
	t->s = is_root ? "/" : ".";
	t->len = 1;
}

static void take_basename(struct text *t)
{
	uint64_t end = trim_slashes(t->s, t->len), start = trim_component(t->s, end);

	if (!end) {
		set_one(t, t->len);
		return;
	}
	t->s += start;
	t->len = end - start;
}

static void take_dirname(struct text *t)
{
	uint64_t file = trim_component(t->s, trim_slashes(t->s, t->len));
	uint64_t end = trim_slashes(t->s, file);

	if (!end)
		set_one(t, file || (t->len && t->s[0] == '/'));
	else
		t->len = end;
}

/* The next component of a path becomes part of the one that is made. */
struct path {
	char *s;
	uint64_t n, ncomps;
	bool is_absolute;
};

static void add_component(struct path *p, const char *comp, uint64_t len)
{
	bool is_up = len == 2 && comp[0] == '.' && comp[1] == '.';

	if (!len || (len == 1 && comp[0] == '.') || (is_up && !p->ncomps && p->is_absolute))
		return;
	if (is_up && p->ncomps) {
		p->n = trim_slashes(p->s, trim_component(p->s, p->n));
		p->ncomps--;
		return;
	}
	if (p->n || p->is_absolute)
		p->s[p->n++] = '/';
	for (uint64_t i = 0; i < len; i++)
		p->s[p->n++] = comp[i];
	p->ncomps += !is_up;
}

static void clean_path(struct making *m, struct text *t)
{
	struct path p = {take(m, t->len), 0, 0, t->len && t->s[0] == '/'};

	for (uint64_t i = 0, len; i < t->len; i += len + 1) {
		for (len = 0; i + len < t->len && t->s[i + len] != '/';)
			len++;
		add_component(&p, t->s + i, len);
	}
	if (!p.n && t->len)
		p.s[p.n++] = p.is_absolute ? '/' : '.';
	*t = (struct text){p.s, p.n, NULL};
}

static void change_case(struct making *m, struct text *t, char from, char to)
{
	char *p = take(m, t->len);

	for (uint64_t i = 0; i < t->len; i++)
		p[i] = (char)(t->s[i] >= from && t->s[i] < from + 26 ? t->s[i] - from + to
								     : t->s[i]);
	t->s = p;
}

static void find_char(struct text *t, char c, bool at_last)
{
	uint64_t found = t->len;

	for (uint64_t i = 0; i < t->len && (at_last || found == t->len); i++)
		if (t->s[i] == c)
			found = i;
	t->s = found < t->len ? t->s + found : NULL;
	t->len -= found;
}

/* ---- of two ---- */

static bool is_there(const struct text *t, uint64_t at, const struct text *part)
{
	for (uint64_t i = 0; i < part->len; i++)
		if (t->s[at + i] != part->s[i])
			return false;
	return true;
}

uint64_t hook_find_text(const struct text *t, const struct text *part, uint64_t from)
{
	for (uint64_t i = from; i + part->len <= t->len; i++)
		if (is_there(t, i, part))
			return i;
	return UINT64_MAX;
}

static void find_part(struct text *t, const struct text *part)
{
	uint64_t at = hook_find_text(t, part, 0);

	t->s = at <= t->len ? t->s + at : NULL;
	t->len -= at <= t->len ? at : t->len;
}

static bool has_char(const struct text *t, char c)
{
	for (uint64_t i = 0; i < t->len; i++)
		if (t->s[i] == c)
			return true;
	return false;
}

static void take_token(struct text *t, const struct text *delims)
{
	uint64_t start = 0, end;

	while (start < t->len && has_char(delims, t->s[start]))
		start++;
	for (end = start; end < t->len && !has_char(delims, t->s[end]);)
		end++;
	t->s = start < t->len ? t->s + start : NULL;
	t->len = end - start;
}

static void join(struct making *m, struct text *t, const struct text *more, uint64_t size)
{
	char *p = take(m, size);
	uint64_t n = 0;

	for (uint64_t i = 0; i < t->len && n < size; i++)
		p[n++] = t->s[i];
	for (uint64_t i = 0; i < more->len && n < size; i++)
		p[n++] = more->s[i];
	*t = (struct text){p, n, NULL};
}

/* ---- steps ---- */

static bool push(struct making *m, const struct hook_text_step *step)
{
	struct text *t = &m->texts[m->n++];

	*t = (struct text){NULL, 0, NULL};
	switch (step->op) {
	case HOOK_TEXT_PLAIN:
		t->plain = step;
		return true;
	case HOOK_TEXT_KNOWN:
		t->s = m->known;
		t->len = step->size;
		m->known += step->size;
		return true;
	case HOOK_TEXT_NUMBER:
		write_number(m, step, t);
		return true;
	default:
		return read_text(m, step, t);
	}
}

static void change_two(struct making *m, const struct hook_text_step *step, struct text *t)
{
	if (step->op == HOOK_TEXT_STRSTR)
		find_part(t, t + 1);
	else if (step->op == HOOK_TEXT_STRTOK)
		take_token(t, t + 1);
	else
		join(m, t, t + 1, step->size);
}

static void change_one(struct making *m, const struct hook_text_step *step, struct text *t)
{
	switch (step->op) {
	case HOOK_TEXT_SUBSTR:
		cut(t, step);
		break;
	case HOOK_TEXT_BASENAME:
		take_basename(t);
		break;
	case HOOK_TEXT_DIRNAME:
		take_dirname(t);
		break;
	case HOOK_TEXT_CLEANPATH:
		clean_path(m, t);
		break;
	case HOOK_TEXT_TOUPPER:
		change_case(m, t, 'a', 'A');
		break;
	case HOOK_TEXT_TOLOWER:
		change_case(m, t, 'A', 'a');
		break;
	default:
		find_char(t, (char)step->start, step->op == HOOK_TEXT_STRRCHR);
		break;
	}
}

static bool change(struct making *m, const struct hook_text_step *step)
{
	bool takes_two = step->op >= HOOK_TEXT_STRSTR;
	struct text *t;

	m->n -= takes_two;
	t = &m->texts[m->n - 1];
	if (!hook_read_plain(m, t) || (takes_two && !hook_read_plain(m, t + 1)))
		return false;
	if (takes_two)
		change_two(m, step, t);
	else
		change_one(m, step, t);
	return true;
}

bool hook_make_texts(struct making *m, const struct hook_text_step *steps, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!(steps[i].op < HOOK_TEXT_SUBSTR ? push(m, &steps[i]) : change(m, &steps[i])))
			return false;
	return true;
}

uint32_t hook_text_words(const struct text *t, uint64_t *to)
{
	char *s = (char *)(to + 1);
	uint64_t len = t->len;

	for (uint64_t i = 0; i < len && s != t->s; i++)
		s[i] = t->s[i];
	for (uint64_t i = len; i % WORD; i++)
		s[i] = 0;
	to[0] = len;
	return (uint32_t)(1 + (len + WORD - 1) / WORD);
}
