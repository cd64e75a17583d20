#include "providers/kernel/bpftargets.h"

#include <bpf/bpf.h>

#include "tracer/janitor/watchdog.h"

void bpf_targets_choose(const struct world *w, struct bpf_object *o, unsigned *first,
			unsigned own[2])
{
	static const char *const programs[] = {"on_fork", "on_gone"};

	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(o, programs[i]),
					  w->nprocs > 0);
	*first = w->nprocs ? (unsigned)world_proc_pid(&w->procs[0]) : 0;
	own[0] = (unsigned)w->session->engine_pid;
	own[1] = w->session->watchdog ? (unsigned)w->session->watchdog->pid : 0;
}

int bpf_targets_fill(const struct world *w, const struct bpf_object *o, struct err *err)
{
	const int map = bpf_object__find_map_fd_by_name(o, "targets");
	const uint8_t one = 1;
	int rc = 0;

	for (unsigned i = 0; i < w->nprocs && rc == 0; i++) {
		const uint32_t pid = (uint32_t)world_proc_pid(&w->procs[i]);

		rc = pid ? bpf_map_update_elem(map, &pid, &one, BPF_ANY) : 0;
	}
	return rc < 0 ? err_set(err, rc, "cannot fill a BPF map: %s", strerror(-rc)) : 0;
}
