#include "dlang/reportform.h"

#include <string.h>

#include "base/base.h"

/* Words, and what names may end with besides. */
static const struct {
	const char *word, *others[2];
} forms[REPORT_NFORMS] = {
	[REPORT_FOLDED] = {"folded", {"collapsed"}},
	[REPORT_HTML] = {"html", {NULL}},
	[REPORT_SVG] = {"svg", {NULL}},
	[REPORT_PPROF] = {"pprof", {"pb.gz"}},
	[REPORT_SPEEDSCOPE] = {"speedscope", {"speedscope.json"}},
	[REPORT_PERFETTO] = {"perfetto", {"pftrace", "perfetto-trace"}},
	[REPORT_CHROME] = {"chrome", {"trace.json"}},
	[REPORT_JSONL] = {"jsonl", {"ndjson"}},
	[REPORT_JSON] = {"json", {NULL}},
	[REPORT_CSV] = {"csv", {NULL}},
	[REPORT_TSV] = {"tsv", {NULL}},
	[REPORT_PROM] = {"prom", {NULL}},
};

static bool is_word(const char *known, const char *word, size_t n)
{
	return known && strlen(known) == n && memcmp(known, word, n) == 0;
}

static enum report_form form_named(const char *word, size_t n)
{
	enum report_form f = 0;

	while (f < REPORT_NFORMS && !is_word(forms[f].word, word, n) &&
	       !is_word(forms[f].others[0], word, n) && !is_word(forms[f].others[1], word, n))
		f++;
	return f;
}

enum report_form report_form_of(const char *text, const char **path)
{
	const char *colon = strchr(text, ':'), *slash, *dot;
	enum report_form f = colon ? form_named(text, (size_t)(colon - text)) : REPORT_NFORMS;

	*path = f < REPORT_NFORMS ? colon + 1 : text;
	if (f < REPORT_NFORMS)
		return f;
	slash = strrchr(text, '/');
	for (dot = strchr(slash ? slash : text, '.'); dot && f == REPORT_NFORMS;
	     dot = strchr(dot + 1, '.'))
		f = form_named(dot + 1, strlen(dot + 1));
	return f;
}

const char *report_form_word(enum report_form f)
{
	return forms[f].word;
}
