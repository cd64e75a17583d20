#include "command/live/colors.h"

#include <stdlib.h>
#include <unistd.h>

void colors_decide(struct session *s, FILE *out)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	bool can = isatty(fileno(out)) && term && strcmp(term, "dumb") != 0 && !(none && *none);

	if (opt(&s->options, OPT_COLOR) == COLOR_AUTO)
		s->options.num[OPT_COLOR] = can ? COLOR_ALWAYS : COLOR_NEVER;
	if (opt_on(&s->options, OPT_LIVE))
		s->options.num[OPT_COLOR] = COLOR_NEVER;
}
