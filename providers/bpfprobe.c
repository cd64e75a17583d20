#include "providers/bpfprobe.h"

#include <errno.h>

#include "providers/perf.h"

/* clang-format off */
const struct provattrs bpf_probe_attrs = {
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_COMMON},
	{STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN}, {STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN},
	{STAB_EVOLVING, STAB_EVOLVING, CLASS_COMMON}, {STAB_EVOLVING, STAB_EVOLVING, CLASS_COMMON}};
/* clang-format on */

void bpf_probes_create(struct bpf_probes *bp)
{
	for (unsigned i = 0; i < bp->nrows; i++)
		probe_create(bp->session, bp->provider, bp->provider->name, "", "",
			     bp->rows[i].name, NULL);
}

static unsigned row_of(const struct bpf_probes *bp, const struct probe *p)
{
	unsigned i = 0;

	while (strcmp(bp->rows[i].name, p->name) != 0)
		i++;
	return i;
}

static int use_object(struct bpf_probes *bp, struct err *err)
{
	struct bpf_program *prog;
	size_t size;
	int rc = world_bpf(bp->session->world, &bp->bpf, err);

	if (rc == 0)
		rc = bpf_use(bp->bpf, bp->object, NULL, NULL, &bp->opened, err);
	if (rc < 0)
		return rc;
	bpf_object__for_each_program (prog, bp->opened)
		bpf_program__set_autoload(prog, false);
	bp->wants = bpf_rodata(bp->opened, &size);
	return 0;
}

/* Those named, and with details those that gather them (keep_...). */
static void choose(struct bpf_object *o, const char *programs, bool with_details)
{
	struct bpf_program *prog;

	bpf_object__for_each_program (prog, o) {
		const char *name = bpf_program__name(prog);
		const char *at = strstr(programs, name);
		int end = at ? at[strlen(name)] : 'x';

		if (end == ' ' || end == '\0' || (with_details && strncmp(name, "keep_", 5) == 0))
			bpf_program__set_autoload(prog, true);
	}
}

int bpf_probes_enable(struct bpf_probes *bp, struct probe *p, struct err *err)
{
	unsigned row = row_of(bp, p);
	struct perf *perf;
	int rc;

	if (!bp->rows[row].programs[0]) {
		session_message(
			bp->session, MSG_ERR, true,
			"probe description %s:::%s: this kernel has no such event; it never fires",
			p->prov, p->name);
		return 0;
	}
	rc = world_perf(bp->session->world, &perf, err);
	if (rc < 0)
		return err_wrap(err, "probe description %s:::%s", p->prov, p->name);
	rc = perf_may(perf, p, PERF_SYSTEM, err);
	if (rc < 0)
		return rc;
	rc = bp->opened ? 0 : use_object(bp, err);
	if (rc < 0)
		return err_wrap(err, "probe description %s:::%s", p->prov, p->name);
	bp->probes[row] = p;
	bp->wants->rows |= 1U << row;
	if (p->needs & (NEED_ARGS | NEED_MEM))
		bp->wants->details = 1;
	choose(bp->opened, bp->rows[row].programs, bp->wants->details);
	return 0;
}

void bpf_probes_argtypes(struct bpf_probes *bp, const struct probe *p, struct probe_args *args)
{
	for (unsigned i = 0; i < BPF_PROBE_ARGS; i++)
		bp->args[i] = (struct probe_arg){.type = bp->session->types.t_int,
						 .place = ARG_VALUE,
						 .at = i,
						 .is_ours = true};
	args->v = bp->args;
	args->n = bp->rows[row_of(bp, p)].nargs;
}

void bpf_probes_fire(struct bpf_probes *bp, unsigned row, struct event *ev)
{
	if (!bp->probes[row])
		return;
	ev->probe = bp->probes[row];
	event_fire(bp->session, ev);
}
