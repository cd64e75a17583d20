#include "providers/kernel/bpffilter.h"

#include "dlang/run/vm.h"
#include "tracer/procfs/procfs.h"

_Static_assert(FILTER_STOP == BPF_FILTER_STOP && FILTER_PASS == BPF_FILTER_PASS,
	       "ends of a filter");
_Static_assert((int)FILTER_EQ == BPF_FILTER_EQ && (int)FILTER_LT == BPF_FILTER_LT &&
		       (int)FILTER_LE == BPF_FILTER_LE && (int)FILTER_LTU == BPF_FILTER_LTU &&
		       (int)FILTER_LEU == BPF_FILTER_LEU && (int)FILTER_AND == BPF_FILTER_AND,
	       "tests of a filter");

/* -1: programs know nothing of it */
static int what_of(const struct filter_test *t, unsigned knows)
{
	if (t->of != FILTER_BUILTIN)
		return -1;
	switch (t->id) {
	case BUILTIN_PID:
		return BPF_FILTER_PID;
	case BUILTIN_TID:
		return BPF_FILTER_TID;
	case BUILTIN_UID:
		return BPF_FILTER_UID;
	case BUILTIN_EXECNAME:
		return BPF_FILTER_NAME;
	case BUILTIN_ERRNO:
		return BPF_FILTER_ERRNO;
	default:
		if (t->id - BUILTIN_ARG0 < 2 && knows & BPF_KNOWS_RESULT)
			return BPF_FILTER_RESULT;
		if (t->id - BUILTIN_ARG0 < 6)
			return (int)(BPF_FILTER_ARG0 + t->id - BUILTIN_ARG0);
		return -1;
	}
}

struct known {
	const struct session *session;
	unsigned knows;
};

/* The front has the name of the command, whatever its file is called. */
static bool front_is_called_so(const struct session *s)
{
	char comm[20];

	procfs_comm(s->front_pid, comm, sizeof(comm));
	return strcmp(comm, s->progname) == 0;
}

static enum filter_means means(void *arg, const struct filter_test *t)
{
	const struct known *k = arg;
	int what = what_of(t, k->knows);

	if (what < 0 || !(k->knows & 1U << what) || (what == BPF_FILTER_NAME) != !!t->text)
		return FILTER_UNKNOWN;
	if (what == BPF_FILTER_NAME && (strlen(t->text) > 15 || !front_is_called_so(k->session)))
		return FILTER_UNKNOWN;
	return FILTER_EQUAL;
}

void bpf_filter_add(struct filter *s, const struct probe *p, unsigned knows)
{
	struct known k = {p->session, knows};
	const struct filter_source source = {means, &k, false};

	filter_add(s, p, &source);
}

struct copying {
	const struct filter *from;
	struct bpf_filter *to;
	unsigned knows, n;
	uint8_t index_of[FILTER_NODES]; /* in the copy; FILTER_STOP: not yet copied */
};

/* A node and what can be reached from it; returns its index in the copy. */
static unsigned copy(struct copying *c, uint8_t at)
{
	struct bpf_filter_node node = {0};
	const struct filter_node *from;

	if (at >= FILTER_STOP)
		return at;
	if (c->index_of[at] != FILTER_STOP)
		return c->index_of[at];
	from = &c->from->nodes[at];
	node.yes = copy(c, from->yes);
	node.no = copy(c, from->no);
	node.what = (unsigned)what_of(&from->test, c->knows);
	node.op = from->test.op;
	node.value = from->test.value;
	if (from->test.text)
		memcpy(node.text, from->test.text, strlen(from->test.text));
	if (c->n < BPF_FILTER_NODES)
		c->to->nodes[c->n] = node;
	c->index_of[at] = (uint8_t)c->n++;
	return c->index_of[at];
}

bool bpf_filter_make(const struct filter *s, unsigned knows, struct bpf_filter *to)
{
	struct copying c = {.from = s, .to = to, .knows = knows};

	memset(to, 0, sizeof(*to));
	memset(c.index_of, FILTER_STOP, sizeof(c.index_of));
	to->root = copy(&c, s->root);
	if (c.n <= BPF_FILTER_NODES)
		return true;
	to->root = BPF_FILTER_PASS;
	return false;
}
