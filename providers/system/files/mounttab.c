#include "providers/system/files/mounttab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procfile.h"

#define NTABLES 8
#define KEEP_NS 1000000000ULL /* where changes are not told: a mount that is new is known then */

struct mount_row {
	char *point, *type;
	size_t len; /* of point, without a slash at its end */
};

struct mounttab {
	unsigned own_ns; /* ours */
	struct table {
		unsigned mntns, change;
		uint64_t read_ns; /* 0: not in use */
		struct mount_row *rows;
		unsigned n;
	} tables[NTABLES];
};

struct mounttab *mounttab_new(void)
{
	struct mounttab *m = xcalloc(1, sizeof(*m));
	struct stat st;

	if (stat("/proc/self/ns/mnt", &st) == 0)
		m->own_ns = (unsigned)st.st_ino;
	return m;
}

static void empty(struct table *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		free(t->rows[i].point);
		free(t->rows[i].type);
	}
	free(t->rows);
	*t = (struct table){0};
}

void mounttab_free(struct mounttab *m)
{
	for (unsigned i = 0; m && i < NTABLES; i++)
		empty(&m->tables[i]);
	free(m);
}

static bool take(void *arg, const struct procmount *m)
{
	struct table *t = arg;
	struct mount_row *r;

	t->rows = xrealloc(t->rows, (t->n + 1) * sizeof(*t->rows));
	r = &t->rows[t->n++];
	r->point = xstrdup(m->point);
	r->type = xstrdup(m->type);
	r->len = strcmp(m->point, "/") ? strlen(m->point) : 0;
	return true;
}

/* The table of that namespace, or the place of the oldest. */
static struct table *place_of(struct mounttab *m, unsigned mntns)
{
	struct table *oldest = &m->tables[0];

	for (unsigned i = 0; i < NTABLES; i++) {
		if (m->tables[i].read_ns && m->tables[i].mntns == mntns)
			return &m->tables[i];
		if (m->tables[i].read_ns < oldest->read_ns)
			oldest = &m->tables[i];
	}
	return oldest;
}

static bool is_fresh(const struct table *t, const struct mounttab_of *of)
{
	if (!t->read_ns || t->mntns != of->mntns)
		return false;
	/* events come late: what was read may be newer than they are */
	return of->change ? (int)(t->change - of->change) >= 0 : of->time_ns - t->read_ns < KEEP_NS;
}

/* A process that has ended cannot be asked: what is known of its namespace holds. */
static struct table *table_of(struct mounttab *m, const struct mounttab_of *of)
{
	struct table *t = place_of(m, of->mntns);
	struct table fresh = {.mntns = of->mntns, .change = of->change, .read_ns = of->time_ns};

	if (is_fresh(t, of))
		return t;
	procmounts_each(of->mntns == m->own_ns ? getpid() : of->pid, take, &fresh);
	if (!fresh.n)
		return t->read_ns && t->mntns == of->mntns ? t : NULL;
	empty(t);
	*t = fresh;
	return t;
}

static bool leads_to(const char *path, const struct mount_row *r)
{
	return strncmp(path, r->point, r->len) == 0 && (!path[r->len] || path[r->len] == '/');
}

bool mounttab_find(struct mounttab *m, const struct mounttab_of *of, const char *path,
		   struct mounttab_entry *e)
{
	const struct table *t = table_of(m, of);
	const struct mount_row *best = NULL;

	/* of two at one place the later one is on top */
	for (unsigned i = 0; t && i < t->n; i++)
		if (leads_to(path, &t->rows[i]) && (!best || t->rows[i].len >= best->len))
			best = &t->rows[i];
	if (!best)
		return false;
	*e = (struct mounttab_entry){best->point, best->type};
	return true;
}
