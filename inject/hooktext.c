/*
 * hooktext.c: where a file is hooked as in another process, its text is replaced by a copy that has
 * the detours in it already (textcopy.h), instead of being written to: the pages of a copy are had
 * by all processes, as those of the file were.
 */
#include "inject/hooks_priv.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/codebytes.h"
#include "inject/textcopy.h"
#include "symbols/symbols.h"

#define PAGES_MIN 16 /* of a text, to be written to: fewer are copied sooner */
#define TEXT_MAX  (256ULL << 20)

/* ---- making one ---- */

static bool read_text(int fd, uint64_t offset, uint8_t *text, size_t len)
{
	ssize_t n = 1;

	for (size_t done = 0; done < len && n > 0; done += (size_t)n)
		n = pread(fd, text + done, len - done, (off_t)(offset + done));
	return n >= 0;
}

/* At their places in the text, which is as in the file: false: it is another one. */
static bool put_detours(const struct hookimage_detours *ds, taddr_t start, const uint8_t *orig,
			uint8_t *text)
{
	for (size_t i = 0; i < ds->n; i++) {
		const struct detour *j = &ds->v[i];
		taddr_t at = j->addr + ds->shift - start;

		if (memcmp(orig + at, j->window ? j->window : j->orig, detour_size(j)) != 0)
			return false;
		memcpy(text + at, j->code, j->len);
	}
	return true;
}

static const struct textcopy *make(struct textcopies *cs, const struct hookimage_detours *ds,
				   const struct proc_text *t, int fd)
{
	size_t len = t->end - t->start;
	uint8_t *orig = xcalloc(2, len), *text = orig + len;
	const struct textcopy_request q = {
		.path = t->path, .file = t->file, .offset = t->offset, .text = text, .len = len};
	const struct textcopy *c = NULL;

	if (read_text(fd, t->offset, orig, len)) {
		memcpy(text, orig, len);
		if (put_detours(ds, t->start, orig, text))
			c = textcopy_new(cs, &q);
	}
	free(orig);
	return c;
}

/* ---- mapping it ---- */

static unsigned count_pages(const struct hookimage_detours *ds)
{
	unsigned n = 0;

	for (size_t i = 0; i < ds->n; i++)
		n += !i || ds->v[i].addr / PAGE != ds->v[i - 1].addr / PAGE;
	return n;
}

/* The text that all detours lie in. */
static bool text_of(const struct hooks *h, const struct hookimage_detours *ds, struct proc_text *t)
{
	return ds->n && proc_text_at(h->proc, ds->v[0].addr + ds->shift, t) && !t->is_copy &&
	       ds->v[ds->n - 1].addr + ds->shift + RELOC_WINDOW_MAX <= t->end &&
	       t->end - t->start <= TEXT_MAX;
}

/* The same file still, as far as maps tell: they name the device in their own way. */
static bool is_file(const struct proc_text *t, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == t->file.ino;
}

static const struct textcopy *copy_for(struct hooks *h, struct image_use *u,
				       const struct hookimage_detours *ds,
				       const struct proc_text *t, int fd)
{
	const struct textcopy **c = hookimage_copy(u->image);

	if (!c) /* it has been tried */
		return NULL;
	if (!*c && count_pages(ds) >= PAGES_MIN)
		*c = make(h->copies, ds, t, fd);
	if (!*c)
		hookimage_no_copy(u->image);
	return *c && (*c)->offset == t->offset && (*c)->len == t->end - t->start ? *c : NULL;
}

static void map_copy(struct hooks *h, struct image_use *u)
{
	const struct hookimage_detours ds = hookimage_detours(u);
	const struct textcopy *c;
	struct proc_text t;
	int fd = objfile_fd(u->scan->o);

	if (!text_of(h, &ds, &t) || !is_file(&t, fd) || hookimage_is_in_way(h, u) ||
	    !detours_may_come(&h->code.detours, t.start, t.end))
		return;
	c = copy_for(h, u, &ds, &t, fd);
	if (c && proc_text_is_unchanged(h->proc, &t, fd) &&
	    !proc_map_over(h->proc, &t, c->path, c->fd))
		u->text = t.start;
}

/* ---- and the file again ---- */

static void map_file(struct hooks *h, const struct image_use *u)
{
	int fd = objfile_fd(u->scan->o);
	struct proc_text t;

	if (proc_text_at(h->proc, u->text, &t) && t.start == u->text && t.is_copy &&
	    is_file(&t, fd))
		proc_map_over(h->proc, &t, t.path, fd);
}

void hooks_map_files(struct hooks *h)
{
	bool any = false;

	for (unsigned i = 0; i < h->code.nuses; i++)
		any |= h->code.uses[i].text != 0;
	if (!any || !proc_look_at_maps(h->proc))
		return;
	for (unsigned i = 0; i < h->code.nuses; i++)
		if (h->code.uses[i].text)
			map_file(h, &h->code.uses[i]);
}

/* ---- for a commit ---- */

/* What the process has mapped now is what counts. */
static void see_copy(struct hooks *h, struct image_use *u)
{
	struct proc_text t;

	if (proc_text_at(h->proc, u->text, &t) && t.start == u->text && t.is_copy)
		detours_have_come(&h->code.detours, t.start, t.end);
	else
		u->text = 0;
}

void hooks_map_copies(struct hooks *h)
{
	bool any = false;

	for (unsigned i = 0; i < h->code.nuses; i++) {
		struct image_use *u = &h->code.uses[i];

		if (h->copies && u->is_new)
			map_copy(h, u);
		any |= u->is_new && u->text;
	}
	any = any && proc_look_at_maps(h->proc);
	for (unsigned i = 0; i < h->code.nuses; i++) {
		struct image_use *u = &h->code.uses[i];

		if (any && u->is_new && u->text)
			see_copy(h, u);
		u->is_new = false;
	}
}
