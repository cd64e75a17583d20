#include "providers/kernel/bpffilter.h"

#include "dlang/run/vm.h"
#include "tracer/procfs/procfs.h"

_Static_assert(SIEVE_STOP == BPF_SIEVE_STOP && SIEVE_PASS == BPF_SIEVE_PASS, "ends of a sieve");
_Static_assert((int)SIEVE_EQ == BPF_SIEVE_EQ && (int)SIEVE_LT == BPF_SIEVE_LT &&
		       (int)SIEVE_LE == BPF_SIEVE_LE && (int)SIEVE_LTU == BPF_SIEVE_LTU &&
		       (int)SIEVE_LEU == BPF_SIEVE_LEU && (int)SIEVE_AND == BPF_SIEVE_AND,
	       "tests of a sieve");

/* -1: programs know nothing of it */
static int what_of(const struct sieve_test *t, unsigned knows)
{
	if (t->of != SIEVE_BUILTIN)
		return -1;
	switch (t->id) {
	case BUILTIN_PID:
		return BPF_SIEVE_PID;
	case BUILTIN_TID:
		return BPF_SIEVE_TID;
	case BUILTIN_UID:
		return BPF_SIEVE_UID;
	case BUILTIN_EXECNAME:
		return BPF_SIEVE_NAME;
	case BUILTIN_ERRNO:
		return BPF_SIEVE_ERRNO;
	default:
		if (t->id - BUILTIN_ARG0 < 2 && knows & BPF_KNOWS_RESULT)
			return BPF_SIEVE_RESULT;
		if (t->id - BUILTIN_ARG0 < 6)
			return (int)(BPF_SIEVE_ARG0 + t->id - BUILTIN_ARG0);
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

static enum sieve_means means(void *arg, const struct sieve_test *t)
{
	const struct known *k = arg;
	int what = what_of(t, k->knows);

	if (what < 0 || !(k->knows & 1U << what) || (what == BPF_SIEVE_NAME) != !!t->text)
		return SIEVE_UNKNOWN;
	if (what == BPF_SIEVE_NAME && (strlen(t->text) > 15 || !front_is_called_so(k->session)))
		return SIEVE_UNKNOWN;
	return SIEVE_EQUAL;
}

void bpf_sieve_add(struct sieve *s, const struct probe *p, unsigned knows)
{
	struct known k = {p->session, knows};
	const struct sieve_source source = {means, &k, false};

	sieve_add(s, p, &source);
}

struct copying {
	const struct sieve *from;
	struct bpf_sieve *to;
	unsigned knows, n;
	uint8_t places[SIEVE_NODES]; /* where nodes have come to; SIEVE_STOP: not yet */
};

/* A node and what can be reached from it; returns its place. */
static unsigned copy(struct copying *c, uint8_t at)
{
	struct bpf_sieve_node node = {0};
	const struct sieve_node *from;

	if (at >= SIEVE_STOP)
		return at;
	if (c->places[at] != SIEVE_STOP)
		return c->places[at];
	from = &c->from->nodes[at];
	node.yes = copy(c, from->yes);
	node.no = copy(c, from->no);
	node.what = (unsigned)what_of(&from->test, c->knows);
	node.op = from->test.op;
	node.value = from->test.value;
	if (from->test.text)
		memcpy(node.text, from->test.text, strlen(from->test.text));
	if (c->n < BPF_SIEVE_NODES)
		c->to->nodes[c->n] = node;
	c->places[at] = (uint8_t)c->n++;
	return c->places[at];
}

bool bpf_sieve_make(const struct sieve *s, unsigned knows, struct bpf_sieve *to)
{
	struct copying c = {.from = s, .to = to, .knows = knows};

	memset(to, 0, sizeof(*to));
	memset(c.places, SIEVE_STOP, sizeof(c.places));
	to->root = copy(&c, s->root);
	if (c.n <= BPF_SIEVE_NODES)
		return true;
	to->root = BPF_SIEVE_PASS;
	return false;
}
