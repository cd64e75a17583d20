/*
 * endreq.h: has somebody asked this process to end what it does (^C, the other half's death)? What
 * reads a file or walks over something that a traced program made may take long: it looks here, and
 * at the clock.
 */
#ifndef BASE_ENDREQ_H
#define BASE_ENDREQ_H

#include "base/base.h"

/* One per process by nature: who knows. Before it is set nobody has asked. */
void endreq_set(bool (*asked)(void *), void *arg);
bool endreq_asked(void);

/* How long something may take. */
struct time_limit {
	uint64_t until_ns; /* of CLOCK_MONOTONIC */
	uint32_t nasked;
};
void time_limit_begin(struct time_limit *, unsigned seconds);
/* The time is over, or the end was asked for. Cheap enough for every step of a walk. */
bool time_limit_is_over(struct time_limit *);

#endif
