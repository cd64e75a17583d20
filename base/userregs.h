/*
 * userregs.h: the user registers of x86-64 as every source delivers them (the kernel's struct
 * user_regs_struct order, <sys/user.h>).
 */
#ifndef BASE_USERREGS_H
#define BASE_USERREGS_H

#include <sys/user.h>

struct regs {
	struct user_regs_struct r;
};

/* The x87 and SSE registers: 16 bytes each in xmm_space and st_space (the FXSAVE image). */
struct fpregs {
	struct user_fpregs_struct r;
};

#endif
