#include "command/doctor.h"

#include <dlfcn.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "providers/kernel/bpfobjs.h"
#include "providers/kernel/features.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "tracer/procfs/container.h"
#include "tracer/procfs/procfs.h"
#include "tracer/tracer.h"

enum health { WORKS, LIMITED, MISSING };

static const char *const words[] = {"works", "limited", "missing"};

struct finding {
	enum health health;
	char text[1200];
};

static void find(struct finding *f, enum health, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void find(struct finding *f, enum health health, const char *fmt, ...)
{
	va_list ap;

	f->health = health;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static void look_at_ptrace(struct finding *f)
{
	struct err err;

	if (tracer_self_test(&err) < 0)
		find(f, MISSING,
		     "%s; -c runs its command all the same, under timers, samples and system "
		     "calls, "
		     "and fpid hooks it by a preloaded library",
		     err.text);
	else if (procfs_is_capable(CAP_SYS_PTRACE) && tracer_in_user_namespace())
		find(f, LIMITED, "-c and -p, on the processes of this user namespace");
	else if (procfs_is_capable(CAP_SYS_PTRACE))
		find(f, WORKS, "-c and -p, on processes of all users");
	else if (tracer_yama_scope() > 0)
		find(f, LIMITED, "-c; for -p see Yama");
	else
		find(f, WORKS, "-c and -p, on your own processes; for those of others run as root");
}

static void look_at_yama(struct finding *f)
{
	int scope = tracer_yama_scope();

	if (scope < 0)
		find(f, WORKS, "the kernel has no Yama: nothing is forbidden by it");
	else if (scope == 0 || (scope < 3 && procfs_is_capable(CAP_SYS_PTRACE)))
		find(f, WORKS, "kernel.yama.ptrace_scope is %d", scope);
	else if (scope == 1)
		find(f, LIMITED,
		     "kernel.yama.ptrace_scope is 1: -c works, -p needs root or sysctl "
		     "kernel.yama.ptrace_scope=0");
	else if (scope == 2)
		find(f, MISSING,
		     "kernel.yama.ptrace_scope is 2: run as root, or sysctl "
		     "kernel.yama.ptrace_scope=0");
	else
		find(f, MISSING,
		     "kernel.yama.ptrace_scope is %d: tracing is off until the next boot with "
		     "another value",
		     scope);
}

static void look_at_container(struct finding *f)
{
	char kind[32];

	if (!container_kind(kind, sizeof(kind)))
		find(f, WORKS, "none is known of");
	else if (procfs_in_root_pidns())
		find(f, WORKS, "%s, which sees all processes of the machine", kind);
	else
		find(f, LIMITED, "%s: only its own processes can be seen", kind);
}

static void look_at_seccomp(struct finding *f)
{
	uint64_t mode;

	if (procfs_status(getpid(), "Seccomp", 10, &mode) && mode)
		find(f, LIMITED,
		     "a filter is in force: if ptrace is refused, run the container with --cap-add "
		     "SYS_PTRACE");
	else
		find(f, WORKS, "no filter is in force");
}

static void look_at_perf(struct finding *f)
{
	struct features fs = {0};
	char text[16];

	if (!procfs_line("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)))
		find(f, MISSING, "the kernel has no perf events (CONFIG_PERF_EVENTS)");
	else if (feature_works(&fs, FEATURE_PERF_SYSTEM))
		find(f, WORKS, "kernel.perf_event_paranoid is %s", text);
	else if (feature_works(&fs, FEATURE_PERF_SELF))
		find(f, LIMITED, "kernel.perf_event_paranoid is %s: user space only; all of it %s",
		     text, feature_why(&fs, FEATURE_PERF_SYSTEM));
	else
		find(f, MISSING, "kernel.perf_event_paranoid is %s: %s: %s", text,
		     feature_why(&fs, FEATURE_PERF_SELF), feature_without(FEATURE_PERF_SELF));
}

static void look_at_tracefs(struct finding *f)
{
	struct tracefs *t = tracefs_new();
	struct err err;

	if (tracefs_check(t, &err) == 0)
		find(f, WORKS, "%s", tracefs_place(t));
	else
		find(f, MISSING, "%s", err.text);
	tracefs_free(t);
}

static void look_at_bpf(struct finding *f)
{
	struct features fs = {0};

	if (!bpfobjs[0].name || bpfobjs[0].start == bpfobjs[0].end)
		find(f, MISSING, "this dtrace was built without clang: %s",
		     feature_without(FEATURE_BPF));
	else if (feature_works(&fs, FEATURE_BPF))
		find(f, WORKS,
		     "programs in the kernel feed the system providers, sysinfo by nothing else");
	else
		find(f, MISSING, "%s: %s", feature_why(&fs, FEATURE_BPF),
		     feature_without(FEATURE_BPF));
}

static void look_at_btf(struct finding *f)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
		find(f, WORKS, "/sys/kernel/btf/vmlinux");
	else
		find(f, MISSING, "the kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)");
}

static void look_at_debug_info(struct finding *f)
{
	if (access("/usr/lib/debug/.build-id", R_OK) == 0)
		find(f, WORKS, "/usr/lib/debug holds that of some packages");
	else
		find(f, LIMITED,
		     "only what programs carry themselves: install -dbgsym packages for the rest");
}

static void look_at_debuginfod(struct finding *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		find(f, MISSING, "install libdebuginfod1 to get debug information from servers");
	else if (urls && *urls)
		find(f, WORKS, "DEBUGINFOD_URLS is %s", urls);
	else
		find(f, LIMITED, "no server is asked: set DEBUGINFOD_URLS, or -y URL");
	if (lib)
		dlclose(lib);
}

static void look_at_feature(struct finding *f, enum feature which, const char *good)
{
	struct features fs = {0};

	if (feature_works(&fs, which))
		find(f, WORKS, "%s", good);
	else
		find(f, MISSING, "%s: %s", feature_why(&fs, which), feature_without(which));
}

static void look_at_tracepoints(struct finding *f)
{
	look_at_feature(f, FEATURE_PERF_RAW, "linux-*, rawtp and sdt, of every process");
}

static void look_at_counters(struct finding *f)
{
	look_at_feature(f, FEATURE_HWPMU, "pmc and cpc, of the processor");
}

static void look_at_fentry(struct finding *f)
{
	look_at_feature(f, FEATURE_FENTRY, "fbt");
}

static void look_at_cgroup(struct finding *f)
{
	struct features fs = {0};

	if (!feature_works(&fs, FEATURE_BPF))
		find(f, MISSING, "%s: no ip, tcp, udp, tcpip and udpip",
		     feature_why(&fs, FEATURE_BPF));
	else
		look_at_feature(f, FEATURE_CGROUP,
				"packets of every socket for ip, tcp, udp, tcpip and udpip; "
				"sysctls that are written, for reg");
}

static void look_at_faults(struct finding *f)
{
	look_at_feature(f, FEATURE_FAULTS, "pf, vminfo");
}

static void look_at_files(struct finding *f)
{
	look_at_feature(f, FEATURE_FILES, "fsinfo, reg");
}

static void look_at_interrupts(struct finding *f)
{
	look_at_feature(f, FEATURE_INTERRUPTS, "isr, dpc");
}

static void look_at_locks(struct finding *f)
{
	look_at_feature(f, FEATURE_LOCKS, "lockstat");
}

static void look_at_hwconfig(struct finding *f)
{
	static const char *const sources[][2] = {
		{"cpu", "/proc/cpuinfo"},
		{"processor", "/sys/devices/system/cpu/cpu0/topology"},
		{"disk-phy", "/sys/block"},
		{"disk-log", "/proc/self/mountinfo"},
		{"nic", "/sys/class/net"},
		{"power", "/sys/power/state"},
		{"irq", "/proc/interrupts"},
		{"pnp", "/sys/bus/pci/devices"},
		{"platform", "/sys/class/dmi/id"},
		{"code-integrity", "/sys/kernel/security/lockdown"},
	};
	char text[512] = "";
	size_t n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(sources); i++)
		if (access(sources[i][1], R_OK) < 0 && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s (%s)",
					      n ? ", " : "", sources[i][0], sources[i][1]);
	if (n)
		find(f, LIMITED, "hwconfig has little or nothing of %s", text);
	else
		find(f, WORKS, "hwconfig has all of its sources");
}

static void look_at_runtimes(struct finding *f)
{
	struct features fs = {0};
	struct err err;

	if (tracer_self_test(&err) < 0)
		find(f, MISSING, "%s: no dnet", err.text);
	else if (geteuid() != 0)
		find(f, LIMITED, "dnet, of -c and -p; of all processes as root");
	else if (!procfs_is_capable(CAP_SYS_PTRACE))
		find(f, LIMITED, "dnet, of processes of root; of all with CAP_SYS_PTRACE");
	else if (!feature_works(&fs, FEATURE_PERF_SYSTEM))
		find(f, LIMITED, "dnet, without processes that start later: %s",
		     feature_why(&fs, FEATURE_PERF_SYSTEM));
	else
		find(f, WORKS, "dnet, of all processes");
}

static const struct row {
	const char *name;
	void (*look)(struct finding *);
	bool is_needed; /* nothing can be traced without */
} rows[] = {
	{"ptrace", look_at_ptrace, true},
	{"Yama", look_at_yama, false},
	{"container", look_at_container, false},
	{"seccomp", look_at_seccomp, false},
	{"debug info", look_at_debug_info, false},
	{"debuginfod", look_at_debuginfod, false},
	{"perf events", look_at_perf, false},
	{"counters", look_at_counters, false},
	{"tracefs", look_at_tracefs, false},
	{"tracepoints", look_at_tracepoints, false},
	{"BPF", look_at_bpf, false},
	{"BTF", look_at_btf, false},
	{"fentry", look_at_fentry, false},
	{"cgroup", look_at_cgroup, false},
	{"page faults", look_at_faults, false},
	{"files", look_at_files, false},
	{"interrupts", look_at_interrupts, false},
	{"kernel locks", look_at_locks, false},
	{"hardware", look_at_hwconfig, false},
	{"runtimes", look_at_runtimes, false},
};

int doctor_print(FILE *out)
{
	int status = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct finding f;

		fflush(out);
		rows[i].look(&f);
		fprintf(out, "%-12s %-8s %s\n", rows[i].name, words[f.health], f.text);
		if (rows[i].is_needed && f.health == MISSING)
			status = 1;
	}
	return status;
}
