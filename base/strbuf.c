#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

void strbuf_init(struct strbuf *sb)
{
	sb->room = 64;
	sb->len = 0;
	sb->s = xmalloc(sb->room);
	sb->s[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->s);
	memset(sb, 0, sizeof(*sb));
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	sb->s[0] = '\0';
}

void strbuf_cut(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->s[len] = '\0';
}

static void strbuf_need(struct strbuf *sb, size_t n)
{
	if (sb->len + n + 1 <= sb->room)
		return;
	sb->room = MAX(sb->room * 2, sb->len + n + 1);
	sb->s = xrealloc(sb->s, sb->room);
}

void strbuf_add(struct strbuf *sb, const void *p, size_t n)
{
	strbuf_need(sb, n);
	if (n)
		memcpy(sb->s + sb->len, p, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addr(struct strbuf *sb, const char *s, size_t width)
{
	size_t len = strlen(s), columns = len, blanks;

	if (len < 4 * width) /* else it is too long anyway */
		columns = utf8_columns(s, len);
	blanks = columns < width ? width - columns : 0;
	strbuf_need(sb, blanks + len);
	memset(sb->s + sb->len, ' ', blanks);
	sb->len += blanks;
	strbuf_add(sb, s, len);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(sb->s + sb->len, sb->room - sb->len, fmt, ap);
	if (n > 0 && (size_t)n >= sb->room - sb->len) {
		strbuf_need(sb, (size_t)n);
		vsnprintf(sb->s + sb->len, sb->room - sb->len, fmt, again);
	}
	va_end(again);
	if (n > 0)
		sb->len += (size_t)n;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->s;

	strbuf_init(sb);
	return s;
}

/* ---- cells of tables ---- */

void strbuf_add_tsv(struct strbuf *out, const char *text, size_t n)
{
	static const char special[] = "\t\n\r\\", letters[] = "tnr\\";

	for (size_t i = 0; i < n; i++) {
		const char *at = text[i] ? strchr(special, text[i]) : NULL;

		if (at)
			strbuf_addc(out, '\\');
		strbuf_addc(out, (char)(at ? letters[at - special] : text[i]));
	}
}

void strbuf_add_csv(struct strbuf *out, const char *text, size_t n)
{
	bool is_plain = true;

	for (size_t i = 0; i < n; i++)
		is_plain &= !strchr(",\"\r\n", text[i]) || !text[i];
	if (is_plain) {
		strbuf_add(out, text, n);
		return;
	}
	strbuf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, text[i]);
	}
	strbuf_addc(out, '"');
}
