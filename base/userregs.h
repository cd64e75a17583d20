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

#endif
