#include "providers/kernel/execargs.h"

#include <bpf/bpf.h>

#include "base/procfile.h"
#include "dlang/osinfo/osinfo.h"
#include "providers/kernel/bpf.h"

#define OBJECT	"arguments"
#define MAX_ARG 80 /* struct arguments of task.h */

/* The processes that there are already. */
static int seed(void *arg, struct err *err UNUSED)
{
	const struct world *w = arg;
	int fd = bpf_map(w->bpf, OBJECT, OBJECT);
	struct procids pids;
	pid_t pid;

	procids_open(&pids, 0);
	while ((pid = procids_next(&pids))) {
		char text[MAX_ARG] = "";

		osinfo_cmdline(pid, text, sizeof(text));
		if (text[0])
			bpf_map_update_elem(fd, &pid, text, BPF_NOEXIST);
	}
	procids_close(&pids);
	return 0;
}

/* NULs stand between the arguments. */
static bool look_up(const struct session *s, pid_t pid, char *buf, size_t size)
{
	int fd = bpf_map(world_of(s)->bpf, OBJECT, OBJECT);
	char text[MAX_ARG];
	size_t n = sizeof(text);

	if (fd < 0 || bpf_map_lookup_elem(fd, &pid, text) != 0)
		return false;
	while (n > 0 && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	snprintf(buf, size, "%.*s", (int)n, text);
	return true;
}

void execargs_want(struct world *w)
{
	const struct bpf_client client = {.loaded = seed, .arg = w};
	struct bpf_object *o;
	struct bpf *bpf;
	struct err err;

	if (world_bpf(w, &bpf, &err) == 0 && bpf_use(bpf, OBJECT, &client, &o, &err) == 0)
		w->session->engine->known_args = look_up;
}
