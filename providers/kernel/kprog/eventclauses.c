#include "providers/kernel/kprog/eventclauses.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "providers/kernel/kprog/clauseset.h"

struct event_clauses {
	struct bpf_probes *of;
	const struct event_row *rows;
	struct clause_unit units[CLAUSESET_UNITS];
	const char *events[CLAUSESET_UNITS];
	struct clause_source source;
	struct clause_set *set;
};

static const char *refuses(void *arg, const struct session *s, const struct clause *c)
{
	const struct event_clauses *ec = arg;
	const char *why = NULL;

	for (unsigned i = 0; i < c->nprobes && !why; i++) {
		unsigned at = 0;

		while (at < ec->source.nunits &&
		       strcmp(ec->units[at].probe, c->probes[i]->name) != 0)
			at++;
		if (at == ec->source.nunits) {
			why = "it has probes whose programs keep nothing";
		} else {
			struct clause_unit u = ec->units[at];

			u.session = s;
			why = clausecode_refuses(&u, c);
		}
	}
	return why;
}

/* The object is loaded: its maps are there. */
static int prepare(void *arg, struct clause_set *set)
{
	struct event_clauses *ec = arg;
	const int fd = bpf_map(ec->of->bpf, ec->of->object, "clause_events");

	for (unsigned i = 0; i < set->nunits; i++) {
		const unsigned row = ec->rows[i].row;

		set->units[i].events_fd = fd;
		if (ec->of->probes[row] && clause_set_has(set, ec->of->probes[row]))
			clause_set_row(set, row, ec->of->probes[row]);
	}
	return fd < 0 ? -ENOENT : 0;
}

struct event_clauses *event_clauses_find(struct bpf_probes *bp, const struct event_row *rows,
					 unsigned n)
{
	struct event_clauses *ec = xcalloc(1, sizeof(*ec));

	ec->of = bp;
	ec->rows = rows;
	for (unsigned i = 0; i < n; i++) {
		ec->events[i] = rows[i].event;
		ec->units[i] = (struct clause_unit){.kind = CLAUSES_OF_EVENTS,
						    .probe = bp->rows[rows[i].row].name,
						    .row = rows[i].row,
						    .words = bp->words,
						    .nwords = bp->nwords};
	}
	ec->source = (struct clause_source){.provider = bp->provider->name,
					    .events = ec->events,
					    .units = ec->units,
					    .nunits = n,
					    .refuses = refuses,
					    .prepare = prepare,
					    .arg = ec};
	ec->set = clause_set_find(bp->session, bp->bpf, &ec->source);
	if (!ec->set) {
		free(ec);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		if (bp->probes[rows[i].row] && clause_set_has(ec->set, bp->probes[rows[i].row]))
			bp->wants->clauses |= 1U << rows[i].row;
	return ec;
}

/* Each has its program before any is called. */
static int set_programs(const struct event_clauses *ec)
{
	const uint32_t zero = 0;

	for (unsigned i = 0; i < ec->set->nunits; i++) {
		const int calls = bpf_map(ec->of->bpf, ec->of->object, ec->rows[i].calls);

		if (ec->set->units[i].n &&
		    bpf_map_update_elem(calls, &zero, &ec->set->prog_fds[i], BPF_ANY) < 0)
			return -errno;
	}
	return 0;
}

static int switch_on(const struct event_clauses *ec)
{
	const int fd = bpf_map(ec->of->bpf, ec->of->object, "clause_events");
	const int ncpus = libbpf_num_possible_cpus();
	struct bpf_clause_event *v = xcalloc((size_t)MAX(ncpus, 1), sizeof(*v));
	int rc = ncpus < 0 ? ncpus : 0;

	for (int i = 0; i < ncpus; i++)
		v[i].is_on = 1;
	for (unsigned i = 0; i < ec->set->nunits && rc == 0; i++)
		if (ec->set->units[i].n &&
		    bpf_map_update_elem(fd, &ec->rows[i].row, v, BPF_ANY) < 0)
			rc = -errno;
	free(v);
	return rc;
}

struct event_clauses *event_clauses_load(struct event_clauses *ec)
{
	if (!ec)
		return NULL;
	ec->set = clause_set_load(ec->set, &ec->source);
	if (ec->set && set_programs(ec) == 0 && switch_on(ec) == 0)
		return ec;
	event_clauses_free(ec);
	return NULL;
}

void event_clauses_collect(struct event_clauses *ec)
{
	if (ec)
		clause_set_collect(ec->set);
}

void event_clauses_free(struct event_clauses *ec)
{
	if (ec)
		clause_set_free(ec->set);
	free(ec);
}
