#include "command/symbolpath.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "symbols/symbols.h"

/* DIR, URL or DIR:URL. The URL is for us: the programs of -c have their environment already. */
void symbolpath_add(const char *arg)
{
	const char *url = strstr(arg, "http://"), *old = getenv("DEBUGINFOD_URLS");
	size_t dir_len;
	char *text;

	if (!url)
		url = strstr(arg, "https://");
	dir_len = url ? (size_t)(url - arg) : strlen(arg);
	if (url) {
		text = xasprintf("%s%s%s", url, old ? " " : "", old ? old : "");
		setenv("DEBUGINFOD_URLS", text, 1);
		free(text);
	}
	if (url && dir_len && arg[dir_len - 1] == ':')
		dir_len--;
	if (dir_len) {
		text = xasprintf("%.*s", (int)dir_len, arg);
		objfile_add_debug_dir(text);
		free(text);
	}
}
