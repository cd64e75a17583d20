#include "providers/kernel/cgroup.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define OPEN_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define ROOT_INODE 1 /* of the hierarchy; a namespace shows another group as its root */

static int open_mounted(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent m;
	char line[4096];
	int fd = -ENOENT;

	if (!f)
		return -errno;
	while (fd < 0 && getmntent_r(f, &m, line, sizeof(line)))
		if (strcmp(m.mnt_type, "cgroup2") == 0) {
			fd = open(m.mnt_dir, OPEN_FLAGS);
			fd = fd < 0 ? -errno : fd;
		}
	endmntent(f);
	return fd;
}

/* It goes with the descriptor. */
static int open_unmounted(void)
{
	int fs = fsopen("cgroup2", FSOPEN_CLOEXEC), mount = -1, fd = -1, rc;

	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	if (mount >= 0)
		fd = openat(mount, ".", OPEN_FLAGS);
	rc = fd < 0 ? -errno : fd;
	if (fs >= 0)
		close(fs);
	if (mount >= 0)
		close(mount);
	return rc;
}

int cgroup_open_root(bool *is_all, struct err *err)
{
	int fd = open_mounted();
	struct stat st;

	if (fd < 0)
		fd = open_unmounted();
	if (fd < 0)
		return err_set(err, fd, "there is no cgroup v2 (cgroup2: %s)", strerror(-fd));
	if (is_all)
		*is_all = fstat(fd, &st) == 0 && st.st_ino == ROOT_INODE;
	return fd;
}

static int try_program(int root, struct err *err)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_CGROUP_INET_EGRESS);
	int rc = 0, link;
	int prog = bpf_prog_load(BPF_PROG_TYPE_CGROUP_SKB, "pass", "GPL", pass, ARRAY_SIZE(pass),
				 &opts);

	if (prog < 0)
		return err_set(err, -errno,
			       "needs CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN (bpf: %s)",
			       strerror(errno));
	link = bpf_link_create(prog, root, BPF_CGROUP_INET_EGRESS, NULL);
	if (link < 0)
		rc = err_set(err, -errno, "no program can be attached at the root of cgroup v2: %s",
			     strerror(errno));
	else
		close(link);
	close(prog);
	return rc;
}

int cgroup_try(struct err *err)
{
	int root = cgroup_open_root(NULL, err), rc;

	if (root < 0)
		return root;
	rc = try_program(root, err);
	close(root);
	return rc;
}

struct bpf_link *cgroup_attach(struct bpf_program *prog)
{
	struct bpf_link *link;
	struct err err;
	int root = cgroup_open_root(NULL, &err);

	if (root < 0) {
		errno = -root;
		return NULL;
	}
	link = bpf_program__attach_cgroup(prog, root);
	close(root);
	return link;
}
