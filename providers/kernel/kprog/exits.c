#include "providers/kernel/kprog/exits.h"

#include <bpf/bpf.h>
#include <stdlib.h>

#include "dlang/kernelmem.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfpieces.h"
#include "providers/kernel/features.h"
#include "providers/kernel/kprog/kernmem.h"

#define OBJECT "exits"

struct exits {
	struct bpf *bpf;
	struct bpf_object *object;
	int fd; /* of the map; -1: it is not there yet */
	bool is_refused;
	struct bpf_exited found; /* of the event that is handled */
};

static int on_loaded(void *arg, struct err *err UNUSED)
{
	struct exits *x = arg;

	x->fd = bpf_map(x->bpf, OBJECT, "exited");
	return 0;
}

/* NULL: it cannot be. */
static struct exits *get(struct world *w)
{
	struct exits *x = w->exits;
	struct bpf_client client = {.loaded = on_loaded};
	struct err err;

	if (x)
		return x->is_refused ? NULL : x;
	x = w->exits = xcalloc(1, sizeof(*x));
	x->fd = -1;
	client.arg = x;
	x->is_refused = !feature_works(world_features(w), FEATURE_BPF) ||
			world_bpf(w, &x->bpf, &err) < 0 ||
			bpf_use(x->bpf, OBJECT, &client, &x->object, &err) < 0;
	return x->is_refused ? NULL : x;
}

void exits_watch(const struct probe *p)
{
	struct world *w = world_of(p->session);
	struct bpf_exits_want *want;
	struct exits *x;
	unsigned wanted;
	size_t size;

	if (!(p->needs & (NEED_KERNEL | NEED_FACTS)) || w->recording)
		return;
	x = get(w);
	wanted = x ? bpf_wanted_pieces(x->bpf, OBJECT, p) : 0;
	if (!wanted)
		return;
	want = bpf_rodata(x->object, &size);
	if (want && size >= sizeof(*want))
		want->set = wanted >> BPF_WANT_SET;
}

/* It may end while we look. */
static bool has_ended(struct session *s, const struct event *ev)
{
	struct kernthread now;

	kernel_memory.thread(s, ev, &now);
	return !now.addr;
}

/* Two threads may have had the number since; one still does things when its end has been told. */
static bool is_of(struct session *s, const struct bpf_exited *e, const struct event *ev)
{
	if (!e->head.time_ns || e->start_ns > ev->time_ns ||
	    (ev->start_ns && ev->start_ns != e->start_ns))
		return false;
	return ev->time_ns <= e->head.time_ns || has_ended(s, ev);
}

static bool find(struct exits *x, struct session *s, const struct event *ev)
{
	const uint32_t tid = (uint32_t)ev->tid;

	return bpf_map_lookup_elem(x->fd, &tid, &x->found) == 0 && is_of(s, &x->found, ev);
}

void exits_lend(struct event *ev)
{
	struct session *s = ev->probe->session;
	struct exits *x = world_of(s)->exits;

	if (!x || x->fd < 0 || !ev->tid || ev->curthread)
		return;
	if (find(x, s, ev) || (has_ended(s, ev) && find(x, s, ev)))
		pieces_lend(bpf_shared(x->bpf)->pieces,
			    (const struct bpf_captured *)(const void *)&x->found, ev);
}

void world_exits_free(struct world *w)
{
	free(w->exits);
	w->exits = NULL;
}
