#include "providers/machine/hwconfig.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/strbuf.h"

void hw_missing(char missing[128], const char *member)
{
	size_t n = strlen(missing);

	snprintf(missing + n, 128 - n, "%s%s", n ? " " : "", member);
}

bool hw_text(char missing[128], const char *member, char *to, size_t size, const char *path, ...)
{
	char name[512];
	va_list ap;
	size_t n;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	if (slurp_start(name, to, size) < 0)
		to[0] = '\0';
	n = strcspn(to, "\n");
	while (n && to[n - 1] == ' ') /* SCSI fills its names up */
		n--;
	to[n] = '\0';
	if (!to[0])
		hw_missing(missing, member);
	return to[0] != '\0';
}

int64_t hw_number(char missing[128], const char *member, int base, const char *path, ...)
{
	char none[128] = "", name[512], text[64], *end = text;
	int64_t n = 0;
	va_list ap;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	errno = 0;
	if (hw_text(none, "", text, sizeof(text), "%s", name))
		n = strtoll(text, &end, base);
	if (end != text && !errno)
		return n;
	hw_missing(missing, member);
	return 0;
}

void hw_link(char missing[128], const char *member, char *to, size_t size, const char *path, ...)
{
	char name[512], where[512];
	const char *last;
	va_list ap;
	ssize_t n;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	n = readlink(name, where, sizeof(where) - 1);
	where[MAX(n, 0)] = '\0';
	last = strrchr(where, '/');
	snprintf(to, size, "%s", last ? last + 1 : where);
	if (!to[0])
		hw_missing(missing, member);
}

bool hw_line(char missing[128], const char *member, char *to, size_t size, const char *path,
	     const char *name)
{
	struct strbuf text;
	size_t n = strlen(name);

	to[0] = '\0';
	strbuf_init(&text);
	slurp(path, &text);
	for (const char *at = text.s; at && !to[0]; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, n) != 0 || !strchr(" \t:", at[n]) || !at[n])
			continue;
		at += n + strspn(at + n, " \t:");
		snprintf(to, size, "%.*s", (int)strcspn(at, "\n"), at);
	}
	strbuf_release(&text);
	if (!to[0])
		hw_missing(missing, member);
	return to[0] != '\0';
}

static int is_name(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

void hw_each(const char *folder, void (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_name, versionsort);

	for (int i = 0; i < n; i++) {
		fn(arg, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}
