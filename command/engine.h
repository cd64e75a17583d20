/*
 * engine.h: the engine half (ARCHITECTURE.md, Two halves and an arena): launches, compiles,
 * enables, runs clauses until the end. front.h: the other half.
 */
#ifndef COMMAND_ENGINE_H
#define COMMAND_ENGINE_H

#include <signal.h>

#include "command/cmdline.h"

/* What both halves are given. Filled in by main() before anything of its own is set. */
struct run {
	const struct cmdline *cmd;
	struct session *session;
	sigset_t sigmask; /* as the command found it; what -c programs get back */
	struct sigaction sigacts[_NSIG];
	pid_t pgrp;
	struct server *server;	   /* -x metrics, the front's; NULL: none */
	struct pusher *pusher;	   /* -x otlp, the front's; NULL: none */
	struct live *live;	   /* -x live=full; NULL: none */
	struct baseline *baseline; /* -x baseline, the front's; NULL: none */
};

void run_save_signals(struct run *);

/*
 * The signal by which the front (and, when it dies, the kernel) wakes a waiting engine. Both block
 * it before the fork.
 */
#define ENGINE_SIGNAL SIGUSR1

/*
 * The engine's life, in the child of the fork. Returns its exit status: 0 when the session came to
 * its end (session->state is SESSION_DONE), whatever that end was.
 */
int engine_main(const struct run *);

#endif
