/*
 * deny COMMAND ARG...: executes it under a filter that refuses ptrace, as containers do; deny
 * -getfd COMMAND ARG...: pidfd_getfd, as if the kernel had it not; deny -perf: perf events; deny
 * -kill: kills who calls ptrace.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int is_getfd = argc > 1 && !strcmp(argv[1], "-getfd");
	int is_perf = argc > 1 && !strcmp(argv[1], "-perf");
	int kills = argc > 1 && !strcmp(argv[1], "-kill");
	unsigned nr = is_getfd ? SYS_pidfd_getfd : is_perf ? SYS_perf_event_open : SYS_ptrace;
	unsigned e = is_getfd ? ENOSYS : EPERM;
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | e),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof(f) / sizeof(*f), f};

	argv += is_getfd || is_perf || kills;
	if (!argv[0] || !argv[1] || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 77;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 77;
}
