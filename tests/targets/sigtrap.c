/*
 * sigtrap: a program that has plans for SIGTRAP. `./sigtrap WHAT` prints what is done at SIGTRAP,
 * and how often touch and the handler were called.
 *
 *	ignored   SIGTRAP is ignored, and sent
 *	handled   the handler calls touch
 *	siginfo   the same by sigaction
 *	once      the handler is there for one signal, then the default
 *	nothing   nothing is asked for
 *	wait      as handled; then waits for a line before it calls touch
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int touched, handled;

__attribute__((noinline, noclone, noipa)) int touch(int x)
{
	touched++;
	return x + 1;
}

static void on_trap(int sig)
{
	handled++;
	touch(sig);
}

static void on_siginfo(int sig, siginfo_t *si, void *context)
{
	(void)si, (void)context;
	on_trap(sig);
}

static void show(const char *when)
{
	struct sigaction a;
	sigset_t mask;

	sigaction(SIGTRAP, NULL, &a);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("%s: %s%s\n", when,
	       a.sa_handler == SIG_IGN	 ? "ignored"
	       : a.sa_handler == SIG_DFL ? "default"
					 : "handled",
	       sigismember(&mask, SIGTRAP) ? ", blocked" : "");
	fflush(stdout);
}

static void ask(const char *what)
{
	struct sigaction a = {.sa_flags = SA_SIGINFO | SA_RESTART};

	if (strcmp(what, "ignored") == 0) {
		signal(SIGTRAP, SIG_IGN);
	} else if (strcmp(what, "handled") == 0 || strcmp(what, "wait") == 0) {
		signal(SIGTRAP, on_trap);
	} else if (strcmp(what, "siginfo") == 0) {
		a.sa_sigaction = on_siginfo;
		sigaction(SIGTRAP, &a, NULL);
	} else if (strcmp(what, "once") == 0) {
		a.sa_flags = (int)SA_RESETHAND;
		a.sa_handler = on_trap;
		sigaction(SIGTRAP, &a, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	show("first");
	ask(what);
	show("asked");
	if (strcmp(what, "wait") == 0)
		getchar();
	for (int i = 0; i < 10; i++) {
		touch(i);
		if (strcmp(what, "nothing") != 0 && !(strcmp(what, "once") == 0 && i))
			raise(SIGTRAP);
		touch(i);
	}
	show("last");
	printf("touch %d\nhandled %d\n", touched, handled);
	return 0;
}
