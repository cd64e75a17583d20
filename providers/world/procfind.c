#include "providers/world/procfind.h"

#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/procfile.h"
#include "tracer/procfs/procfs.h"

#define MAX_PASSES 100 /* over a family that grows faster than it can be read */

struct entry {
	pid_t pid, parent;
	char comm[32];
	unsigned long long start; /* in ticks since the machine has started */
};

/* False: gone, or a zombie. */
static bool read_entry(pid_t pid, struct entry *e)
{
	char text[1024];
	const char *name, *end, *state, *parent, *start;

	procfile_start(pid, "stat", text, sizeof(text));
	name = strchr(text, '(');
	end = strrchr(text, ')');
	state = procstat_field(text, 3);
	parent = procstat_field(text, 4);
	start = procstat_field(text, 22);
	if (!name || end < name || !start || strchr("ZX", *state))
		return false;
	e->pid = pid;
	e->parent = (pid_t)strtol(parent, NULL, 10);
	e->start = strtoull(start, NULL, 10);
	snprintf(e->comm, sizeof(e->comm), "%.*s", (int)(end - name - 1), name + 1);
	return true;
}

/* All there are, in the order of their start. The caller frees. */
static struct entry *read_all(unsigned *n)
{
	unsigned room = 256;
	struct entry *v = xcalloc(room, sizeof(*v));
	struct procids pids;
	pid_t pid;

	*n = 0;
	procids_open(&pids, 0);
	while ((pid = procids_next(&pids))) {
		if (*n == room) {
			room *= 2;
			v = xrealloc(v, room * sizeof(*v));
		}
		*n += read_entry(pid, &v[*n]);
	}
	procids_close(&pids);
	return v;
}

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The file that it executes, also after a newer one has taken its place. False: may not be read. */
static bool executable(pid_t pid, char *out, size_t size)
{
	static const char gone[] = " (deleted)";
	ssize_t n = procfile_link(pid, "exe", out, size);

	if (n <= 0)
		return false;
	if ((size_t)n >= sizeof(gone) && !strcmp(out + n - (sizeof(gone) - 1), gone))
		out[n - (ssize_t)(sizeof(gone) - 1)] = '\0';
	return true;
}

static bool is_named(const struct entry *e, const char *name, const char *file)
{
	char path[PATH_MAX];

	if (!executable(e->pid, path, sizeof(path)))
		return !strchr(name, '/') && !strcmp(e->comm, name);
	if (strchr(name, '/'))
		return !strcmp(path, file);
	return !strcmp(basename(path), name);
}

unsigned procfind_name(const char *name, pid_t **out)
{
	char real[PATH_MAX];
	const char *file = realpath(name, real) ? real : name;
	unsigned nall, n = 0;
	struct entry *all = read_all(&nall);
	pid_t *v = xcalloc(nall + 1, sizeof(*v));

	qsort(all, nall, sizeof(*all), by_start);
	for (unsigned i = 0; i < nall; i++)
		if (is_named(&all[i], name, file))
			v[n++] = all[i].pid;
	free(all);
	*out = v;
	return n;
}

void procfind_names(void (*fn)(void *, const char *), void *arg)
{
	unsigned n;
	struct entry *all = read_all(&n);
	char path[PATH_MAX];

	for (unsigned i = 0; i < n; i++)
		fn(arg, executable(all[i].pid, path, sizeof(path)) ? basename(path) : all[i].comm);
	free(all);
}

void procfind_descendants(pid_t pid, bool (*take)(void *arg, pid_t), void *arg)
{
	static char is_taken, is_left; /* what a process is marked with */
	struct hash seen;
	bool is_new = true;

	hash_init(&seen);
	hash_put(&seen, (uint64_t)pid, &is_taken);
	for (unsigned pass = 0; is_new && pass < MAX_PASSES; pass++) {
		unsigned n;
		struct entry *all = read_all(&n);

		is_new = false;
		qsort(all, n, sizeof(*all), by_start);
		for (unsigned i = 0; i < n; i++) {
			if (hash_get(&seen, (uint64_t)all[i].pid) ||
			    hash_get(&seen, (uint64_t)all[i].parent) != &is_taken)
				continue;
			is_new = true;
			hash_put(&seen, (uint64_t)all[i].pid,
				 take(arg, all[i].pid) ? &is_taken : &is_left);
		}
		free(all);
	}
	hash_release(&seen);
}
