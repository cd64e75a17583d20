#include "providers/kernel/bpfpieces.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "providers/kernel/taskfacts.h"
#include "providers/world/kernsyms.h"

_Static_assert(BPF_PIECES == CAPTURE_KERNEL_MAX, "a piece has no place in the programs' table");

struct set {
	const char *object;
	struct capture capture;
	uint32_t at[CAPTURE_KERNEL_MAX], room;
	bool is_followed; /* by clauses */
	struct taskfacts facts;
};

struct pieces {
	struct set sets[BPF_PIECE_SETS];
	unsigned n;
	struct target memory; /* behind the record that was lent */
	struct pieces_read read;
	struct procfacts facts; /* of the same */
};

/* ---- what was read ---- */

static uint64_t base_of(const struct pieces_read *r, const struct capture_mem *m)
{
	uint64_t v = 0;

	switch (m->base) {
	case MEM_ARG:
		return r->args ? r->args[m->index] : 0;
	case MEM_THREAD:
		return r->thread;
	case MEM_PIECE:
		memcpy(&v, r->bytes + r->at[m->index], sizeof(v));
		return v;
	case MEM_ABSOLUTE:
	case MEM_REG: /* not asked for: struct capture.has_regs */
		break;
	}
	return 0;
}

const char *pieces_find(const struct pieces_read *r, taddr_t addr, size_t n, size_t *room)
{
	const struct capture *c = r->capture;
	const char *best = NULL;

	*room = 0;
	for (unsigned i = 0; i < c->nmem; i++) {
		const struct capture_mem *m = &c->mem[i];
		const char *bytes = r->bytes + r->at[i];
		uint64_t start, len = m->len;

		if (!(r->got & 1U << i) || (m->base == MEM_PIECE && !(r->got & 1U << m->index)))
			continue;
		start = base_of(r, m) + (uint64_t)m->off;
		if (m->is_string)
			len = strnlen(bytes, len - 1) + 1;
		if (addr < start || addr - start >= len || len - (addr - start) <= *room)
			continue;
		best = bytes + (addr - start);
		*room = len - (addr - start);
		if (*room >= n)
			break;
	}
	return best;
}

static ssize_t read_pieces(struct target *t, taddr_t addr, void *buf, size_t n)
{
	const struct pieces *p = t->priv;
	size_t room;
	const char *from = pieces_find(&p->read, addr, n, &room);

	if (from) {
		memcpy(buf, from, MIN(n, room));
		return (ssize_t)MIN(n, room);
	}
	return addr >> 63 || !t->now ? -EFAULT : target_read(t->now, addr, buf, n);
}

static ssize_t write_now(struct target *t, taddr_t addr, const void *buf, size_t n)
{
	return t->now && t->now->write ? target_write(t->now, addr, buf, n) : -EPERM;
}

pid_t pieces_lend(struct pieces *p, const struct bpf_captured *c, struct event *ev)
{
	const struct set *s = &p->sets[c->set % BPF_PIECE_SETS];
	pid_t parent;

	p->read = (struct pieces_read){.capture = &s->capture,
				       .at = s->at,
				       .bytes = c->bytes,
				       .got = c->got,
				       .thread = c->thread};
	parent = taskfacts_get(&s->facts, &p->read, &p->facts);
	if (p->facts.known)
		ev->facts = &p->facts;
	if (!s->is_followed)
		return parent;
	p->memory.now = ev->target;
	p->memory.pid = ev->target ? ev->target->pid : ev->pid;
	ev->target = &p->memory;
	ev->curthread = c->thread;
	return parent;
}

/* ---- what is to be read ---- */

struct pieces *pieces_new(void)
{
	struct pieces *p = xcalloc(1, sizeof(*p));

	p->memory.read = read_pieces;
	p->memory.write = write_now;
	p->memory.holds_kernel = true;
	p->memory.priv = p;
	return p;
}

void pieces_free(struct pieces *p)
{
	free(p);
}

bool pieces_are_wanted(const struct pieces *p)
{
	return p->n > 0;
}

static uint32_t room_for(uint32_t n)
{
	return n <= BPF_PIECE_FEW    ? BPF_PIECE_FEW
	       : n <= BPF_PIECE_SOME ? BPF_PIECE_SOME
				     : BPF_PIECE_MANY;
}

/* One behind the other; what finds no room is left out. */
static void place(struct set *s)
{
	uint32_t at = 0;

	s->room = 0;
	for (unsigned i = 0; i < s->capture.nmem; i++) {
		s->at[i] = at;
		s->room = MAX(s->room, room_for(MAX(at + 8, s->capture.mem[i].len)));
		at += ROUND_UP(s->capture.mem[i].len, 8);
		if (at >= BPF_PIECE_MANY)
			s->capture.nmem = i + 1;
	}
}

unsigned pieces_add(struct pieces *p, const char *object, const struct probe *probe)
{
	unsigned i = 0;

	while (i < p->n && strcmp(p->sets[i].object, object) != 0)
		i++;
	if (i == BPF_PIECE_SETS)
		return 0;
	p->sets[i].object = object;
	if (probe->needs & (NEED_KERNEL | NEED_FACTS))
		probe_capture_thread(probe, &p->sets[i].capture);
	p->sets[i].is_followed |= probe->needs & NEED_KERNEL && p->sets[i].capture.nmem;
	taskfacts_add(&p->sets[i].facts, &p->sets[i].capture, world_btf(world_of(probe->session)),
		      probe->needs & NEED_PPID);
	if (!p->sets[i].capture.nmem)
		return 0;
	p->n = MAX(p->n, i + 1);
	place(&p->sets[i]);
	return BPF_WANT_PIECES | i << BPF_WANT_SET;
}

size_t pieces_size(const struct pieces *p)
{
	size_t room = 0;

	for (unsigned i = 0; i < p->n; i++)
		room = MAX(room, (size_t)p->sets[i].room);
	return offsetof(struct bpf_captured, bytes) + 2 * room;
}

static void describe(const struct set *s, struct bpf_pieces *to)
{
	*to = (struct bpf_pieces){.n = s->capture.nmem, .room = s->room};
	for (unsigned i = 0; i < to->n; i++) {
		const struct capture_mem *m = &s->capture.mem[i];

		to->v[i] = (struct bpf_piece){.off = (uint64_t)m->off,
					      .len = m->len,
					      .at = s->at[i],
					      .base = BPF_PIECE_ABSOLUTE,
					      .is_string = m->is_string};
		if (m->base == MEM_THREAD)
			to->v[i].base = BPF_PIECE_THREAD;
		else if (m->base == MEM_PIECE)
			to->v[i].base = m->index;
		if (m->base == MEM_PIECE)
			to->v[i].base_at = s->at[m->index];
	}
}

int pieces_fill(const struct pieces *p, int map, struct err *err)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct bpf_pieces v;

		describe(&p->sets[i], &v);
		if (bpf_map_update_elem(map, &i, &v, BPF_ANY) < 0)
			return err_set(err, -errno, "cannot fill a BPF map: %s", strerror(errno));
	}
	return 0;
}
