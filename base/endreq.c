#include "base/endreq.h"

#include "base/clock.h"

#define EVERY 256 /* questions between two looks at the clock */

static bool (*ask)(void *);
static void *ask_arg;

void endreq_set(bool (*asked)(void *), void *arg)
{
	ask = asked;
	ask_arg = arg;
}

bool endreq_asked(void)
{
	return ask && ask(ask_arg);
}

void time_limit_begin(struct time_limit *p, unsigned seconds)
{
	*p = (struct time_limit){.until_ns = now_mono() + seconds * (uint64_t)1000000000};
}

bool time_limit_is_over(struct time_limit *p)
{
	if (p->until_ns && p->nasked++ % EVERY == 0 && (endreq_asked() || now_mono() > p->until_ns))
		p->until_ns = 0; /* it stays so */
	return !p->until_ns;
}
