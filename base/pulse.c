#include "base/pulse.h"

/* One per process by nature: it says that the process lives. */
static _Atomic uint32_t *word;

void pulse_share(_Atomic uint32_t *w)
{
	word = w;
}

void pulse(void)
{
	if (word)
		*word = *word + 1; /* there is one that writes */
}
