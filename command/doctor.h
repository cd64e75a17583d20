/*
 * doctor.h: `--doctor`: what works on this machine for this user, and what would help.
 */
#ifndef COMMAND_DOCTOR_H
#define COMMAND_DOCTOR_H

#include <stdio.h>

/* Prints one line for each thing tracing may need. Returns 0 when programs can be traced, else 1.
 */
int doctor_print(FILE *);

#endif
