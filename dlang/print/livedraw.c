#include "dlang/print/livedraw.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dlang/print/printagg.h"

#define CURSOR_HOME   "\033[H"
#define CLEAR_TO_EOL  "\033[K"
#define CLEAR_TO_END  "\033[J"
#define DEFAULT_LINES 24
#define DEFAULT_COLS  80
#define TAB	      8

/* The rows of all aggregations, as they would be printed at the end. */
static void add_rows(struct consumer *c)
{
	c->pr.time_ns = TIME_LATEST;
	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = consumer_left(c, i);

		if (copy && !copy->is_printed)
			printer_rows(&c->pr, &copy, 1, NULL);
	}
}

/* As it is now: somebody may have changed it. */
static struct winsize size_of(int fd)
{
	struct winsize w;

	if (ioctl(fd, TIOCGWINSZ, &w) < 0)
		w = (struct winsize){0};
	w.ws_row = w.ws_row > 1 ? w.ws_row : DEFAULT_LINES;
	w.ws_col = w.ws_col > 1 ? w.ws_col : DEFAULT_COLS;
	return w;
}

/* ---- columns ---- */

/* The character at p, as UTF-8 (RFC 3629); a byte that is none of it is one by itself. Returns its
 * bytes. */
static size_t decode(const char *p, const char *end, uint32_t *c)
{
	uint8_t first = (uint8_t)*p;
	size_t n = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;

	*c = n == 1 ? first : first & (0x7fU >> n);
	if (n > (size_t)(end - p))
		n = 1;
	for (size_t i = 1; i < n; i++) {
		if (((uint8_t)p[i] & 0xc0) != 0x80)
			return 1;
		*c = *c << 6 | ((uint8_t)p[i] & 0x3f);
	}
	return n;
}

/* Unicode's East Asian Width and combining marks, as terminals have them. */
static unsigned width_of(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		unsigned width;
	} rows[] = {
		{0, 0x1f, 0},	       {0x7f, 0x7f, 0},	      {0x300, 0x36f, 0},
		{0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
		{0x2e80, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
		{0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},
		{0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
		{0x20000, 0x3fffd, 2},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (c >= rows[i].first && c <= rows[i].last)
			return rows[i].width;
	return 1;
}

/* As much of a line as there are columns for; *is_full: none is left. */
static const char *fit(const char *p, const char *stop, unsigned columns, bool *is_full)
{
	unsigned at = 0;

	while (p < stop) {
		uint32_t c;
		size_t n = decode(p, stop, &c);
		unsigned width = c == '\t' ? TAB - at % TAB : width_of(c);

		if (at + width > columns)
			break;
		at += width;
		p += n;
	}
	*is_full = at == columns;
	return p;
}

/* Where the last n lines begin: order is ascending, what is largest stands last. */
static const char *last_lines(const char *text, size_t len, size_t n)
{
	const char *p = text + len;

	while (p > text && (p[-1] != '\n' || p == text + len || n-- > 1))
		p--;
	return p;
}

/*
 * Each line wipes the rest of the one it is written over: no moment without text, so no flicker.
 * One that goes on at the terminal's edge would push the others out of their places: it is cut
 * there.
 */
static void draw_over(struct consumer *c, size_t from)
{
	const struct winsize size = size_of(fileno(c->out));
	const char *text = c->text.s + from, *p;
	size_t len = c->text.len - from;

	strbuf_clear(&c->scratch);
	strbuf_adds(&c->scratch, CURSOR_HOME);
	for (p = last_lines(text, len, size.ws_row - 1U); p < text + len;) {
		const char *end = memchr(p, '\n', (size_t)(text + len - p));
		const char *stop = end ? end : text + len;
		bool is_full;

		strbuf_add(&c->scratch, p, (size_t)(fit(p, stop, size.ws_col, &is_full) - p));
		/* behind the last column this would wipe what stands there */
		strbuf_adds(&c->scratch, is_full ? "\n" : CLEAR_TO_EOL "\n");
		p = stop + 1;
	}
	strbuf_adds(&c->scratch, CLEAR_TO_END);
	strbuf_cut(&c->text, from);
	strbuf_add(&c->text, c->scratch.s, c->scratch.len);
}

int live_draw(struct consumer *c, struct err *err)
{
	const size_t from = c->text.len;

	add_rows(c);
	if (c->text.len == from)
		return 0;
	if (isatty(fileno(c->out)))
		draw_over(c, from);
	else
		strbuf_addc(&c->text, '\n');
	return consumer_flush(c, err);
}
