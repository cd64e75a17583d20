/*
 * svg.c: a flame graph as a picture without scripts: the width of a frame is its value, siblings
 * stand in order of name, callers below.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/structout.h"
#include "base/utf8.h"
#include "command/report/report_priv.h"

#define WIDTH	    1200
#define MARGIN	    10
#define ROW	    17
#define HEAD	    40
#define CHAR_WIDTH  7 /* of the font, at most */
#define CHARS_LEAST 3

struct picture {
	struct strbuf *out;
	const struct folded *folded;
	const char *unit;
	unsigned depth; /* rows above the root */
};

/* The characters of a name that `room` of them have place for. */
static size_t bytes_of(const char *s, size_t n, unsigned room, bool *is_cut)
{
	size_t at = 0;

	for (unsigned i = 0; at < n && i < room; i++)
		at += MAX(utf8_length(s + at, n - at), 1);
	*is_cut = at < n;
	return MIN(at, n);
}

static void add_name(struct picture *p, const char *name, size_t n, double x, unsigned y,
		     double width)
{
	unsigned room = (unsigned)(MAX(width - 6, 0) / CHAR_WIDTH);
	bool is_cut;
	size_t bytes = bytes_of(name, n, room, &is_cut);

	if (room < CHARS_LEAST)
		return;
	if (is_cut)
		bytes = bytes_of(name, n, room - 2, &is_cut);
	strbuf_addf(p->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + ROW - 5);
	so_text(p->out, SO_XML, name, bytes);
	strbuf_addf(p->out, "%s</text>", is_cut ? ".." : "");
}

/* Warm colours, the same for the same name. */
static void add_colour(struct strbuf *out, const char *name, size_t n)
{
	uint64_t h = hash_bytes(name, n);

	strbuf_addf(out, "rgb(%u,%u,%u)", 205 + (unsigned)(h % 50), 90 + (unsigned)(h / 50 % 120),
		    30 + (unsigned)(h / 6000 % 50));
}

static void add_frame(struct picture *p, const char *name, size_t n, uint64_t from, uint64_t value,
		      unsigned depth)
{
	double scale = (double)(WIDTH - 2 * MARGIN) / (double)p->folded->total;
	double x = MARGIN + (double)from * scale, width = (double)value * scale;
	unsigned y = HEAD + (p->depth - depth) * ROW;

	if (width < 1)
		return;
	strbuf_adds(p->out, "<g><title>");
	so_text(p->out, SO_XML, name, n);
	strbuf_addf(p->out,
		    ": %llu%s%s (%.2f%%)</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" "
		    "height=\"%u\" rx=\"1\" fill=\"",
		    (unsigned long long)value, *p->unit ? " " : "", p->unit,
		    100 * (double)value / (double)p->folded->total, x, y, MAX(width - 0.3, 0.7),
		    ROW - 1);
	add_colour(p->out, name, n);
	strbuf_adds(p->out, "\"/>");
	add_name(p, name, n, x, y, width);
	strbuf_adds(p->out, "</g>\n");
}

/*
 * The frames that lie on one frame: of lines [lo, hi), which are the same in their first `skip`
 * bytes. Lines are in the order of their frames: those of a frame stand together.
 */
static void add_children(struct picture *p, size_t lo, size_t hi, size_t skip, uint64_t from,
			 unsigned depth)
{
	const struct folded_line *lines = p->folded->lines;

	while (lo < hi) {
		const char *frame = lines[lo].frames + skip;
		size_t n = strcspn(frame, ";"), end = lo;
		uint64_t value = 0;

		for (; end < hi && !strncmp(lines[end].frames + skip, frame, n) &&
		       strchr(";", lines[end].frames[skip + n]);
		     end++)
			value += lines[end].value;
		add_frame(p, frame, n, from, value, depth);
		/* one that ends here comes first, and has nothing on it */
		add_children(p, lo + !frame[n], end, skip + n + 1,
			     from + (frame[n] ? 0 : lines[lo].value), depth + 1);
		from += value;
		lo = end;
	}
}

static unsigned depth_of(const struct folded *f)
{
	unsigned most = 0;

	for (size_t i = 0; i < f->nlines; i++) {
		unsigned n = 1;

		for (const char *s = f->lines[i].frames; (s = strchr(s, ';')); s++)
			n++;
		most = MAX(most, n);
	}
	return most;
}

void report_svg(struct report *r)
{
	struct folded f;
	struct picture p = {.out = &r->out, .folded = &f, .unit = ""};
	struct unit unit;
	unsigned height;

	folded_make(&f, r);
	p.depth = f.nlines ? depth_of(&f) : 0;
	if (f.var)
		p.unit = f.var->func->id == AGG_COUNT
				 ? "hits"
				 : unit_word(&r->data->session->options, f.var, &unit);
	height = HEAD + (p.depth + 1) * ROW + MARGIN;
	strbuf_addf(&r->out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
		    "height=\"%u\" role=\"img\" font-family=\"monospace\" font-size=\"11\">\n"
		    "<title>Flame graph of @",
		    WIDTH, height, WIDTH, height);
	if (f.var)
		strbuf_adds(&r->out, keytext_aggname(f.var));
	strbuf_addf(&r->out, "</title>\n<rect width=\"%u\" height=\"%u\" fill=\"#fffdf7\"/>\n",
		    WIDTH, height);
	strbuf_addf(&r->out, "<text x=\"%u\" y=\"24\" font-size=\"14\">", MARGIN);
	if (f.nlines)
		strbuf_addf(&r->out, "@%s: %llu %s in %zu stack%s", keytext_aggname(f.var),
			    (unsigned long long)f.total, *p.unit ? p.unit : "in all", f.nlines,
			    f.nlines == 1 ? "" : "s");
	else
		strbuf_adds(&r->out, "no stacks");
	strbuf_adds(&r->out, "</text>\n");
	if (f.nlines) {
		add_frame(&p, "all", 3, 0, f.total, 0);
		add_children(&p, 0, f.nlines, 0, 0, 1);
	}
	strbuf_adds(&r->out, "</svg>\n");
	folded_release(&f);
}
