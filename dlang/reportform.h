/*
 * reportform.h: which form of report a name means (-x report=[FORM:]FILE).
 */
#ifndef DLANG_REPORTFORM_H
#define DLANG_REPORTFORM_H

enum report_form {
	REPORT_FOLDED,
	REPORT_HTML,
	REPORT_SVG,
	REPORT_PPROF,
	REPORT_SPEEDSCOPE,
	REPORT_PERFETTO,
	REPORT_CHROME,
	REPORT_JSONL,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_TSV,
	REPORT_PROM,
	REPORT_NFORMS
};

/* By the word in front of a colon, else by the end of the name; *path: the file. REPORT_NFORMS: it
 * says none. */
enum report_form report_form_of(const char *text, const char **path);
/* The word that it is asked for by, and that names of its files end with. */
const char *report_form_word(enum report_form);

#endif
