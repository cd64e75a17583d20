/*
 * sys_clauses.c: clauses on system calls that run whole in the kernel (kprog/clauseset.h), so that
 * no record has to be written for them.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "providers/kernel/kprog/clauseset.h"
#include "providers/system/sysprobe.h"

struct sys_clauses {
	struct sys_world *sw;
	const struct sys_clauses_of *of; /* while it is started */
	struct clause_set *set;
	int rows_fd[2], records_fd;
};

static const struct clause_unit units[] = {
	[SYS_ENTRY] = {.kind = CLAUSES_OF_ENTRIES}, [SYS_RETURN] = {.kind = CLAUSES_OF_RETURNS}};

static bool is_alone(const struct clause *c)
{
	for (unsigned i = 0; i < c->nprobes; i++)
		if (c->probes[i]->ecbs && c->probes[i]->ecbs->next)
			return false;
	return true;
}

static const char *refuses(void *arg UNUSED, const struct session *s, const struct clause *c)
{
	const char *why = NULL;
	bool sides[2] = {false, false};

	for (unsigned i = 0; i < c->nprobes; i++)
		sides[strcmp(c->probes[i]->name, "return") == 0] = true;
	for (unsigned side = 0; side < 2 && !why; side++) {
		struct clause_unit u = units[side];

		u.session = s;
		why = sides[side] ? clausecode_refuses(&u, c) : NULL;
	}
	if (!why && clausecode_reads_texts(c) && !is_alone(c))
		why = WHY(TEXT_FIRST);
	return why;
}

static bool owns(void *arg UNUSED, const struct probe *p)
{
	return strcmp(p->prov, "syscall") == 0;
}

/* Of each call the clauses that it is for. */
static int make_rows(const struct sys_world *sw, struct clause_set *set, enum sys_side side)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", 4, 8, BPF_SYSCALL_MAX, NULL);
	const struct clause_unit *u = &set->units[side];

	for (uint32_t nr = 0; fd >= 0 && nr < SYSCALL_MAX_NR; nr++) {
		const struct probe *p = sw->probes[side][nr];
		uint64_t mask = 0;

		if (!p || !clause_set_has(set, p))
			continue;
		clause_set_row(set, u->row + nr, p);
		for (const struct ecb *e = p->ecbs; e; e = e->next)
			for (unsigned i = 0; i < u->n; i++)
				mask |= u->clauses[i] == e->clause ? 1ULL << i : 0;
		bpf_map_update_elem(fd, &nr, &mask, BPF_ANY);
	}
	return fd < 0 ? -errno : fd;
}

static int call_number(const char *name)
{
	for (unsigned nr = 0; nr < SYSCALL_MAX_NR; nr++)
		if (syscall_name(nr) && strcmp(syscall_name(nr), name) == 0)
			return (int)nr;
	return -1;
}

/* What makes a record of an entry. */
static int make_records(struct sys_clauses *sc)
{
	const uint32_t zero = 0, program = (uint32_t)sc->of->record_fd;

	sc->records_fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "records", 4, 4, 1, NULL);
	return sc->records_fd < 0 ||
			       bpf_map_update_elem(sc->records_fd, &zero, &program, BPF_ANY) < 0
		       ? -errno
		       : 0;
}

static int prepare(void *arg, struct clause_set *set)
{
	struct sys_clauses *sc = arg;

	if (clause_set_reads_texts(set) && make_records(sc) < 0)
		return -errno;
	set->units[SYS_ENTRY].records_fd = sc->records_fd;

	for (unsigned side = 0; side < 2; side++) {
		struct clause_unit *u = &set->units[side];

		u->call_number = call_number;
		u->row = side * BPF_SYSCALL_MAX;
		u->first_target = sc->of->who->first_target;
		u->own[0] = sc->of->who->own[0];
		u->own[1] = sc->of->who->own[1];
		u->targets_fd = sc->of->targets_fd;
		u->numbers32_fd = sc->of->numbers32_fd;
		u->rows_fd = sc->rows_fd[side] = make_rows(sc->sw, set, side);
		if (u->rows_fd < 0)
			return u->rows_fd;
	}
	return 0;
}

bool sys_clauses_make_records(const struct sys_clauses *sc)
{
	return sc && clause_set_reads_texts(sc->set);
}

bool sys_clauses_have(const struct sys_clauses *sc, const struct probe *p)
{
	return sc && clause_set_has(sc->set, p);
}

static struct clause_source source_of(struct sys_clauses *sc)
{
	static const char *const events[] = {"sys_enter", "sys_exit"};

	return (struct clause_source){.owns = owns,
				      .events = events,
				      .units = units,
				      .nunits = 2,
				      .refuses = refuses,
				      .prepare = prepare,
				      .arg = sc};
}

struct sys_clauses *sys_clauses_find(struct sys_world *sw, struct bpf *b)
{
	struct sys_clauses *sc = xcalloc(1, sizeof(*sc));
	const struct clause_source source = source_of(sc);

	sc->sw = sw;
	sc->rows_fd[0] = sc->rows_fd[1] = sc->records_fd = -1;
	sc->set = clause_set_find(sw->session, b, &source);
	if (sc->set)
		return sc;
	sys_clauses_free(sc);
	return NULL;
}

struct sys_clauses *sys_clauses_start(struct sys_clauses *sc, const struct sys_clauses_of *of)
{
	const struct clause_source source = source_of(sc);

	if (!sc)
		return NULL;
	sc->of = of;
	sc->set = clause_set_load(sc->set, &source);
	if (sc->set && clause_set_attach(sc->set) == 0)
		return sc;
	sys_clauses_free(sc);
	return NULL;
}

void sys_clauses_collect(struct sys_clauses *sc)
{
	if (sc)
		clause_set_collect(sc->set);
}

void sys_clauses_free(struct sys_clauses *sc)
{
	if (!sc)
		return;
	for (unsigned side = 0; side < 2; side++)
		if (sc->rows_fd[side] >= 0)
			close(sc->rows_fd[side]);
	if (sc->records_fd >= 0)
		close(sc->records_fd);
	clause_set_free(sc->set);
	free(sc);
}
