#include "base/structout.h"

#include <assert.h>

#include "base/utf8.h"

void so_init(struct structout *so, struct strbuf *out, enum so_format format)
{
	*so = (struct structout){.out = out, .format = format};
}

/* ---- text ---- */

static void json_char(struct strbuf *out, unsigned char c)
{
	static const char *const named = "\b\t\n\f\r", letters[] = "btnfr";
	const char *at = c ? strchr(named, c) : NULL;

	if (c == '"' || c == '\\')
		strbuf_addf(out, "\\%c", c);
	else if (at)
		strbuf_addf(out, "\\%c", letters[at - named]);
	else if (c < 0x20)
		strbuf_addf(out, "\\u%04x", c);
	else
		strbuf_addc(out, (char)c);
}

static void markup_char(struct strbuf *out, unsigned char c)
{
	switch (c) {
	case '<':
		strbuf_adds(out, "&lt;");
		break;
	case '>':
		strbuf_adds(out, "&gt;");
		break;
	case '&':
		strbuf_adds(out, "&amp;");
		break;
	case '"':
		strbuf_adds(out, "&quot;");
		break;
	default: /* XML knows no other control characters */
		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
			c = '?';
		strbuf_addc(out, (char)c);
	}
}

/* XML has no place for these two, not even escaped. */
static bool is_no_character(enum so_format format, const char *s, size_t len)
{
	return format != SO_JSON && len == 3 && utf8_char(s, len) >= 0xfffe;
}

/* What is no UTF-8 becomes the replacement character: the whole stays readable. */
void so_text(struct strbuf *out, enum so_format format, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(text + i, n - i);

		if (len == 0 || is_no_character(format, text + i, len))
			strbuf_adds(out, "\357\277\275");
		else if (len > 1)
			strbuf_add(out, text + i, len);
		else if (format == SO_JSON)
			json_char(out, (unsigned char)text[i]);
		else
			markup_char(out, (unsigned char)text[i]);
		i += MAX(len, 1);
	}
}

/* ---- structure ---- */

static void descend(struct structout *so)
{
	assert(so->depth + 1 < SO_MAX_DEPTH);
	so->has_members[++so->depth] = false;
}

static void comma(struct structout *so)
{
	if (so->has_members[so->depth])
		strbuf_addc(so->out, ',');
	so->has_members[so->depth] = true;
}

static void open_tag(struct structout *so, const char *name)
{
	if (so->format == SO_XML)
		strbuf_addf(so->out, "<%s>", name);
	else
		strbuf_addf(so->out, "<div class=\"%s\">", name);
}

static void close_tag(struct structout *so, const char *name)
{
	if (so->format == SO_XML)
		strbuf_addf(so->out, "</%s>", name);
	else
		strbuf_adds(so->out, "</div>");
}

static void json_name(struct structout *so, const char *name, bool in_list)
{
	comma(so);
	if (!in_list)
		strbuf_addf(so->out, "\"%s\":", name);
}

void so_open(struct structout *so, const char *name)
{
	if (so->format != SO_JSON) {
		open_tag(so, name);
		return;
	}
	json_name(so, name, false);
	strbuf_addc(so->out, '{');
	descend(so);
}

void so_item(struct structout *so, const char *list)
{
	if (so->format != SO_JSON) {
		open_tag(so, list);
		return;
	}
	comma(so);
	strbuf_addc(so->out, '{');
	descend(so);
}

void so_close(struct structout *so, const char *name)
{
	if (so->format != SO_JSON) {
		close_tag(so, name);
		return;
	}
	strbuf_addc(so->out, '}');
	so->depth--;
}

void so_open_list(struct structout *so, const char *name)
{
	if (so->format != SO_JSON)
		return;
	json_name(so, name, false);
	strbuf_addc(so->out, '[');
	descend(so);
}

void so_close_list(struct structout *so, const char *name UNUSED)
{
	if (so->format != SO_JSON)
		return;
	strbuf_addc(so->out, ']');
	so->depth--;
}

void so_string(struct structout *so, const char *name, const char *text, size_t n, bool in_list)
{
	if (so->format == SO_JSON) {
		json_name(so, name, in_list);
		strbuf_addc(so->out, '"');
		so_text(so->out, so->format, text, n);
		strbuf_addc(so->out, '"');
		return;
	}
	open_tag(so, name);
	so_text(so->out, so->format, text, n);
	close_tag(so, name);
}

static void add_digits(struct structout *so, const char *name, const char *digits, bool in_list)
{
	if (so->format == SO_JSON) {
		json_name(so, name, in_list);
		strbuf_adds(so->out, digits);
		return;
	}
	so_string(so, name, digits, strlen(digits), in_list);
}

void so_number(struct structout *so, const char *name, int64_t v, bool in_list)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)v);
	add_digits(so, name, digits, in_list);
}

void so_unsigned(struct structout *so, const char *name, uint64_t v, bool in_list)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);
	add_digits(so, name, digits, in_list);
}
