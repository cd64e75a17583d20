/*
 * bare: the floor of bench/events. Runs a program while BPF programs that do nothing see its
 * events.
 *
 *   ./bare WHAT... -- PROGRAM ARG...
 *
 *   tp:EVENT         a tracepoint of the kernel, by its types (tp_btf)
 *   faults           each page fault that the kernel has handled, as perf tells it
 *   egress, ingress  packets of sockets, at the root of cgroups
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/kernel/cgroup.h"

static int fail(const char *what)
{
	fprintf(stderr, "bare: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* "return VALUE" */
static int load(enum bpf_prog_type type, enum bpf_attach_type at, int btf_id, int value)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = value},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = at,
		    .attach_btf_id = (unsigned)btf_id);
	const int fd = bpf_prog_load(type, "bare", "GPL", insns, 2, &opts);

	return fd < 0 ? fail("program") : fd;
}

static void at_tracepoint(const char *event)
{
	const int id = libbpf_find_vmlinux_btf_id(event, BPF_TRACE_RAW_TP);

	if (id < 0 ||
	    bpf_raw_tracepoint_open(NULL, load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, id, 0)) < 0)
		fail(event);
}

static void at_faults(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
				    .size = sizeof(a),
				    .sample_period = 1};
	const int prog = load(BPF_PROG_TYPE_PERF_EVENT, 0, 0, 0);

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		const int fd = (int)syscall(SYS_perf_event_open, &a, -1, (int)cpu, -1, 0);

		if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) < 0)
			fail("perf");
	}
}

static void at_packets(enum bpf_attach_type at)
{
	struct err err = {0};
	const int root = cgroup_open_root(NULL, &err);

	if (root < 0 ||
	    bpf_link_create(load(BPF_PROG_TYPE_CGROUP_SKB, at, 0, 1), root, at, NULL) < 0)
		fail("cgroup");
}

static void watch(const char *what)
{
	if (strncmp(what, "tp:", 3) == 0)
		at_tracepoint(what + 3);
	else if (strcmp(what, "faults") == 0)
		at_faults();
	else if (strcmp(what, "egress") == 0)
		at_packets(BPF_CGROUP_INET_EGRESS);
	else if (strcmp(what, "ingress") == 0)
		at_packets(BPF_CGROUP_INET_INGRESS);
	else {
		fprintf(stderr, "bare: %s: not known\n", what);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	int at = 1, status;
	pid_t pid;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++)
		watch(argv[at]);
	if (at + 1 >= argc) {
		fputs("usage: bare WHAT... -- PROGRAM ARG...\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[at + 1], argv + at + 1);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
