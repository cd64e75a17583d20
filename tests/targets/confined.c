/*
 * confined: sleeps, calls f and sleeps again, for ever; prints "ready" before. A filter of its own
 * kills it for any other system call, also for that by which the kernel goes on with a sleep that
 * has been interrupted.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(nr, below) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, below, 0)

static int confine(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_clock_nanosleep, 3),
		ALLOW(SYS_nanosleep, 2),
		ALLOW(SYS_write, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

__attribute__((noinline, noipa)) long f(long n)
{
	return n + 1;
}

int main(void)
{
	long n = 0;

	if (confine() || write(1, "ready\n", 6) != 6)
		return 1;
	for (;;) {
		usleep(5000);
		n = f(n);
	}
}
