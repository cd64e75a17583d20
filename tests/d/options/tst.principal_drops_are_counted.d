/*
 * Records that find no room are dropped and counted.
 *
 * opts: -q -x bufsize=1k -x strsize=200
 */

BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN,
BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN,
BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN
{
	printf("%s\n", "x");
}

tick-50ms
{
	exit(0);
}
