/*
 * corefile.h: a core file (ELF, man core) of a process that goes on running: what lkd() makes. It
 * has the registers of the thread that fired, the process's own memory and the list of its mapped
 * files, so that debuggers open it as they open the kernel's. Called during a hit: the thread
 * stands still, the others may run.
 */
#ifndef DLANG_RUN_COREFILE_H
#define DLANG_RUN_COREFILE_H

#include "base/err.h"
#include "base/target.h"
#include "base/userregs.h"

#define COREFILE_NAME 32

struct corefile {
	pid_t pid, tid;
	const struct regs *regs; /* of tid; NULL: not known, zeros are written */
	struct target *target;	 /* its memory without our breakpoints; NULL: /proc/PID/mem */
	bool is_mini;		 /* only the stack of the thread */
};

/*
 * Writes "core.PID.N" into the current directory, for the first N from 1 that is free; name gets
 * it. Errors: what the process or the file refuses; no file is left then.
 */
int corefile_write(const struct corefile *, char name[static COREFILE_NAME], struct err *);

#endif
