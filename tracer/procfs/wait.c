#include "tracer/procfs/wait.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static enum stop_kind event_kind(int event, int sig)
{
	switch (event) {
	case PTRACE_EVENT_STOP:
		return sig == SIGTRAP ? STOP_INTERRUPT : STOP_GROUP;
	case PTRACE_EVENT_CLONE:
		return STOP_CLONE;
	case PTRACE_EVENT_FORK:
		return STOP_FORK;
	case PTRACE_EVENT_VFORK:
		return STOP_VFORK;
	case PTRACE_EVENT_VFORK_DONE:
		return STOP_VFORK_DONE;
	case PTRACE_EVENT_EXEC:
		return STOP_EXEC;
	default:
		return STOP_OTHER;
	}
}

struct stop stop_decode(int status)
{
	struct stop s = {.kind = STOP_EXITED};
	int event = status >> 16, sig = WSTOPSIG(status);

	if (!WIFSTOPPED(status))
		return s;
	if (event) {
		s.kind = event_kind(event, sig);
		s.sig = s.kind == STOP_GROUP ? sig : 0;
	} else if (sig == (SIGTRAP | 0x80)) { /* PTRACE_O_TRACESYSGOOD */
		s.kind = STOP_SYSCALL;
	} else {
		s.kind = sig == SIGTRAP ? STOP_TRAP : STOP_SIGNAL;
		s.sig = sig;
	}
	return s;
}

enum trap_kind trap_decode(int si_code)
{
	if (si_code == SI_KERNEL)
		return TRAP_KIND_INT3;
	if (si_code <= 0)
		return TRAP_KIND_SENT;
	return si_code == TRAP_HWBKPT ? TRAP_KIND_HARDWARE : TRAP_KIND_STEP;
}
