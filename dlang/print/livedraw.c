#include "dlang/print/livedraw.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"
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

/* As much of a line as there are columns for. Returns whether none is left. */
static bool add_fitting(struct strbuf *out, const char *p, const char *stop, unsigned columns)
{
	unsigned at = 0;

	while (p < stop) {
		size_t len = utf8_length(p, (size_t)(stop - p));
		bool is_tab = *p == '\t', is_bad = !is_tab && !utf8_shown(p, (size_t)(stop - p));
		unsigned width = is_tab	  ? TAB - at % TAB
				 : is_bad ? 1
					  : (unsigned)utf8_columns(p, len);

		if (at + width > columns)
			break;
		at += width;
		if (is_bad)
			strbuf_addc(out, '?');
		else
			strbuf_add(out, p, MAX(len, 1U));
		p += MAX(len, 1U);
	}
	return at == columns;
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
 * there. What keys hold that acts on terminals would, too: it is shown as '?'.
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
		bool is_full = add_fitting(&c->scratch, p, stop, size.ws_col);

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
