/*
 * probeprov, probemod, probefunc and probename name the firing probe; id is its number.
 *
 * opts: -q
 */

BEGIN, END
{
	printf("%s:%s:%s:%s %d\n", probeprov, probemod, probefunc, probename, id);
	exit(0);
}
