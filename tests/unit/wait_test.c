/* The table of stops, docs/spec/pid-engine.md §2.2. */
#include "tracer/procfs/wait.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "tests/unit/test.h"

#define STOPPED(sig)	  ((sig) << 8 | 0x7f)
#define EVENT(event, sig) (STOPPED(sig) | (event) << 16)

static const struct {
	const char *what;
	int status;
	enum stop_kind kind;
	int sig;
} rows[] = {
	{"exit 3", 3 << 8, STOP_EXITED, 0},
	{"killed", SIGKILL, STOP_EXITED, 0},
	{"killed, core", SIGSEGV | 0x80, STOP_EXITED, 0},
	{"breakpoint", STOPPED(SIGTRAP), STOP_TRAP, SIGTRAP},
	{"a signal", STOPPED(SIGUSR1), STOP_SIGNAL, SIGUSR1},
	{"SIGSTOP before it is delivered", STOPPED(SIGSTOP), STOP_SIGNAL, SIGSTOP},
	{"a real-time signal", STOPPED(64), STOP_SIGNAL, 64},
	{"clone", EVENT(PTRACE_EVENT_CLONE, SIGTRAP), STOP_CLONE, 0},
	{"fork", EVENT(PTRACE_EVENT_FORK, SIGTRAP), STOP_FORK, 0},
	{"vfork", EVENT(PTRACE_EVENT_VFORK, SIGTRAP), STOP_VFORK, 0},
	{"vfork done", EVENT(PTRACE_EVENT_VFORK_DONE, SIGTRAP), STOP_VFORK_DONE, 0},
	{"exec", EVENT(PTRACE_EVENT_EXEC, SIGTRAP), STOP_EXEC, 0},
	{"interrupt", EVENT(PTRACE_EVENT_STOP, SIGTRAP), STOP_INTERRUPT, 0},
	{"stopped by ^Z", EVENT(PTRACE_EVENT_STOP, SIGTSTP), STOP_GROUP, SIGTSTP},
	{"stopped by SIGSTOP", EVENT(PTRACE_EVENT_STOP, SIGSTOP), STOP_GROUP, SIGSTOP},
	{"stopped at tty read", EVENT(PTRACE_EVENT_STOP, SIGTTIN), STOP_GROUP, SIGTTIN},
	{"exit event", EVENT(PTRACE_EVENT_EXIT, SIGTRAP), STOP_OTHER, 0},
	{"a system call", STOPPED(SIGTRAP | 0x80), STOP_SYSCALL, 0},
	{"seccomp", EVENT(PTRACE_EVENT_SECCOMP, SIGTRAP), STOP_OTHER, 0},
};

TEST(statuses)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stop s = stop_decode(rows[i].status);

		if (s.kind != rows[i].kind || s.sig != rows[i].sig)
			TEST_FAIL("%s: kind %d, signal %d", rows[i].what, s.kind, s.sig);
	}
}

TEST(traps)
{
	CHECK_EQ(trap_decode(SI_KERNEL), TRAP_KIND_INT3);
	CHECK_EQ(trap_decode(TRAP_TRACE), TRAP_KIND_STEP);
	CHECK_EQ(trap_decode(TRAP_BRKPT), TRAP_KIND_STEP);
	CHECK_EQ(trap_decode(TRAP_HWBKPT), TRAP_KIND_HARDWARE);
	CHECK_EQ(trap_decode(SI_USER), TRAP_KIND_SENT);
	CHECK_EQ(trap_decode(SI_TKILL), TRAP_KIND_SENT);
	CHECK_EQ(trap_decode(SI_QUEUE), TRAP_KIND_SENT);
}

TEST_MAIN();
