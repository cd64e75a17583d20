#!/usr/sbin/dtrace -s
/*
 * mytranslator.d: a structure and a translator of one's own, over what a system call is given.
 */
#pragma D option quiet

typedef struct given {
	int64_t seconds;
	int64_t nanoseconds;
} given_t;

typedef struct pause {
	uint64_t p_us;
	string p_kind;
} pause_t;

translator pause_t < given_t *G > {
	p_us = G->seconds * 1000000 + G->nanoseconds / 1000;
	p_kind = G->seconds ? "long" : "short";
};

syscall::clock_nanosleep:entry, syscall::nanosleep:entry
/progenyof($target) && execname == "switches"/
{
	this->at = (given_t *)copyin(probefunc == "nanosleep" ? arg0 : arg2, sizeof(given_t));
	@[xlate <pause_t *>(this->at)->p_kind, xlate <pause_t>(this->at).p_us] = count();
}

dtrace:::END
{
	printa("%s %d us %@d\n", @);
}
