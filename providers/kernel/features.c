#include "providers/kernel/features.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/kernel/cgroup.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "providers/perfdata/perfdata.h"
#include "providers/world/world.h"
#include "tracer/procfs/procfs.h"

int perf_open_in_group(struct perf_event_attr *a, pid_t pid, int cpu, int leader)
{
	long fd = syscall(SYS_perf_event_open, a, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL && a->read_format & PERF_FORMAT_LOST) { /* before 6.0 */
		a->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		fd = syscall(SYS_perf_event_open, a, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

int perf_open(struct perf_event_attr *a, pid_t pid, int cpu)
{
	return perf_open_in_group(a, pid, cpu, -1);
}

static int try_open(struct perf_event_attr *a, pid_t pid, int cpu, const char *what,
		    struct err *err)
{
	int fd = perf_open(a, pid, cpu);

	if (fd < 0)
		return err_set(err, fd, "%s: %s", what, strerror(-fd));
	close(fd);
	return 0;
}

static int try_tracefs(struct err *err)
{
	struct tracefs *t = tracefs_new();
	int rc = tracefs_check(t, err);

	tracefs_free(t);
	return rc;
}

static int try_perf_self(struct err *err)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_SW_DUMMY,
				    .exclude_kernel = 1};

	return try_open(&a, 0, -1, "perf", err);
}

static int try_perf_system(struct err *err)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_CPU_CLOCK};
	int rc = try_open(&a, -1, 0, "perf", err);

	return rc == -EACCES || rc == -EPERM
		       ? err_set(err, rc,
				 "needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)")
		       : rc;
}

static int try_hwpmu(struct err *err)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_HW_CPU_CYCLES,
				    .exclude_kernel = 1};

	return try_open(&a, 0, -1, "no hardware counters on this machine (perf)", err);
}

static int try_perf_raw(struct err *err)
{
	struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT,
				    .size = sizeof(a),
				    .sample_type = PERF_SAMPLE_RAW,
				    .sample_period = 1};
	struct tracefs *t = tracefs_new();
	const struct tpformat *f = tracefs_format(t, "sched", "sched_switch");
	int rc;

	a.config = f ? f->id : 0;
	rc = f ? try_open(&a, -1, 0, "perf", err) : tracefs_check(t, err);
	if (!f && rc == 0)
		rc = err_set(err, -ENOENT, "the kernel has no tracepoint sched:sched_switch");
	tracefs_free(t);
	return rc;
}

/* A program that does nothing. Returns its descriptor or a negative errno. */
static int load_nothing(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach,
		    .attach_btf_id = (__u32)btf_id);
	int fd = bpf_prog_load(type, "nothing", "GPL", insns, ARRAY_SIZE(insns), &opts);

	return fd < 0 ? -errno : fd;
}

static int try_bpf(struct err *err)
{
	int fd;

	/* they see the kernel's numbers, clauses and /proc those of here */
	if (!procfs_in_root_pidns())
		return err_set(err, -EXDEV,
			       "processes have other numbers here than in the kernel (a PID "
			       "namespace; docker --pid=host has none)");
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "nothing", 4, 8, 1, NULL);
	if (fd < 0)
		return err_set(err, -errno, "needs CAP_BPF and CAP_PERFMON (bpf: %s)",
			       strerror(errno));
	close(fd);
	fd = load_nothing(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	if (fd < 0)
		return err_set(err, fd, "the kernel loads no programs (bpf: %s)", strerror(-fd));
	close(fd);
	return 0;
}

/* CAP_SYS_ADMIN stands for both, as before Linux 5.8. */
static bool may_load_programs(void)
{
	return procfs_is_capable(CAP_SYS_ADMIN) ||
	       (procfs_is_capable(CAP_BPF) && procfs_is_capable(CAP_PERFMON));
}

static int try_fentry(struct err *err)
{
	int id, fd;

	libbpf_set_print(NULL);
	id = libbpf_find_vmlinux_btf_id("vfs_read", BPF_TRACE_FENTRY);
	fd = id < 0 ? id : load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id);
	if (fd < 0)
		return err_set(
			err, fd,
			may_load_programs()
				? "this kernel refuses function-entry programs (BPF fentry: %s)"
				: "needs CAP_BPF and CAP_PERFMON, or root (BPF fentry: %s)",
			strerror(-fd));
	close(fd);
	return 0;
}

/* A tracepoint that programs can see, by its type in BTF. */
static int try_tracepoint(const char *event, struct err *err)
{
	libbpf_set_print(NULL);
	if (libbpf_find_vmlinux_btf_id(event, BPF_TRACE_RAW_TP) > 0)
		return 0;
	return err_set(err, -ENOENT, "this kernel has no tracepoint %s", event);
}

static int try_faults(struct err *err)
{
	int rc = try_bpf(err), fd;

	if (rc == 0)
		rc = try_tracepoint("page_fault_user", err);
	if (rc < 0)
		return rc;
	fd = load_nothing(BPF_PROG_TYPE_PERF_EVENT, 0, 0);
	if (fd < 0)
		return err_set(err, fd, "the kernel loads no programs for perf events (bpf: %s)",
			       strerror(-fd));
	close(fd);
	return 0;
}

static int try_events(const char *const events[], struct err *err)
{
	int rc = try_bpf(err);

	for (; rc == 0 && *events; events++)
		rc = try_tracepoint(*events, err);
	return rc;
}

static int try_files(struct err *err)
{
	return try_events((const char *const[]){"sys_enter", "sys_exit", NULL}, err);
}

static int try_interrupts(struct err *err)
{
	return try_events((const char *const[]){"irq_handler_exit", "softirq_exit", NULL}, err);
}

static int try_cgroup(struct err *err)
{
	int rc = try_bpf(err);

	return rc < 0 ? rc : cgroup_try(err);
}

static int try_locks(struct err *err)
{
	return try_events((const char *const[]){"contention_end", NULL}, err);
}

static int try_btf(struct err *err)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		return 0;
	return err_set(err, -errno, "/sys/kernel/btf/vmlinux: %s", strerror(errno));
}

static const struct {
	const char *name;
	int (*test)(struct err *);
	const char *without;
} rows[] = {
#define FEATURE(id, name, test, without) {name, test, without},
#include "providers/kernel/features.def"
};

/* What a file gives: its events; nothing is tried here. */
static void tell_of_file(const struct world *w)
{
	for (enum feature i = 0; i < NFEATURES; i++) {
		w->features->of[i].is_tried = true;
		w->features->of[i].works = i == FEATURE_TRACEFS || i == FEATURE_PERF_SELF ||
					   i == FEATURE_PERF_SYSTEM || i == FEATURE_PERF_RAW;
		err_set(&w->features->of[i].why, -ENODATA, "%s has no such events",
			perfdata_path(w->recording));
	}
}

struct features *world_features(struct world *w)
{
	if (!w->features)
		w->features = ARENA_NEW(w->session->arena, struct features);
	if (w->recording)
		tell_of_file(w);
	return w->features;
}

bool feature_works(struct features *f, enum feature which)
{
	if (!f->of[which].is_tried) {
		f->of[which].is_tried = true;
		f->of[which].works = rows[which].test(&f->of[which].why) == 0;
	}
	return f->of[which].works;
}

const char *feature_name(enum feature which)
{
	return rows[which].name;
}

const char *feature_why(const struct features *f, enum feature which)
{
	return f->of[which].why.text;
}

const char *feature_without(enum feature which)
{
	return rows[which].without;
}
