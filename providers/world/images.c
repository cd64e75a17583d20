#include "providers/world/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/procfile.h"
#include "base/strbuf.h"

struct space {
	struct image *list;
	unsigned n, room;
};

struct images {
	struct hash by_pid;
};

struct images *images_new(void)
{
	struct images *im = xcalloc(1, sizeof(*im));

	hash_init(&im->by_pid);
	return im;
}

static void free_space(struct space *sp)
{
	for (unsigned i = 0; sp && i < sp->n; i++)
		free(sp->list[i].path);
	if (sp)
		free(sp->list);
	free(sp);
}

static struct space *space_of(struct images *im, pid_t pid)
{
	struct space *sp = hash_get(&im->by_pid, (uint64_t)pid);

	if (!sp) {
		sp = xcalloc(1, sizeof(*sp));
		hash_put(&im->by_pid, (uint64_t)pid, sp);
	}
	return sp;
}

const struct image *images_add(struct images *im, pid_t pid, const struct image *new)
{
	struct space *sp = space_of(im, pid);

	if (sp->n == sp->room) {
		sp->room = MAX(2 * sp->room, 16U);
		sp->list = xrealloc(sp->list, sp->room * sizeof(*sp->list));
	}
	sp->list[sp->n] = *new;
	sp->list[sp->n].path = xstrdup(new->path);
	return &sp->list[sp->n++];
}

static void copy_space(struct images *im, pid_t pid, const struct space *from)
{
	for (unsigned i = 0; i < from->n; i++)
		images_add(im, pid, &from->list[i]);
}

bool images_take(struct images *im, pid_t pid, pid_t parent, taddr_t start, taddr_t end,
		 struct image *out)
{
	struct space *sp = hash_get(&im->by_pid, (uint64_t)pid);
	const struct space *from = sp ? NULL : hash_get(&im->by_pid, (uint64_t)parent);

	if (from)
		copy_space(im, pid, from);
	sp = hash_get(&im->by_pid, (uint64_t)pid);
	for (unsigned i = 0; sp && i < sp->n; i++)
		if (sp->list[i].start >= start && sp->list[i].end <= end) {
			*out = sp->list[i];
			sp->list[i] = sp->list[--sp->n];
			return true;
		}
	return false;
}

void images_forget(struct images *im, pid_t pid)
{
	free_space(hash_get(&im->by_pid, (uint64_t)pid));
	hash_del(&im->by_pid, (uint64_t)pid);
}

void images_free(struct images *im)
{
	struct space *sp;

	if (!im)
		return;
	for (size_t i = 0; (sp = hash_each(&im->by_pid, &i, NULL));)
		free_space(sp);
	hash_release(&im->by_pid);
	free(im);
}

/* ---- what is there already ---- */

static void seed_process(struct images *im, pid_t pid)
{
	struct procmap line;
	struct strbuf text;
	char *at;

	strbuf_init(&text);
	procfile_slurp(pid, "maps", &text);
	at = text.s;
	while (procmap_next(&at, &line))
		if (line.exec && *line.path == '/')
			images_add(im, pid,
				   &(struct image){line.start, line.end, line.start - line.offset,
						   line.path});
	strbuf_release(&text);
}

void images_seed(struct images *im)
{
	struct procids pids;
	pid_t pid;

	procids_open(&pids, 0);
	while ((pid = procids_next(&pids)))
		seed_process(im, pid);
	procids_close(&pids);
}
