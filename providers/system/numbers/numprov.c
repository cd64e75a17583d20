#include "providers/system/numbers/numprov.h"

#include "providers/world/kernsyms.h"
#include "symbols/kallsyms.h"

/* args[n] of each row. */
#define WORD(n)                                                                                    \
	{                                                                                          \
		.rows = ~0U, .word = (n), .arg = (n), .size = 8                                    \
	}
static const struct bpf_word words[] = {WORD(0), WORD(1), WORD(2), WORD(3)};

void numprov_create(struct session *s, const struct bpf_probes *what)
{
	struct bpf_probes *bp = ARENA_NEW(s->arena, struct bpf_probes);

	*bp = *what;
	bp->words = words;
	bp->nwords = ARRAY_SIZE(words);
	bp->knows = BPF_KNOWS_IDS | BPF_KNOWS_UID | BPF_KNOWS_NAME;
	bp->session = s;
	bp->loaded_arg = bp;
	bpf_probes_create(bp);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct bpf_probes *bp = arg;
	const struct bpf_numbers *r = (const void *)h;
	struct event ev;

	if (len < sizeof(*r) || r->row >= bp->nrows)
		return;
	bpf_event_init(bp->bpf, &ev, h);
	for (unsigned i = 0; i < ARRAY_SIZE(r->args); i++)
		ev.args[i] = r->args[i];
	bpf_probes_fire(bp, r->row, &ev);
}

int numprov_enable(struct probe *p, enum bpf_kind kind, const struct event_row *rows,
		   unsigned nrows, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	int rc = bpf_probes_enable(p, err);

	if (rc == 0 && bp->opened)
		bpf_on(bp->bpf, kind, on_record, bp);
	if (rc == 0 && bp->opened && nrows)
		event_clauses_use(bp, rows, nrows);
	return rc;
}

uint64_t numprov_function(struct world *w, const char *names)
{
	uint64_t addr = 0;
	char name[64];

	for (size_t n; *names && !addr; names += n + (names[n] == '|')) {
		n = strcspn(names, "|");
		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		addr = kallsyms_address(world_ksyms(w), name);
	}
	return addr;
}
