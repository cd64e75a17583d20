/* cmdwords.c: the words of a command that was given as one text (-c). */
#include "command/cmdline.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Takes one word from *p into *out. -EINVAL: a quote without end. */
static int take_word(const char **p, char **out)
{
	char quote = '\0';

	for (; **p && (quote || !isspace((unsigned char)**p)); (*p)++) {
		char c = **p;

		if (quote ? c == quote : c == '\'' || c == '"') {
			if (quote)
				c = '\0';
			quote = c;
			continue;
		}
		/* inside double quotes a backslash escapes only these, as in a shell */
		if (c == '\\' && quote != '\'' && (*p)[1] && (!quote || strchr("\"\\$`", (*p)[1])))
			c = *++*p;
		*(*out)++ = c;
	}
	*(*out)++ = '\0';
	return quote ? -EINVAL : 0;
}

int cmdline_split(const char *text, char ***words)
{
	size_t len = strlen(text), n = 0;
	char **v = xmalloc((len / 2 + 2) * sizeof(*v) + len + 2);
	char *out = (char *)(v + len / 2 + 2);

	while (isspace((unsigned char)*text))
		text++;
	while (*text) {
		v[n++] = out;
		if (take_word(&text, &out) < 0) {
			free(v);
			return -EINVAL;
		}
		while (isspace((unsigned char)*text))
			text++;
	}
	v[n] = NULL;
	if (n == 0) {
		free(v);
		return -ENOENT;
	}
	*words = v;
	return 0;
}
