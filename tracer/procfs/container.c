#include "tracer/procfs/container.h"

#include <unistd.h>

#include "base/procfile.h"
#include "tracer/procfs/procfs.h"

/* Who has made it says so in a file, or in the name of the cgroup that it runs in. */
static const struct {
	const char *file, *name; /* NULL: the file has the name */
} files[] = {
	{"/run/systemd/container", NULL},
	{"/.dockerenv", "docker"},
	{"/run/.containerenv", "podman"},
	{"/var/run/secrets/kubernetes.io", "kubernetes"},
};
static const struct {
	const char *part, *name;
} cgroups[] = {
	{"/docker", "docker"}, {"/kubepods", "kubernetes"},   {"/libpod", "podman"},
	{"/lxc", "lxc"},       {"/machine.slice", "machine"}, {"/containerd", "containerd"},
};

/* Else it is told from the machine by a list of processes of its own. */
bool container_kind(char *to, size_t size)
{
	char text[512];

	to[0] = '\0';
	for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i].name && access(files[i].file, F_OK) == 0)
			snprintf(to, size, "%s", files[i].name);
		else if (!files[i].name)
			procfs_line(files[i].file, to, size);
		if (to[0])
			return true;
	}
	slurp_start("/proc/self/cgroup", text, sizeof(text));
	for (unsigned i = 0; i < ARRAY_SIZE(cgroups); i++)
		if (strstr(text, cgroups[i].part)) {
			snprintf(to, size, "%s", cgroups[i].name);
			return true;
		}
	if (procfs_in_root_pidns())
		return false;
	snprintf(to, size, "PID namespace");
	return true;
}
