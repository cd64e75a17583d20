/*
 * pulse.h: a sign of life. Who guards a process looks whether a shared word moves: work that is
 * worth waiting for beats, however long it takes in all; one that waits, or turns round without
 * getting on, does not. One word per process; without it pulse() does nothing.
 */
#ifndef BASE_PULSE_H
#define BASE_PULSE_H

#include "base/base.h"

/* The word lives as long as the process. */
void pulse_share(_Atomic uint32_t *);
/* Once for each piece of work that takes well below a second. */
void pulse(void);

#endif
