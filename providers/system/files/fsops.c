#include "providers/system/files/fsops.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "providers/system/syscalls.h"

enum {
#define SYSCALL(nr, name, tracepoint) NR_##name = (nr),
#include "providers/system/syscalls.def"
};
enum {
#define NONE			  0
#define SYSCALL32(nr, name, nr64) NR32_##name = SYSCALL_ONLY_32 + (nr),
#include "providers/system/syscalls32.def"
#undef NONE
};

static const struct op_row {
	unsigned nr;
	struct bpf_fs_op op;
} rows[] = {
#define _ FS_OP_NONE /* NOLINT(*-dcl*,*-identifier): of this table alone */
#define ROW(at, name, a, b, c, d, e, f, g, h, i, j, how, made)                                     \
	{at, {FS_##name, a, b, c, d, e, f, g, h, i, j, 0, how, made}},
#define OP(call, name, ...)	  ROW(NR_##call, name, __VA_ARGS__)
#define OP32(call, name, ...)	  ROW(NR32_##call, name, __VA_ARGS__)
#define SECOND(call, name, ...)	  ROW(BPF_SYSCALL_MAX + NR_##call, name, __VA_ARGS__)
#define SECOND32(call, name, ...) ROW(BPF_SYSCALL_MAX + NR32_##call, name, __VA_ARGS__)
#include "providers/system/files/fsops.def"
#undef _
#undef ROW
};

static int fill_ops(int map, unsigned wanted)
{
	const struct bpf_fs_op none = {.row = FS_OP_NONE};
	int rc = 0;

	for (uint32_t nr = 0; nr < 2 * BPF_SYSCALL_MAX && rc == 0; nr++)
		rc = bpf_map_update_elem(map, &nr, &none, BPF_ANY);
	for (unsigned i = 0; i < ARRAY_SIZE(rows) && rc == 0; i++)
		if (wanted & 1U << rows[i].op.row)
			rc = bpf_map_update_elem(map, &rows[i].nr, &rows[i].op, BPF_ANY);
	return rc;
}

static int fill_numbers32(int map)
{
	int rc = 0;

	for (uint32_t nr = 0; nr < SYSCALL_ONLY_32 && rc == 0; nr++) {
		int meant = syscall_of_32(nr);
		const uint32_t at = meant < 0 ? BPF_SYSCALL_MAX : (uint32_t)meant;

		rc = bpf_map_update_elem(map, &nr, &at, BPF_ANY);
	}
	return rc;
}

int fsops_fill(int ops_map, int numbers32_map, unsigned wanted, struct err *err)
{
	int rc = fill_ops(ops_map, wanted);

	if (rc == 0)
		rc = fill_numbers32(numbers32_map);
	return rc < 0 ? err_set(err, rc, "cannot fill a BPF map: %s", strerror(-rc)) : 0;
}

unsigned fsops_with_paths(void)
{
	unsigned wanted = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].op.path != FS_OP_NONE)
			wanted |= 1U << rows[i].op.row;
	return wanted;
}

const struct bpf_fs_op *fsops_of(unsigned nr, bool is_second)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].nr == nr + (is_second ? BPF_SYSCALL_MAX : 0))
			return &rows[i].op;
	return NULL;
}

uint32_t fsops_cflags(uint32_t oflags)
{
	if ((oflags & O_EXCL && oflags & O_CREAT) || (oflags & O_TMPFILE) == O_TMPFILE)
		return 2;
	if (oflags & O_TRUNC)
		return 3;
	return oflags & O_CREAT ? 1 : 0;
}
