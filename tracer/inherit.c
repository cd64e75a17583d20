/*
 * A followed child is a copy of its parent, breakpoints and slots included: its table of sites is
 * made from the parent's, without looking at any instruction again.
 */
#include "tracer/tracer_priv.h"

#include <stdlib.h>

#include "tracer/mem.h"
#include "tracer/slot.h"

#define INT3   0xcc
#define WINDOW (64U << 10)

/* The child's text, read in large pieces: sites come in the order of their addresses. */
struct text {
	int fd;
	taddr_t start;
	size_t n;
	uint8_t bytes[WINDOW];
};

static bool has_int3(struct text *t, taddr_t pc)
{
	if (pc - t->start >= t->n) {
		ssize_t n = mem_read_fd(t->fd, pc, t->bytes, sizeof(t->bytes));

		t->start = pc;
		t->n = n > 0 ? (size_t)n : 0;
	}
	return pc - t->start < t->n && t->bytes[pc - t->start] == INT3;
}

static void inherit_site(struct proc *child, const struct site *from)
{
	int32_t journal = journal_add(child->tracer->journal, child->pid, child->mem_fd, from->pc,
				      from->plan.bytes, from->patch_len);
	struct site *s;

	if (journal < 0) {
		mem_write(child->mem_fd, from->pc, from->plan.bytes, from->patch_len);
		return;
	}
	s = xcalloc(1, sizeof(*s));
	*s = *from;
	s->first = NULL;
	s->journal = journal;
	s->dirty = true; /* nobody asks for it yet: the next commit takes out what stays so */
	hash_put(&child->sites, s->pc, s);
	child->sorted[child->nsorted++] = s;
	child->dirty[child->ndirty++] = s;
}

/*
 * The parent's threads may have run on since it was copied, and its sites with them: what counts is
 * which bytes the child has.
 */
void bkpt_inherit(struct proc *child, const struct proc *parent)
{
	struct text *text = xcalloc(1, sizeof(*text));

	child->is_copy = true;
	sigtrap_inherit(child, parent);
	text->fd = child->mem_fd;
	child->sorted_room = child->dirty_room = parent->nsorted + 1;
	child->sorted = xcalloc(child->sorted_room, sizeof(struct site *));
	child->dirty = xcalloc(child->dirty_room, sizeof(struct site *));
	for (size_t i = 0; i < parent->nsorted; i++) {
		const struct site *s = parent->sorted[i];

		if (!has_int3(text, s->pc))
			continue;
		if (s->state == SITE_ARMED)
			inherit_site(child, s);
		else
			mem_write(child->mem_fd, s->pc, s->plan.bytes, s->patch_len);
	}
	free(text);
	slot_inherit(child, parent);
}
