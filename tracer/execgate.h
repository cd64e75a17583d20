/*
 * execgate.h: a program that waits for our word before it executes, so that it can be seized first
 * or be watched by others from its first system call on. Only files of this room include it.
 */
#ifndef TRACER_EXECGATE_H
#define TRACER_EXECGATE_H

#include "tracer/tracer.h"

struct gate {
	pid_t pid;
	int open;   /* the word */
	int report; /* its errno values: 0: the program was found; then why it did not execute */
};

/* The file that a command executes, looked up in PATH. 0, or the errno. */
int gate_find(const char *file, char *path, size_t size);
/* Errors: no pipe, no process. On success gate_close is due. */
int gate_fork(const struct tracer *, const struct launch *, struct gate *, struct err *);
int gate_open(const struct gate *); /* -ECHILD: it has died */
/* The next value of its report. False: there is none any more (with the gate open: it has executed
 * the program or is dead), or the owner gives up. */
bool gate_report(const struct tracer *, const struct gate *, int *e);
/* Where it still waits, it ends. */
void gate_close(struct gate *);
/* -e: "failed to execute ..." */
int gate_failed(const char *program, int e, struct err *);

#endif
