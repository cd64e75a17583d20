/*
 * capture.h: what the clauses of a probe read of the thread that hits it, for sources that record a
 * hit and let the thread go on (DESIGN §3, needs).
 */
#ifndef DLANG_CAPTURE_H
#define DLANG_CAPTURE_H

#include "dlang/session.h"

struct capture {
	unsigned nargs;	  /* arg0 and up */
	unsigned nframes; /* of the user stack, with the probe's own pc; 2: only the caller */
	bool regs;	  /* uregs[] */
	bool cpu;
};

/*
 * All enabled clauses together, and those of ERROR where one of them can fault. Returns NULL, or
 * what it is that only a stopped thread can give.
 */
const char *probe_capture(const struct probe *, struct capture *);

#endif
