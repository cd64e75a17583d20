#include "command/earlyopts.h"

#include <string.h>

#define BLANKS " \t"

/* The value in a line `#pragma D option evaltime=VALUE`; NULL: it is none. */
static char *evaltime_in(struct session *s, const char *line, size_t length)
{
	static const char *const words[] = {"#", "pragma", "D", "option", "evaltime="};
	const char *p = line, *end = line + length;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(end - p) < n || strncmp(p, words[i], n) != 0)
			return NULL;
		p += n;
		p += strspn(p, BLANKS);
	}
	return p < end ? arena_strndup(s->arena, p, strcspn(p, " \t\r\n")) : NULL;
}

void early_options(struct session *s, const struct source *sources, unsigned n)
{
	for (unsigned i = 0; i < n && !opt_on(&s->options, OPT_EVALTIME); i++)
		for (const char *p = sources[i].text; p && *p; p = strchr(p, '\n')) {
			char *value;

			p += *p == '\n';
			value = evaltime_in(s, p, strcspn(p, "\n"));
			if (value)
				options_set(&s->options, s->arena, "evaltime", value, OPT_PRAGMA,
					    NULL);
		}
}
