#include "base/fatal.h"

#include <signal.h>
#include <stddef.h>

#include "base/guard.h"

static const int signals[] = {SIGSEGV, SIGBUS,	SIGILL,	 SIGFPE,    SIGABRT,   SIGSYS,
			      SIGTRAP, SIGALRM, SIGUSR1, SIGUSR2,   SIGVTALRM, SIGPROF,
			      SIGIO,   SIGPWR,	SIGXCPU, SIGSTKFLT, SIGXFSZ};

static struct {
	void (*fn)(void *);
	void *arg;
	struct sigaction before[NSIG];
	char stack[64 << 10];
} fatal;

static void on_fatal(int sig, siginfo_t *si, void *context UNUSED)
{
	void (*fn)(void *) = fatal.fn;

	if (si->si_code > 0 && (sig == SIGBUS || sig == SIGSEGV) && guard_replace(si->si_addr))
		return;
	fatal.fn = NULL;
	if (fn)
		fn(fatal.arg);
	sigaction(sig, &fatal.before[sig], NULL);
	/* a fault comes again when we return, with all that belongs to it; others are sent again */
	if (si->si_code <= 0)
		raise(sig);
}

void fatal_prepare(void (*fn)(void *), void *arg)
{
	const stack_t stack = {.ss_sp = fatal.stack, .ss_size = sizeof(fatal.stack)};
	struct sigaction sa = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	fatal.fn = fn;
	fatal.arg = arg;
	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction *before = &fatal.before[signals[i]];

		sigaction(signals[i], NULL, before);
		if (before->sa_handler == SIG_DFL || before->sa_flags & SA_SIGINFO)
			sigaction(signals[i], &sa, NULL);
	}
}
