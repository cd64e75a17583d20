/*
 * A stop that we ask for ends a blocking system call. Most begin again by themselves; those that
 * never do would return an EINTR for which the program has no signal (docs/spec/pid-engine.md
 * §2.4).
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/procfile.h"
#include "tracer/procfs/seccomp.h"
#include "tracer/x86/regs.h"

#define SYSCALL_LEN 2
#define STATUS_ROOM 8192

/* Calls that may fail with EINTR and can be made a second time. */
static bool can_be_repeated(uint64_t nr)
{
	static const uint16_t calls[] = {
		SYS_epoll_wait,	    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_rt_sigtimedwait,
		SYS_semop,	    SYS_semtimedop,  SYS_io_getevents, SYS_io_pgetevents,
		SYS_io_uring_enter, SYS_read,	     SYS_readv,	       SYS_recvfrom,
		SYS_recvmsg,	    SYS_recvmmsg,    SYS_accept,       SYS_accept4,
		SYS_write,	    SYS_writev,	     SYS_sendto,       SYS_sendmsg,
	};

	for (unsigned i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i] == nr)
			return true;
	return false;
}

#define BIT(sig) (1ULL << ((sig)-1))

static bool signals(const char *status, const char *name, uint64_t *set)
{
	const char *value = procstatus_value(status, name);

	*set = value ? strtoull(value, NULL, 16) : 0;
	return value;
}

/* Signals nobody takes are delivered to a traced thread all the same, and end its call. */
static bool ignored_signals(const char *status, uint64_t *set)
{
	const uint64_t by_default = BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH);
	uint64_t ignored, caught;

	if (!signals(status, "SigIgn", &ignored) || !signals(status, "SigCgt", &caught))
		return false;
	*set = ignored | (by_default & ~caught);
	return true;
}

/* Those with information, which is all but those for which the kernel had no memory. */
static bool none_is_queued(pid_t tid, uint32_t whose)
{
	struct __ptrace_peeksiginfo_args args = {.flags = whose, .nr = 1};
	siginfo_t si;

	return ptrace(PTRACE_PEEKSIGINFO, tid, &args, &si) == 0;
}

/* A signal that the thread takes now is what the call failed for, or as good. Threads of a server
 * by the hundred wait in such calls, and each of them waits for this: /proc is read where there is
 * a signal at all, and once. */
static bool has_signal(const struct thread *t)
{
	uint64_t mask, own, shared, ignored;
	char status[STATUS_ROOM];

	if (t->stop.kind != STOP_SIGNAL && none_is_queued(t->tid, 0) &&
	    none_is_queued(t->tid, PTRACE_PEEKSIGINFO_SHARED))
		return false;
	procfile_start(t->tid, "status", status, sizeof(status));
	if (!ignored_signals(status, &ignored) ||
	    (t->stop.kind == STOP_SIGNAL && !(ignored & BIT(t->stop.sig))))
		return true;
	return ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(mask), &mask) < 0 ||
	       !signals(status, "SigPnd", &own) || !signals(status, "ShdPnd", &shared) ||
	       ((own | shared) & ~mask & ~ignored);
}

#define RESTART_BLOCK 516 /* ERESTART_RESTARTBLOCK of the kernel's linux/errno.h */

/* The kernel goes on with it by restart_syscall(2), for which a filter may kill the thread. Then it
 * waits anew, for as long as it was asked to. */
static bool must_not_be_restarted(const struct thread *t, const struct user_regs_struct *r)
{
	return r->rax == (uint64_t)-RESTART_BLOCK && !seccomp_allows(t->tid, SYS_restart_syscall);
}

static bool is_to_be_repeated(const struct thread *t, const struct user_regs_struct *r)
{
	bool is_ended = r->rax == (uint64_t)-EINTR && can_be_repeated(r->orig_rax);

	return r->cs == USER_CS && (is_ended || must_not_be_restarted(t, r)) && !has_signal(t);
}

void restart_call(struct thread *t)
{
	struct user_regs_struct *r = regs_all(&t->regs);

	if (!r || !is_to_be_repeated(t, r))
		return;
	r->rip -= SYSCALL_LEN;
	r->rax = r->orig_rax;
	r->orig_rax = UINT64_MAX;
	regs_touch(&t->regs);
}
