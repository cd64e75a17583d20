#include "dlang/live.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dlang/printagg.h"

#define CURSOR_HOME   "\033[H"
#define CLEAR_TO_EOL  "\033[K"
#define CLEAR_TO_END  "\033[J"
#define DEFAULT_LINES 24

/* The rows of all aggregations, as they would be printed at the end. */
static void add_rows(struct consumer *c)
{
	c->pr.time_ns = TIME_LATEST;
	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = c->aggs.copies[i];

		if (copy && !copy->is_printed)
			printer_rows(&c->pr, &copy, 1, NULL);
	}
}

static size_t lines_of(int fd)
{
	struct winsize w;

	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 1 ? w.ws_row : DEFAULT_LINES;
}

/* Where the last n lines begin: order is ascending, what is largest stands last. */
static const char *last_lines(const char *text, size_t len, size_t n)
{
	const char *p = text + len;

	while (p > text && (p[-1] != '\n' || p == text + len || n-- > 1))
		p--;
	return p;
}

/* Each line wipes the rest of the one it is written over: no moment without text, so no flicker. */
static void draw_over(struct consumer *c, size_t from)
{
	const char *text = c->text.s + from, *p;
	size_t len = c->text.len - from;

	strbuf_clear(&c->scratch);
	strbuf_adds(&c->scratch, CURSOR_HOME);
	for (p = last_lines(text, len, lines_of(fileno(c->out)) - 1); p < text + len;) {
		const char *end = memchr(p, '\n', (size_t)(text + len - p));
		const char *stop = end ? end : text + len;

		strbuf_add(&c->scratch, p, (size_t)(stop - p));
		strbuf_adds(&c->scratch, CLEAR_TO_EOL "\n");
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
