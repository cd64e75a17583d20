#include "providers/kernel/bpffilter.h"

#include "dlang/run/vm.h"
#include "tracer/procfs/procfs.h"

_Static_assert(FILTER_STOP == BPF_FILTER_STOP && FILTER_PASS == BPF_FILTER_PASS,
	       "ends of a filter");
_Static_assert((int)FILTER_EQ == BPF_FILTER_EQ && (int)FILTER_LT == BPF_FILTER_LT &&
		       (int)FILTER_LE == BPF_FILTER_LE && (int)FILTER_LTU == BPF_FILTER_LTU &&
		       (int)FILTER_LEU == BPF_FILTER_LEU && (int)FILTER_AND == BPF_FILTER_AND,
	       "tests of a filter");

static const struct bpf_word *word_of(const struct filter_test *t, const struct bpf_knows *knows)
{
	for (unsigned i = 0; i < knows->nwords; i++) {
		const struct bpf_word *w = &knows->words[i];

		if (w->is_member && w->arg == t->id && w->off == t->off && w->size == t->size)
			return w;
	}
	return NULL;
}

static int what_of_field(const struct filter_test *t, const struct bpf_knows *knows)
{
	const struct bpf_word *w = word_of(t, knows);

	if (!w || !(knows->set & BPF_KNOWS_WORDS) || t->is_signed != w->is_signed)
		return -1;
	return (t->size ? BPF_FILTER_WORD : BPF_FILTER_TEXT) + w->word;
}

/* -1: programs know nothing of it */
static int what_of(const struct filter_test *t, const struct bpf_knows *knows)
{
	if (t->of != FILTER_BUILTIN)
		return what_of_field(t, knows);
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
		if (t->id - BUILTIN_ARG0 < 2 && knows->set & BPF_KNOWS_RESULT)
			return BPF_FILTER_RESULT;
		if (t->id - BUILTIN_ARG0 < 6)
			return (int)(BPF_FILTER_ARG0 + t->id - BUILTIN_ARG0);
		return -1;
	}
}

struct known {
	const struct session *session;
	const struct bpf_knows *knows;
};

/* The front has the name of the command, whatever its file is called. */
static bool front_is_called_so(const struct session *s)
{
	char comm[20];

	procfs_comm(s->front_pid, comm, sizeof(comm));
	return strcmp(comm, s->progname) == 0;
}

/* The last characters of a path's last part, as many as there is room for; NULL: it has none. */
static const char *tail_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? strlen(slash + 1) : 0;

	return len ? slash + 1 + (len < BPF_TEXT_ROOM ? 0 : len - (BPF_TEXT_ROOM - 1)) : NULL;
}

/* Of a path: that is whole, and has no parts of nothing. */
static bool is_short_text(const char *text, const struct bpf_word *w)
{
	size_t len = strlen(text);

	if (w->is_tail)
		return tail_of(text);
	if (len >= BPF_TEXT_ROOM)
		return false;
	return !w->is_way || strcmp(text, "/") == 0 ||
	       (text[0] == '/' && text[len - 1] != '/' && !strstr(text, "//"));
}

static enum filter_means means(void *arg, const struct filter_test *t)
{
	const struct known *k = arg;
	int what = what_of(t, k->knows);

	if (what >= BPF_FILTER_WORD)
		return !t->text || is_short_text(t->text, word_of(t, k->knows)) ? FILTER_EQUAL
										: FILTER_UNKNOWN;
	if (what < 0 || !(k->knows->set & 1U << what) || (what == BPF_FILTER_NAME) != !!t->text)
		return FILTER_UNKNOWN;
	if (what == BPF_FILTER_NAME && (strlen(t->text) > 15 || !front_is_called_so(k->session)))
		return FILTER_UNKNOWN;
	return FILTER_EQUAL;
}

void bpf_filter_add(struct filter *s, const struct probe *p, const struct bpf_knows *knows)
{
	struct known k = {p->session, knows};
	const struct filter_source source = {means, &k, knows->set & BPF_KNOWS_WORDS};

	filter_add(s, p, &source);
}

struct copying {
	const struct filter *from;
	struct bpf_filter *to;
	const struct bpf_knows *knows;
	unsigned n;
	uint8_t index_of[FILTER_NODES]; /* in the copy; FILTER_STOP: not yet copied */
};

/* The parts of a path from the last to the first, each with its NUL. */
static void put_way(char *to, const char *path)
{
	size_t at = 0, end = strlen(path), from = end;

	while (from > 0)
		if (path[--from] == '/') {
			memcpy(to + at, path + from + 1, end - from - 1);
			at += end - from;
			end = from;
		}
}

static void put_text(struct bpf_filter_node *node, const struct filter_test *t,
		     const struct bpf_knows *knows)
{
	const struct bpf_word *w = node->what >= BPF_FILTER_WORD ? word_of(t, knows) : NULL;
	const char *text = t->text;

	if (!text)
		return;
	node->value = w && w->is_tail;
	if (node->value)
		text = tail_of(text);
	if (w && w->is_way)
		put_way((char *)node->text, text);
	else
		memcpy(node->text, text, strlen(text));
}

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
	put_text(&node, &from->test, c->knows);
	if (c->n < BPF_FILTER_NODES)
		c->to->nodes[c->n] = node;
	c->index_of[at] = (uint8_t)c->n++;
	return c->index_of[at];
}

bool bpf_filter_make(const struct filter *s, const struct bpf_knows *knows, struct bpf_filter *to)
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

unsigned bpf_filter_asks(const struct bpf_filter *s)
{
	unsigned asks = 0;

	if (s->root < BPF_FILTER_NODES)
		for (unsigned i = 0; i < BPF_FILTER_NODES; i++)
			if (s->nodes[i].what >= BPF_FILTER_WORD)
				asks |= 1U
					<< (s->nodes[i].what - BPF_FILTER_WORD) % BPF_KNOWN_WORDS;
	return asks;
}

static void name_test(void *arg, const struct filter_test *t, char *to, size_t room)
{
	const struct bpf_word *w = t->of == FILTER_FIELD ? word_of(t, arg) : NULL;

	if (w)
		snprintf(to, room, "args[%u]->%s", t->id, w->name);
	else
		snprintf(to, room, "%s", builtin_by_id((uint16_t)t->id)->name);
}

char *bpf_filter_text(const struct filter *s, const struct bpf_knows *knows)
{
	struct bpf_knows named = *knows;

	return filter_text(s, name_test, &named, SIZE_MAX);
}
