#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct {
	void (*fn)(void *);
	void *arg;
} cleanups[16];
static unsigned ncleanups;

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return code;
}

int err_no_process(struct err *err, int e)
{
	const char *why = e == EAGAIN
				  ? "a limit of the number of processes: ulimit -u, or pids.max of "
				    "the control group"
			  : e == EPERM || e == ENOSYS ? "a seccomp filter"
						      : "see fork(2)";

	return err_set(err, -e, "cannot start a process (fork: %s): %s", strerror(e), why);
}

const char *err_next_step(int e)
{
	return e == EMFILE ? "; raise ulimit -n" : e == ENFILE ? "; raise fs.file-max" : "";
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	int n;

	if (!err)
		return -EIO;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", old);
	return err->code;
}

void die(const char *fmt, ...)
{
	va_list ap;

	while (ncleanups > 0) {
		ncleanups--;
		cleanups[ncleanups].fn(cleanups[ncleanups].arg);
	}
	fputs("dtrace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_Exit(1);
}

void die_cleanup(void (*fn)(void *), void *arg)
{
	if (ncleanups == ARRAY_SIZE(cleanups))
		die("internal error: more than %zu clean-ups", ARRAY_SIZE(cleanups));
	cleanups[ncleanups].fn = fn;
	cleanups[ncleanups].arg = arg;
	ncleanups++;
}

void die_forget(void (*fn)(void *), void *arg)
{
	for (unsigned i = 0; i < ncleanups; i++) {
		if (cleanups[i].fn != fn || cleanups[i].arg != arg)
			continue;
		memmove(&cleanups[i], &cleanups[i + 1], (ncleanups - i - 1) * sizeof(cleanups[0]));
		ncleanups--;
		return;
	}
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("out of memory (%zu bytes)", n);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		die("out of memory (%zu x %zu bytes)", n, size);
	return p;
}

void *xrealloc(void *old, size_t n)
{
	void *p = realloc(old, n ? n : 1);

	if (!p)
		die("out of memory (%zu bytes)", n);
	return p;
}

#define FILL_MIN ((size_t)128 << 10)

void will_fill(void *p, size_t n)
{
	uintptr_t from = ROUND_UP((uintptr_t)p, PAGE), to = ((uintptr_t)p + n) / PAGE * PAGE;

	if (n >= FILL_MIN && from < to)
		madvise((char *)p + (from - (uintptr_t)p), to - from, MADV_POPULATE_WRITE);
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory");
	return s;
}
