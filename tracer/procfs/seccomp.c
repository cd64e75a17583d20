#include "tracer/procfs/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "tracer/procfs/procfs.h"

#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP (1 << 21)
#endif

static uint64_t number_of(pid_t tid, const char *name)
{
	uint64_t v;

	return procfs_status(tid, name, 10, &v) ? v : 0;
}

bool seccomp_is_filtered(pid_t tid)
{
	return number_of(tid, "Seccomp") != 0;
}

/* In a container the filter is its own, which we are under as well. */
static bool is_ours_too(pid_t tid, uint64_t mode)
{
	return number_of(getpid(), "Seccomp") == mode &&
	       number_of(getpid(), "Seccomp_filters") == number_of(tid, "Seccomp_filters");
}

bool seccomp_lift(pid_t tid, unsigned long options)
{
	uint64_t mode = number_of(tid, "Seccomp");

	if (!mode)
		return true;
	if (ptrace(PTRACE_SETOPTIONS, tid, 0, options | PTRACE_O_SUSPEND_SECCOMP) == 0)
		return true;
	return is_ours_too(tid, mode);
}

void seccomp_lower(pid_t tid, unsigned long options)
{
	ptrace(PTRACE_SETOPTIONS, tid, 0, options);
}

/* ---- what a filter says ---- */

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif

static bool jumps(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	default:
		return a & k;
	}
}

/* What a program of loads, comparisons and results returns; any other: SECCOMP_RET_KILL_PROCESS. It
 * comes to an end, as it jumps forward only. */
static uint32_t run(const struct sock_filter *f, unsigned n, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (uint64_t pc = 0; pc < n; pc++) {
		switch (f[pc].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (f[pc].k > sizeof(*data) - sizeof(a))
				return SECCOMP_RET_KILL_PROCESS;
			memcpy(&a, (const char *)data + f[pc].k, sizeof(a));
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f[pc].k;
			break;
		case BPF_JMP | BPF_JA:
			pc += f[pc].k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += jumps(f[pc].code, a, f[pc].k) ? f[pc].jt : f[pc].jf;
			break;
		case BPF_RET | BPF_K:
			return f[pc].k;
		default:
			return SECCOMP_RET_KILL_PROCESS;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* Who may not ask for filters knows only whether there are any. */
static bool has_no_other(pid_t tid)
{
	uint64_t mode = number_of(tid, "Seccomp");

	return !mode || is_ours_too(tid, mode);
}

bool seccomp_allows(pid_t tid, int nr)
{
	const struct seccomp_data data = {.nr = nr, .arch = AUDIT_ARCH_X86_64};
	struct sock_filter filter[BPF_MAXINSNS];

	for (unsigned long i = 0;; i++) {
		long n = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);

		if (n < 0) /* EINVAL: it has none */
			return i || errno == EINVAL || has_no_other(tid);
		if (n > BPF_MAXINSNS || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, filter) != n ||
		    (run(filter, (unsigned)n, &data) & SECCOMP_RET_ACTION_FULL) !=
			    SECCOMP_RET_ALLOW)
			return false;
	}
}
