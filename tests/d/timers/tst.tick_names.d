/*
 * The probe of a tick has no module and no function.
 *
 * opts: -q
 */

tick-10ms { printf("[%s:%s:%s:%s]\n", probeprov, probemod, probefunc, probename); exit(0); }
